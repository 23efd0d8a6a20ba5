// Stored vectors of the statistics: computed with scipy, statsmodels and, in part, a second
// independent program. Tolerances are those of the vectors: 1e-9 of the value, 1e-10 for
// probabilities; counts and random numbers exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/split_mix.h"
#include "golden/statistics_vectors.h"
#include "statistics/effect_size.h"
#include "statistics/paired_tests.h"

namespace prescope {
namespace {

using nlohmann::json;

void expect_probability(double value, double expected, const char* what) {
  EXPECT_NEAR(value, expected, 1e-10) << what;
}

const std::vector<std::string> kSets = {"D12", "D40", "D400"};

TEST_F(StatisticsVectors, Distributions) {
  const json& primitives = vectors_["primitives"];
  for (const json& each : primitives["t_cdf"]) {
    expect_probability(1.0 - student_t_tail(each["t"], each["df"]), each["cdf"], "t cdf");
  }
  for (const json& each : primitives["t_ppf"]) {
    expect_close(student_t_quantile(each["p"], each["df"]), each["t"], "t quantile");
  }
  for (const json& each : primitives["norm_cdf"]) {
    expect_probability(1.0 - normal_tail(each["z"]), each["p"], "normal cdf");
  }
  for (const json& each : primitives["norm_ppf"]) {
    expect_close(normal_quantile(each["p"]), each["z"], "normal quantile");
  }
}

TEST_F(StatisticsVectors, SplitMix) {
  const json& expected = vectors_["primitives"]["splitmix64"];
  SplitMix random(expected["seed"].get<std::uint64_t>());
  for (const std::string hex : expected["first5_hex"]) {
    EXPECT_EQ(random.next(), std::stoull(hex, nullptr, 16)) << hex;
  }
}

TEST_F(StatisticsVectors, Counts) {
  for (const std::string& set : kSets) {
    const json& expected = vectors_["moments"][set];
    const DifferenceCounts counts = count_differences(differences(set));
    EXPECT_EQ(counts.wins, expected["wins"].get<std::uint32_t>()) << set;
    EXPECT_EQ(counts.ties, expected["zeros"].get<std::uint32_t>()) << set;
    EXPECT_EQ(counts.losses, expected["losses"].get<std::uint32_t>()) << set;
  }
}

TEST_F(StatisticsVectors, PairedT) {
  for (const std::string& set : kSets) {
    SCOPED_TRACE(set);
    const json& expected = vectors_["paired_t"][set];
    const auto test = paired_t(differences(set));
    ASSERT_TRUE(test);
    EXPECT_EQ(test->n, expected["n"].get<std::uint32_t>());
    expect_close(test->mean, expected["mean"], "mean");
    expect_close(test->sd, expected["sd"], "sd");
    expect_close(test->standard_error, expected["se"], "standard error");
    expect_close(test->t, expected["t"], "t");
    expect_probability(test->p_value, expected["p_two"], "p");
    expect_close(test->ci_low, expected["ci95"][0], "low end");
    expect_close(test->ci_high, expected["ci95"][1], "high end");
    // One-sided 95 % bounds are the ends of the 90 % interval.
    const auto wide = paired_t(differences(set), 0.9);
    expect_close(wide->ci_low, expected["lower95_one_sided"], "lower bound");
    expect_close(wide->ci_high, expected["upper95_one_sided"], "upper bound");
  }
}

TEST_F(StatisticsVectors, NonInferiority) {
  for (const std::string& set : kSets) {
    SCOPED_TRACE(set);
    const json& expected = vectors_["paired_t"][set];
    const json& ni = expected["ni"];
    const auto test = non_inferiority(differences(set), ni["delta"]);
    ASSERT_TRUE(test);
    expect_close(test->t.ci_low, expected["lower95_one_sided"], "lower bound");
    expect_close(test->t.ci_high, expected["upper95_one_sided"], "upper bound");
    const double t = (test->t.mean + ni["delta"].get<double>()) / test->t.standard_error;
    expect_close(t, ni["t"], "t");
    expect_probability(test->p_not_inferior, ni["p"], "p");
    EXPECT_EQ(ni["verdict"], "PASS");
    EXPECT_EQ(test->answer, prescope::NonInferiority::Answer::kNotInferior);
  }
}

TEST_F(StatisticsVectors, Equivalence) {
  for (const std::string& set : kSets) {
    SCOPED_TRACE(set);
    const json& expected = vectors_["paired_t"][set]["tost"];
    const auto test = non_inferiority(differences(set), expected["delta"]);
    ASSERT_TRUE(test);
    expect_probability(test->p_not_inferior, expected["p_lower"], "lower");
    expect_probability(test->p_not_superior, expected["p_upper"], "upper");
    expect_probability(test->p_equivalent(), expected["p"], "both");
  }
}

TEST_F(StatisticsVectors, EffectSizes) {
  for (const std::string& set : kSets) {
    SCOPED_TRACE(set);
    const auto values = differences(set);
    const EffectSize effect = effect_size(*paired_t(values), count_differences(values));
    expect_close(effect.d_z.value(), vectors_["paired_t"][set]["d_z"], "d_z");
    expect_close(effect.g_z.value(), vectors_["paired_t"][set]["hedges_g_z"], "g_z");
    if (!vectors_["effect_sizes"].contains(set)) continue;
    EXPECT_EQ(effect.superiority, vectors_["effect_sizes"][set]["ps_paired"].get<double>());
  }
}

TEST_F(StatisticsVectors, WilsonIntervals) {
  for (const json& each : vectors_["binomial_ci"]) {
    const auto k = each["k"].get<std::uint32_t>(), n = each["n"].get<std::uint32_t>();
    SCOPED_TRACE(k);
    const ProportionInterval interval = wilson_interval(static_cast<double>(k) / n, n, 0.95);
    expect_close(interval.low, each["wilson95"][0], "low");
    expect_close(interval.high, each["wilson95"][1], "high");
  }
}

TEST_F(StatisticsVectors, ClopperPearsonIntervals) {
  for (const json& each : vectors_["binomial_ci"]) {
    const auto k = each["k"].get<std::uint64_t>(), n = each["n"].get<std::uint64_t>();
    SCOPED_TRACE(k);
    const ProportionInterval interval = clopper_pearson_interval(k, n, 0.95);
    expect_close(interval.low, each["clopper_pearson95"][0], "low");
    expect_close(interval.high, each["clopper_pearson95"][1], "high");
    expect_close(clopper_pearson_interval(k, n, 0.9).high, each["upper95_one_sided"], "one-sided");
  }
}

TEST_F(StatisticsVectors, Wilcoxon) {
  const std::pair<std::string, ZeroRule> rules[] = {{"wilcox", ZeroRule::kDrop},
                                                    {"pratt", ZeroRule::kPratt}};
  for (const std::string& set : kSets) {
    for (const auto& [name, rule] : rules) {
      SCOPED_TRACE(set + " " + name);
      const json& expected = vectors_["wilcoxon"][set][name];
      const prescope::Wilcoxon test = wilcoxon(differences(set), rule);
      EXPECT_EQ(test.ranked, expected["n"].get<std::uint32_t>());
      EXPECT_EQ(test.rank_sum_up, expected["Tplus"].get<double>());
      EXPECT_EQ(test.rank_sum_down, expected["Tminus"].get<double>());
      EXPECT_EQ(test.mean, expected["mean"].get<double>());
      EXPECT_EQ(test.variance, expected["var"].get<double>());
      expect_close(test.z, expected["z"], "z");
      expect_probability(test.p_value, expected["p"], "p");
      expect_probability(test.p_value, expected["scipy_p"], "p of scipy");
    }
  }
}

TEST_F(StatisticsVectors, SignFlipDrawn) {
  for (const std::string& set : kSets) {
    SCOPED_TRACE(set);
    const json& expected = vectors_["sign_flip"][set];
    const auto flips = expected["mc_B"].get<std::uint32_t>();
    const SignFlip test = sign_flip(
        differences(set),
        {.seed = expected["mc_seed"].get<std::uint64_t>(), .flips = flips, .all_up_to = 0});
    EXPECT_FALSE(test.exact);
    EXPECT_EQ(test.flips, flips);
    EXPECT_EQ(test.as_far, expected["mc_count"].get<std::uint64_t>());
    expect_probability(test.p_value, expected["mc_p"], "p");
  }
}

TEST_F(StatisticsVectors, SignFlipExact) {
  for (const char* set : {"D12", "D40"}) {
    SCOPED_TRACE(set);
    const SignFlip test = sign_flip(differences(set));
    EXPECT_TRUE(test.exact);
    EXPECT_EQ(test.p_value, vectors_["sign_flip"][set]["exact_p"].get<double>());
  }
}

TEST_F(StatisticsVectors, McNemarOneSided) {
  for (const json& each : vectors_["mcnemar"]) {
    const std::uint64_t lost = each["lost"], gained = each["gained"];
    expect_probability(fair_coin_tail(lost, lost + gained), each["p_exact_one_lost_gt_gained"],
                       "p");
    expect_probability(2.0 * fair_coin_tail(std::max(lost, gained), lost + gained),
                       each["p_exact_two"], "two-sided");
  }
  for (const std::string& set : kSets) {  // the sign test is twice the tail of the more frequent
    const json& expected = vectors_["sign_test"][set];
    const std::uint64_t wins = expected["wins"], losses = expected["losses"];
    expect_probability(std::min(1.0, 2.0 * fair_coin_tail(std::max(wins, losses), wins + losses)),
                       expected["p_exact_two"], "sign test");
  }
}

TEST_F(StatisticsVectors, Multiplicity) {
  const json& expected = vectors_["multiplicity"];
  const auto p_values = expected["p"].get<std::vector<double>>();
  const auto holm = correct_p_values(p_values, Correction::kHolm);
  const auto bh = correct_p_values(p_values, Correction::kBh);
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    expect_probability(holm[i], expected["holm"][i], "Holm");
    expect_probability(bh[i], expected["bh"][i], "BH");
    expect_probability(bh[i], expected["statsmodels_bh"][i], "BH of statsmodels");
  }
}

TEST_F(StatisticsVectors, DetectableDifferencesAndTopicsNeeded) {
  for (const json& each : vectors_["mde"]["cases"]) {
    const double detectable = minimum_detectable_difference(each["sd"], each["n"]);
    expect_close(detectable, each["mde80_t"], "detectable difference");
    const double of_noncentral_t = each["mde80_exact"];
    EXPECT_NEAR(detectable, of_noncentral_t, 3e-4 * of_noncentral_t);
  }
  for (const json& each : vectors_["mde"]["n_required"]) {
    EXPECT_EQ(topics_needed(each["sd"], each["delta"]), each["n_exact"].get<std::uint64_t>());
  }
}

}  // namespace
}  // namespace prescope
