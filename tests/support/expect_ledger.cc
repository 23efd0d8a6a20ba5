#include "support/expect_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "statistics/evidence.h"
#include "support/plain_bets.h"

namespace prescope {
namespace {

using Track = PlainLedger::Track;

constexpr double kExact = 1e-12;

/// The first difference that is found, and the place that is being compared.
class LedgerComparison {
 public:
  explicit LedgerComparison(const PlainLedger& plain) : plain(plain) {}

  template <class A, class B>
  void same(std::string_view what, const A& found, const B& expected) {
    if (found == expected || !first_.empty()) return;
    first_ = fmt::format("{}{}: {}, expected {}", place(), what, found, expected);
  }
  void near(std::string_view what, double found, double expected, double most = kExact) {
    if (std::abs(found - expected) <= most || !first_.empty()) return;  // NaN is not near
    first_ = fmt::format("{}{}: {:.17g}, expected {:.17g}", place(), what, found, expected);
  }
  void near(std::string_view what, std::optional<double> found, std::optional<double> expected) {
    same(what, found.has_value(), expected.has_value());
    if (found && expected) near(what, *found, *expected);
  }
  [[nodiscard]] const std::string& first() const { return first_; }

  const PlainLedger& plain;
  // The place; nothing if it does not matter.
  std::string_view track{};
  std::optional<std::uint32_t> arm{}, topic{};
  std::optional<std::size_t> measure{};

 private:
  [[nodiscard]] std::string place() const {
    std::string text(track);
    if (arm) text += fmt::format(" arm {}", *arm);
    if (topic) text += fmt::format(" topic {}", *topic);
    if (measure) text += " " + plain.measures()[*measure].name();
    return text + " ";
  }
  std::string first_;
};

std::uint32_t num_topics(const PlainLedger& plain) {
  return static_cast<std::uint32_t>(plain.qrels().topics().size());
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return sum_of(values) / static_cast<double>(values.size());
}

std::uint32_t size_of(const std::vector<double>& values) {
  return static_cast<std::uint32_t>(values.size());
}

std::vector<double> squares_of(std::vector<double> values) {
  for (double& value : values) value *= value;
  return values;
}

std::uint32_t num_relevant(const PlainLedger& plain, std::uint32_t topic) {
  const auto judgements = plain.qrels().topics()[topic].judgements();
  return static_cast<std::uint32_t>(
      std::ranges::count_if(judgements, [](const Judgement& one) { return one.grade >= 1; }));
}

std::uint32_t topics_with_relevant(const PlainLedger& plain) {
  std::uint32_t topics = 0;
  for (std::uint32_t t = 0; t < num_topics(plain); ++t) {
    topics += num_relevant(plain, t) > 0 ? 1 : 0;
  }
  return topics;
}

/// Returns the geometric mean for GMAP, else the arithmetic one.
std::optional<double> mean_of_topics(const Measure& measure, std::vector<double> values) {
  if (measure.name() != "GMAP" || values.empty()) return mean_of(values);
  for (double& value : values) value = std::log(std::max(value, 1e-5));
  return std::exp(*mean_of(values));
}

/// One measure of an arm, over topics.
struct PlainMeasure {
  std::vector<double> means;
  std::uint32_t too_shallow = 0, revisited = 0, changed = 0;
  std::uint64_t visits = 0, shallow_visits = 0;
  std::vector<double> changes;          ///< of revisited topics
  std::vector<double> largest_changes;  ///< by topic
};

PlainMeasure measure_of(const PlainLedger& plain, Track track, std::uint32_t arm, std::size_t m) {
  PlainMeasure all;
  for (std::uint32_t t = 0; t < num_topics(plain); ++t) {
    const PlainLedger::Mean topic = plain.mean(track, arm, t, m);
    all.visits += topic.values.size();
    all.shallow_visits += topic.shallow;
    all.largest_changes.push_back(topic.largest_change);
    if (topic.values.empty()) {
      all.too_shallow += topic.shallow > 0 ? 1 : 0;
      continue;
    }
    all.means.push_back(*mean_of(topic.values));
    const std::optional<double> change = topic.last_change();
    if (!change) continue;
    all.changes.push_back(*change);
    all.changed += *change > 0.0 ? 1 : 0;
  }
  all.revisited = size_of(all.changes);
  return all;
}

/// The lower or the upper bounds of values.
std::vector<double> ends_of(const std::vector<PlainLedger::Bounds>& values,
                            double PlainLedger::Bounds::*end) {
  std::vector<double> ends;
  for (const PlainLedger::Bounds& value : values) ends.push_back(value.*end);
  return ends;
}

std::uint32_t num_bounded(const std::vector<PlainLedger::Bounds>& values) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      values, [](const PlainLedger::Bounds& value) { return value.low < value.high; }));
}

