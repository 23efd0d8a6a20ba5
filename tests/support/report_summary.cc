#include "support/report_summary.h"

#include <limits>

namespace prescope::testing {
namespace {

ArmSummary arm(const char* name, double pres, double recall, double map) {
  return {.id = ArmId(name),
          .judged_queries = 3,
          .topics_seen = 3,
          .means = {{.measure = Measure::parse("PRES@100"),
                     .mean = pres,
                     .topics = 3,
                     .mean_over_all = pres},
                    {.measure = Measure::parse("R@100"),
                     .mean = recall,
                     .topics = 3,
                     .mean_over_all = recall},
                    {.measure = Measure::parse("AP@100"),
                     .mean = map,
                     .topics = 3,
                     .mean_over_all = map}},
          .latency = {.count = 3,
                      .p50 = {.ms = 12.34},
                      .p95 = {.ms = 20.0},
                      .p99 = {.ms = 123.4},
                      .max_ms = 130.0},
          .self_p50_us = 2.6,
          .self_p99_us = 5.14,
          .relevant_missing = 0};
}

ArmPair pair() {
  return {.a = ArmIndex(0),
          .b = ArmIndex(1),
          .differences = {{.measure = Measure::parse("PRES@100"),
                           .topics = 3,
                           .mean = 0.125,
                           .ci_low = 0.1,
                           .ci_high = 0.15,
                           .p_value = 0.00004,
                           .wins = 2,
                           .ties = 1,
                           .verdict = Verdict::kBetter},
                          {.measure = Measure::parse("R@100"),
                           .topics = 3,
                           .mean = 0.0,
                           .ci_low = 0.0,
                           .ci_high = 0.0,
                           .p_value = 1.0,
                           .ties = 3,
                           .verdict = Verdict::kIdentical},
                          {.measure = Measure::parse("AP@100"),
                           .topics = 3,
                           .mean = -0.00001,
                           .ci_low = -0.004,
                           .ci_high = 0.004,
                           .p_value = 0.75,
                           .wins = 1,
                           .ties = 1,
                           .losses = 1,
                           .verdict = Verdict::kNoDifference}},
          .moves = {{.topic = TopicId("EP1A1"),
                     .measure = Measure::parse("PRES@100"),
                     .a = 0.25,
                     .b = 0.5,
                     .difference = 0.25,
                     .num_rel = 2,
                     .citations = {{.docno = Docno("US4893752"),
                                    .grade = 3,
                                    .rank_a = std::nullopt,
                                    .rank_b = 31,
                                    .share = 0.35},
                                   {.docno = Docno("ÉP77"),
                                    .grade = 1,
                                    .rank_a = 5,
                                    .rank_b = 25,
                                    .share = -0.1}}}},
          .latency = {.mean = 0.8, .ci_low = 0.75, .ci_high = 0.85}};
}

TopicRow row(const char* topic) {
  const TopicRow::Arm seen{.seen = true,
                           .visits = 1,
                           .num_ret = 100,
                           .latency_ms = 12.5,
                           .relevant_ranks = {5},
                           .scores = {0.25, std::nullopt, 0.1},
                           .means = {0.375, std::nullopt, 0.1}};
  return {.id = TopicId(topic), .num_rel = 2, .arms = {seen, {}}};
}

constexpr double kFailed = std::numeric_limits<double>::infinity();

void make_live(std::vector<MeasureDifference>& differences) {
  for (MeasureDifference& difference : differences) {
    difference.topics = 212;
    difference.live.alpha = 0.0125;
  }
  MeasureDifference& pres = differences[0];
  pres.live = {.state = LiveState::kConfirmed,
               .alpha = 0.0125,
               .low = 0.1,
               .high = 0.15,
               .log_e = 9.5,
               .log_e_better = 8.0,
               .log_e_worse = -7.0,
               .detectable = 0.0321};
  pres.worst = {{.topic = TopicId("EP1A1"), .a = 0.5, .b = 0.25, .difference = -0.25},
                {.topic = TopicId("EP2A1"), .a = 0.75, .b = 0.74, .difference = -0.01}};
  differences[1].live.state = LiveState::kNoVerdict;
  differences[1].live.low = -0.0123;
  differences[1].live.high = 0.0123;
  differences[2].mean = -0.02;
  differences[2].live.state = LiveState::kLeading;
  differences[2].live.low = -0.035;
  differences[2].live.high = -0.005;
}

void make_live(ArmSummary& arm) {
  arm.topics_seen = 212;
  for (MeasureMean& mean : arm.means) {
    mean.topics = 212;
    mean.mean_over_all = *mean.mean * 212 / 398;
  }
  arm.latency.count = 1234;
  arm.latency.p90.ms = 18.0;
  arm.latency.p99.low_ms = 118.0;
  arm.shadow_latency = {.count = 212, .p50 = {.ms = 10.0}, .max_ms = 55.0};
  arm.unjudged_self_p50_us = 0.06;
}

}  // namespace

Summary live_summary() {
  Summary summary = example_summary();
  summary.mode = Mode::kPaired;
  summary.detail = SummaryDetail::kVerdicts;
  summary.epoch = {.number = 3, .reason = EpochReason::kGeneration, .observations = 1204};
  summary.past_epochs = {
      {.epoch = {.number = 2, .reason = EpochReason::kArms, .observations = 3210},
       .differences = {{.b = ArmIndex(1),
                        .measure = summary.measures[0],
                        .topics = 150,
                        .mean = 0.0123,
                        .live = {.state = LiveState::kLeading,
                                 .alpha = 0.0125,
                                 .low = 0.0001,
                                 .high = 0.0245,
                                 .log_e = 5.0,
                                 .log_e_better = 2.0,
                                 .log_e_worse = -3.0,
                                 .detectable = 0.015}}}}};
  summary.topics = 400;
  summary.topics_without_relevant = 2;
  for (ArmSummary& arm : summary.arms) make_live(arm);
  ArmSummary& bm25 = summary.arms[1];
  bm25.status = ArmStatus::kPaused;
  bm25.failed_queries = 12;
  bm25.timed_out_queries = 3;
  bm25.latency.p99.ms = kFailed;
  bm25.latency.p99.high_ms = kFailed;
  bm25.means[0].drift = {.revisited = 40,
                         .changed = 3,
                         .mean_change = 0.0021,
                         .largest = 0.05,
                         .topic = TopicId("EP1A1")};
  make_live(summary.pairs[0].differences);
  summary.pairs[0].moves.clear();
  summary.pairs[0].latency = {.topics = 212, .mean = 0.8, .low = 0.7, .high = 0.9};
  summary.rows.clear();
  return summary;
}

Summary split_summary() {
  Summary summary = live_summary();
  summary.mode = Mode::kSplit;
  ArmPair& pair = summary.pairs[0];
  pair.latency = {};
  pair.sample_ratio = SampleRatio{.topics_a = 400, .topics_b = 200, .log_e = 29.5, .alarm = true};
  for (MeasureDifference& difference : pair.differences) {
    difference.wins = difference.ties = difference.losses = 0;
    difference.worst.clear();
  }
  return summary;
}

Summary example_summary() {
  return {.experiment = "patents",
          .topics = 3,
          .judgements = 7,
          .measures = parse_measures("PRES@100,R@100,AP@100"),
          .arms = {arm("tfidf", 0.5, 0.66666, 0.25), arm("bm25", 0.625, 0.66666, 0.24999)},
          .pairs = {pair()},
          .rows = {row("EP1A1"), row("EP2A1"), row("EP3A1")},
          .health = {.pushed = 6, .recorded = 6}};
}

}  // namespace prescope::testing
