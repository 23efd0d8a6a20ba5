// Scoring a ranking, finding a judged key and counting a latency do not allocate.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/count_allocations.h"
#include "measures/scorer.h"
#include "prescope/resolved_qrels.h"
#include "statistics/latency_sketch.h"

namespace prescope {
namespace {

using conformance::allocations_in;
using conformance::kAllocationsAreCounted;

TEST(CoreAllocation, ScoringDoesNotAllocate) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  const Scorer scorer(parse_measures(
      "PRES@100 R@100 AP@100 PRES@1000 R@1000 AP@1000 PRESest@10 P@10 F1@9 Fap4@9 nDCG "
      "nDCG@10 bpref infAP RBP0.8 Rprec Success@5 GMAP Judged@10 Rnorm RR"));
  const std::vector<Rank> relevant = {3, 7, 250, 999};
  const std::vector<GradedRank> judged = {{3, 1}, {4, 0}, {7, 2}, {250, 1}, {999, 1}};
  const std::vector<Grade> grades = {2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
  const JudgedRanks ranks{.num_rel = 9,
                          .relevant = relevant,
                          .num_ret = 1000,
                          .collection_size = 5000,
                          .judged = judged,
                          .grades = grades};
  std::vector<std::optional<double>> out(scorer.measures().size());
  EXPECT_EQ(allocations_in([&] { scorer.score(ranks, out); }), 0U);
  EXPECT_TRUE(out.back());
}

TEST(CoreAllocation, FindingAJudgedKeyDoesNotAllocate) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  const Qrels::Line lines[] = {{TopicId{"t"}, Docno{"EP0971326 a rather long document number"}, 1}};
  const JudgedDocnos judged(Qrels::from_lines(lines));
  std::uint32_t found = 1;
  EXPECT_EQ(allocations_in([&] { found = judged.find("EP0971326 a rather long document number"); }),
            0U);
  EXPECT_EQ(found, 0U);
}

TEST(CoreAllocation, CountingALatencyDoesNotAllocate) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  LatencySketch sketch;
  EXPECT_EQ(allocations_in([&] { sketch.add(std::chrono::milliseconds{7}); }), 0U);
  EXPECT_EQ(sketch.count(), 1U);
}

}  // namespace
}  // namespace prescope
