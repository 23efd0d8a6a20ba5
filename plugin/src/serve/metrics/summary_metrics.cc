#include "serve/metrics/metrics.h"

#include <set>

#include "facts/health_counters.h"
#include "report/live/live_report.h"
#include "report/text/visible_text.h"
#include "serve/metrics/metric_families.h"

namespace prescope::serve {

namespace {

/// Returns `name_of(item)` as it is shown, for each item. One that is shown like another before it
/// gets its number, because no two samples may have the same labels.
template <class Items, class NameOf>
std::vector<std::string> distinct_names(const Items& items, const NameOf& name_of) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::string name = visible_text(name_of(items[i]));
    while (!taken.insert(name).second) name += fmt::format("#{}", i);
    names.push_back(std::move(name));
  }
  return names;
}

void add_epoch(const Group<Summary>& group, bool is_paired) {
  group.add(kGauge, "prescope_epoch", "Number of the current epoch, from 1.",
            [](const Summary& of) { return of.epoch.number; });
  const std::string_view reasons[] = {
      to_string(EpochReason::kStart), to_string(EpochReason::kGeneration),
      to_string(EpochReason::kArms), to_string(EpochReason::kJudgements)};
  group.add(kGauge, "prescope_epoch_reason",
            "1 for the reason why the current epoch began, 0 for others.", "reason",
            states<Summary>(reasons, [](const Summary& of) { return to_string(of.epoch.reason); }));
  group.add(kGauge, "prescope_epoch_observations", "Observations recorded in the current epoch.",
            [](const Summary& of) { return of.epoch.observations; });
  group.add(kGauge, "prescope_epoch_index_changes",
            "New states of the index since the current epoch began.",
            [](const Summary& of) { return of.epoch.index_changes; });
  if (is_paired) {
    group.add(kGauge, "prescope_epoch_visits",
              "Visits ranked for comparison in the current epoch, by all arms or by some only.",
              "outcome",
              {{"compared", [](const Summary& of) { return of.epoch.compared_visits; }},
               {"incomplete", [](const Summary& of) { return of.epoch.incomplete_visits; }}});
  }
  group.add(kGauge, "prescope_judged_topics",
            "Topics of the judgements that have a relevant document.",
            [](const Summary& of) { return of.topics - of.topics_without_relevant; });
  group.add(kGauge, "prescope_judgements", "Judgements of all topics.", &Summary::judgements);
}

void add_queries(const Group<ArmSummary>& group) {
  group.add(kGauge, "prescope_arm_active", "1 while the arm takes part, 0 while paused.",
            [](const ArmSummary& of) { return of.status == ArmStatus::kActive ? 1.0 : 0.0; });
  group.add(kCounter, "prescope_queries_total", "Rankings recorded, of users and for comparison.",
            "judged",
            {{"true", &ArmSummary::judged_queries}, {"false", &ArmSummary::unjudged_queries}});
  group.add(kCounter, "prescope_queries_retried_total", "Of these, served only when asked again.",
            &ArmSummary::retried_queries);
  group.add(
      kCounter, "prescope_query_failures_total", "Searches that ended without a ranking.", "reason",
      {{"failed", &ArmSummary::failed_queries}, {"timed_out", &ArmSummary::timed_out_queries}});
  group.add(kCounter, "prescope_flagged_rankings_total",
            "Judged rankings that are not scored, and partial ones, which are.", "flag",
            {{"sorted", &ArmSummary::sorted_queries},
             {"filtered", &ArmSummary::filtered_queries},
             {"collapsed", &ArmSummary::collapsed_queries},
             {"partial", &ArmSummary::partial_queries}});
}

void add_index(const Group<ArmSummary>& group) {
  group.add(kCounter, "prescope_duplicate_hits_total",
            "Judged documents served again in the same ranking.", &ArmSummary::duplicate_hits);
  group.add(kGauge, "prescope_index_generation",
            "Number of the newest index that was resolved; it only grows.",
            &ArmSummary::generation);
  group.add(kGauge, "prescope_relevant_missing",
            "Judged relevant documents that are not in the arm's index.",
            &ArmSummary::relevant_missing);
  group.add(kGauge, "prescope_topics_seen",
            "Topics served in this epoch; in paired mode topics ranked for comparison.",
            &ArmSummary::topics_seen);
  group.add(kGauge, "prescope_topics_awaiting",
            "Topics whose score is unknown since they were judged anew.",
            &ArmSummary::topics_awaiting);
}

