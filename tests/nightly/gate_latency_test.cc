// The rule about latency. Bounds are worked by hand; tests/golden has the stored vectors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nightly/gate/gate.h"
#include "support/evaluation_records.h"

namespace prescope::testing {
namespace {

using Status = GateVerdict::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// All of 100 queries take `ms`.
EvaluationRecord timed(double ms) {
  EvaluationRecord record = evaluation_record(steady_topics(20));
  set_latencies(record, 100, ms, 0.0);
  return record;
}

Baseline untimed_baseline() { return baseline_of(evaluation_record(steady_topics(20))); }

/// 200 pairs of queries, tonight `times` as long on the mean; odd blocks of ten are ten per cent
/// slower than even ones. The means of 20 blocks have sd .05 sqrt(20/19), so that the bounds are
/// .05 / sqrt(19) * 1.729133 = .019835 from the mean, and their quotient with it 1.0200.
GateVerdict as_slow_as(double times, const GateRules& rules = {}) {
  const EvaluationRecord tonight = timed(10.0);
  LatencyPairs pairs;
  for (int i = 0; i < 200; ++i) {
    pairs.log_ratios.push_back(std::log(times) + (i / 10 % 2 == 0 ? -0.05 : 0.05));
  }
  return gate(untimed_baseline(), tonight, rules, {.run_pairs = [&] { return pairs; }});
}

TEST(GateLatency, BoundsTheRatioOfPairsByBlocks) {
  const GateVerdict verdict = as_slow_as(2.0);
  const GateVerdict::Latency& latency = verdict.latency;
  EXPECT_EQ(latency.pairs, 200U);
  EXPECT_NEAR(*latency.ratio, 2.0, 1e-9);
  EXPECT_NEAR(*latency.ratio_low, 2.0 / 1.020033, 1e-5);
  EXPECT_NEAR(*latency.ratio_high, 2.0 * 1.020033, 1e-5);
  EXPECT_EQ(rule_of(verdict, "latency.ratio").status, Status::kFail);
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
}

TEST(GateLatency, RatioThatMayBeChanceIsARemark) {
  EXPECT_EQ(rule_of(as_slow_as(1.0), "latency.ratio").status, Status::kPass);
  EXPECT_EQ(rule_of(as_slow_as(1.19), "latency.ratio").status, Status::kPass);
  const GateVerdict chance = as_slow_as(1.22);  // 1.22 / 1.02 = 1.196
  EXPECT_EQ(rule_of(chance, "latency.ratio").status, Status::kWarning);
  EXPECT_EQ(chance.outcome, GateOutcome::kPass);
  EXPECT_EQ(rule_of(as_slow_as(1.23), "latency.ratio").status, Status::kFail);
  EXPECT_EQ(rule_of(as_slow_as(1.3, {.latency = {.ratio = 1.5}}), "latency.ratio").status,
            Status::kPass);
}

/// Tonight at 10 ms, after nights of `past_ms`, the baseline at 4 ms.
GateVerdict after_nights(const std::vector<double>& past_ms, std::size_t pairs = 0,
                         double tonight_ms = 10.0) {
  const LatencyPairs few{.log_ratios = std::vector<double>(pairs, 1.0), .why_none = "No index."};
  return gate(baseline_of(timed(4.0)), timed(tonight_ms), {},
              {.run_pairs = [&] { return few; }, .past_p95_ms = past_ms});
}

TEST(GateLatency, WithoutPairsPastNightsBoundTheNext) {
  // Ten nights of the least spread, .03: bound exp(t.99,9 .03 sqrt(1.1)) = exp(2.821438 .031464) =
  // 1.0928; found from exp(ln 1.2 + .84 .03) = 1.2306.
  const GateVerdict slow = after_nights(std::vector<double>(10, 8.0));
  EXPECT_EQ(slow.latency.nights, 10U);
  EXPECT_NEAR(*slow.latency.ratio, 1.25, 0.0125);  // the sketch is within 1 %
  EXPECT_NEAR(*slow.latency.bound, 1.0928, 1e-4);
  EXPECT_NEAR(*slow.latency.finds_from, 1.2306, 1e-4);
  EXPECT_EQ(rule_of(slow, "latency.ratio").status, Status::kFail);
  EXPECT_THAT(rule_of(slow, "latency.ratio").reason,
              AllOf(HasSubstr("1.23 times as slow would be found"), HasSubstr("No index.")));

  // One night that was as slow makes it no failure, but a remark.
  std::vector<double> past(10, 8.0);
  past[3] = 10.5;
  EXPECT_EQ(rule_of(after_nights(past), "latency.ratio").status, Status::kWarning);
  EXPECT_EQ(rule_of(after_nights(std::vector<double>(10, 9.0)), "latency.ratio").status,
            Status::kPass);
  // Only the last 30 count.
  past.assign(60, 8.0);
  std::fill_n(past.begin(), 30, 100.0);
  EXPECT_EQ(after_nights(past).latency.nights, 30U);
  EXPECT_EQ(rule_of(after_nights(past), "latency.ratio").status, Status::kFail);
}

// The stored vectors of the reference, whose figures are exact; tonight's sketch is within 1 %.
TEST(GateLatency, PredictionBoundIsTheReferences) {
  const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/vectors2.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto vectors = nlohmann::json::parse(std::ifstream(path))["latency"]["night"];
  std::vector<double> past_ms;
  for (const double log_ms : vectors["ln_p95_of_past_nights"]) past_ms.push_back(std::exp(log_ms));
  for (const auto& each : vectors["cases"]) {
    SCOPED_TRACE(each.dump());
    const GateVerdict verdict =
        after_nights(past_ms, 0, std::exp(each["tonight_ln"].get<double>()));
    EXPECT_NEAR(*verdict.latency.bound, each["bound_ratio"].get<double>(), 1e-9);
    EXPECT_NEAR(*verdict.latency.ratio / each["ratio_to_mean"].get<double>(), 1.0, 0.011);
    EXPECT_EQ(rule_of(verdict, "latency.ratio").status == Status::kFail, each["fails"].get<bool>());
  }
}

TEST(GateLatency, TooLittleToJudgeByIsSaid) {
  const GateVerdict::Rule rule =
      rule_of(after_nights(std::vector<double>(9, 8.0), 39), "latency.ratio");
  EXPECT_EQ(rule.status, Status::kWarning);  // 10 ms after 4 ms at the baseline
  EXPECT_THAT(rule.reason,
              AllOf(HasSubstr("Only 39 queries could be searched in turn; it takes 40"),
                    HasSubstr("timed: 9; it takes 10"), HasSubstr("2.5")));
  EXPECT_EQ(rule_of(after_nights({}, 0, 4.5), "latency.ratio").status, Status::kSkipped);
  EXPECT_NE(rule_of(after_nights({}, 40), "latency.ratio").status, Status::kSkipped);
}

TEST(GateLatency, PairsAreRunOnlyIfTheyAreNeeded) {
  EvaluationRecord tonight = timed(10.0);
  const GateEvidence evidence{.run_pairs = []() -> LatencyPairs {
    ADD_FAILURE() << "pairs were run";
    return {};
  }};
  const Baseline baseline = untimed_baseline();
  const GateVerdict off = gate(baseline, tonight, {.latency = {.ratio = {}}}, evidence);
  EXPECT_EQ(rule_of(off, "latency.ratio").status, Status::kSkipped);
  tonight.depth = 5;
  EXPECT_EQ(gate(baseline, tonight, {}, evidence).outcome, GateOutcome::kBadInput);
  EXPECT_EQ(rule_of(gate(baseline, baseline.evaluation, {}, evidence), "latency.ratio").reason,
            "Tonight was not timed.");
}

TEST(GateLatency, FailedSearchesAreSlowerThanAny) {
  EvaluationRecord tonight = timed(1.0);
  for (int i = 0; i < 20; ++i) tonight.latency.add_failure();
  const GateVerdict verdict =
      gate(untimed_baseline(), tonight, {}, {.past_p95_ms = std::vector<double>(10, 8.0)});
  EXPECT_EQ(rule_of(verdict, "latency.ratio").status, Status::kFail);
  EXPECT_THAT(rule_of(verdict, "latency.ratio").reason, HasSubstr("without end (failed)"));
  EXPECT_FALSE(verdict.latency.ratio);
}

}  // namespace
}  // namespace prescope::testing
