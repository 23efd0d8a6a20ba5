#include "cli/report_summary.h"

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
                           .scores = {0.25, std::nullopt, 0.1}};
  return {.id = TopicId(topic), .num_rel = 2, .arms = {seen, {}}};
}

}  // namespace

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
