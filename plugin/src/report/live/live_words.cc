#include "report/live/live_report.h"

#include <iterator>
#include <tuple>

#include "facts/health_counters.h"
#include "measures/definitions.h"
#include "report/runs/comparison_report.h"
#include "runs/topic_units.h"
#include "statistics/speed_evidence.h"

namespace prescope {

namespace {

/// The state of a difference in Mode::kObserve, too.
LiveState state_of(const MeanDifference& difference) {
  return difference.live ? difference.live->state : LiveState::kDescribed;
}

std::string no_verdict_text(const LiveVerdict& live) {
  const std::optional<double> half_width = live_half_width(live);
  return half_width ? fmt::format("no verdict yet (±{})", score_text(half_width))
                    : "no verdict yet";
}

bool is_bounded(const MeanDifference& difference) {
  return difference.live && difference.live->bounded_topics > 0;
}

/// ": what was served ends before the cutoff, was not seen, or was filtered in one arm, in 120 of
/// 300 topics, so that the difference lies between -0.2100 and +0.4500"; empty if all values are
/// known.
std::string bounds_text(const MeanDifference& difference) {
  if (!is_bounded(difference)) return {};
  const LiveVerdict& live = *difference.live;
  return fmt::format(
      ": what was served ends before the cutoff, was not seen, or was filtered in one arm, in {} "
      "of "
      "{}, so that the difference lies between {} and {}",
      grouped_text(live.bounded_topics), count_text(live.topics, "topic"),
      difference_text(live.mean_low), difference_text(live.mean_high));
}

std::string described_sentence(const Summary& summary, const MeasureDifference& difference) {
  if (why_not_compared(difference.measure)) {
    return fmt::format("There is no verdict about {}.", mean_name(difference.measure));
  }
  if (!difference.live) {
    return "There is no verdict, because nobody chose at random which arm served which visit: take "
           "paired or split mode. A replay has its verdict when it has finished.";
  }
  const std::string verdicts_measure = mean_name(summary.measures[summary.primary]);
  if (difference.measure == summary.measures[summary.primary]) {
    return fmt::format("The planned test of {} decides.", verdicts_measure);
  }
  return fmt::format("{} is described, without a verdict: the verdict is about {}.",
                     mean_name(difference.measure), verdicts_measure);
}

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

std::string evidence_text(const MeanDifference& difference) {
  return units_text(shown_topics(difference), difference.live && difference.live->by_family);
}

/// "3 of 10 topics"
std::string collected_text(const MeanDifference& difference) {
  return fmt::format("{} of {}", shown_topics(difference),
                     units_text(kFewestTopics, difference.live && difference.live->by_family));
}

void about_judgements(const Summary& summary, Sentences& out) {
  add(out, "",
      {summary.topics_without_relevant, "topic has no relevant document and counts",
       "topics have no relevant document and count"},
      "in no mean");
  add(out, "",
      {summary.judgements_repeated, "line of the qrels repeats an earlier one and counts",
       "lines of the qrels repeat an earlier one and count"},
      "once");
  add(out, "", {summary.judgements_merged, "judgement was merged", "judgements were merged"},
      "with another of the same document (kind codes or families) and kept the higher grade");
}

void about_arms(const Summary& summary, Sentences& out) {
  for (const ArmSummary& arm : summary.arms) {
    add(out, arm.id.text() + ": ", {arm.topics_awaiting, "topic has", "topics have"},
        "no value since the judgements changed, until served again");
  }
  for (const ArmSummary& arm : summary.arms) {
    const std::uint64_t missing = arm.relevant_missing.value_or(0);
    add(out, "", {missing, "relevant judgement is", "relevant judgements are"},
        fmt::format("not in the index of {} and {} as not found", arm.id.text(),
                    missing == 1 ? "counts" : "count"));
  }
  for (const ArmSummary& arm : summary.arms) {
    for (const std::string& series : arm.missing_series) {
      out.push_back(fmt::format("{}: {}", arm.id.text(), series));
    }
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

/// "bm25: 3 of 120 judged rankings were filtered by the user; not scored"
void about_flags(const Summary& summary, Sentences& out) {
  constexpr std::pair<std::uint64_t ArmSummary::*, std::string_view> kFlags[] = {
      {&ArmSummary::sorted_queries, "sorted by something else than relevance; not scored"},
      {&ArmSummary::filtered_queries, "filtered by the user; not scored"},
      {&ArmSummary::collapsed_queries, "collapsed into groups of documents; not scored"},
      {&ArmSummary::partial_queries, "partial answers; scored as they were served"}};
  for (const ArmSummary& arm : summary.arms) {
    for (const auto& [counter, what] : kFlags) {
      const std::uint64_t count = arm.*counter;
      if (count == 0) continue;
      out.push_back(fmt::format("{}: {} of {} {} {}", arm.id.text(), grouped_text(count),
                                count_text(arm.judged_queries, "judged ranking"),
                                count == 1 ? "was" : "were", what));
    }
  }
}

/// Requests that ranked more than once, and what each stage had of what was to be found.
void about_stages(const ArmSummary& arm, Sentences& out) {
  add(out, arm.id.text() + ": ", {arm.replaced_rankings, "request", "requests"},
      "ranked more than once; the last ranking from rank 1 on counts, or the one that was named as "
      "served");
  for (const StageSummary& stage : arm.stages) {
    if (stage.relevant == 0) continue;
    const auto share = [&](std::uint64_t count) {
      return plain_percent_text(static_cast<double>(count) / static_cast<double>(stage.relevant));
    };
    out.push_back(fmt::format(
        "{}: {} of the {} of {} were never {}, {} were and were not served", arm.id.text(),
        share(stage.relevant - stage.found), count_text(stage.relevant, "relevant document"),
        count_text(stage.topics, "topic"),
        stage.name == "candidates" ? stage.name : fmt::format("at the stage '{}'", stage.name),
        share(stage.found - stage.kept)));
  }
}

/// Visits that end before a cutoff; measures with the same numbers share a sentence.
void about_shallow_visits(const ArmSummary& arm, Sentences& out) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::string>> measures;
  for (const MeasureMean& mean : arm.means) {
    if (mean.shallow_visits == 0) continue;
    measures[{mean.shallow_visits, mean.visits + mean.shallow_visits}].push_back(
        mean.measure.name());
  }
  for (const auto& [numbers, names] : measures) {
    const auto& [shallow, scored] = numbers;
    out.push_back(fmt::format("{}: {} of {} {} before the cutoff of {}", arm.id.text(),
                              grouped_text(shallow), count_text(scored, "scored visit"),
                              shallow == 1 ? "ends" : "end", fmt::join(names, ", ")));
  }
}

void about_epoch(const Epoch& epoch, Sentences& out) {
  if (epoch.incomplete_visits > 0) {
    out.push_back(
        fmt::format("{} of {} for comparison {} not ranked by every arm: what is missing may be "
                    "anything",
                    grouped_text(epoch.incomplete_visits),
                    count_text(epoch.compared_visits + epoch.incomplete_visits, "visit"),
                    epoch.incomplete_visits == 1 ? "was" : "were"));
  }
  add(out, "the index changed ", {epoch.index_changes, "time"}, "within this epoch");
}

/// "3 rankings left out by sampling"
void add_counters(const Health& health, HealthReport report, Sentences& out) {
  for (const HealthCounter& one : health_counters()) {
    if (one.report != report) continue;
    add(out, "", {health.*one.member, one.noun.singular, one.noun.plural}, one.what);
  }
}

/// Returns why the visits without two comparable latencies leave no verdict.
std::string open_latency_text(const LatencyRatio& ratio, const ArmNames& names) {
  const std::uint64_t repeated = std::max(ratio.repeated_a, ratio.repeated_b);
  if (repeated == 0) {
    return fmt::format(
        "no verdict: the visits that only one arm was timed in could turn it, between {:.3f} and "
        "{:.3f} with each visit limited to a factor of 2",
        ratio.least.value_or(1.0), ratio.most.value_or(1.0));
  }
  return fmt::format(
      "no verdict: {} had searched for the users before, so the caches of the arms are not in like "
      "state; a verdict needs every arm searched twice (kBothArmsTwice)",
      ratio.repeated_a >= ratio.repeated_b ? names.a : names.b);
}

std::string latency_state_text(const LatencyRatio& ratio, const ArmNames& names) {
  return std::string(word_of(
      ratio.state, {fmt::format("no verdict before {} visits", SpeedEvidence::kFewestVisits),
                    "no verdict: visits that follow each other are too much alike to tell",
                    open_latency_text(ratio, names), "no verdict yet",
                    (ratio.mean.value_or(1.0) < 1.0 ? names.b : names.a) + " is faster"}));
}

/// "A failed in 3 visits, B in 1,200"; nothing if neither did.
std::string in_each_arm(const ArmNames& names, std::string_view what, std::uint64_t a,
                        std::uint64_t b) {
  if (a + b == 0) return {};
  return fmt::format("{} {} in {}, {} in {}", names.a, what, count_text(a, "visit"), names.b,
                     grouped_text(b));
}

}  // namespace

std::string failing_logs_sentence(const Health& health) {
  if (health.logs_failing == 0) return {};
  if (health.log_waiting == 0) {
    return fmt::format("{} cannot be written", count_text(health.logs_failing, "log"));
  }
  return fmt::format("{} cannot be written; {} wait, and are lost unless that ends",
                     count_text(health.logs_failing, "log"),
                     count_text(health.log_waiting, "observation"));
}

ArmNames names_of(const Summary& summary, const ArmPair& pair) {
  return {.a = summary.arms[pair.a.value()].id.text(), .b = summary.arms[pair.b.value()].id.text()};
}

std::optional<double> shown_mean(const MeanDifference& difference) {
  return difference.live ? difference.live->mean : difference.mean;
}

std::uint32_t shown_topics(const MeanDifference& difference) {
  return difference.live ? difference.live->topics : difference.topics;
}

std::optional<double> live_half_width(const LiveVerdict& live) {
  if (!live.mean || (live.low <= -1.0 && live.high >= 1.0)) return std::nullopt;
  // One of the two ends may have been cut off at the end of the range.
  return std::max(*live.mean - live.low, live.high - *live.mean);
}

std::string live_state_text(const MeanDifference& difference, const ArmNames& names) {
  const std::string& ahead = shown_mean(difference).value_or(0.0) > 0.0 ? names.b : names.a;
  return std::string(
      word_of(state_of(difference),
              {fmt::format("collecting ({})", collected_text(difference)),
               difference.live ? no_verdict_text(*difference.live) : "", ahead + " ahead so far",
               ahead + " leading", ahead + " confirmed better", "described", "vetoed"}));
}

std::string live_sentence(const Summary& summary, const ArmPair& pair,
                          const MeasureDifference& difference) {
  const ArmNames names = names_of(summary, pair);
  const double mean = shown_mean(difference).value_or(0.0);
  const auto& [ahead, behind] =
      mean > 0.0 ? std::tie(names.b, names.a) : std::tie(names.a, names.b);
  const std::string measure = mean_name(difference.measure);
  const auto by = [&](std::string_view leads) {
    if (!is_bounded(difference)) {
      return fmt::format("{} {} {} by {} {}.", ahead, leads, behind, score_text(std::abs(mean)),
                         measure);
    }
    const LiveVerdict& live = *difference.live;
    const double least = std::min(std::abs(*live.mean_low), std::abs(*live.mean_high));
    return fmt::format(
        "{} {} {} by at least {} {}, even if every hit that was not seen counted against it.",
        ahead, leads, behind, score_text(least), measure);
  };
  const LiveState state = state_of(difference);
  if (state == LiveState::kDescribed) return described_sentence(summary, difference);
  if (state == LiveState::kVetoed) return veto_sentence(summary, pair);
  return std::string(word_of(
      state,
      {fmt::format("Too few topics to compare {} with {}: {} of {}.", names.b, names.a,
                   evidence_text(difference), kFewestTopics),
       fmt::format("No difference in {} between {} and {} is shown yet{}.", measure, names.a,
                   names.b, bounds_text(difference)),
       ahead + " ahead so far: the arms differ in these topics; rare failures are not ruled out.",
       by("leads"), by("is better than")}));
}

std::string live_grounds(const MeasureDifference& difference) {
  if (const auto why = why_not_compared(difference.measure)) {
    return fmt::format("{} cannot decide: {}.", difference.measure.name(), *why);
  }
  const std::string figures =
      fmt::format("{} over {}", difference_text(shown_mean(difference)), evidence_text(difference));
  if (!difference.live) return difference.mean ? figures + "." : "No topic has both values yet.";
  const LiveVerdict& live = *difference.live;
  if (live.state == LiveState::kVetoed) {
    return figures + ". What voids the verdict voids an interval, too.";
  }
  if (live.state == LiveState::kCollecting) {
    return "Nothing yet, whatever the numbers say. Evidence begins with the tenth topic.";
  }
  std::string out = fmt::format(
      "{}, interval [{}, {}]. You may look as often as you like: the interval holds at all times "
      "but for a chance of {:.2g} %.",
      figures, difference_text(live.low), difference_text(live.high), live.alpha * 100.0);
  if (live.state == LiveState::kDescribed) return out;
  if (live.topics_to_undo > 0) {
    out += fmt::format(" {} of the largest opposite difference would undo it.",
                       count_text(live.topics_to_undo, "further topic"));
  }
  if (live.detectable) {
    out += fmt::format(" With as many topics, a true difference of {} shows in 4 of 5 cases.",
                       score_text(live.detectable));
  }
  return out;
}

std::string live_latency_words(const Summary& summary, const ArmPair& pair) {
  const LatencyRatio& ratio = pair.latency;
  if (summary.mode != Mode::kPaired || !ratio.mean) return {};
  const ArmNames names = names_of(summary, pair);
  const std::string interval = ratio.low && ratio.high
                                   ? fmt::format(" [{:.3f}, {:.3f}] ({} of {})", *ratio.low,
                                                 *ratio.high, count_text(ratio.blocks, "block"),
                                                 count_text(ratio.pairs_in_block, "visit"))
                                   : std::string(", without an interval yet");
  std::string left_out;
  for (const std::string& one :
       {in_each_arm(names, "failed", ratio.failed_a, ratio.failed_b),
        in_each_arm(names, "had no time of its own", ratio.untimed_a, ratio.untimed_b)}) {
    if (!one.empty()) left_out += (left_out.empty() ? "; not among them: " : "; ") + one;
  }
  return fmt::format("Shadow latency, {} over {} in {}: {:.3f}{}; {}{}", names.b, names.a,
                     count_text(ratio.pairs, "visit"), *ratio.mean, interval,
                     latency_state_text(ratio, names), left_out);
}

std::vector<std::string> left_out(const Summary& summary) {
  Sentences out;
  about_flags(summary, out);
  for (const ArmSummary& arm : summary.arms) about_stages(arm, out);
  for (const ArmSummary& arm : summary.arms) about_shallow_visits(arm, out);
  about_epoch(summary.epoch, out);
  add_counters(summary.health, HealthReport::kLeftOut, out);
  for (const std::string& reason : summary.missing) {
    out.push_back("not in this summary: " + reason);
  }
  return out;
}

std::vector<std::string> oddities(const Summary& summary) {
  Sentences out;
  if (!summary.rule.empty()) {
    out.push_back(fmt::format("judged by the citations of a store, rule {}", summary.rule));
  }
  if (summary.collapses) {
    out.emplace_back(
        "rankings are collapsed: only the first of several hits that are one document has a rank");
  }
  about_judgements(summary, out);
  std::ranges::move(unit_sentences(summary), std::back_inserter(out));
  about_arms(summary, out);
  const std::string failing = failing_logs_sentence(summary.health);
  if (!failing.empty()) out.push_back(failing);
  add_counters(summary.health, HealthReport::kOddity, out);
  return out;
}

}  // namespace prescope
