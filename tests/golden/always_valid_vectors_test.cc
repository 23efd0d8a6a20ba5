// Stored vectors of the methods that stay valid while somebody looks. Tolerances are those of the
// vectors: 1e-9 of the value, counts exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden/statistics_vectors.h"
#include "statistics/evidence.h"
#include "statistics/latency_sketch.h"

namespace prescope {
namespace {

using nlohmann::json;
using AlwaysValidVectors = StatisticsVectors;

TEST_F(AlwaysValidVectors, ConfidenceSequence) {
  for (const json& each : vectors_["sn_cs"]["cases"]) {
    SCOPED_TRACE(each.dump());
    const ConfidenceSequence sequence{.alpha = each["alpha"], .b_squared = each["b2"]};
    const TopicSums sums(each["n"], each["S"], each["Q"]);
    expect_close(sequence.log_e_value(sums), each["log_e_m0"], "against 0");
    if (each.contains("log_e_m_minus_0p01")) {
      expect_close(sequence.log_e_value(sums, -0.01), each["log_e_m_minus_0p01"], "against -0.01");
    }
    const std::optional<double> half_width = sequence.half_width(sums);
    ASSERT_EQ(half_width.has_value(), !each["halfwidth"].is_null());
    if (half_width) expect_close(*half_width, each["halfwidth"], "half width");
  }
}

TEST_F(AlwaysValidVectors, ConfidenceSequenceOfTopicsOneByOne) {
  for (const json& each : vectors_["sn_cs"]["cases"]) {
    const std::string set = each["set"];
    if (set == "summary") continue;
    SCOPED_TRACE(set);
    TopicSums sums;
    for (const double difference : differences(set)) sums.add(difference);
    EXPECT_EQ(sums.n(), each["n"].get<std::uint64_t>());
    expect_close(sums.sum(), each["S"], "sum");
    expect_close(sums.squares(), each["Q"], "squares");
  }
}

TEST_F(AlwaysValidVectors, SplitTraffic) {
  const json& expected = vectors_["unpaired_ipw"];
  TopicSums sums;
  for (std::size_t i = 0; i < expected["y"].size(); ++i) {
    const double above =
        expected["y"][i].get<double>() - expected["c_predictable"][i].get<double>();
    sums.add(expected["z_is_B"][i] == 1 ? above : -above);
  }
  expect_close(2.0 * sums.mean(), expected["delta_hat"], "difference");
  expect_close(ConfidenceSequence{.b_squared = 0.5}.log_e_value(sums), expected["log_e_b2_0p5"],
               "evidence");
}

TEST_F(AlwaysValidVectors, LatencyRatio) {
  const json& expected = vectors_["latency"]["log_ratio"];
  TopicSums sums;
  for (std::size_t i = 0; i < expected["a"].size(); ++i) {
    sums.add(std::log(expected["b"][i].get<double>() / expected["a"][i].get<double>()));
  }
  const ConfidenceSequence sequence{.b_squared = 2.0};
  expect_close(std::exp(sums.mean()), expected["geo_mean_ratio"], "ratio");
  expect_close(sequence.log_e_value(sums), expected["log_e_b2_2"], "evidence");
  expect_close(sequence.half_width(sums).value(), expected["halfwidth"], "half width");
}

TEST_F(AlwaysValidVectors, BettingEvidence) {
  for (const json& each : vectors_["bet_mixture"]["cases"]) {
    const std::string set = each["set"];
    SCOPED_TRACE(set);
    TopicEvidence evidence;
    for (const double value : differences(set)) evidence.add(value);
    expect_close(evidence.log_e_different(), each["log_e_two_sided_m0"], "different");
    expect_close(evidence.log_e_above(), each["log_wealth_plus_m0"], "above 0");
    expect_close(evidence.log_e_below(), each["log_wealth_minus_m0"], "below 0");
  }
}

TEST_F(AlwaysValidVectors, SampleRatio) {
  for (const json& each : vectors_["srm"]) {
    expect_close(sample_ratio_log_e(each["n_a"], each["n_b"]), each["log_e"], "evidence");
  }
}

}  // namespace
}  // namespace prescope