void compare_sketch(LedgerComparison& is, const LatencySketch& sketch,
                    std::vector<std::chrono::nanoseconds> values) {
  is.same("latencies", sketch.count(), values.size());
  const auto failed = std::erase(values, PlainLedger::kNever);
  if (!is.first().empty()) return;
  if (failed > 0) {
    is.same("failure", sketch.at_rank(values.size() + 1)->count(), LatencySketch::kNever.count());
  }
  if (values.empty()) return;
  is.same("slowest", sketch.max()->count(), std::ranges::max_element(values)->count());
}

void compare_counters(LedgerComparison& is, const Ledger::ArmState& arm,
                      const PlainLedger::Arm& plain) {
  is.same("judged", arm.judged_queries, plain.judged);
  is.same("unjudged", arm.unjudged_queries, plain.unjudged);
  is.same("retried", arm.retried_queries, plain.retried);
  is.same("failed", arm.failed_queries, plain.failed);
  is.same("timed out", arm.timed_out_queries, plain.timed_out);
  is.same("unseen", arm.unseen_visits, plain.unseen);
  is.same("sorted", arm.sorted_queries, plain.sorted);
  is.same("filtered", arm.filtered_queries, plain.filtered);
  is.same("collapsed", arm.collapsed_queries, plain.collapsed);
  is.same("partial", arm.partial_queries, plain.partial);
  is.same("replaced", arm.replaced_rankings, plain.replaced);
  compare_sketch(is, arm.latency.all, plain.latency);
  compare_sketch(is, arm.shadow_latency.all, plain.shadow_latency);
  compare_sketch(is, arm.self_time, plain.self_time);
  compare_sketch(is, arm.unjudged_self_time, plain.unjudged_self);
}

void compare_stages(LedgerComparison& is, const StageCoverage& stages, std::uint32_t arm) {
  for (const Stage stage : {Stage::kCandidates, Stage::kServed, Stage::kFirstOwn}) {
    const StageCoverage::Totals& found = stages.totals(stage);
    const auto plain =
        stage == Stage::kServed ? PlainLedger::Stages() : is.plain.stages(arm, stage);
    is.same("topics of a stage", found.topics, plain.topics);
    is.same("relevant at a stage", found.relevant, plain.relevant);
    is.same("found at a stage", found.found, plain.found);
    is.same("kept from a stage", found.kept, plain.kept);
    is.same("served beside a stage", found.served, plain.served);
  }
}

void compare_last_visit(LedgerComparison& is, const Ledger::VisitFacts& found,
                        const PlainLedger::Visit& expected) {
  is.same("number", found.number, expected.number);
  is.same("covered", found.ranking.num_ret, expected.covered);
  is.same("exhausted", found.exhausted, expected.exhausted);
  is.same("awaiting", found.awaiting, is.plain.is_awaiting(expected, *is.topic));
  std::map<std::string, Rank> hits, plain_hits;
  for (const JudgedHit& hit : found.ranking.hits) {
    const auto judgements = is.plain.qrels().topics()[*is.topic].judgements();
    hits[judgements[hit.judgement.value()].docno.text()] = hit.rank;
  }
  for (const auto& [docno, rank] : expected.found) plain_hits[plain_docno(docno)] = rank;
  is.same("same hits", hits == plain_hits, true);
}