void add_scores(const Group<MeasureMean>& group) {
  group.add(kGauge, "prescope_topic_score",
            "Mean score over topics, each with its mean over visits, 0 to 1.", &MeasureMean::mean);
  group.add(kGauge, "prescope_topics", "Topics that have a score and are in the mean.",
            &MeasureMean::topics);
  group.add(kGauge, "prescope_topics_too_shallow",
            "Topics without a score because their ranking ends before the cutoff.",
            &MeasureMean::too_shallow);
  group.add(kGauge, "prescope_visits", "Visits that have a score, and visits that are too shallow.",
            "outcome",
            {{"scored", &MeasureMean::visits}, {"too_shallow", &MeasureMean::shallow_visits}});
  group.add(
      kGauge, "prescope_revisited_topics",
      "Topics with several visits, by whether the last one scored as the others did.", "outcome",
      {{"moved", [](const MeasureMean& of) { return of.drift.changed; }},
       {"same", [](const MeasureMean& of) { return of.drift.revisited - of.drift.changed; }}});
}

/// Returns the value of the label `state`. The sign of the mean says which arm is better.
std::optional<std::string_view> state_of(const MeasureDifference& of) {
  if (!of.live) return std::nullopt;
  if (of.live->mean.value_or(0.0) > 0.0) {
    return word_of(of.live->state, {"collecting", "no_verdict", "ahead_better", "leading_better",
                                    "confirmed_better", "described", "vetoed"});
  }
  return word_of(of.live->state, {"collecting", "no_verdict", "ahead_worse", "leading_worse",
                                  "confirmed_worse", "described", "vetoed"});
}

/// Reads a number of the evidence; without evidence there is no sample.
ValueOf<MeasureDifference> of_evidence(ValueOf<LiveVerdict> value) {
  return [value = std::move(value)](const MeasureDifference& of) {
    return of.live ? value(*of.live) : std::nullopt;
  };
}

void add_differences(const Group<MeasureDifference>& group) {
  group.add(kGauge, "prescope_paired_difference",
            "Mean difference of arm b less arm a over topics, and its confidence sequence.",
            "bound",
            {{"mean", shown_mean},
             {"low", of_evidence(&LiveVerdict::low)},
             {"high", of_evidence(&LiveVerdict::high)}});
  group.add(kGauge, "prescope_paired_topics", "Topics that the difference is over.", shown_topics);
  group.add(kGauge, "prescope_all_visits_difference",
            "Mean difference of arm b less arm a over all visits of each topic.",
            &MeasureDifference::mean);
  group.add(kGauge, "prescope_detectable_difference",
            "Smallest true difference that as many topics would show in 4 of 5 cases.",
            of_evidence(&LiveVerdict::detectable));
  group.add(kGauge, "prescope_topics_to_undo",
            "Further topics of the largest opposite difference that would undo the verdict.",
            of_evidence(&LiveVerdict::topics_to_undo));
  constexpr std::string_view kStates[] = {
      "collecting",    "no_verdict",       "ahead_better",    "ahead_worse", "leading_better",
      "leading_worse", "confirmed_better", "confirmed_worse", "described",   "vetoed"};
  group.add(kGauge, "prescope_verdict",
            "1 for the state that the evidence about arm b is in, else 0.", "state",
            states<MeasureDifference>(kStates, state_of));
}

/// At most kMostSlices slices for each pair.
void add_slices(const Group<SliceSummary>& group) {
  const auto of_evidence = [](ValueOf<LiveVerdict> value) -> ValueOf<SliceSummary> {
    return [value = std::move(value)](const SliceSummary& of) {
      return of.difference.live ? value(*of.difference.live) : std::nullopt;
    };
  };
  group.add(kGauge, "prescope_slice_difference",
            "Mean difference of arm b less arm a over the topics of a slice, and its confidence "
            "sequence.",
            "bound",
            {{"mean", [](const SliceSummary& of) { return shown_mean(of.difference); }},
             {"low", of_evidence(&LiveVerdict::low)},
             {"high", of_evidence(&LiveVerdict::high)}});
  group.add(kGauge, "prescope_slice_topics", "Topics of the slice that the difference is over.",
            [](const SliceSummary& of) { return shown_topics(of.difference); });
  group.add(kGauge, "prescope_slice_verdict",
            "1 if arm b leads or is confirmed better in a slice, -1 if arm a, else 0; of slices "
            "that may speak.",
            [](const SliceSummary& of) {
              return of.may_speak ? std::optional<double>(live_direction(of.difference))
                                  : std::nullopt;
            });
}

constexpr std::array<std::string_view, 5> kPlannedStates{"going", "better", "worse", "not_shown",
                                                         "vetoed"};

