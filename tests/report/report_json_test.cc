#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "facts/health_counters.h"
#include "prescope/report.h"
#include "support/report_summary.h"

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
    "name": "bm25", "status": "active", "judged_queries": 3, "unjudged_queries": 0,
    "retried_queries": 0, "failed_queries": 0, "timed_out_queries": 0, "unseen_visits": 0,
    "replaced_rankings": 0, "stages": [], "sorted_queries": 0, "filtered_queries": 0, "collapsed_queries": 0, "partial_queries": 0, "topics_seen": 3,
    "topics_awaiting": 0, "served_means": {},
    "means": {
      "PRES@100": {"mean": 0.625, "topics": 3, "mean_over_all": 0.625, "too_shallow": 0,
        "visits": 0, "shallow_visits": 0,
        "drift": {"revisited": 0, "changed": 0, "mean_change": 0.0, "largest": 0.0, "topic": null}},
      "R@100": {"mean": 0.66666, "topics": 3, "mean_over_all": 0.66666, "too_shallow": 0,
        "visits": 0, "shallow_visits": 0,
        "drift": {"revisited": 0, "changed": 0, "mean_change": 0.0, "largest": 0.0, "topic": null}},
      "AP@100": {"mean": 0.24999, "topics": 3, "mean_over_all": 0.24999, "too_shallow": 0,
        "visits": 0, "shallow_visits": 0,
        "drift": {"revisited": 0, "changed": 0, "mean_change": 0.0, "largest": 0.0, "topic": null}}},
    "latency_ms": {"count": 3, "p50": 12.34, "p90": null, "p95": 20.0, "p99": 123.4, "max": 130.0,
      "intervals": {"p50": {"low": null, "high": null}, "p90": {"low": null, "high": null},
        "p95": {"low": null, "high": null}, "p99": {"low": null, "high": null}}},
    "shadow_latency_ms": {"count": 0, "p50": null, "p90": null, "p95": null, "p99": null,
      "max": null,
      "intervals": {"p50": {"low": null, "high": null}, "p90": {"low": null, "high": null},
        "p95": {"low": null, "high": null}, "p99": {"low": null, "high": null}}},
    "self_time_us": {"p50": 2.6, "p99": 5.14},
    "unjudged_self_time_us": {"p50": null, "p99": null},
    "duplicate_hits": 0, "relevant_missing": 0})"));
}

TEST(ReportJson, CarriesPairsWithMoves) {
  const json pair = json::parse(to_json(example_summary()))["pairs"][0];
  EXPECT_EQ(pair["a"], "tfidf");
  EXPECT_EQ(pair["b"], "bm25");
  EXPECT_EQ(pair["differences"]["PRES@100"], json::parse(R"json({
    "topics": 3, "mean": 0.125, "mean_a": null, "mean_b": null, "wins": 2, "ties": 1, "losses": 0,
    "live": null, "worst": [], "words": {"state": "described", "live":
      "There is no verdict, because nobody chose at random which arm served which visit: take paired or split mode. A replay has its verdict when it has finished.",
      "grounds": "+0.1250 over 3 topics."}
})json"));
  EXPECT_EQ(pair["moves"][0], json::parse(R"({
    "topic": "EP1A1", "measure": "PRES@100", "a": 0.25, "b": 0.5, "difference": 0.25, "num_rel": 2,
    "citations": [
      {"docno": "US4893752", "grade": 3, "about": "", "rank_a": null, "rank_b": 31, "share": 0.35},
      {"docno": "ÉP77", "grade": 1, "about": "", "rank_a": 5, "rank_b": 25, "share": -0.1}]})"));
}

TEST(ReportJson, CarriesEachTopicAndTheHealth) {
  const json summary = json::parse(to_json(example_summary()));
  ASSERT_EQ(summary["per_topic"].size(), 3);
  EXPECT_EQ(summary["per_topic"][1], json::parse(R"({
    "topic": "EP2A1", "num_rel": 2, "arms": {
      "tfidf": {"seen": true, "visits": 1, "num_ret": 100, "exhausted": false, "missing": 0,
        "latency_ms": 12.5, "relevant_ranks": [5],
        "scores": {"PRES@100": 0.25, "R@100": null, "AP@100": 0.1},
        "means": {"PRES@100": 0.375, "R@100": null, "AP@100": 0.1}, "awaiting": false},
      "bm25": {"seen": false, "visits": 0, "num_ret": 0, "exhausted": false, "missing": 0,
        "latency_ms": null, "relevant_ranks": [], "scores": {}, "means": {}, "awaiting": false}}})"));
  EXPECT_EQ(summary["health"]["pushed"], 6);
  EXPECT_EQ(summary["health"].size(), health_counters().size());
}

