// Metrics of a summary made by hand.
#include "serve/metrics/metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/full_summary.h"
#include "support/metric_samples.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class MetricsTest : public ::testing::Test {
 protected:
  Summary summary_ = full_summary();

  [[nodiscard]] std::string text() const { return serve::metrics_text(summary_); }
  /// Returns the sample whose labels follow those of the experiment ("arm=..."); std::nullopt if
  /// there is none.
  [[nodiscard]] std::optional<double> value(const std::string& name,
                                            const std::string& labels = "") const {
    const MetricSamples samples = metric_samples(text());
    const auto found = samples.find(fmt::format(R"({}{{experiment="night shift"{}{}}})", name,
                                                labels.empty() ? "" : ",", labels));
    return found == samples.end() ? std::nullopt : std::optional(found->second);
  }
  void expect_value(const std::string& name, const std::string& labels, double expected) const {
    const std::optional<double> found = value(name, labels);
    ASSERT_TRUE(found) << name << labels << "\n" << text();
    EXPECT_DOUBLE_EQ(*found, expected) << name << labels;
  }
};

constexpr const char* kTfidf = R"(arm="tfidf")";
std::string bm25_labels(const std::string& more) { return R"(arm="bm25",)" + more; }
std::string pair_labels(const std::string& more) { return R"(a="tfidf",b="bm25",)" + more; }

TEST_F(MetricsTest, NameTheProgramTheExperimentAndItsEpoch) {
  EXPECT_THAT(text(), HasSubstr("prescope_build_info{version=\"" PRESCOPE_TEST_VERSION "\"} 1\n"));
  expect_value("prescope_experiment_info", R"(mode="paired",primary="PRES@100")", 1);
  expect_value("prescope_epoch", "", 3);
  expect_value("prescope_epoch_reason", R"(reason="generation")", 1);
  expect_value("prescope_epoch_reason", R"(reason="start")", 0);
  expect_value("prescope_epoch_observations", "", 77);
  expect_value("prescope_epoch_index_changes", "", 2);
  expect_value("prescope_epoch_visits", R"(outcome="compared")", 30);
  expect_value("prescope_epoch_visits", R"(outcome="incomplete")", 5);
  expect_value("prescope_judged_topics", "", 4);  // 5, one without a relevant document
  expect_value("prescope_judgements", "", 20);
}

TEST_F(MetricsTest, CountTheQueriesOfEachArm) {
  expect_value("prescope_arm_active", kTfidf, 1);
  expect_value("prescope_queries_total", bm25_labels(R"(judged="true")"), 40);
  expect_value("prescope_queries_total", bm25_labels(R"(judged="false")"), 60);
  expect_value("prescope_queries_retried_total", kTfidf, 5);
  expect_value("prescope_query_failures_total", bm25_labels(R"(reason="failed")"), 2);
  expect_value("prescope_query_failures_total", bm25_labels(R"(reason="timed_out")"), 1);
  expect_value("prescope_flagged_rankings_total", bm25_labels(R"(flag="sorted")"), 11);
  expect_value("prescope_flagged_rankings_total", bm25_labels(R"(flag="filtered")"), 12);
  expect_value("prescope_flagged_rankings_total", bm25_labels(R"(flag="collapsed")"), 13);
  expect_value("prescope_flagged_rankings_total", bm25_labels(R"(flag="partial")"), 14);
  expect_value("prescope_duplicate_hits_total", kTfidf, 6);
  expect_value("prescope_index_generation", kTfidf, 17);
  expect_value("prescope_relevant_missing", kTfidf, 7);
  expect_value("prescope_topics_seen", kTfidf, 3);
  expect_value("prescope_topics_awaiting", kTfidf, 1);
  summary_.arms[1].status = ArmStatus::kPaused;
  expect_value("prescope_arm_active", R"(arm="bm25")", 0);
  expect_value("prescope_queries_total", bm25_labels(R"(judged="true")"), 40);
}

