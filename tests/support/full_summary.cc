#include "support/full_summary.h"

#include <limits>

namespace prescope {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

/// The bucket ends are invented; a real sketch has others.
LatencySummary latency(std::uint64_t failed) {
  return {.count = 10 + failed,
          .p50 = {.ms = 4.0},
          .max_ms = 12'000.0,
          .sum_ms = 12'345.0,
          .buckets = {{.at_most_ms = 0.0, .count = 1},
                      {.at_most_ms = 1.0, .count = 2},
                      {.at_most_ms = 1.02, .count = 3},
                      {.at_most_ms = 5.0, .count = 2},
                      {.at_most_ms = 5.1, .count = 1},
                      {.at_most_ms = 13'000.0, .count = 1},
                      {.at_most_ms = kFailed, .count = failed}}};
}

/// One topic in each of these steps.
ScoreCounts topics_in(std::initializer_list<std::size_t> steps) {
  ScoreCounts counts{};
  for (const std::size_t step : steps) ++counts[step];
  return counts;
}

const ScoreCounts kPres = topics_in({0, 3, 11});  // of 0, 0.15 and 0.51
const ScoreCounts kRecall = topics_in({1, 20});   // of 0.05 and 1

ArmSummary arm(const char* name, double pres, double recall) {
  return {.id = ArmId(name),
          .judged_queries = 40,
          .unjudged_queries = 60,
          .retried_queries = 5,
          .failed_queries = 2,
          .timed_out_queries = 1,
          .sorted_queries = 11,
          .filtered_queries = 12,
          .collapsed_queries = 13,
          .partial_queries = 14,
          .topics_seen = 3,
          .topics_awaiting = 1,
          .means = {{{pres, 3}, Measure::parse("PRES@100"), std::nullopt, 0, 30, 2, {}, kPres},
                    {{recall, 2}, Measure::parse("R@100"), std::nullopt, 1, 0, 0, {}, kRecall}},
          .served_means = {{{pres / 2, 3}, Measure::parse("PRES@100")},
                           {{recall / 2, 3}, Measure::parse("R@100")}},
          .latency = latency(3),
          .shadow_latency = latency(0),
          .self_p50_us = 2.5,
          .self_p99_us = 8.0,
          .unjudged_self_p50_us = 0.05,
          .unjudged_self_p99_us = 0.25,
          .self_count = 39,
          .unjudged_self_count = 58,
          .self_sum_us = 100.0,
          .unjudged_self_sum_us = 4.0,
          .generation = 17,
          .duplicate_hits = 6,
          .relevant_missing = 7};
}

/// Everything that can void a verdict in paired traffic.
std::vector<Check> checks() {
  using enum CheckKind;
  std::vector<Check> checks;
  for (const CheckKind kind : {kFailures, kUnseen, kShallow, kUnscored, kNotInIndex, kIncomplete,
                               kLostComparisons, kDrops}) {
    checks.push_back({.kind = kind, .a = {1, 40}, .limit = 0.05, .state = CheckState::kAlarm});
  }
  return checks;
}

OverlapSummary overlap() {
  return {.depth = 100,
          .persistence = 0.98,
          .visits = 200,
          .empty = 3,
          .shallow = 4,
          .other_index = 5,
          .left_out = 6,
          .incomplete = 7,
          .waiting = 8,
          .failed_a = 9,
          .failed_b = 10,
          .identical = 50,
          .shallow_depth = 10,
          .jaccard = {.mean = 0.5, .low = 0.25, .high = 0.75, .latest = 0.375},
          .rbo = {.mean = 0.625, .low = 0.5, .high = 0.875, .latest = 0.5625},
          .most_changed = {{.query = "secret valve", .visit = 17, .jaccard = 0.0, .rbo = 0.125}}};
}

ArmPair pair() {
  return {
      .a = ArmIndex(0),
      .b = ArmIndex(1),
      .differences = {{{{-0.25, 3},
                        Measure::parse("PRES@100"),
                        LiveVerdict{.state = LiveState::kConfirmed,
                                    .topics = 3,
                                    .mean = -0.125,
                                    .low = -0.25,
                                    .high = -0.0625,
                                    .topics_to_undo = 4,
                                    .detectable = 0.5}}},
                      {{{0.25, 2},
                        Measure::parse("R@100"),
                        LiveVerdict{.state = LiveState::kDescribed, .topics = 2, .mean = 0.125}}}},
      .slices = {{.dimension = "section",
                  .name = "D",
                  .judged = 60,
                  .differing = 30,
                  .may_speak = true,
                  .difference = {{{-0.5, 55},
                                  Measure::parse("PRES@100"),
                                  LiveVerdict{.state = LiveState::kLeading,
                                              .topics = 54,
                                              .mean = -0.375,
                                              .low = -0.75,
                                              .high = -0.03125}}}}},
      .planned = PlannedTest{.state = PlannedState::kWorse},
      .guardrails = {{.name = "R@100", .margin = 0.02, .state = GuardrailState::kBroken}},
      .latency = {.pairs = 3, .mean = 1.25, .differs = true, .low = 1.125, .high = 1.5},
      .overlap = overlap(),
      .checks = checks()};
}

TopicRow row(const char* topic, double pres, std::optional<double> recall) {
  const TopicRow::Arm seen{.seen = true,
                           .visits = 2,
                           .num_ret = 100,
                           .relevant_ranks = {5},
                           .scores = {0.99, 0.99},
                           .means = {pres, recall}};
  return {.id = TopicId(topic), .num_rel = 2, .arms = {seen, seen, {}}};
}

Health health() {
  return {.pushed = 1001,
          .recorded = 1002,
          .dropped_queue_full = 1003,
          .queries_without_scope = 1004,
          .queries_without_ranking = 1005,
          .unknown_arm = 1006,
          .unmatched_rankings = 1007,
          .unobserved_searches = 1008,
          .misplaced_scopes = 1009,
          .unknown_start = 1010,
          .pages_without_key = 1011,
          .page_gaps = 1012,
          .topics_not_read = 1035,
          .topics_without_room = 1036,
          .adapter_failures = 1013,
          .listener_failures = 1014,
          .recorder_failures = 1015,
          .log_failures = 1016,
          .log_queue_full = 1017,
          .log_write_failures = 1018,
          .log_lost_with_file = 1031,
          .logs_failing = 1032,
          .log_waiting = 1033,
          .publish_failures = 1019,
          .sampled_out = 1020,
          .inactive_arm = 1021,
          .late_observations = 1022,
          .clock_steps = 1023,
          .shadow_unjudged = 1024,
          .shadow_unpaired = 1025,
          .shadow_sampled_out = 1026,
          .shadow_queue_full = 1027,
          .shadow_expired = 1028,
          .shadow_run = 1029,
          .shadow_failed = 1030,
          .shadow_later_pages = 1034};
}

}  // namespace

Summary full_summary() {
  return {.experiment = "night shift",
          .mode = Mode::kPaired,
          .epoch = {.number = 3,
                    .reason = EpochReason::kGeneration,
                    .observations = 77,
                    .index_changes = 2,
                    .compared_visits = 30,
                    .incomplete_visits = 5},
          .topics = 5,
          .topics_without_relevant = 1,
          .judgements = 20,
          .measures = {Measure::parse("PRES@100"), Measure::parse("R@100")},
          .arms = {arm("tfidf", 0.5, 0.75),
                   arm("bm25", 0.375, 1.0),
                   {.id = ArmId("old"),
                    .status = ArmStatus::kRemoved,
                    .means = {{{}, Measure::parse("PRES@100")}, {{}, Measure::parse("R@100")}}}},
          .pairs = {pair()},
          .rows = {row("EP0000001A1", 0.0, 0.05), row("EP0000002A1", 0.51, 1.0),
                   row("EP0000003A1", 0.15, std::nullopt)},
          .health = health()};
}

Summary full_split_summary() {
  Summary summary = full_summary();
  summary.mode = Mode::kSplit;
  summary.pairs[0].overlap.reset();
  summary.pairs[0].sample_ratio =
      SampleRatio{.topics_a = 90, .topics_b = 10, .log_e = 9.0, .alarm = true};
  return summary;
}

}  // namespace prescope
