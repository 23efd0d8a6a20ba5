#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/paired_tests.h"

namespace prescope {

/// Compares to 1e-9 of the expected value; a lower end that is 0 except for rounding is 0.
inline void expect_close(double value, double expected, const char* what) {
  EXPECT_NEAR(value, expected, std::max(1e-9 * std::abs(expected), 1e-17)) << what;
}

/// Reads the stored vectors, or skips the test, saying so.
class StatisticsVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/statistics_vectors.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    vectors_ = nlohmann::json::parse(std::ifstream(path));
  }

  /// B - A of the stored scores of "D12", "D40" or "D400".
  [[nodiscard]] std::vector<double> differences(const std::string& name) const {
    const std::string topics = name.substr(1);
    const auto a = vectors_["data"]["A" + topics].get<std::vector<double>>();
    const auto b = vectors_["data"]["B" + topics].get<std::vector<double>>();
    std::vector<double> result;
    for (std::size_t i = 0; i < a.size(); ++i) result.push_back(clean_difference(b[i], a[i]));
    return result;
  }

  nlohmann::json vectors_;
};

}  // namespace prescope
