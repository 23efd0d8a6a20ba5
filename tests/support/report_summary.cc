#include "support/report_summary.h"

#include <limits>

namespace prescope::testing {
namespace {

ArmSummary arm(const char* name, double pres, double recall, double map) {
  return {.id = ArmId(name),
          .judged_queries = 3,
          .topics_seen = 3,
          .means = {{{pres, 3}, Measure::parse("PRES@100"), pres},
                    {{recall, 3}, Measure::parse("R@100"), recall},
                    {{map, 3}, Measure::parse("AP@100"), map}},
          .latency = {.count = 3,
                      .p50 = {.ms = 12.34},
                      .p95 = {.ms = 20.0},
                      .p99 = {.ms = 123.4},
                      .max_ms = 130.0},
          .self_p50_us = 2.6,
          .self_p99_us = 5.14,
          .relevant_missing = 0};
}

MeasureDifference difference(const char* measure, double mean) {
  return {{{mean, 3}, Measure::parse(measure)}};
}

std::vector<MeasureDifference> differences() {
  MeasureDifference pres = difference("PRES@100", 0.125), recall = difference("R@100", 0.0),
                    map = difference("AP@100", -0.00001);
  pres.wins = 2;
  pres.ties = 1;
  recall.ties = 3;
  map.wins = map.ties = map.losses = 1;
  return {pres, recall, map};
}

ArmPair pair() {
  return {.a = ArmIndex(0),
          .b = ArmIndex(1),
          .differences = differences(),
          .moves = {
              {{TopicId("EP1A1"), 0.25, 0.5, 0.25},
               Measure::parse("PRES@100"),
               2,
               {{.docno = Docno("US4893752"),
                 .grade = 3,
                 .rank_a = std::nullopt,
                 .rank_b = 31,
                 .share = 0.35},
                {.docno = Docno("ÉP77"), .grade = 1, .rank_a = 5, .rank_b = 25, .share = -0.1}}}}};
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

LiveVerdict described(double mean, double low, double high) {
  return {.state = LiveState::kDescribed,
          .alpha = 0.0125,
          .topics = 212,
          .mean = mean,
          .low = low,
          .high = high};
}

void make_live(std::vector<MeasureDifference>& differences) {
  for (MeasureDifference& difference : differences) {
    difference.topics = 212;
  }
  MeasureDifference& pres = differences[0];
  pres.mean = 0.1275;
  pres.mean_a = 0.5;
  pres.mean_b = 0.6275;
  pres.live = {.state = LiveState::kConfirmed,
               .alpha = 0.0125,
               .topics = 212,
               .mean = 0.125,
               .low = 0.1,
               .high = 0.15,
               .log_e = 9.5,
               .log_e_better = 8.0,
               .log_e_worse = -7.0,
               .topics_to_undo = 7,
               .detectable = 0.0321};
  pres.worst = {{.topic = TopicId("EP1A1"), .a = 0.5, .b = 0.25, .difference = -0.25},
                {.topic = TopicId("EP2A1"), .a = 0.75, .b = 0.74, .difference = -0.01}};
  differences[1].live = described(0.0, -0.0123, 0.0123);
  differences[2].mean = -0.03;
  differences[2].live = described(-0.02, -0.035, -0.005);
}

void make_live(ArmSummary& arm) {
  arm.topics_seen = 0;
  for (MeasureMean& mean : arm.means) {
    mean.topics = 212;
    mean.mean_over_all = *mean.mean * 212 / 398;
    mean.visits = 600;
  }
  arm.judged_queries = 640;
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
  summary.epoch = {
      .number = 3, .reason = EpochReason::kArms, .observations = 1204, .compared_visits = 600};
  summary.past_epochs = {
      {.epoch = {.number = 2, .reason = EpochReason::kJudgements, .observations = 3210},
       .differences = {{{{0.0145, 150},
                         summary.measures[0],
                         LiveVerdict{.state = LiveState::kLeading,
                                     .alpha = 0.0125,
                                     .topics = 150,
                                     .mean = 0.0123,
                                     .low = 0.0001,
                                     .high = 0.0245,
                                     .log_e = 5.0,
                                     .log_e_better = 3.0,
                                     .log_e_worse = -3.0,
                                     .topics_to_undo = 1,
                                     .detectable = 0.015}},
                        ArmIndex(1)}}}};
  summary.topics = 400;
  summary.topics_without_relevant = 2;
  for (ArmSummary& arm : summary.arms) make_live(arm);
  summary.arms[0].topics_seen = 212;
  summary.arms[0].served_means = summary.arms[0].means;
  for (MeasureMean& mean : summary.arms[0].served_means) mean.topics = 230;
  summary.arms[0].served_means[0].mean = 0.475;
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
  summary.pairs[0].latency = {.pairs = 640,
                              .untimed_b = 2,
                              .mean = 0.8,
                              .least = 0.78,
                              .most = 0.82,
                              .log_e = 12.0,
                              .state = LatencyState::kFaster,
                              .differs = true,
                              .low = 0.7,
                              .high = 0.9,
                              .blocks = 40,
                              .pairs_in_block = 16};
  summary.rows.clear();
  return summary;
}

Summary split_summary() {
  Summary summary = live_summary();
  summary.mode = Mode::kSplit;
  summary.salt = "patents|2026-11-23T13:41:00Z";
  for (ArmSummary& arm : summary.arms) arm.served_means.clear();
  summary.epoch.compared_visits = 0;
  ArmPair& pair = summary.pairs[0];
  pair.latency = {};
  pair.sample_ratio = SampleRatio{.topics_a = 400,
                                  .topics_b = 200,
                                  .seen_a = 400,
                                  .seen_b = 200,
                                  .log_e = 29.5,
                                  .p = 2e-16,
                                  .alarm = true};
  for (MeasureDifference& difference : pair.differences) {
    difference.wins = difference.ties = difference.losses = 0;
    difference.mean_a = difference.mean_b = std::nullopt;
    difference.worst.clear();
  }
  return summary;
}

Summary observed_summary() {
  Summary summary = live_summary();
  summary.mode = Mode::kObserve;
  for (ArmSummary& arm : summary.arms) arm.served_means.clear();
  summary.epoch.compared_visits = 0;
  summary.past_epochs.clear();
  summary.pairs[0].latency = {};
  for (MeasureDifference& difference : summary.pairs[0].differences) difference.live.reset();
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