// The buckets of the summary end at 0, 1, 1.02, 5, 5.1, 13,000 ms, never.
TEST_F(MetricsTest, CountADurationOnlyIfItsWholeBucketIsBelow) {
  const std::string served = R"(arm="tfidf",kind="served")",
                    name = "prescope_query_duration_seconds";
  const auto up_to = [&](const char* le) {
    return value(name + "_bucket", served + fmt::format(R"(,le="{}")", le));
  };
  EXPECT_EQ(up_to("0.001"), 3) << "1 + 2";
  EXPECT_EQ(up_to("0.002"), 6) << "+ 3, of which some may have been below 1 ms";
  EXPECT_EQ(up_to("0.003"), 6);
  EXPECT_EQ(up_to("0.005"), 8) << "+ 2";
  EXPECT_EQ(up_to("0.0075"), 9) << "+ 1";
  EXPECT_EQ(up_to("10"), 9);
  EXPECT_EQ(up_to("+Inf"), 13) << "+ 1 of up to 13 s, and 3 that failed";
  expect_value(name + "_count", served, 13);
  expect_value(name + "_sum", served, 12.345);
  expect_value(name + "_count", R"(arm="tfidf",kind="shadow")", 10);
}

TEST_F(MetricsTest, HaveShadowsOnlyIfThereAreAny) {
  summary_.mode = Mode::kObserve;
  for (ArmSummary& arm : summary_.arms) arm.shadow_latency = {};
  EXPECT_THAT(text(), Not(HasSubstr("shadow\"")));
  summary_.mode = Mode::kPaired;  // there will be
  expect_value("prescope_query_duration_seconds_count", R"(arm="tfidf",kind="shadow")", 0);
}

TEST_F(MetricsTest, HaveThePluginsOwnTime) {
  const std::string name = "prescope_overhead_seconds";
  expect_value(name, bm25_labels(R"(judged="true",quantile="0.5")"), 2.5e-6);
  expect_value(name, bm25_labels(R"(judged="true",quantile="0.99")"), 8e-6);
  expect_value(name + "_count", bm25_labels(R"(judged="true")"), 39);
  expect_value(name + "_sum", bm25_labels(R"(judged="true")"), 1e-4);
  expect_value(name, bm25_labels(R"(judged="false",quantile="0.5")"), 5e-8);
  expect_value(name + "_count", bm25_labels(R"(judged="false")"), 58);
  expect_value(name + "_sum", bm25_labels(R"(judged="false")"), 4e-6);
}

TEST_F(MetricsTest, HaveTheMeansOfEachArm) {
  expect_value("prescope_topic_score", R"(arm="tfidf",measure="PRES@100")", 0.5);
  expect_value("prescope_topic_score", bm25_labels(R"(measure="R@100")"), 1);
  expect_value("prescope_topics", bm25_labels(R"(measure="R@100")"), 2);
  expect_value("prescope_topics_too_shallow", bm25_labels(R"(measure="R@100")"), 1);
  expect_value("prescope_visits", bm25_labels(R"(measure="PRES@100",outcome="scored")"), 30);
  expect_value("prescope_visits", bm25_labels(R"(measure="PRES@100",outcome="too_shallow")"), 2);
  expect_value("prescope_served_score", R"(arm="tfidf",measure="PRES@100")", 0.25);
}

TEST_F(MetricsTest, CountTopicsByTheirMeanOverVisits) {
  const auto up_to = [this](const char* measure, const char* le) {
    return value("prescope_topic_scores_bucket",
                 fmt::format(R"(arm="bm25",measure="{}",le="{}")", measure, le));
  };
  // PRES: 0, 0.51, 0.15. R: 0.05, 1, none.
  EXPECT_EQ(up_to("PRES@100", "0"), 1);
  EXPECT_EQ(up_to("PRES@100", "0.1"), 1);
  EXPECT_EQ(up_to("PRES@100", "0.15"), 2);
  EXPECT_EQ(up_to("PRES@100", "0.5"), 2);
  EXPECT_EQ(up_to("PRES@100", "0.55"), 3);
  EXPECT_EQ(up_to("PRES@100", "+Inf"), 3);
  EXPECT_EQ(up_to("R@100", "0"), 0);
  EXPECT_EQ(up_to("R@100", "0.05"), 1);
  EXPECT_EQ(up_to("R@100", "0.95"), 1);
  EXPECT_EQ(up_to("R@100", "1"), 2);
  EXPECT_EQ(up_to("R@100", "+Inf"), 2);
}

