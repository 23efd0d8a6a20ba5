// Stored vectors of the second part of the statistics: what live verdicts are made of. Tolerances
// are those of the vectors: 1e-9 of the value, words and counts exactly.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden/statistics_vectors.h"
#include "live/arms.h"
#include "live/ledger/margin_statements.h"
#include "statistics/evidence.h"
#include "statistics/latency_blocks.h"
#include "statistics/planned_look.h"

namespace prescope {
namespace {

using nlohmann::json;

class LiveVectors : public StatisticsVectors {
 protected:
  void SetUp() override {
    StatisticsVectors::SetUp();
    const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/vectors2.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    second_ = json::parse(std::ifstream(path));
  }
  json second_;
};

/// Appends `times` copies of `value`.
void append(std::vector<double>& values, std::size_t times, double value) {
  values.insert(values.end(), times, value);
}

TEST_F(LiveVectors, Leading) {
  std::map<std::string, std::vector<double>> data{{"D400", differences("D400")}};
  append(data["250 x .01"], 250, 0.01);
  append(data["600 x .01"], 600, 0.01);
  append(data["600 x .01, then 2 x -.99"], 600, 0.01);
  append(data["600 x .01, then 2 x -.99"], 2, -0.99);
  append(data["300 x .02 and 100 x -.01"], 300, 0.02);
  append(data["300 x .02 and 100 x -.01"], 100, -0.01);
  append(data["200 x .05"], 200, 0.05);
  for (const json& each : second_["leading"]) {
    const std::string name = each["data"];
    SCOPED_TRACE(name);
    TopicEvidence evidence;
    for (const double value : data.at(name)) evidence.add(value);
    const LiveVerdict verdict = live_verdict(evidence, {.alpha = each["alpha"]});
    EXPECT_EQ(verdict.topics, each["n"].get<std::uint32_t>());
    expect_close(evidence.sums().sum(), each["S"], "sum");
    expect_close(evidence.sums().squares(), each["Q"], "squares");
    expect_close(verdict.log_e, each["ln_E_sn"], "interval's evidence");
    expect_close(verdict.log_e_better, each["ln_W_plus"], "bets on better");
    expect_close(verdict.log_e_worse, each["ln_W_minus"], "bets on worse");
    expect_close(evidence.log_e_different(), each["ln_E2"], "bets");
    EXPECT_EQ(to_string(verdict.state), each["state"].get<std::string>());
    EXPECT_EQ(verdict.topics_to_undo, each["topics_to_undo"].get<std::uint32_t>());
  }
}

TEST_F(LiveVectors, LooksOfAPlannedTest) {
  const std::vector<double> d400 = differences("D400");
  for (const json& each : second_["group_sequential"]["looks_on_D400"]) {
    SCOPED_TRACE(each.dump());
    TopicSums sums;
    for (std::size_t i = 0; i < each["n"].get<std::size_t>(); ++i) sums.add(d400[i]);
    const LookResult look = look_at(sums, each["boundary_z"]).value();
    expect_close(look.mean, each["mean"], "mean");
    expect_close(look.z, each["z"], "z");
    expect_close(look.low, each["interval"][0], "low");
    expect_close(look.high, each["interval"][1], "high");
    EXPECT_EQ(std::abs(look.z) >= each["boundary_z"].get<double>(), each["crossed"].get<bool>());
  }
}

TEST_F(LiveVectors, BetsAgainstAMargin) {
  for (const json& each : second_["equivalence_by_bets"]) {
    SCOPED_TRACE(each.dump());
    const std::string name = each["data"];
    const std::vector<double> data =
        name == "400 x 0" ? std::vector<double>(400, 0.0) : differences(name);
    MarginBets bets;
    for (const double value : data) bets.bet_on({value, value}, each["margin"], 1.0);
    expect_close(bets.not_worse.log_e(), each["ln_W_plus_at_minus_margin"], "not worse");
    expect_close(bets.not_better.log_e(), each["ln_W_minus_at_margin"], "not better");
  }
}

TEST_F(LiveVectors, OneSidedSequences) {
  for (const json& each : second_["sn_one_sided"]) {
    SCOPED_TRACE(each.dump());
    TopicSums sums, opposite;
    for (const double value : differences(each["data"])) {
      sums.add(value);
      opposite.add(-value);
    }
    const ConfidenceSequence sequence{.alpha = each["alpha"], .b_squared = each["b2"]};
    expect_close(sequence.log_e_below(sums, 0.02), each["ln_e_less_.02"], "below 0.02");
    expect_close(sequence.log_e_below(opposite, 0.0), each["ln_e_greater_0"], "above 0");
    expect_close(sequence.log_e_below(opposite, 0.02), each["ln_e_greater_-.02"], "above -0.02");
  }
}

TEST_F(LiveVectors, FirstCompletePairs) {
  std::map<std::string, double> first;
  TopicEvidence evidence;
  for (const json& event : second_["paired_visits"]["events"]) {
    SCOPED_TRACE(event.dump());
    if (!event["a"].is_null() && !event["b"].is_null()) {
      const double difference = clean_difference(event["b"], event["a"]);
      if (first.emplace(event["topic"], difference).second) evidence.add(difference);
    }
    EXPECT_EQ(evidence.sums().n(), event["n"].get<std::uint64_t>());
    EXPECT_NEAR(evidence.sums().sum(), event["S_first"].get<double>(), 1e-12);
    EXPECT_NEAR(evidence.sums().squares(), event["Q_first"].get<double>(), 1e-12);
  }
}

TEST_F(LiveVectors, BlocksOfOneArm) {
  std::vector<json> cases = second_["latency"]["block_quantile_more"];
  cases.push_back(second_["latency"]["block_quantile"]);
  for (const json& each : cases) {
    SCOPED_TRACE(each.dump());
    const std::vector<double> shares = each["share_at_or_below_x_per_block"];
    const QuantileCheck check = check_quantile(shares, each["q"], each["requests_per_block"]);
    const double t = student_t_quantile(0.975, static_cast<double>(shares.size() - 1));
    EXPECT_NEAR(t, each["t"].get<double>(), 1e-8);  // the vectors' own is exact to 4e-9 of it
    expect_close(check.mean, each["mean"], "mean");
    expect_close(check.standard_error, each["se_used"], "standard error");
    expect_close(check.autocorrelation, each["lag1"], "autocorrelation");
    expect_close(check.largest_block, each["largest_block_share"], "largest block");
    expect_close(check.effective_n, each["n_eff"], "effective requests");
    EXPECT_EQ(check.accepts(t), each["accepts_x_as_quantile"].get<bool>());
    EXPECT_EQ(check.is_estimable(), each["shown"].get<bool>());
  }
}

TEST_F(LiveVectors, BlocksOfLatencyRatios) {
  const json& expected = second_["latency"]["ratio_blocks"];
  const std::vector<double> means = expected["block_means_of_ln_ratio"];
  PairedLatency latency;
  for (const double mean : means) {
    for (int pair = 0; pair < 32; ++pair) latency.add(mean);
  }
  expect_close(lag1_autocorrelation(means), expected["lag1"], "autocorrelation");
  ASSERT_EQ(latency.block_means().size(), means.size());
  const LatencyRatio ratio = live_latency_ratio(latency, expected["alpha"]);
  const double mean = expected["mean"], half_width = expected["half"];
  expect_close(ratio.mean.value(), expected["ratio"], "ratio");
  expect_close(ratio.low.value(), std::exp(mean - half_width), "low");
  expect_close(ratio.high.value(), std::exp(mean + half_width), "high");
}

TEST_F(LiveVectors, AssignmentBySalt) {
  const ArmTable arms(std::vector<std::string>{"a", "b"});
  for (const json& each : second_["salt"]) {
    ASSERT_EQ(each["units"], "EP%07dA1 of 977 i, i = 0..39");
    std::string assignment;
    for (int i = 0; i < 40; ++i) {
      const std::string number = std::to_string(977 * i);
      const std::string unit = "EP" + std::string(7 - number.size(), '0') + number + "A1";
      const auto arm = arms.drawn_for(unit, each["salt"].get<std::string>());
      assignment += arms[arm.value().value()].text();
    }
    EXPECT_EQ(assignment, each["assignment"].get<std::string>()) << each["salt"];
  }
}

TEST_F(LiveVectors, LeastSumsOfTinyDifferences) {
  // In the limit of many tiny differences, W+ = sum of w_j e^(lambda_j S). With n equal ones,
  // log1p(lambda x) falls short of lambda x by at most S^2 / (2 n) in all.
  constexpr int kTopics = 200'000;
  for (const json& each : second_["thresholds"]["least_S_for_tiny_differences"]) {
    const double sum = each["S"];
    TopicEvidence evidence;
    for (int i = 0; i < kTopics; ++i) evidence.add(sum / kTopics);
    const double limit = std::log(each["W"].get<double>());
    EXPECT_LE(evidence.log_e_above(), limit);
    EXPECT_GE(evidence.log_e_above(), limit - sum * sum / (2.0 * kTopics));
  }
}

}  // namespace
}  // namespace prescope
