#include "report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "prescope/error.h"
#include "prescope/report.h"

namespace live_ab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kJudgedBarUs = 6.0;

Json json_of(const LoadReport& load, double rate) {
  Json json{{"loop", rate == 0.0 ? "closed" : "open"}};
  if (rate != 0.0) json["rate"] = rate;
  json["queries"] = load.queries;
  json["failed"] = load.failed;
  json["seconds"] = load.seconds;
  json["queries_per_second"] = double(load.queries) / load.seconds;
  json["latency_ms"] = {{"p50", load.p50_ms}, {"p99", load.p99_ms}, {"max", load.max_ms}};
  return json;
}

Json json_of(const BlockRatio& ratio) {
  return {{"mean", ratio.mean}, {"low", ratio.low}, {"high", ratio.high}};
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const Overhead& overhead) {
  return {{"block_pairs", overhead.pairs},
          {"queries_per_block", overhead.queries_a_block},
          {"hits_per_ranking", overhead.hits_a_ranking},
          {"throughput_ratio", json_of(overhead.throughput)},
          {"p99_ratio", json_of(overhead.p99)},
          {"judged_us", json_of(overhead.judged_us)},
          {"unjudged_us", json_of(overhead.unjudged_us)}};
}

Json json_of(const Options& options, const Outcome& outcome) {
  Json json{{"threads", options.threads},
            {"topics", options.topics},
            {"documents", options.documents},
            {"seed", options.seed},
            {"generations", outcome.generations}};
  if (outcome.load) json["load"] = json_of(*outcome.load, options.rate);
  if (outcome.searches) json["searches"] = *outcome.searches;
  if (outcome.check) {
    json["check"] = {{"rankings", outcome.check->rankings}, {"wrong", outcome.check->wrong}};
  }
  if (outcome.overhead) json["overhead"] = json_of(*outcome.overhead);
  return json;
}

std::string text_of(const Overhead& overhead) {
  const auto line = [](const char* what, const BlockRatio& ratio) {
    return fmt::format("  {:<12} {:.4f}  95 % [{:.4f}, {:.4f}]\n", what, ratio.mean, ratio.low,
                       ratio.high);
  };
  std::string text =
      fmt::format("Observed over unobserved, {} pairs of blocks of {} queries, {:.0f} hits each\n",
                  overhead.pairs, overhead.queries_a_block, overhead.hits_a_ranking);
  text += line("throughput", overhead.throughput);
  text += line("p99 latency", overhead.p99);
  if (overhead.judged_us) {
    text += fmt::format("  in prescope  {:.2f} us a judged query (bar {} us)\n",
                        *overhead.judged_us, kJudgedBarUs);
  }
  if (overhead.unjudged_us) {
    text += fmt::format("  in prescope  {:.2f} us an unjudged query\n", *overhead.unjudged_us);
  }
  return text;
}

}  // namespace

void show(const prescope::Summary& summary) {
  using prescope::TableOptions;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool color = terminal && std::getenv("NO_COLOR") == nullptr;
  if (terminal) fmt::print("\x1b[H\x1b[J");
  fmt::print("{}", prescope::to_table(summary, {.color = color ? TableOptions::Color::kAlways
                                                               : TableOptions::Color::kNever}));
  std::fflush(stdout);
}

std::string to_text(const Outcome& outcome) {
  std::string text;
  if (outcome.load) {
    const LoadReport& load = *outcome.load;
    text += fmt::format(
        "\n{} queries in {:.1f} s, {:.0f} a second; p50 {:.2f} ms, p99 {:.2f} ms, max {:.1f} ms; "
        "{} failed; {} states of the index\n",
        load.queries, load.seconds, double(load.queries) / load.seconds, load.p50_ms, load.p99_ms,
        load.max_ms, load.failed, outcome.generations);
  }
  if (outcome.check) {
    text += fmt::format("{} rankings compared with the docnos served, {} wrong\n",
                        outcome.check->rankings, outcome.check->wrong);
  }
  if (outcome.overhead) text += "\n" + text_of(*outcome.overhead);
  return text;
}

void write_json(const std::filesystem::path& path, const prescope::Summary& summary,
                const Options& options, const Outcome& outcome) {
  Json json = Json::parse(prescope::to_json(summary));
  json["live_ab"] = json_of(options, outcome);
  std::ofstream out(path, std::ios::binary);
  out << json.dump(2) << '\n';
  out.close();
  if (!out) {
    throw prescope::Error(prescope::ErrorCode::kIo,
                          path.string() +
                              ": cannot be written; give a file in a folder that "
                              "exists and is yours to write");
  }
}

}  // namespace live_ab