void add_guardrails(const Group<GuardrailSummary>& group) {
  group.add(
      kGauge, "prescope_guardrail",
      "1 if arm b is shown to stay within the margin, -1 if it is shown to exceed it, else 0.",
      [](const GuardrailSummary& of) {
        if (of.state == GuardrailState::kBroken) return -1.0;
        return of.state == GuardrailState::kKept ? 1.0 : 0.0;
      });
}

/// Adds the checks of each pair, a sample for each kind that the mode can fail.
void add_checks(const Group<ArmPair>& group) {
  Samples<ArmPair> states, shares;
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(CheckKind::kDrops); ++kind) {
    const auto name = to_string(static_cast<CheckKind>(kind));
    const auto read = [kind](auto value) -> ValueOf<ArmPair> {
      return [=](const ArmPair& pair) -> std::optional<double> {
        const auto found =
            std::ranges::find(pair.checks, static_cast<CheckKind>(kind), &Check::kind);
        return found == pair.checks.end() ? std::nullopt : std::optional<double>(value(*found));
      };
    };
    states.emplace_back(name, read([](const Check& of) { return static_cast<int>(of.state); }));
    shares.emplace_back(name, read([](const Check& of) {
                          return std::max(of.a.value(), of.b.value_or(Check::Share()).value());
                        }));
  }
  group.add(kGauge, "prescope_check",
            "What can void the verdict about arm b: 0 fine, 1 an alarm, 2 no verdict.", "check",
            states);
  group.add(kGauge, "prescope_check_share", "The larger share of the two arms that it is about.",
            "check", shares);
}

/// Both measures of each pair whose overlap is asked for.
void add_overlap_means(const Group<OverlapMean>& group) {
  const auto if_any = [](double OverlapMean::*bound) -> ValueOf<OverlapMean> {
    return [bound](const OverlapMean& of) {
      return of.mean ? std::optional(of.*bound) : std::nullopt;
    };
  };
  group.add(kGauge, "prescope_overlap",
            "Mean overlap of the rankings of arm a and arm b over visits without judgements, 0 to "
            "1, and its confidence sequence.",
            "bound",
            {{"mean", &OverlapMean::mean},
             {"low", if_any(&OverlapMean::low)},
             {"high", if_any(&OverlapMean::high)}});
  group.add(kGauge, "prescope_overlap_latest",
            "The same over the last 100 visits; nothing before there are as many.",
            &OverlapMean::latest);
}

void add_overlaps(const Group<OverlapSummary>& group) {
  group.add(kGauge, "prescope_overlap_visits",
            "Visits without judgements that both arms were to rank, by what became of them.",
            "outcome",
            {{"compared", &OverlapSummary::visits},
             {"empty", &OverlapSummary::empty},
             {"too_shallow", &OverlapSummary::shallow},
             {"other_index", &OverlapSummary::other_index},
             {"left_out", &OverlapSummary::left_out},
             {"incomplete", &OverlapSummary::incomplete}});
  group.add(kGauge, "prescope_overlap_identical",
            "Of the compared ones, those in which both arms ranked the same.",
            &OverlapSummary::identical);
  group.add(kGauge, "prescope_overlap_failures",
            "Of the compared ones, those in which the search of one arm failed.", "of",
            {{"a", &OverlapSummary::failed_a}, {"b", &OverlapSummary::failed_b}});
}

void add_pairs(const Group<ArmPair>& group) {
  add_checks(group);
  group.add(
      kGauge, "prescope_planned_test",
      "1 for the state that the planned test of arm b is in, else 0.", "state",
      states<ArmPair>(kPlannedStates, [](const ArmPair& of) -> std::optional<std::string_view> {
        if (!of.planned) return std::nullopt;
        return to_string(of.planned->state);
      }));
  group.add(kGauge, "prescope_latency_ratio",
            "Latency of arm b over arm a, geometric mean over visits, and its confidence sequence.",
            "bound",
            {{"mean", [](const ArmPair& of) { return of.latency.mean; }},
             {"low", [](const ArmPair& of) { return of.latency.low; }},
             {"high", [](const ArmPair& of) { return of.latency.high; }}});
  group.add(kGauge, "prescope_latency_differs",
            "1 if the evidence says that one arm is faster than the other.", [](const ArmPair& of) {
              return of.latency.mean ? std::optional(of.latency.differs ? 1.0 : 0.0) : std::nullopt;
            });
  group.add(kGauge, "prescope_sample_ratio_alarm",
            "1 if the arms of a split were given too unequal shares of topics.",
            [](const ArmPair& pair) {
              return pair.sample_ratio ? std::optional(pair.sample_ratio->alarm ? 1.0 : 0.0)
                                       : std::nullopt;
            });
}

