// The bounds of Magdy & Jones, SIGIR 2010, section 5, for the topics of tables 1 to 3: n R^2 /
// N_max <= PRES <= R. The lower bound is reached if all documents found stand just before N_max,
// the upper one if they stand on top.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measures/pres_curve.h"

namespace prescope {
namespace {

struct BoundedTopic {
  std::uint32_t num_rel, cutoff;
  std::vector<Rank> ranks;
};

const BoundedTopic kTopicsOfTheTables[] = {
    {4, 100, {1}},
    {4, 100, {50, 51, 53, 54}},
    {4, 100, {50, 51, 52, 53}},  // the erratum's ranks of row 2
    {4, 100, {1, 2, 3, 4}},
    {4, 100, {1, 98, 99, 100}},
    {41, 1000, {98, 296}},
    {6, 1000, {23, 272, 345}},
    {6, 1000, {2, 517, 761}},
    {3, 1000, {660, 741}},
    {3, 1000, {41, 54}},
    {3, 1000, {1, 781}},
    {7, 1000, {1, 33, 354, 548, 733, 840, 841}},
    {3, 1000, {32, 35, 46}},
};

TEST(PresBounds, HoldForEveryTopicOfTheTables) {
  for (const BoundedTopic& topic : kTopicsOfTheTables) {
    const PresCurve curve = pres_curve(topic.num_rel, topic.cutoff, topic.ranks);
    const double n = topic.num_rel, cutoff = topic.cutoff;
    const double recall = static_cast<double>(topic.ranks.size()) / n;
    SCOPED_TRACE(::testing::Message() << "first rank " << topic.ranks.front());
    EXPECT_DOUBLE_EQ(curve.recall, recall);
    EXPECT_DOUBLE_EQ(curve.lowest, n * recall * recall / cutoff);
    EXPECT_DOUBLE_EQ(curve.highest, recall);
    EXPECT_LE(curve.lowest, curve.pres);
    EXPECT_LE(curve.pres, curve.highest);
  }
}

std::vector<Rank> block(Rank first, Rank count) {
  std::vector<Rank> ranks;
  for (Rank i = 0; i < count; ++i) ranks.push_back(first + i);
  return ranks;
}

TEST(PresBounds, AreReachedByTheBestAndTheWorstRanks) {
  for (const std::uint32_t n : {1U, 4U, 41U, 100U, 250U}) {
    for (const std::uint32_t cutoff : {1U, 100U, 1000U}) {
      for (std::uint32_t found = 1; found <= std::min(n, cutoff); ++found) {
        const PresCurve best = pres_curve(n, cutoff, block(1, found));
        const PresCurve worst = pres_curve(n, cutoff, block(cutoff - found + 1, found));
        EXPECT_DOUBLE_EQ(best.pres, best.highest) << n << ' ' << cutoff << ' ' << found;
        EXPECT_DOUBLE_EQ(worst.pres, worst.lowest) << n << ' ' << cutoff << ' ' << found;
      }
    }
  }
}

// n = 1: PRES is 1 - (r - 1) / N_max, while AP is 1 / r.
TEST(PresBounds, OneRelevantDocumentFallsEvenly) {
  for (const Rank rank : {1U, 2U, 50U, 100U}) {
    const PresCurve curve = pres_curve(1, 100, {rank});
    EXPECT_DOUBLE_EQ(curve.pres, (100.0 - (rank - 1.0)) / 100.0);
    EXPECT_DOUBLE_EQ(curve.average_precision, 1.0 / rank);
  }
}

// n = 200, N_max = 100, all 100 read are relevant: PRES 0.5, of which N_max / n is all there is.
TEST(PresBounds, MoreRelevantDocumentsThanAreReadNeedNoSpecialCase) {
  const PresCurve full = pres_curve(200, 100, block(1, 100));
  EXPECT_DOUBLE_EQ(full.pres, 0.5);
  EXPECT_DOUBLE_EQ(full.pres_est, 1.0);
  const PresCurve few = pres_curve(200, 100, {1, 100, 101});
  EXPECT_EQ(few.behind, (std::vector<Rank>{101}));
  EXPECT_DOUBLE_EQ(few.pres, (100.0 + 2.0) / (200.0 * 100.0));
  EXPECT_DOUBLE_EQ(few.pres_est, (100.0 + 2.0) / (100.0 * 100.0));
  EXPECT_DOUBLE_EQ(pres_curve(200, 100, {}).pres, 0.0);
}

// The printed values of table 3, to their three decimals, lie within the bounds, too.
TEST(PresBounds, HoldForThePrintedValuesOfTable3) {
  const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/paper_tables.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto tables = nlohmann::json::parse(std::ifstream(path));
  for (const auto& row : tables["table3"]["rows"]) {
    const PresCurve curve = pres_curve(row["n"], tables["table3"]["nmax"], row["ranks"]);
    EXPECT_NEAR(row["PRES"].get<double>(), curve.pres, 0.0005) << row.dump();
    EXPECT_GE(row["PRES"].get<double>(), curve.lowest - 0.0005);
    EXPECT_LE(row["PRES"].get<double>(), curve.highest + 0.0005);
  }
}

}  // namespace
}  // namespace prescope
