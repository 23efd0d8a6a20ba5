// Stored vectors of the incomplete-judgements experiment: the number of n relevant documents that a
// fraction keeps, and the ones that a draw takes.
#include "judgements/judgement_sampling.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden/statistics_vectors.h"

namespace prescope {
namespace {

using nlohmann::json;

using SamplingVectors = StatisticsVectors;

TEST_F(SamplingVectors, SizesOfSamples) {
  for (const json& each : vectors_["fqrels"]["k_table"]) {
    const auto n = each["n"].get<std::uint32_t>();
    const auto f = each["f"].get<double>();
    EXPECT_EQ(sample_size(n, f, SampleRounding::kNearest), each["round"]) << each;
    EXPECT_EQ(sample_size(n, f, SampleRounding::kUp), each["ceil"]) << each;
    EXPECT_EQ(sample_size(n, f, SampleRounding::kDown), each["floor"]) << each;
  }
}

/// "2009|0.6|1|EP1234567A1": seed, fraction, sample, topic.
std::vector<std::string> columns_of(const std::string& key) {
  std::vector<std::string> columns;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('|', begin), key.size());
    columns.push_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

TEST_F(SamplingVectors, SeedsAndDocumentsDrawn) {
  for (const json& each : vectors_["fqrels"]["sampling"]) {
    const std::vector<std::string> columns = columns_of(each["key"]);
    const SampleDraw draw{.seed = columns.at(0),
                          .fraction = each["f"],
                          .sample = static_cast<std::uint32_t>(std::stoul(columns.at(2)))};
    EXPECT_EQ(seed_of(draw, columns.at(3)),
              std::stoull(each["seed_hex"].get<std::string>(), nullptr, 16))
        << each;
    const auto kept = sample_relevant(draw, columns.at(3), each["n"]);
    EXPECT_EQ(kept, each["selected"].get<std::vector<std::uint32_t>>()) << each;
    EXPECT_EQ(kept.size(), each["k"].get<std::size_t>()) << each;
  }
}

}  // namespace
}  // namespace prescope
