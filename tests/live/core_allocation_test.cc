// The code that runs for each observation on the query thread and the recorder does not allocate.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/count_allocations.h"
#include "live/ledger/ledger.h"
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

TEST(CoreAllocation, RecordingInAWarmLedgerDoesNotAllocate) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  const Qrels qrels = Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t"), Docno("a")}, {TopicId("t"), Docno("b")}, {TopicId("u"), Docno("a")}});
  const JudgedDocnos judged(qrels);
  const Scorer scorer(parse_measures("PRES@10 R@10 AP@10 GMAP"));
  Ledger ledger(judged, scorer, 2);
  const JudgedHit hits[] = {{1, JudgementIndex(0)}, {2, JudgementIndex(1)}};
  const auto record = [&](std::uint32_t arm, std::size_t found, std::uint64_t generation) {
    ledger.record({.topic = TopicIndex(0),
                   .arm = ArmIndex(arm),
                   .generation = generation,
                   .first_rank = 1,
                   .requested_depth = 10,
                   .num_ret = 10,
                   .hits = std::span(hits).first(found)});
  };
  record(0, 2, 1);
  record(1, 2, 1);
  EXPECT_EQ(allocations_in([&] {
              for (std::uint64_t i = 0; i < 100; ++i) {
                // A new index, and with it a new epoch, every 30 visits.
                record(i % 2, i % 3, 1 + i / 30);
              }
            }),
            0U);
  EXPECT_EQ(ledger.epoch().number, 4U);
}

}  // namespace
}  // namespace prescope