void compare_topic(LedgerComparison& is, const Ledger::Track& track, Track which) {
  const Ledger::TopicState& state = track.topics[*is.topic];
  const auto visits = is.plain.visits(which, *is.arm, *is.topic);
  const std::vector<double> latencies = is.plain.latencies(which, *is.arm, *is.topic);
  is.same("visits", state.visits, visits.size());
  is.near("last latency", state.last_latency_ms,
          latencies.empty() ? std::nullopt : std::optional(latencies.back()));
  if (!visits.empty() && is.first().empty()) compare_last_visit(is, state.last, *visits.back());
  const std::size_t num_measures = is.plain.measures().size();
  for (std::size_t m = 0; m < num_measures; ++m) {
    is.measure = m;
    const Score& score = track.scores.row(*is.topic)[m];
    const PlainLedger::Mean mean = is.plain.mean(which, *is.arm, *is.topic, m);
    is.same("visits", score.visits, mean.values.size());
    is.same("shallow visits", score.shallow_visits, mean.shallow);
    if (mean.values.empty()) continue;
    is.near("mean", score.mean, *mean_of(mean.values));
    is.same("last value is known", score.has_last, mean.knows_last);
    if (!mean.knows_last) continue;
    is.near("last", score.last, mean.values.back());
    is.same("of the last visit", score.last_place == state.visits, mean.has_last);
  }
  is.measure.reset();
}

void compare_totals(LedgerComparison& is, const ScoreTotals& totals, const PlainMeasure& plain) {
  const MeasureMean means = totals.means(0);
  is.same("topics", means.topics, plain.means.size());
  is.same("too shallow", means.too_shallow, plain.too_shallow);
  is.same("visits", means.visits, plain.visits);
  is.same("shallow visits", means.shallow_visits, plain.shallow_visits);
  is.near("mean", means.mean, mean_of_topics(is.plain.measures()[*is.measure], plain.means));
  is.same("revisited", means.drift.revisited, plain.revisited);
  is.same("changed", means.drift.changed, plain.changed);
  // A change is at most twice a difference that was rounded to 1e-12.
  is.near("mean change", means.drift.mean_change, mean_of(plain.changes).value_or(0.0), 2 * kExact);
  const double largest = std::ranges::max(plain.largest_changes);
  is.near("largest change", means.drift.largest, largest, 2 * kExact);
  if (means.drift.largest > 0.0 && is.first().empty()) {
    is.near("change of the most changed", plain.largest_changes[totals.most_changed().value()],
            largest, 2 * kExact);
  }
}

void compare_track(LedgerComparison& is, const Ledger::Track& track, Track which) {
  is.track = which == Track::kServed ? "served" : "compared";
  std::uint32_t seen = 0, awaiting = 0;
  for (std::uint32_t t = 0; t < num_topics(is.plain) && is.first().empty(); ++t) {
    is.topic = t;
    compare_topic(is, track, which);
    const auto visits = is.plain.visits(which, *is.arm, t);
    seen += visits.empty() ? 0 : 1;
    awaiting += !visits.empty() && is.plain.is_awaiting(*visits.back(), t) ? 1 : 0;
  }
  is.topic.reset();
  const PlainLedger::Counts counts = is.plain.counts(which, *is.arm);
  is.same("all visits", track.visits, counts.visits);
  is.same("failed visits", track.failed, counts.failed);
  is.same("unseen visits", track.unseen, counts.unseen);
  is.same("bounded visits", track.bounded, counts.bounded);
  is.same("unscored rankings", track.unscored, counts.unscored);
  is.same("topics valued", track.topics_valued,
          measure_of(is.plain, which, *is.arm, is.plain.primary()).means.size());
  is.same("topics seen", track.topics_seen, seen);
  is.same("topics awaiting", track.topics_awaiting, awaiting);
  for (std::size_t m = 0; m < is.plain.measures().size() && is.first().empty(); ++m) {
    is.measure = m;
    compare_totals(is, track.totals[m], measure_of(is.plain, which, *is.arm, m));
  }
  is.measure.reset();
  is.track = {};
}