TEST(ReportJson, CarriesTheStateOfALiveExperiment) {
  const json summary = json::parse(to_json(live_summary()));
  EXPECT_EQ(summary["mode"], "paired");
  EXPECT_EQ(summary["primary"], "PRES@100");
  EXPECT_TRUE(summary["salt"].is_null());
  EXPECT_EQ(summary["epoch"], json::parse(R"({"number": 3, "reason": "arms",
    "observations": 1204, "index_changes": 0, "compared_visits": 600, "incomplete_visits": 0})"));
  EXPECT_EQ(summary["past_epochs"][0], json::parse(R"({
    "number": 2, "reason": "judgements", "observations": 3210, "index_changes": 0,
    "compared_visits": 0, "incomplete_visits": 0, "ended_with": [
      {"b": "bm25", "measure": "PRES@100", "topics": 150, "mean": 0.0145, "live": {
        "state": "leading", "alpha": 0.0125, "topics": 150, "by_family": false,
        "sd": null, "bounded_topics": 0, "mean": 0.0123, "mean_low": null, "mean_high": null, "low": 0.0001,
        "high": 0.0245, "log_e": 5.0, "log_e_better": 3.0, "log_e_worse": -3.0,
        "topics_to_undo": 1, "detectable": 0.015}, "planned": null,
        "words": "bm25 leading"}]})"));
  EXPECT_EQ(summary["arms"][0]["served_means"]["PRES@100"]["mean"], 0.475);
  const json& bm25 = summary["arms"][1];
  EXPECT_EQ(bm25["status"], "paused");
  EXPECT_EQ(bm25["failed_queries"], 12);
  EXPECT_EQ(bm25["means"]["PRES@100"]["drift"], json::parse(R"({
    "revisited": 40, "changed": 3, "mean_change": 0.0021, "largest": 0.05, "topic": "EP1A1"})"));
  const json& difference = summary["pairs"][0]["differences"]["PRES@100"];
  EXPECT_EQ(difference["live"]["state"], "confirmed");
  EXPECT_EQ(difference["worst"][0],
            json::parse(R"({"topic": "EP1A1", "a": 0.5, "b": 0.25, "difference": -0.25})"));
  EXPECT_EQ(summary["pairs"][0]["latency_ratio"], json::parse(R"({"pairs": 640,
    "failed_a": 0, "failed_b": 0, "untimed_a": 0, "untimed_b": 2, "repeated_a": 0,
    "repeated_b": 0, "mean": 0.8, "least": 0.78, "most": 0.82, "log_e": 12.0, "state": "faster",
    "differs": true, "low": 0.7, "high": 0.9, "blocks": 40, "pairs_in_block": 16})"));
  EXPECT_EQ(difference["live"]["mean"], 0.125);
  EXPECT_EQ(difference["mean"], 0.1275);
  EXPECT_EQ(difference["words"]["state"], "bm25 confirmed better");
  EXPECT_EQ(difference["words"]["live"], "bm25 is better than tfidf by 0.1250 PRES@100.");
  EXPECT_EQ(difference["words"]["grounds"],
            "+0.1250 over 212 topics, interval [+0.1000, +0.1500]. You may look as often as you "
            "like: the interval holds at all times but for a chance of 1.2 %. 7 further topics of "
            "the largest opposite difference would undo it. With as many topics, a true "
            "difference of 0.0321 shows in 4 of 5 cases.");
  const json& described = summary["pairs"][0]["differences"]["AP@100"]["words"];
  EXPECT_EQ(described["state"], "described");
  EXPECT_EQ(described["live"],
            "MAP@100 is described, without a verdict: the verdict is about PRES@100.");
  EXPECT_EQ(json::parse(to_json(split_summary()))["pairs"][0]["sample_ratio"], json::parse(R"({
    "topics_a": 400, "topics_b": 200, "seen_a": 400, "seen_b": 200, "share_b": 0.5, "log_e": 29.5, "p": 2e-16,
    "alarm": true})"));
}

TEST(ReportJson, ObservedTrafficHasNoEvidence) {
  const json difference =
      json::parse(to_json(observed_summary()))["pairs"][0]["differences"]["PRES@100"];
  EXPECT_TRUE(difference["live"].is_null());
  EXPECT_EQ(difference["mean_b"], 0.6275);
  EXPECT_EQ(difference["words"]["state"], "described");
  EXPECT_EQ(difference["words"]["live"],
            "There is no verdict, because nobody chose at random which arm served which visit: "
            "take paired or split mode. A replay has its verdict when it has finished.");
  EXPECT_EQ(difference["words"]["grounds"], "+0.1275 over 212 topics.");
}

TEST(ReportJson, SaysWhatWasLeftOut) {
  Summary summary = split_summary();
  summary.arms[0].sorted_queries = 3;
  summary.health.publish_failures = 1;
  const json document = json::parse(to_json(summary));
  EXPECT_EQ(document["salt"], "patents|2026-11-23T13:41:00Z");
  EXPECT_EQ(document["words"]["left_out"],
            json({"tfidf: 3 of 640 judged rankings were sorted by something else than relevance; "
                  "not scored"}));
  EXPECT_EQ(document["words"]["notes"],
            json({"2 topics have no relevant document and count in no mean",
                  "1 summary that could not be made or published"}));
}

TEST(ReportJson, AQueryThatFailedHasNoMilliseconds) {
  const json latency = json::parse(to_json(live_summary()))["arms"][1]["latency_ms"];
  EXPECT_EQ(latency["count"], 1234);
  EXPECT_TRUE(latency["p99"].is_null());
  EXPECT_EQ(latency["intervals"]["p99"]["low"], 118.0);
  EXPECT_TRUE(latency["intervals"]["p99"]["high"].is_null());
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

TEST(ReportJson, InvalidUtf8IsReplaced) {
  Summary summary = example_summary();
  summary.experiment = "\xFF";
  EXPECT_EQ(json::parse(to_json(summary))["experiment"], "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace prescope::testing