TEST_F(MetricsTest, DoNotNeedTheTopicsRows) {
  const std::string with_rows = text();
  summary_.detail = SummaryDetail::kVerdicts;
  summary_.rows.clear();
  EXPECT_EQ(text(), with_rows);
}

TEST_F(MetricsTest, HaveTheQueueOfARunningExperiment) {
  EXPECT_THAT(text(), Not(HasSubstr("prescope_queue_ratio")));
  EXPECT_THAT(serve::metrics_text(summary_, 0.25),
              HasSubstr("\nprescope_queue_ratio{experiment=\"night shift\"} 0.25\n"));
}

TEST_F(MetricsTest, CompareTheArms) {
  const std::string pres = R"(measure="PRES@100",)";
  expect_value("prescope_paired_difference", pair_labels(pres + R"(bound="mean")"), -0.125);
  expect_value("prescope_paired_difference", pair_labels(pres + R"(bound="low")"), -0.25);
  expect_value("prescope_paired_difference", pair_labels(pres + R"(bound="high")"), -0.0625);
  expect_value("prescope_paired_topics", pair_labels(R"(measure="R@100")"), 2);
  expect_value("prescope_all_visits_difference", pair_labels(R"(measure="PRES@100")"), -0.25);
  expect_value("prescope_topics_to_undo", pair_labels(R"(measure="PRES@100")"), 4);
  expect_value("prescope_detectable_difference", pair_labels(R"(measure="PRES@100")"), 0.5);
  EXPECT_FALSE(value("prescope_detectable_difference", pair_labels(R"(measure="R@100")")));
  expect_value("prescope_latency_ratio", pair_labels(R"(bound="mean")"), 1.25);
  expect_value("prescope_latency_ratio", pair_labels(R"(bound="high")"), 1.5);
  expect_value("prescope_latency_differs", R"(a="tfidf",b="bm25")", 1);
  EXPECT_FALSE(value("prescope_sample_ratio_alarm", R"(a="tfidf",b="bm25")"));
  summary_ = full_split_summary();
  expect_value("prescope_sample_ratio_alarm", R"(a="tfidf",b="bm25")", 1);
  summary_.pairs[0].sample_ratio->alarm = false;
  expect_value("prescope_sample_ratio_alarm", R"(a="tfidf",b="bm25")", 0);
}

TEST_F(MetricsTest, HaveTheOverlapOfUnjudgedQueriesIfItIsAskedFor) {
  const std::string jaccard = R"(measure="jaccard")", rbo = R"(measure="rbo")";
  expect_value("prescope_overlap", pair_labels(jaccard + R"(,bound="mean")"), 0.5);
  expect_value("prescope_overlap", pair_labels(jaccard + R"(,bound="high")"), 0.75);
  expect_value("prescope_overlap", pair_labels(rbo + R"(,bound="mean")"), 0.625);
  expect_value("prescope_overlap", pair_labels(rbo + R"(,bound="low")"), 0.5);
  expect_value("prescope_overlap_latest", pair_labels(jaccard), 0.375);
  expect_value("prescope_overlap_latest", pair_labels(rbo), 0.5625);
  const std::pair<const char*, double> kOutcomes[] = {{"compared", 200},  {"empty", 3},
                                                      {"too_shallow", 4}, {"other_index", 5},
                                                      {"left_out", 6},    {"incomplete", 7}};
  for (const auto& [outcome, visits] : kOutcomes) {
    expect_value("prescope_overlap_visits", pair_labels(fmt::format(R"(outcome="{}")", outcome)),
                 visits);
  }
  expect_value("prescope_overlap_identical", R"(a="tfidf",b="bm25")", 50);
  expect_value("prescope_overlap_failures", pair_labels(R"(of="a")"), 9);
  expect_value("prescope_overlap_failures", pair_labels(R"(of="b")"), 10);
  EXPECT_THAT(text(), Not(HasSubstr("secret")));
  summary_.pairs[0].overlap = OverlapSummary();
  EXPECT_FALSE(value("prescope_overlap", pair_labels(rbo + R"(,bound="low")"))) << "nothing yet";
  summary_.pairs[0].overlap.reset();
  EXPECT_THAT(text(), Not(HasSubstr("overlap")));
}