void add_health(const Group<Health>& group) {
  for (const HealthMetric& metric : health_metrics()) {
    Samples<Health> samples;
    std::string help(metric.help);
    for (const HealthCounter& one : health_counters()) {
      if (one.metric != metric.name) continue;
      samples.emplace_back(one.label, one.member);
      if (help.empty()) help = sentence(one);
    }
    const MetricType type = metric.name.ends_with("_total") ? kCounter : kGauge;
    group.add(type, metric.name, help, metric.label, samples);
  }
}

/// Returns the latency in buckets with fixed ends from 1 ms to 10 s, in seconds. A query counted up
/// to an end never took longer; one that took less by under 2 % may be counted above it, so nothing
/// looks faster than it was. Failures are in the last bucket only, and not in the sum. Neither a
/// count nor the sum falls from one summary of an arm to a later one.
ClientMetric::Histogram duration_histogram(const LatencySummary& latency) {
  constexpr double kMsPerSecond = 1e3;
  // Steps of at most 5/3, so that a quantile interpolated within one is still useful.
  constexpr std::array kEndsMs = {1.0,    1.5,    2.0,    3.0,    5.0,    7.5,    10.0,
                                  15.0,   20.0,   30.0,   50.0,   75.0,   100.0,  150.0,
                                  200.0,  300.0,  500.0,  750.0,  1000.0, 1500.0, 2000.0,
                                  3000.0, 5000.0, 7500.0, 10000.0};
  ClientMetric::Histogram histogram;
  histogram.sample_count = latency.count;
  histogram.sample_sum = latency.sum_ms / kMsPerSecond;
  auto next = latency.buckets.begin();
  std::uint64_t cumulated = 0;
  for (const double end_ms : kEndsMs) {
    for (; next != latency.buckets.end() && next->at_most_ms <= end_ms; ++next) {
      cumulated += next->count;
    }
    histogram.bucket.push_back({cumulated, end_ms / kMsPerSecond});
  }
  histogram.bucket.push_back({latency.count, std::numeric_limits<double>::infinity()});
  return histogram;
}

void add_durations(Families& families, Mode mode, const Objects<ArmSummary>& arms) {
  MetricFamily& family =
      add_family(families, MetricType::Histogram, "prescope_query_duration_seconds",
                 "Latency of searches; those that failed are above all bounds.");
  for (const auto& [labels, arm] : arms) {
    add_sample(family, with(labels, "kind", "served")).histogram = duration_histogram(arm->latency);
    if (mode == Mode::kPaired || arm->shadow_latency.count > 0) {
      add_sample(family, with(labels, "kind", "shadow")).histogram =
          duration_histogram(arm->shadow_latency);
    }
  }
}

void add_overhead(Families& families, const Objects<ArmSummary>& arms) {
  MetricFamily& family = add_family(families, MetricType::Summary, "prescope_overhead_seconds",
                                    "The plugin's own time per query, since its arm came.");
  const auto add_one = [&](Labels labels, std::uint64_t count, double sum_us,
                           std::optional<double> p50_us, std::optional<double> p99_us) {
    constexpr double kSecondsPerUs = 1e-6;
    ClientMetric::Summary& summary = add_sample(family, std::move(labels)).summary;
    summary.sample_count = count;
    summary.sample_sum = sum_us * kSecondsPerUs;
    if (p50_us) summary.quantile.push_back({0.5, *p50_us * kSecondsPerUs});
    if (p99_us) summary.quantile.push_back({0.99, *p99_us * kSecondsPerUs});
  };
  for (const auto& [labels, arm] : arms) {
    add_one(with(labels, "judged", "true"), arm->self_count, arm->self_sum_us, arm->self_p50_us,
            arm->self_p99_us);
    add_one(with(labels, "judged", "false"), arm->unjudged_self_count, arm->unjudged_self_sum_us,
            arm->unjudged_self_p50_us, arm->unjudged_self_p99_us);
  }
}

/// Prometheus must not take this for a histogram, because its counts may fall.
void add_score_distribution(Families& families, const Objects<MeasureMean>& means) {
  MetricFamily& family =
      add_family(families, MetricType::Untyped, "prescope_topic_scores_bucket",
                 "Topics that now score at most le, each with its mean over visits.");
  for (const auto& [labels, mean] : means) {
    std::uint64_t cumulated = 0;
    for (std::size_t step = 0; step < mean->scores.size(); ++step) {
      cumulated += mean->scores[step];
      const std::string end =
          step > kScoreSteps ? "+Inf" : fmt::format("{}", static_cast<double>(step) / kScoreSteps);
      add_sample(family, with(labels, "le", end), static_cast<double>(cumulated));
    }
  }
}

