#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/report_summary.h"
#include "prescope/report.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::EndsWith;

TEST(ReportJson, CarriesTheWholeSummary) {
  const json summary = json::parse(to_json(example_summary()));
  EXPECT_EQ(summary["experiment"], "patents");
  EXPECT_EQ(summary["topics"], 3);
  EXPECT_EQ(summary["judgements"], 7);
  EXPECT_EQ(summary["measures"], json({"PRES@100", "R@100", "AP@100"}));
  EXPECT_EQ(summary["arms"][1], json::parse(R"({
    "name": "bm25", "judged_queries": 3, "unjudged_queries": 0, "retried_queries": 0,
    "topics_seen": 3,
    "means": {
      "PRES@100": {"mean": 0.625, "topics": 3, "mean_over_all": 0.625, "too_shallow": 0},
      "R@100": {"mean": 0.66666, "topics": 3, "mean_over_all": 0.66666, "too_shallow": 0},
      "AP@100": {"mean": 0.24999, "topics": 3, "mean_over_all": 0.24999, "too_shallow": 0}},
    "latency_ms": {"count": 3, "p50": 12.34, "p95": 20.0, "p99": 123.4, "max": 130.0},
    "self_time_us": {"p50": 2.6, "p99": 5.14},
    "duplicate_hits": 0, "relevant_missing": 0})"));
}

TEST(ReportJson, CarriesPairsWithMoves) {
  const json pair = json::parse(to_json(example_summary()))["pairs"][0];
  EXPECT_EQ(pair["a"], "tfidf");
  EXPECT_EQ(pair["b"], "bm25");
  EXPECT_EQ(pair["latency_ratio"], json({{"mean", 0.8}, {"ci_low", 0.75}, {"ci_high", 0.85}}));
  EXPECT_EQ(pair["differences"]["PRES@100"], json::parse(R"({
    "topics": 3, "mean": 0.125, "ci_low": 0.1, "ci_high": 0.15, "p_value": 0.00004,
    "wins": 2, "ties": 1, "losses": 0, "verdict": "better"})"));
  EXPECT_EQ(pair["moves"][0], json::parse(R"({
    "topic": "EP1A1", "measure": "PRES@100", "a": 0.25, "b": 0.5, "difference": 0.25, "num_rel": 2,
    "citations": [
      {"docno": "US4893752", "grade": 3, "rank_a": null, "rank_b": 31, "share": 0.35},
      {"docno": "ÉP77", "grade": 1, "rank_a": 5, "rank_b": 25, "share": -0.1}]})"));
}

TEST(ReportJson, CarriesEachTopicAndTheHealth) {
  const json summary = json::parse(to_json(example_summary()));
  ASSERT_EQ(summary["per_topic"].size(), 3);
  EXPECT_EQ(summary["per_topic"][1], json::parse(R"({
    "topic": "EP2A1", "num_rel": 2, "arms": {
      "tfidf": {"seen": true, "visits": 1, "num_ret": 100, "exhausted": false, "missing": 0,
        "latency_ms": 12.5, "relevant_ranks": [5],
        "scores": {"PRES@100": 0.25, "R@100": null, "AP@100": 0.1}},
      "bm25": {"seen": false, "visits": 0, "num_ret": 0, "exhausted": false, "missing": 0,
        "latency_ms": null, "relevant_ranks": [], "scores": {}}}})"));
  EXPECT_EQ(summary["health"]["pushed"], 6);
  EXPECT_EQ(summary["health"].size(), 11);
}

TEST(ReportJson, NoValueIsNull) {
  Summary summary = example_summary();
  summary.arms[0].latency = {};
  summary.arms[0].relevant_missing.reset();
  summary.arms[0].means[0].mean.reset();
  const json arm = json::parse(to_json(summary))["arms"][0];
  EXPECT_TRUE(arm["latency_ms"]["p50"].is_null());
  EXPECT_TRUE(arm["relevant_missing"].is_null());
  EXPECT_TRUE(arm["means"]["PRES@100"]["mean"].is_null());
}

TEST(ReportJson, IsOneObjectThatEndsItsLine) {
  EXPECT_THAT(to_json(example_summary()), EndsWith("}\n"));
}

TEST(ReportJson, BytesThatAreNoUtf8DoNotBreakIt) {
  Summary summary = example_summary();
  summary.experiment = "\xFF";
  EXPECT_EQ(json::parse(to_json(summary))["experiment"], "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace prescope::testing