void compare_arm(LedgerComparison& is, const Ledger& ledger, std::uint32_t a) {
  is.arm = a;
  const Ledger::ArmState& arm = ledger.arm(ArmIndex(a));
  is.same("removed", arm.is_removed(), is.plain.arms()[a].removed);
  if (arm.is_removed() || !is.first().empty()) return;
  compare_counters(is, arm, is.plain.arms()[a]);
  compare_stages(is, arm.stages, a);
  compare_track(is, arm.served, Track::kServed);
  is.same("topics misassigned", arm.served.topics_misassigned, is.plain.topics_misassigned(a));
  if (ledger.options().mode == Mode::kPaired) compare_track(is, arm.compared, Track::kCompared);
}

/// One measure of an arm and arm 0, over the topics that have a difference.
struct PlainPair {
  std::vector<double> a, b, differences;
  std::uint32_t wins = 0, ties = 0, losses = 0;
};

PlainPair pair_of(const PlainLedger& plain, std::uint32_t b, std::size_t m) {
  PlainPair pair;
  for (std::uint32_t t = 0; t < num_topics(plain); ++t) {
    const auto found = plain.difference(b, t, m);
    if (!found) continue;
    pair.a.push_back(found->a);
    pair.b.push_back(found->b);
    pair.differences.push_back(found->difference);
    const double d = found->difference;
    ++(d > 0.0 ? pair.wins : d < 0.0 ? pair.losses : pair.ties);
  }
  return pair;
}

void compare_evidence(LedgerComparison& is, const BoundedEvidence& found,
                      const std::vector<PlainLedger::Bounds>& firsts) {
  using Bounds = PlainLedger::Bounds;
  is.same("n", found.topics(), firsts.size());
  is.same("bounded", found.bounded(), num_bounded(firsts));
  const std::vector<double> low = ends_of(firsts, &Bounds::low);
  const std::vector<double> high = ends_of(firsts, &Bounds::high);
  is.near("S at low", found.at_low().sums().sum(), sum_of(low));
  is.near("Q at low", found.at_low().sums().squares(), sum_of(squares_of(low)));
  is.near("S at high", found.at_high().sums().sum(), sum_of(high));
  is.near("Q at high", found.at_high().sums().squares(), sum_of(squares_of(high)));
}

void compare_slice(LedgerComparison& is, const Ledger& ledger, std::uint32_t b, std::size_t s) {
  std::set<std::uint32_t> topics;
  for (const TopicIndex topic : ledger.options().slices.all()[s].topics) {
    topics.insert(topic.value());
  }
  const std::size_t primary = is.plain.primary();
  const auto evidence = is.plain.evidence(b, primary, topics);
  compare_evidence(is, ledger.evidence_in(s, ArmIndex(b)), evidence);
  const Ledger::SliceState& found = ledger.pair(ArmIndex(b)).slices[s];
  std::vector<double> differences;
  for (const std::uint32_t t : topics) {
    if (const auto one = is.plain.difference(b, t, primary)) differences.push_back(one->difference);
  }
  is.same("topics of a slice", found.totals.topics(), differences.size());
  is.near("mean in a slice", found.totals.mean_difference(), mean_of(differences).value_or(0.0));
  // What an arm left out has bounds on both sides of 0.
  is.same("differing", found.differing, std::ranges::count_if(evidence, [](const auto& bounds) {
            return bounds.low > 0.0 || bounds.high < 0.0;
          }));
}

