// The sweep is the means of the measures, to the last bit, and the textbook's.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "measures/cutoff_sweep.h"
#include "measures/scorer.h"
#include "support/served.h"

namespace prescope {
namespace {

struct SweptCollection {
  std::vector<Served> topics;
  std::vector<Cutoff> cutoffs;

  [[nodiscard]] std::vector<SweepPoint> swept() const {
    std::vector<SweepTopic> ranks;
    for (const Served& topic : topics) ranks.push_back({topic.num_rel, topic.ranks});
    return cutoff_sweep(ranks, cutoffs);
  }
};

SweptCollection any_collection() {
  SweptCollection collection;
  collection.topics =
      *rc::gen::container<std::vector<Served>>(*any_of_range<std::size_t>(1, 8), any_served());
  auto cutoffs = *rc::gen::container<std::vector<std::uint32_t>>(5, any_cutoff());
  std::ranges::sort(cutoffs);
  for (const std::uint32_t cutoff : cutoffs) collection.cutoffs.emplace_back(cutoff);
  return collection;
}

/// In the order of the topics.
double mean_of_scores(const SweptCollection& collection, const Measure& measure) {
  const Scorer scorer({measure});
  double sum = 0.0;
  for (const Served& topic : collection.topics) {
    std::vector<std::optional<double>> score(1);
    scorer.score(topic.judged(), score);
    sum += score[0].value();
  }
  return sum / static_cast<double>(collection.topics.size());
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

RC_GTEST_PROP(CutoffSweepProperties, EqualsTheMeansOfTheMeasuresBitForBit, ()) {
  const SweptCollection collection = any_collection();
  for (const SweepPoint& point : collection.swept()) {
    const auto mean = [&](const char* measure) {
      return mean_of_scores(collection,
                            Measure::parse(fmt::format("{}@{}", measure, point.cutoff.value())));
    };
    RC_ASSERT(bits(point.pres.mean.value()) == bits(mean("PRES")));
    RC_ASSERT(bits(point.recall.mean.value()) == bits(mean("R")));
    RC_ASSERT(bits(point.average_precision.mean.value()) == bits(mean("AP")));
  }
}

/// Magdy & Jones, SIGIR 2010, eq. 3: relevant documents that were not found follow directly behind
/// the N_max documents read.
double pres_by_definition(const Served& topic, std::uint32_t cutoff) {
  const double n = topic.num_rel, deepest = cutoff;
  double found = 0.0, sum_of_ranks = 0.0;
  for (const Rank rank : topic.ranks) {
    if (rank > cutoff) continue;
    ++found;
    sum_of_ranks += rank;
  }
  for (double j = found + 1; j <= n; ++j) sum_of_ranks += deepest + j;
  return 1.0 - (sum_of_ranks / n - (n + 1.0) / 2.0) / deepest;
}

RC_GTEST_PROP(CutoffSweepProperties, EqualsTextbookPresAndRecallNeverFalls, ()) {
  const SweptCollection collection = any_collection();
  double recall_before = 0.0;
  for (const SweepPoint& point : collection.swept()) {
    double sum = 0.0;
    for (const Served& topic : collection.topics) {
      sum += pres_by_definition(topic, point.cutoff.value());
    }
    RC_ASSERT(std::abs(*point.pres.mean - sum / static_cast<double>(collection.topics.size())) <
              1e-9);
    RC_ASSERT(*point.pres.mean <= *point.recall.mean + 1e-12);
    RC_ASSERT(*point.recall.mean >= recall_before);
    recall_before = *point.recall.mean;
  }
}

TEST(CutoffSweep, LeavesTopicsWithoutRelevantDocumentsOut) {
  const std::vector<Rank> first = {1}, none;
  const std::vector<SweepTopic> topics = {{1, first}, {0, none}, {1, none}};
  const std::vector<Cutoff> cutoffs = {Cutoff(10)};
  const auto points = cutoff_sweep(topics, cutoffs);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].recall.mean, 0.5);
  EXPECT_EQ(points[0].pres.mean, 0.5);  // (1 + 0) / 2
  EXPECT_FALSE(cutoff_sweep({}, cutoffs)[0].pres.mean);
}

TEST(CutoffSweep, CutoffsOfAPlotAscendToTheDepth) {
  for (const std::uint32_t depth : {1U, 2U, 7U, 10U, 99U, 100U, 1000U, 123456U, 4294967295U}) {
    for (const std::size_t count : {1U, 2U, 40U, 200U}) {
      const std::vector<Cutoff> cutoffs = cutoffs_up_to(depth, count);
      ASSERT_FALSE(cutoffs.empty());
      EXPECT_GE(cutoffs.front().value(), 1U);
      EXPECT_EQ(cutoffs.back().value(), depth);
      EXPECT_TRUE(std::ranges::is_sorted(cutoffs));
      EXPECT_EQ(std::ranges::adjacent_find(cutoffs), cutoffs.end());
      EXPECT_LE(cutoffs.size(), count + 40);
    }
  }
  EXPECT_TRUE(cutoffs_up_to(0, 40).empty());
}

}  // namespace
}  // namespace prescope
