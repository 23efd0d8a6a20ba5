#include "measures/scorer.h"

#include <gtest/gtest.h>

namespace prescope {
namespace {

std::vector<std::optional<double>> score(std::string_view measures, const JudgedRanks& ranks) {
  const Scorer scorer(parse_measures(measures));
  std::vector<std::optional<double>> out(scorer.measures().size(), -1.0);
  scorer.score(ranks, out);
  return out;
}

TEST(Scorer, ScoresAreInTheOrderOfTheMeasures) {
  const std::vector<Rank> relevant = {1, 98, 99, 100};
  const auto out = score("R@99 PRES@100 P@1 R@1 AP R PRES@1 RR",
                         {.num_rel = 4, .relevant = relevant, .num_ret = 100});
  ASSERT_EQ(out.size(), 8U);
  EXPECT_EQ(out[0], 3.0 / 4);
  EXPECT_EQ(out[1], 112.0 / 400);  // 100 + 4 + 4 + 4 of 4 * 100
  EXPECT_EQ(out[2], 1.0);
  EXPECT_EQ(out[3], 1.0 / 4);
  EXPECT_DOUBLE_EQ(out[4].value(), (1.0 + 2.0 / 98 + 3.0 / 99 + 4.0 / 100) / 4);
  EXPECT_EQ(out[5], 1.0);
  EXPECT_EQ(out[6], 1.0 / 4);
  EXPECT_EQ(out[7], 1.0);
}

TEST(Scorer, RepeatedMeasureHasTwoScores) {
  const std::vector<Rank> relevant = {2};
  const auto out = score("R@1 R@2 R@1 R@2", {.num_rel = 1, .relevant = relevant, .num_ret = 2});
  EXPECT_EQ(out, (std::vector<std::optional<double>>{0.0, 1.0, 0.0, 1.0}));
}

TEST(Scorer, TopicWithoutRelevantDocumentsHasNoScores) {
  const auto out = score("PRES@100 R AP@10 P@5 Rnorm RR",
                         {.num_rel = 0, .relevant = {}, .num_ret = 9, .collection_size = 50});
  for (const std::optional<double>& value : out) EXPECT_FALSE(value);
}

TEST(Scorer, OverwritesOldValues) {
  const auto out = score("Rnorm PRES@10", {.num_rel = 2, .relevant = {}, .num_ret = 0});
  EXPECT_FALSE(out[0]) << "collection size unknown";
  EXPECT_EQ(out[1], 0.0);
}

}  // namespace
}  // namespace prescope
