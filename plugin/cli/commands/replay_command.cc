#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/toml_file.h"
#include "cli/commands/commands.h"
#include "cli/options/dashboard_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/replay_flags.h"
#include "cli/options/terminal.h"
#include "cli/replay/replay.h"
#include "cli/replay/replay_report.h"
#include "prescope/dashboard.h"
#include "prescope/error.h"
#include "replay/engine_module.h"
#include "replay/experiment_file.h"

namespace prescope::cli {

namespace {

struct ReplayRequest {
  std::string experiment;
  ReplayFlags flags;
  std::string json, html;
  std::string runs_out;
  std::string store, log;
  bool serve = false;
  std::optional<std::uint16_t> port;
  bool help_arms = false;
};

ReplayOptions options_of(const ReplayRequest& request) {
  if (request.experiment.empty()) {
    throw Error(ErrorCode::kUsage, "no experiment file; see 'prescope replay --help'");
  }
  Problems problems;
  RawOptions raw = read_experiment_file(request.experiment, problems);
  request.flags.override(raw, problems);
  ReplayOptions options = resolve_options(raw, problems);
  problems.throw_if_any();
  return options;
}

/// The engine that the flag names, else those of the experiment's arms, each once.
std::vector<std::string> engines_of(const ReplayRequest& request) {
  if (!request.flags.engine().empty()) return {request.flags.engine()};
  std::vector<std::string> engines;
  for (const ReplayArm& arm : options_of(request).arms) {
    if (std::find(engines.begin(), engines.end(), arm.engine) == engines.end()) {
      engines.push_back(arm.engine);
    }
  }
  return engines;
}

void print_arm_settings(const ReplayRequest& request) {
  std::string out;
  for (const std::string& name : engines_of(request)) {
    const Engine& engine = load_engine(name);
    out += fmt::format("Settings of an arm of {} {}:\n", engine.name(), engine.version());
    for (const std::string_view line : engine.arm_settings()) out += fmt::format("  {}\n", line);
  }
  print_result(out);
}

void print_notes(const ReplayTopics& topics) {
  const std::string skipped = skipped_topics_note(topics);
  if (!skipped.empty()) print_note(skipped);
  if (topics.without_judgements > 0) {
    print_note(fmt::format("topics of the topics file without judgements, not run: {}",
                           topics.without_judgements));
  }
}

std::vector<std::shared_ptr<ObservationLog>> logs_of(const ReplayRequest& request) {
  std::vector<std::shared_ptr<ObservationLog>> logs;
  if (!request.store.empty()) logs.push_back(log_to_store(request.store));
  if (!request.log.empty()) logs.push_back(log_to_json_lines(request.log));
  return logs;
}

void check_request(const ReplayRequest& request) {
  if (request.json == kStandardOutput && request.html == kStandardOutput) {
    throw Error(ErrorCode::kUsage, "--json and --html cannot both be standard output ('-')");
  }
  if (request.port && !request.serve) {
    throw Error(ErrorCode::kUsage, "--port has a meaning only with --serve; add it");
  }
}

std::vector<AttachService> services_of(const ReplayRequest& request) {
  if (!request.serve) return {};
  return {dashboard({.port = request.port.value_or(0),
                     .token = dashboard_token(""),
                     .on_listening = [](const std::string& url) { print_note("serving " + url); },
                     .on_warning = print_note})};
}

std::string result_text(const ReplayRequest& request, const ReplayOptions& options,
                        const ReplayResult& result, const ReplayViews& views) {
  if (request.json == kStandardOutput) return replay_json(options, result);
  if (request.html == kStandardOutput) return replay_html(options, result, views);
  const auto color =
      wants_color(stdout) ? TableOptions::Color::kAlways : TableOptions::Color::kNever;
  return replay_table(options, result, color);
}

/// What comes of a replay beside its runs.
struct ReplayFiles {
  std::optional<OutputFile> json, html;

  void write(const ReplayOptions& options, const ReplayResult& result, const ReplayViews& views) {
    if (json) json->write(replay_json(options, result));
    if (html) html->write(replay_html(options, result, views));
  }
};

void run_replay(const ReplayRequest& request) {
  if (request.help_arms) return print_arm_settings(request);
  check_request(request);
  const ReplayOptions options = options_of(request);
  ReplayFiles files{.json = output_file(request.json), .html = output_file(request.html)};
  std::optional<OrderedRuns> runs;
  if (!request.runs_out.empty()) runs.emplace(request.runs_out, options.arms);

  const auto finish = [&](Experiment& experiment, const ReplayResult& result) {
    ReplayViews views;
    if (!request.html.empty()) views = replay_views(experiment);
    if (runs) runs->finish();
    files.write(options, result, views);
    print_notes(result.topics);
    print_result(result_text(request, options, result, views));
    if (request.serve) Interrupt().wait();
  };
  static_cast<void>(replay(options, {.runs = runs ? &*runs : nullptr,
                                     .logs = logs_of(request),
                                     .services = services_of(request),
                                     .on_end = finish}));
}

}  // namespace

void add_replay_command(ProgramParser& program) {
  const auto request = std::make_shared<ReplayRequest>();
  CommandParser& parser = program.add_command(
      "replay", "Run every topic under each ranking configuration and compare them.");
  parser.argument("EXPERIMENT", request->experiment, "FILE", "Experiment file (TOML)");
  request->flags.add_to(parser);
  parser.option("--json", request->json, "FILE",
                "Write all results as JSON; - for stdout, no table then");
  parser.option("--html", request->html, "FILE",
                "Write one page with every topic that opens in any browser, too; - for stdout, no "
                "table then");
  parser.option("--runs-out", request->runs_out, "DIR", "Write ARM.run, a TREC run, for each arm");
  parser.option("--store", request->store, "FILE",
                "Write what is observed to this store; see 'prescope log --help'");
  parser.option("--log", request->log, "FILE",
                "Append what is observed to this file, as JSON lines");
  parser.flag("--serve", request->serve,
              "Show it in a browser while it runs, and then until Ctrl-C; see 'prescope serve'");
  parser.option("--port", request->port, "N", "Of --serve (any that is free)");
  parser.flag("--help-arms", request->help_arms, "List the settings of the engine's arms");
  parser.footer([] {
    return fmt::format(
        "Flags override the experiment file.\n\n"
        "Examples:\n"
        "  prescope replay experiment.toml --threads 2 --arm 'bm25:k1=1.6' --json result.json\n"
        "  prescope replay experiment.toml --arm 'tonight:index=indexes/tonight'\n"
        "  prescope replay experiment.toml --html replay.html\n"
        "  prescope replay experiment.toml --store nights.store --log replay.jsonl\n"
        "  prescope replay experiment.toml --serve --port 8080\n"
        "  prescope replay --help-arms --engine {}",
        example_engine());
  });
  parser.body([request] { run_replay(*request); });
}

}  // namespace prescope::cli