TEST_F(MetricsTest, HaveExactlyOneVerdictState) {
  struct Case {
    LiveState state;
    double mean;
    const char* expected;
  };
  for (const Case& now : {Case{LiveState::kCollecting, 0.1, "collecting"},
                          {LiveState::kNoVerdict, -0.1, "no_verdict"},
                          {LiveState::kAhead, 0.1, "ahead_better"},
                          {LiveState::kAhead, -0.1, "ahead_worse"},
                          {LiveState::kLeading, 0.1, "leading_better"},
                          {LiveState::kLeading, -0.1, "leading_worse"},
                          {LiveState::kConfirmed, 0.1, "confirmed_better"},
                          {LiveState::kConfirmed, -0.1, "confirmed_worse"},
                          {LiveState::kDescribed, -0.1, "described"}}) {
    MeasureDifference& difference = summary_.pairs[0].differences[0];
    difference.live->state = now.state;
    difference.live->mean = now.mean;
    difference.mean = -now.mean;  // over all visits
    std::vector<std::string> states;
    const std::regex line(R"re(prescope_verdict\{.*measure="PRES@100",state="(\w+)"\} 1)re");
    const std::string all = text();
    for (std::sregex_iterator it(all.begin(), all.end(), line), end; it != end; ++it) {
      states.push_back((*it)[1]);
    }
    EXPECT_THAT(states, ElementsAre(now.expected));
  }
}

TEST_F(MetricsTest, HaveDifferencesButNoVerdictInObservedTraffic) {
  summary_.mode = Mode::kObserve;
  summary_.pairs[0].latency = {};
  for (MeasureDifference& each : summary_.pairs[0].differences) each.live.reset();
  summary_.pairs[0].slices.clear();
  summary_.pairs[0].overlap.reset();
  expect_value("prescope_paired_difference", pair_labels(R"(measure="PRES@100",bound="mean")"),
               -0.25);
  expect_value("prescope_paired_topics", pair_labels(R"(measure="PRES@100")"), 3);
  for (const char* absent :
       {"prescope_verdict", "bound=\"low\"", "detectable", "to_undo", "prescope_epoch_visits"}) {
    EXPECT_THAT(text(), Not(HasSubstr(absent)));
  }
}

TEST_F(MetricsTest, HaveEveryHealthCounterOnce) {
  // The number of counters in Health; the hand-made one counts from 1001.
  constexpr std::size_t kCounters = sizeof(Health) / sizeof(std::uint64_t);
  std::multiset<double> values;
  for (const auto& [name, value] : metric_samples(text())) {
    if (value > 1000 && value <= 2000) values.insert(value);
  }
  ASSERT_EQ(values.size(), kCounters);
  double expected = 1001;
  for (const double value : values) EXPECT_EQ(value, expected++);
  expect_value("prescope_observations_total", R"(stage="recorded")", 1002);
  expect_value("prescope_dropped_total", R"(reason="queue_full")", 1003);
  expect_value("prescope_unscored_total", R"(reason="late")", 1022);
  expect_value("prescope_unscored_total", R"(reason="unobserved")", 1008);
  expect_value("prescope_unscored_total", R"(reason="misplaced_scope")", 1009);
  expect_value("prescope_unknown_start_total", "", 1010);
  expect_value("prescope_unscored_total", R"(reason="page_without_key")", 1011);
  expect_value("prescope_failures_total", R"(component="adapter")", 1013);
  expect_value("prescope_log_lost_total", R"(reason="write_failure")", 1018);
  expect_value("prescope_log_lost_total", R"(reason="file_gone")", 1031);
  expect_value("prescope_clock_steps_total", "", 1023);
  expect_value("prescope_shadow_queries_total", R"(outcome="expired")", 1028);
  expect_value("prescope_shadow_failures_total", "", 1030);
  expect_value("prescope_shadow_later_pages_total", "", 1034);
}

