#include "report/live/live_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "report/runs/comparison_report.h"
#include "report/text/tables.h"
#include "statistics/evidence.h"

namespace prescope {

ArmNames names_of(const Summary& summary, const ArmPair& pair) {
  return {.a = summary.arms[pair.a.value()].id.text(), .b = summary.arms[pair.b.value()].id.text()};
}

std::optional<double> live_half_width(const LiveVerdict& live, std::optional<double> mean) {
  if (!mean || (live.low <= -1.0 && live.high >= 1.0)) return std::nullopt;
  // One of the two ends may have been cut off at the end of the range.
  return std::max(*mean - live.low, live.high - *mean);
}

std::string live_state_text(const LiveVerdict& live, std::uint32_t topics,
                            std::optional<double> mean, const ArmNames& names) {
  const std::string& ahead = mean.value_or(0.0) > 0.0 ? names.b : names.a;
  switch (live.state) {
    case LiveState::kCollecting:
      return fmt::format("collecting ({} of {} topics)", topics, kFewestTopics);
    case LiveState::kNoVerdict: {
      const std::optional<double> half_width = live_half_width(live, mean);
      return half_width ? fmt::format("no verdict yet (±{})", score_text(half_width))
                        : "no verdict yet";
    }
    case LiveState::kLeading:
      return ahead + " leading";
    case LiveState::kConfirmed:
      return ahead + " confirmed better";
  }
  return {};
}

std::string live_sentence(const MeasureDifference& difference, const ArmNames& names) {
  if (difference.live.state == LiveState::kCollecting || !difference.mean) {
    return fmt::format("Too few topics to compare {} with {}: {} of {}.", names.b, names.a,
                       count_text(difference.topics, "topic"), kFewestTopics);
  }
  const std::string measure = mean_name(difference.measure);
  if (difference.live.state == LiveState::kNoVerdict) {
    return fmt::format("No difference in {} between {} and {} is shown yet.", measure, names.a,
                       names.b);
  }
  const bool is_b_ahead = *difference.mean > 0.0;
  const auto& [ahead, behind] =
      is_b_ahead ? std::tie(names.b, names.a) : std::tie(names.a, names.b);
  return fmt::format("{} {} {} by {} {}.", ahead,
                     difference.live.state == LiveState::kConfirmed ? "is better than" : "leads",
                     behind, score_text(std::abs(*difference.mean)), measure);
}

std::string live_grounds(const MeasureDifference& difference) {
  const LiveVerdict& live = difference.live;
  if (live.state == LiveState::kCollecting) {
    return "Nothing yet, whatever the numbers say. Evidence begins with the tenth topic that both "
           "arms have served.";
  }
  return fmt::format(
      "{} over {}, interval [{}, {}]. You may look as often as you like: the interval holds at all "
      "times but for a chance of {:.2g} %.",
      difference_text(difference.mean), count_text(difference.topics, "topic"),
      difference_text(live.low), difference_text(live.high), live.alpha * 100.0);
}

std::string live_latency_words(const Summary& summary, const ArmPair& pair) {
  const LatencyRatio& ratio = pair.latency;
  if (!ratio.mean) return {};
  const ArmNames names = names_of(summary, pair);
  const std::string what = fmt::format(
      "{}, {} over {} in {}: {:.3f}", summary.mode == Mode::kPaired ? "Shadow latency" : "Latency",
      names.b, names.a, count_text(ratio.topics, "topic"), *ratio.mean);
  if (!ratio.low || !ratio.high) return what + ", not bounded yet";
  const std::string verdict = *ratio.high < 1.0  ? names.b + " is faster"
                              : *ratio.low > 1.0 ? names.a + " is faster"
                                                 : "no verdict yet";
  return fmt::format("{} [{:.3f}, {:.3f}]; {}", what, *ratio.low, *ratio.high, verdict);
}

std::string sample_ratio_words(const Summary& summary, const ArmPair& pair) {
  if (!pair.sample_ratio) return {};
  const SampleRatio& ratio = *pair.sample_ratio;
  const ArmNames names = names_of(summary, pair);
  const std::string counts =
      fmt::format("{} served by {}, {} by {}", count_text(ratio.topics_a, "topic"), names.a,
                  grouped_text(ratio.topics_b), names.b);
  if (!ratio.alarm) return counts + ", as a fair coin gives them";
  return fmt::format("ALARM: {}, which no fair coin gives (ln e {:.1f})", counts, ratio.log_e);
}

std::string verdict_words(const MeasureDifference& difference, const ArmNames& names) {
  switch (difference.verdict) {
    case Verdict::kTooFewTopics:
      return "fewer than 2 topics";
    case Verdict::kIdentical:
      return "every topic the same";
    case Verdict::kNoDifference:
      if (!difference.ci_low || !difference.ci_high) return "no difference shown";
      return fmt::format("no difference shown (±{})",
                         score_text((*difference.ci_high - *difference.ci_low) / 2.0));
    case Verdict::kBetter:
      return names.b + " is better";
    case Verdict::kWorse:
      return names.a + " is better";
  }
  return {};
}

std::string latency_words(const Summary& summary, const ArmPair& pair) {
  const LatencyRatio& ratio = pair.latency;
  if (!ratio.mean || !ratio.ci_low || !ratio.ci_high) return {};
  const ArmNames names = names_of(summary, pair);
  const std::string verdict = *ratio.ci_high < 1.0  ? names.b + " is faster"
                              : *ratio.ci_low > 1.0 ? names.a + " is faster"
                                                    : "no difference shown";
  return fmt::format("Latency, {} over {} in the same topic: {:.3f} [{:.3f}, {:.3f}]; {}.", names.b,
                     names.a, *ratio.mean, *ratio.ci_low, *ratio.ci_high, verdict);
}

std::string pair_sentence(const Summary& summary, const ArmPair& pair) {
  std::vector<MeasureVerdict> verdicts;
  for (const auto& each : pair.differences) verdicts.push_back({each.measure, each.verdict});
  const auto [a, b] = names_of(summary, pair);
  return verdicts_sentence(a, b, verdicts);
}

namespace {

using Sentences = std::vector<std::string>;

struct Counted {
  std::uint64_t count = 0;
  std::string_view singular, plural{};
};

/// Adds a sentence with the count in the middle, unless it is 0.
void add(Sentences& out, std::string_view before, const Counted& of, std::string_view after) {
  if (of.count == 0) return;
  out.push_back(
      fmt::format("{}{} {}", before, count_text(of.count, of.singular, of.plural), after));
}

void about_topics_run(const Summary& summary, Sentences& out) {
  const std::size_t run = summary.rows.size();
  if (run < summary.topics) {
    out.push_back(fmt::format("topics of the qrels that were not run: {} of {}",
                              grouped_text(summary.topics - run), grouped_text(summary.topics)));
  }
  for (const ArmSummary& arm : summary.arms) {
    if (arm.topics_seen >= run) continue;
    out.push_back(fmt::format("{} served {} of the {} run", arm.id.text(),
                              grouped_text(arm.topics_seen), count_text(run, "topic")));
  }
}

void about_judgements(const Summary& summary, Sentences& out) {
  add(out, "", {summary.topics_without_relevant, "topic has", "topics have"},
      "no relevant document and count in no mean");
  add(out, "",
      {summary.judgements_repeated, "line of the qrels repeats", "lines of the qrels repeat"},
      "an earlier one and count once");
  add(out, "", {summary.judgements_merged, "judgement was merged", "judgements were merged"},
      "with another of the same document (kind codes or families) and kept the higher grade");
}

void about_arms(const Summary& summary, Sentences& out) {
  for (const ArmSummary& arm : summary.arms) {
    add(out, arm.id.text() + ": ", {arm.topics_awaiting, "topic has", "topics have"},
        "no value since the judgements changed, until served again");
  }
  for (const ArmSummary& arm : summary.arms) {
    add(out, "",
        {arm.relevant_missing.value_or(0), "relevant judgement is", "relevant judgements are"},
        fmt::format("not in the index of {} and count as not found", arm.id.text()));
  }
  for (const ArmSummary& arm : summary.arms) {
    const std::string& name = arm.id.text();
    add(out, name + " answered ", {arm.retried_queries, "query", "queries"},
        "only when asked again; their latency is left out");
    add(out, name + " served ", {arm.duplicate_hits, "judged document"},
        "again at a worse rank; the first rank counts");
    for (const MeasureMean& mean : arm.means) {
      add(out, name + " did not serve ", {mean.too_shallow, "topic"},
          fmt::format("deep enough for {}; they have no value there", mean.measure.name()));
    }
  }
}

struct Counter {
  std::uint64_t count;
  std::string_view what;
};

void add_counters(std::span<const Counter> counters, Sentences& out) {
  for (const auto& [count, what] : counters) {
    if (count > 0) {
      out.push_back(fmt::format("{}: {}", count_text(count, "query", "queries"), what));
    }
  }
}

void about_health(const Health& health, Sentences& out) {
  const Counter counters[] = {
      {health.dropped_queue_full, "dropped, because the recorder's queue was full"},
      {health.recorder_failures, "lost to a failure while recording"},
      {health.adapter_failures, "lost to a failure of the engine adapter"},
      {health.unmatched_rankings, "not matched: the docids came without a resolved table"},
      {health.page_gaps, "left out: a later page whose earlier pages were not seen"},
      {health.late_observations,
       "in no score: served by an index, or matched with judgements, that had been replaced"},
      {health.sampled_out, "left out by sampling"},
      {health.inactive_arm, "not recorded: the arm is paused or removed"},
      {health.clock_steps, "without a latency: the clock had stepped back"},
      {health.queries_without_scope, "served outside any query scope"},
      {health.queries_without_ranking, "announced, but no ranking followed"},
      {health.unknown_arm, "counted for the searcher's own arm: the named arm is unknown"},
      {health.listener_failures, "recorded, but the observation listener failed"},
      {health.log_queue_full, "recorded, but lost to a log: it was written too slowly"},
      {health.log_write_failures, "recorded, but lost to a log: it could not be written"},
  };
  add_counters(counters, out);
  if (health.log_failures > 0) {
    out.push_back(fmt::format("calls of a log that failed: {}", grouped_text(health.log_failures)));
  }
  add(out, "", {health.publish_failures, "summary could", "summaries could"},
      "not be made or published");
}

void about_shadows(const Health& health, Sentences& out) {
  const Counter counters[] = {
      {health.shadow_run, "run again for comparison"},
      {health.shadow_failed, "of those: a search threw"},
      {health.shadow_queue_full, "not compared: the shadow queue was full"},
      {health.shadow_unpaired, "not compared: no other arm was active"},
      {health.shadow_expired, "not compared: they had waited for too long"},
      {health.shadow_sampled_out, "not compared: left out by sampling"},
      {health.shadow_unjudged, "not compared: their topic is not judged"},
  };
  add_counters(counters, out);
}

}  // namespace

std::vector<std::string> oddities(const Summary& summary, TableOptions::View view) {
  Sentences out;
  if (view == TableOptions::View::kFinishedRun) about_topics_run(summary, out);
  about_judgements(summary, out);
  about_arms(summary, out);
  about_health(summary.health, out);
  about_shadows(summary.health, out);
  return out;
}

}  // namespace prescope