void add_arms(Families& families, const Summary& summary, const Labels& experiment,
              const std::vector<std::string>& names) {
  Objects<ArmSummary> arms;
  Objects<MeasureMean> means, served_means;
  for (std::size_t a = 0; a < summary.arms.size(); ++a) {
    if (summary.arms[a].status == ArmStatus::kRemoved) continue;
    arms.emplace_back(with(experiment, "arm", names[a]), &summary.arms[a]);
    for (const MeasureMean& mean : summary.arms[a].means) {
      means.emplace_back(with(arms.back().first, "measure", mean.measure.name()), &mean);
    }
    for (const MeasureMean& mean : summary.arms[a].served_means) {
      served_means.emplace_back(with(arms.back().first, "measure", mean.measure.name()), &mean);
    }
  }
  add_queries({families, arms});
  add_durations(families, summary.mode, arms);
  add_overhead(families, arms);
  add_index({families, arms});
  add_scores({families, means});
  Group<MeasureMean>{families, served_means}.add(
      kGauge, "prescope_served_score",
      "Mean score over topics, each with its mean over all visits served to users, 0 to 1.",
      &MeasureMean::mean);
  add_score_distribution(families, means);
}

void add_pairs_of_arms(Families& families, const Summary& summary, const Labels& experiment,
                       const std::vector<std::string>& names) {
  Objects<ArmPair> pairs;
  Objects<MeasureDifference> differences;
  Objects<SliceSummary> slices;
  Objects<GuardrailSummary> guardrails;
  Objects<OverlapSummary> overlaps;
  Objects<OverlapMean> overlap_means;
  for (const ArmPair& pair : summary.pairs) {
    pairs.emplace_back(
        with(with(experiment, "a", names[pair.a.value()]), "b", names[pair.b.value()]), &pair);
    for (const MeasureDifference& each : pair.differences) {
      differences.emplace_back(with(pairs.back().first, "measure", each.measure.name()), &each);
    }
    for (const GuardrailSummary& each : pair.guardrails) {
      guardrails.emplace_back(with(pairs.back().first, "guardrail", each.name), &each);
    }
    if (pair.overlap) {
      overlaps.emplace_back(pairs.back().first, &*pair.overlap);
      overlap_means.emplace_back(with(pairs.back().first, "measure", "jaccard"),
                                 &pair.overlap->jaccard);
      overlap_means.emplace_back(with(pairs.back().first, "measure", "rbo"), &pair.overlap->rbo);
    }
    const std::vector<std::string> slice_names = distinct_names(pair.slices, live_slice_name);
    for (std::size_t s = 0; s < pair.slices.size(); ++s) {
      const SliceSummary& slice = pair.slices[s];
      const Labels labels = with(pairs.back().first, "slice", slice_names[s]);
      slices.emplace_back(with(labels, "measure", slice.difference.measure.name()), &slice);
    }
  }
  add_differences({families, differences});
  add_slices({families, slices});
  add_guardrails({families, guardrails});
  add_pairs({families, pairs});
  add_overlap_means({families, overlap_means});
  add_overlaps({families, overlaps});
}

}  // namespace

std::string metrics_text(const Summary& summary, std::optional<double> queue_ratio) {
  const Labels experiment = with({}, "experiment", visible_text(summary.experiment));
  const std::vector<std::string> names =
      distinct_names(summary.arms, [](const ArmSummary& arm) { return arm.id.text(); });
  Families families;
  add_sample(
      add_family(families, kGauge, "prescope_build_info", "Always 1; the version of prescope."),
      with({}, "version", PRESCOPE_VERSION), 1.0);
  Labels info = with(experiment, "mode", name_of(summary.mode));
  if (summary.primary < summary.measures.size()) {
    info = with(std::move(info), "primary", summary.measures[summary.primary].name());
  }
  add_sample(add_family(families, kGauge, "prescope_experiment_info",
                        "Always 1; how the arms are compared, and the measure of verdicts."),
             std::move(info), 1.0);
  add_epoch({families, {{experiment, &summary}}}, summary.mode == Mode::kPaired);
  add_arms(families, summary, experiment, names);
  add_pairs_of_arms(families, summary, experiment, names);
  add_health({families, {{experiment, &summary.health}}});
  if (queue_ratio) {
    add_sample(add_family(families, kGauge, "prescope_queue_ratio",
                          "Share of the queue that waits for the recorder, 0 to 1."),
               experiment, *queue_ratio);
  }
  return text_of(std::move(families));
}

}  // namespace prescope::serve