TEST_F(MetricsTest, LeaveOutUnknownValues) {
  for (ArmSummary& arm : summary_.arms) {
    arm = {.id = arm.id,
           .status = arm.status,
           .means = {{{}, summary_.measures[0]}, {{}, summary_.measures[1]}}};
  }
  for (MeasureDifference& difference : summary_.pairs[0].differences) {
    difference = MeasureDifference{{{}, difference.measure, LiveVerdict{}}};
  }
  summary_.pairs[0].latency = {};
  summary_.pairs[0].slices.clear();
  summary_.pairs[0].overlap.reset();
  summary_.rows.clear();
  EXPECT_THAT(text(), Not(HasSubstr("NaN")));
  for (const char* unknown : {"prescope_topic_score{", "bound=\"mean\"", "prescope_latency_ratio",
                              "quantile=", "prescope_index_generation", "prescope_relevant_missing",
                              "prescope_detectable_difference"}) {
    EXPECT_THAT(text(), Not(HasSubstr(unknown)));
  }
  expect_value("prescope_paired_difference", pair_labels(R"(measure="PRES@100",bound="low")"), -1);
  expect_value("prescope_topics", R"(arm="tfidf",measure="PRES@100")", 0);
  expect_value("prescope_queries_total", bm25_labels(R"(judged="true")"), 0);
}

TEST_F(MetricsTest, LeaveOutRemovedArms) { EXPECT_THAT(text(), Not(HasSubstr("\"old\""))); }

TEST_F(MetricsTest, HaveNoLabelButTheDocumentedOnes) {
  const std::set<std::string> allowed = {
      "experiment", "arm",     "measure", "judged", "reason", "kind",      "le",    "quantile",
      "a",          "b",       "bound",   "mode",   "state",  "component", "stage", "outcome",
      "version",    "primary", "flag",    "check",  "slice",  "guardrail", "of"};
  for (const auto& [sample, value] : metric_samples(text())) {
    const std::regex label(R"re(([a-z_]+)="[^"]*")re");
    for (std::sregex_iterator it(sample.begin(), sample.end(), label), end; it != end; ++it) {
      EXPECT_TRUE(allowed.contains((*it)[1])) << sample;
    }
  }
}

TEST_F(MetricsTest, NeverNameATopicOrADocument) {
  summary_.pairs[0].differences[0].worst = {{.topic = TopicId("EP0000002A1")}};
  summary_.arms[0].means[0].drift.topic = TopicId("EP0000001A1");
  summary_.pairs[0].moves = {
      {{TopicId("EP0000003A1")}, summary_.measures[0], 0, {{.docno = Docno("US7654321B2")}}}};
  EXPECT_THAT(text(), Not(HasSubstr("EP000000")));
  EXPECT_THAT(text(), Not(HasSubstr("US7654321")));
}

TEST_F(MetricsTest, EscapeNames) {
  summary_.experiment = "a \"b\"\nc\\d";
  summary_.arms[0].id = ArmId("one\xff \xc3\xa9\x01<script>");
  const MetricSamples samples = metric_samples(text());
  EXPECT_TRUE(samples.contains(R"(prescope_topics_seen{experiment="a \"b\"\nc\\d",arm="one)"
                               "\xef\xbf\xbd \xc3\xa9\\\\u0001<script>\"}"))
      << text();
}

TEST_F(MetricsTest, DistinguishArmsWithSimilarNames) {
  summary_.arms[0].id = ArmId("x\xfe");
  summary_.arms[1].id = ArmId("x\xff");
  EXPECT_EQ(value("prescope_topics_seen", "arm=\"x\xef\xbf\xbd\""), 3);
  EXPECT_EQ(value("prescope_topics_seen", "arm=\"x\xef\xbf\xbd#1\""), 3);
  summary_.arms[2] = summary_.arms[0];  // and one that is called like that
  summary_.arms[2].id = ArmId("x\xef\xbf\xbd#1");
  EXPECT_EQ(value("prescope_topics_seen", "arm=\"x\xef\xbf\xbd#1#2\""), 3);
}

TEST_F(MetricsTest, AreNearlyEmptyForANewExperiment) {
  summary_ = Summary{.experiment = "new"};
  EXPECT_EQ(metric_samples(text()).at(R"(prescope_epoch{experiment="new"})"), 1);
}

}  // namespace
}  // namespace prescope