void compare_pair(LedgerComparison& is, const Ledger& ledger, std::uint32_t b) {
  is.arm = b;
  if (is.plain.arms()[b].removed) return;
  for (std::size_t s = 0; s < ledger.options().slices.all().size(); ++s) {
    compare_slice(is, ledger, b, s);
  }
  const Ledger::PairState& pair = ledger.pair(ArmIndex(b));
  for (std::size_t m = 0; m < is.plain.measures().size() && is.first().empty(); ++m) {
    is.measure = m;
    for (std::uint32_t t = 0; t < num_topics(is.plain); ++t) {
      is.topic = t;
      const auto found = ledger.difference(ArmIndex(b), TopicIndex(t), m);
      const auto expected = is.plain.difference(b, t, m);
      is.near("difference", found ? std::optional(found->difference) : std::nullopt,
              expected ? std::optional(expected->difference) : std::nullopt);
    }
    is.topic.reset();
    const PlainPair plain = pair_of(is.plain, b, m);
    const PairTotals& totals = pair.totals[m];
    is.same("wins", totals.wins(), plain.wins);
    is.same("ties", totals.ties(), plain.ties);
    is.same("losses", totals.losses(), plain.losses);
    is.near("mean of A", totals.mean_a(), mean_of(plain.a).value_or(0.0));
    is.near("mean of B", totals.mean_b(), mean_of(plain.b).value_or(0.0));
    is.near("mean difference", totals.mean_difference(), mean_of(plain.differences).value_or(0.0));
    compare_evidence(is, ledger.evidence(ArmIndex(b), m), is.plain.evidence(b, m));
  }
  is.measure.reset();
  const std::vector<double> log_ratios = is.plain.log_ratios(b);
  is.same("timed pairs", pair.latency.pairs().n(), log_ratios.size());
  is.near("log ratios", pair.latency.pairs().mean(), mean_of(log_ratios).value_or(0.0));
  const PlainLedger::Untimed untimed = is.plain.untimed(b);
  is.same("failures of A", pair.failed_a, untimed.failed_a);
  is.same("failures of B", pair.failed_b, untimed.failed_b);
  is.same("untimed in A", pair.untimed_a, untimed.untimed_a);
  is.same("untimed in B", pair.untimed_b, untimed.untimed_b);
  is.same("repeated by A", pair.repeated_a, untimed.repeated_a);
  is.same("repeated by B", pair.repeated_b, untimed.repeated_b);
  std::vector<double> least, most;
  for (const auto& [low, high] : is.plain.latency_bounds(b)) {
    least.push_back(low);
    most.push_back(high);
  }
  is.same("visits with latency bounds", pair.speed_evidence.visits(), least.size());
  is.near("least log ratio", pair.speed_evidence.mean().least, mean_of(least).value_or(0.0));
  is.near("most log ratio", pair.speed_evidence.mean().most, mean_of(most).value_or(0.0));
}

void compare_expectations(LedgerComparison& is, const Ledger& ledger) {
  for (std::uint32_t t = 0; t < num_topics(is.plain); ++t) {
    for (std::size_t m = 0; m < is.plain.measures().size(); ++m) {
      is.near("expected score", ledger.expected(TopicIndex(t), m), is.plain.expected(t, m));
    }
  }
}

void compare_epoch(LedgerComparison& is, const Epoch& epoch) {
  is.same("epoch", epoch.number, is.plain.epoch);
  is.same("observations", epoch.observations, is.plain.observations);
  is.same("index changes", epoch.index_changes, is.plain.index_changes);
  is.same("compared visits", epoch.compared_visits, is.plain.compared());
  is.same("incomplete visits", epoch.incomplete_visits, is.plain.incomplete());
}

/// The counts beside the rows of the same summary: each topic is in the first step that reaches it.
void compare_scores(LedgerComparison& is, const Summary& summary, std::uint32_t arm) {
  for (std::size_t m = 0; m < summary.measures.size(); ++m) {
    is.measure = m;
    const ScoreCounts& counts = summary.arms[arm].means[m].scores;
    std::uint32_t counted = 0;
    for (std::size_t step = 0; step < counts.size(); ++step) {
      counted += counts[step];
      const double end = step > 20 ? 1e9 : static_cast<double>(step) / 20.0;
      const auto is_below = [&](const TopicRow& row) {
        return row.arms[arm].seen && row.arms[arm].means[m].value_or(2e9) <= end;
      };
      is.same("topics by score", counted, std::ranges::count_if(summary.rows, is_below));
    }
  }
  is.measure.reset();
}

