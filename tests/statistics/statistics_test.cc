#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "statistics/paired_tests.h"

namespace prescope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// To 1e-9 of the expected value.
void expect_close(double value, double expected, const char* what) {
  EXPECT_NEAR(value, expected, 1e-9 * std::abs(expected)) << what;
}

TEST(CleanDifference, RemovesBinaryNoise) {
  EXPECT_NE(0.444 - 0.394, 0.05);  // the reason for clean_difference
  EXPECT_EQ(clean_difference(0.444, 0.394), 0.05);
  EXPECT_EQ(clean_difference(0.394, 0.444), -0.05);
  EXPECT_EQ(clean_difference(0.1 + 0.2, 0.3), 0.0);
  EXPECT_EQ(clean_difference(1.0, 0.0), 1.0);
}

TEST(CleanDifference, IsNeverMinusZero) {
  EXPECT_FALSE(std::signbit(clean_difference(0.3, 0.1 + 0.2)));
  EXPECT_FALSE(std::signbit(clean_difference(0.0, 0.0)));
}

TEST(PairedT, EqualsTheReferenceValues) {
  // Computed with scipy and with a second, independent program.
  const std::vector<double> d12 = {.038, 0, 0, -.03, .05, 0, .06, -.02, .05, 0, 0, .05};
  const std::optional<PairedT> test = paired_t(d12);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->n, 12U);
  expect_close(test->mean, 0.198 / 12, "mean");
  expect_close(test->sd, std::sqrt(0.010577 / 11), "sd");  // sum of squares about the mean, by hand
  expect_close(test->standard_error, 0.008951468476109822, "standard error");
  expect_close(test->t, 1.84327298298, "t");
  EXPECT_NEAR(test->p_value, 0.0923758798625, 1e-10);
  expect_close(test->ci_low, -0.00320204927695, "low end");
  expect_close(test->ci_high, 0.0362020492769, "high end");
}

TEST(PairedT, IsWiderForMoreConfidence) {
  // Two differences a = 0, b = 2: mean 1, standard error 1, one degree of freedom, whose quantile
  // is tan(pi (p - 1/2)): 12.7062 for 95 % and 63.6567 for 99 %.
  const std::vector<double> differences = {0.0, 2.0};
  EXPECT_NEAR(paired_t(differences, 0.95)->ci_high, 1.0 + std::tan(M_PI * 0.475), 1e-9);
  EXPECT_NEAR(paired_t(differences, 0.99)->ci_high, 1.0 + std::tan(M_PI * 0.495), 1e-8);
  // p = 2 (1/2 - atan(1) / pi)
  EXPECT_NEAR(paired_t(differences)->p_value, 0.5, 1e-12);
}

TEST(PairedT, IsAbsentForFewerThanTwoDifferences) {
  EXPECT_FALSE(paired_t({}));
  EXPECT_FALSE(paired_t(std::vector<double>{0.5}));
}

TEST(PairedT, IsAPointIfAllDifferencesAreEqual) {
  // A rounded mean of 0.05 three times is not 0.05; the interval must be all the same.
  for (const double value : {0.05, -0.1, 1.0 / 3}) {
    const auto test = paired_t(std::vector<double>(7, value));
    ASSERT_TRUE(test);
    EXPECT_EQ(test->mean, value);
    EXPECT_EQ(test->sd, 0.0);
    EXPECT_EQ(test->t, value > 0 ? kInfinity : -kInfinity);
    EXPECT_EQ(test->p_value, 0.0);
    EXPECT_EQ(test->ci_low, value);
    EXPECT_EQ(test->ci_high, value);
  }
}

TEST(PairedT, HasPValueOneIfAllDifferencesAreZero) {
  const auto test = paired_t(std::vector<double>(5, 0.0));
  ASSERT_TRUE(test);
  EXPECT_EQ(test->t, 0.0);
  EXPECT_EQ(test->p_value, 1.0);
  EXPECT_EQ(test->ci_low, 0.0);
  EXPECT_EQ(test->ci_high, 0.0);
}

TEST(PairedT, NeverThrowsNorGivesNaNAtTheEdges) {
  const struct {
    std::vector<double> differences;
    double confidence;
  } cases[] = {
      {{1e-200, -1e-200}, 0.95},        // squares underflow
      {{1.0, 1.0 + 1e-15}, 0.95},       // t near 1e15
      {{-1.0, 1.0, 0.5}, 1.0 - 1e-16},  // a quantile far out
      {std::vector<double>{1, 1, 1, 2}, 1e-12},
  };
  for (const auto& c : cases) {
    const auto test = paired_t(c.differences, c.confidence);
    ASSERT_TRUE(test);
    EXPECT_GE(test->p_value, 0.0);
    EXPECT_LE(test->p_value, 1.0);
    EXPECT_LE(test->ci_low, test->ci_high);
    EXPECT_FALSE(std::isnan(test->t));
  }
}

}  // namespace
}  // namespace prescope
