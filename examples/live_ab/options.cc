#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/error.h"

namespace live_ab {
namespace {

using prescope::Error;
using prescope::ErrorCode;
using prescope::Mode;

constexpr const char* kFooter =
    "Example:\n"
    "  live_ab --seconds 30 --mode paired --json last.json\n"
    "compares Lucene's tf-idf with BM25 for half a minute, each query under both.\n"
    "Exit code: 0, or 2 for bad input or usage.";

void describe(CLI::App& app, Options& options, std::string& mode) {
  app.add_option("--seconds", options.seconds, "how long to serve")
      ->type_name("N")
      ->check(CLI::Range(0.1, 86400.0));
  app.add_option("--json", options.json, "write the last summary here")->type_name("FILE");
  app.add_option("--store", options.store, "write what is observed to this store, see prescope log")
      ->type_name("FILE");
  app.add_option("--log", options.log, "append what is observed to this file, as JSON lines")
      ->type_name("FILE");
  app.add_option("--fleet", options.fleet,
                 "follow the decisions of this fleet, clickhouse://host/database; needs --store")
      ->type_name("URL");
  app.add_option("--server", options.server, "of --fleet: this server's name")->type_name("NAME");
  app.add_option("--mode", mode, "observe, paired or split: how the arms get their queries")
      ->type_name("MODE");
  app.add_option("--threads", options.threads, "threads that search")
      ->type_name("N")
      ->check(CLI::Range(1U, 256U));
  app.add_option("--topics", options.topics, "judged queries")
      ->type_name("N")
      ->check(CLI::Range(1U, 50'000U));
  app.add_option("--documents", options.documents, "made-up patents in the index")
      ->type_name("N")
      ->check(CLI::Range(1000U, 500'000U));
  app.add_option("--seed", options.seed, "of the patents and of the traffic")->type_name("N");
  app.add_option("--rate", options.rate,
                 "queries a second, whether the server keeps up or not; without it, each thread "
                 "asks when it has its answer")
      ->type_name("Q/S")
      ->check(CLI::Range(0.0, 1e6));
  app.add_flag("--serve", options.serve, "show the experiment in a browser while it runs");
  app.add_option("--port", options.port, "of --serve; without it, one that is free")
      ->type_name("N")
      ->check(CLI::Range(0, 65535));
  app.add_flag("--overhead", options.overhead,
               "measure what observing costs, against searchers without prescope");
  app.add_flag("--bad-arm", options.bad_arm,
               "let bm25 search titles only, as after a mistake in its configuration");
  app.add_flag(
      "--pause-worse", options.pause_worse,
      "pause an arm when it is confirmed worse, without a person; of --mode paired, split");
  app.add_flag("--check", options.check, "compare each recorded ranking with the docnos served");
}

Mode mode_of(std::string_view name) {
  static const std::map<std::string_view, Mode> kModes{
      {"observe", Mode::kObserve}, {"paired", Mode::kPaired}, {"split", Mode::kSplit}};
  if (const auto found = kModes.find(name); found != kModes.end()) return found->second;
  constexpr std::string_view kNames[] = {"observe", "paired", "split"};
  throw Error(ErrorCode::kUsage, prescope::unknown_name_message("mode", name, kNames));
}

/// Adds the nearest option to CLI11's message about an unexpected argument.
void require_known(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const std::string& argument : app.remaining()) {
    throw Error(ErrorCode::kUsage,
                prescope::unknown_name_message("option", argument.substr(0, argument.find('=')),
                                               candidates));
  }
}

}  // namespace

std::optional<Options> parse(int argc, char** argv) {
  CLI::App app("A small search server that compares two rankings while it serves", "live_ab");
  app.footer(kFooter);
  app.allow_extras();
  Options options;
  std::string mode = "observe";
  describe(app, options, mode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    fmt::print("{}", app.help());
    return std::nullopt;
  } catch (const CLI::ParseError& failure) {
    throw Error(ErrorCode::kUsage, fmt::format("{}; see 'live_ab --help'", failure.what()));
  }
  require_known(app);
  options.mode = mode_of(mode);
  if (options.port != 0 && !options.serve) {
    throw Error(ErrorCode::kUsage, "--port has a meaning only with --serve; add it");
  }
  if (options.pause_worse && options.mode == Mode::kObserve) {
    throw Error(ErrorCode::kUsage,
                "--pause-worse follows verdicts, and --mode observe has none; add --mode paired");
  }
  if (!options.fleet.empty() && options.store.empty()) {
    throw Error(ErrorCode::kUsage, "--fleet keeps its decisions in the store; add --store");
  }
  return options;
}

}  // namespace live_ab