void compare_means(LedgerComparison& is, std::span<const MeasureMean> means, Track track) {
  is.track = track == Track::kServed ? "served" : "compared";
  const std::uint32_t with_relevant = topics_with_relevant(is.plain);
  for (std::size_t m = 0; m < means.size() && is.first().empty(); ++m) {
    is.measure = m;
    const PlainMeasure plain = measure_of(is.plain, track, *is.arm, m);
    is.same("topics", means[m].topics, plain.means.size());
    is.near("mean", means[m].mean, mean_of_topics(is.plain.measures()[m], plain.means));
    std::vector<double> over_all = plain.means;
    over_all.resize(with_relevant, 0.0);
    is.near("mean over all", means[m].mean_over_all,
            mean_of_topics(is.plain.measures()[m], over_all));
    is.same("too shallow", means[m].too_shallow, plain.too_shallow);
    is.same("visits", means[m].visits, plain.visits);
    is.same("shallow visits", means[m].shallow_visits, plain.shallow_visits);
    is.same("revisited", means[m].drift.revisited, plain.revisited);
    is.same("changed", means[m].drift.changed, plain.changed);
    const double largest = std::ranges::max(plain.largest_changes);
    is.near("largest change", means[m].drift.largest, largest, 2 * kExact);
    is.same("most changed", means[m].drift.topic.text().empty(), largest == 0.0);
  }
  is.measure.reset();
  is.track = {};
}

void compare_worst(LedgerComparison& is, const MeasureDifference& found,
                   std::vector<double> losses) {
  std::erase_if(losses, [](double value) { return value >= 0.0; });
  std::ranges::sort(losses);
  is.same("worst topics", found.worst.size(), std::min<std::size_t>(5, losses.size()));
  if (!is.first().empty()) return;
  for (std::size_t i = 0; i < found.worst.size(); ++i) {
    is.near("loss", found.worst[i].difference, losses[i]);
  }
}

bool has_served(const PlainLedger& plain, std::uint32_t arm) {
  for (std::uint32_t t = 0; t < num_topics(plain); ++t) {
    if (!plain.visits(Track::kServed, arm, t).empty()) return true;
  }
  return false;
}

/// Topics of a split say something about two arms once both have served.
bool is_shown(const PlainLedger& plain, std::uint32_t b, Mode mode) {
  return mode != Mode::kSplit || (has_served(plain, 0) && has_served(plain, b));
}

void compare_live(LedgerComparison& is, const LiveVerdict& live, Mode mode, double alpha) {
  using Bounds = PlainLedger::Bounds;
  std::vector<Bounds> firsts;
  if (is_shown(is.plain, *is.arm, mode)) firsts = is.plain.evidence(*is.arm, *is.measure);
  const std::vector<double> low = ends_of(firsts, &Bounds::low);
  const std::vector<double> high = ends_of(firsts, &Bounds::high);
  const double scale = mode == Mode::kSplit ? 2.0 : 1.0;
  const auto scaled = [&](std::optional<double> mean) {
    return mean ? std::optional(scale * *mean) : mean;
  };
  is.near("alpha", live.alpha, alpha);
  is.same("topics of evidence", live.topics, firsts.size());
  is.same("bounded topics", live.bounded_topics, num_bounded(firsts));
  is.near("mean at low", live.mean_low, scaled(mean_of(low)));
  is.near("mean at high", live.mean_high, scaled(mean_of(high)));
  std::vector<double> middle = low;
  for (std::size_t i = 0; i < high.size(); ++i) middle[i] = (low[i] + high[i]) / 2.0;
  is.near("mean of evidence", live.mean, scaled(mean_of(middle)));
  is.near("bets on B", live.log_e_better, log_wealth(low, 1.0), 1e-10);
  is.near("bets on A", live.log_e_worse, log_wealth(high, -1.0), 1e-10);
}

void compare_pair(LedgerComparison& is, const Summary& summary, const ArmPair& pair, double alpha) {
  is.arm = pair.b.value();
  const bool is_split = summary.mode == Mode::kSplit;
  for (std::size_t m = 0; m < pair.differences.size() && is.first().empty(); ++m) {
    is.measure = m;
    const MeasureDifference& found = pair.differences[m];
    PlainPair plain;
    if (is_shown(is.plain, pair.b.value(), summary.mode)) {
      plain = pair_of(is.plain, pair.b.value(), m);
    }
    const bool is_geometric = found.measure.name() == "GMAP",
               has_means = !is_split && !is_geometric;
    const auto mean = is_geometric ? std::nullopt : mean_of(plain.differences);
    is.same("topics", found.topics, plain.differences.size());
    is.near("mean", found.mean, mean && is_split ? std::optional(2.0 * *mean) : mean);
    is.near("mean of A", found.mean_a, has_means ? mean_of(plain.a) : std::nullopt);
    is.near("mean of B", found.mean_b, has_means ? mean_of(plain.b) : std::nullopt);
    is.same("wins", found.wins, is_split ? 0 : plain.wins);
    is.same("ties", found.ties, is_split ? 0 : plain.ties);
    is.same("losses", found.losses, is_split ? 0 : plain.losses);
    compare_worst(is, found, is_split ? std::vector<double>() : plain.differences);
    is.same("has a verdict", found.live.has_value(),
            summary.mode != Mode::kObserve && !is_geometric);
    if (!found.live) continue;
    const bool is_primary = m == summary.primary;
    const auto pairs = static_cast<double>(summary.pairs.size());
    compare_live(is, *found.live, summary.mode, is_primary ? alpha / pairs : alpha);
    if (found.live->state != LiveState::kVetoed) {
      is.same("is described", found.live->state == LiveState::kDescribed, !is_primary);
    }
  }
  is.measure.reset();
  const std::vector<double> log_ratios = is.plain.log_ratios(pair.b.value());
  is.same("timed pairs", pair.latency.pairs, log_ratios.size());
}

}  // namespace

std::string difference_of(Ledger& ledger, const PlainLedger& plain) {
  ledger.settle();
  LedgerComparison is(plain);
  is.same("arms", ledger.num_arms(), plain.arms().size());
  is.same("page gaps", ledger.counts().page_gaps, plain.page_gaps);
  is.same("pages without a key", ledger.counts().pages_without_key, plain.pages_without_key);
  is.same("late", ledger.counts().late_observations, plain.late);
  is.same("clock steps", ledger.counts().clock_steps, plain.clock_steps);
  compare_epoch(is, ledger.epoch());
  compare_expectations(is, ledger);
  for (std::uint32_t a = 0; a < ledger.num_arms() && is.first().empty(); ++a) {
    compare_arm(is, ledger, a);
  }
  for (std::uint32_t b = 1; b < ledger.num_arms() && is.first().empty(); ++b) {
    compare_pair(is, ledger, b);
  }
  return is.first();
}

std::string difference_of(const Summary& summary, const PlainLedger& plain, double alpha) {
  LedgerComparison is(plain);
  is.same("topics", summary.topics, num_topics(plain));
  is.same("topics without relevant", summary.topics - summary.topics_without_relevant,
          topics_with_relevant(plain));
  compare_epoch(is, summary.epoch);
  std::size_t pairs = 0;
  for (std::uint32_t a = 0; a < summary.arms.size(); ++a) {
    if (plain.arms()[a].removed) continue;
    pairs += a > 0 ? 1 : 0;
    is.arm = a;
    compare_means(is, summary.arms[a].means, plain.track());
    compare_means(is, summary.arms[a].served_means, Track::kServed);
    compare_scores(is, summary, a);
    is.same("sorted", summary.arms[a].sorted_queries, plain.arms()[a].sorted);
    is.same("filtered", summary.arms[a].filtered_queries, plain.arms()[a].filtered);
    is.same("collapsed", summary.arms[a].collapsed_queries, plain.arms()[a].collapsed);
    is.same("partial", summary.arms[a].partial_queries, plain.arms()[a].partial);
  }
  is.same("pairs", summary.pairs.size(), pairs);
  for (const ArmPair& pair : summary.pairs) compare_pair(is, summary, pair, alpha);
  return is.first();
}

}  // namespace prescope
