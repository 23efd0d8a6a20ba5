// A topic judgement by judgement, worked by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "prescope/experiment.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ArmIndex kDetailA{0}, kDetailB{1}, kDetailC{2};

/// t1: d1, d2 and d4 are relevant, d3 is judged and not, d1500 is relevant and in no index.
Qrels judgements_in_detail() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1"), 3},
                                                    {TopicId("t1"), Docno("d1500"), 1},
                                                    {TopicId("t1"), Docno("d2"), 1},
                                                    {TopicId("t1"), Docno("d3"), 0},
                                                    {TopicId("t1"), Docno("d4"), 2},
                                                    {TopicId("t2"), Docno("d1"), 1}});
}

class TopicDetailTest : public ::testing::Test {
 protected:
  void begin(ExperimentOptions options) {
    experiment_.emplace(judgements_in_detail(), std::move(options));
    table_ = resolve(*experiment_);
  }
  void begin() { begin({.arms = {"a", "b", "c"}, .measures = {"R@5", "PRES@10", "PRES@5"}}); }

  void serve(ArmIndex arm, const std::vector<std::uint32_t>& numbers, const char* topic = "t1") {
    const QueryScope scope(*experiment_, TopicId(topic));
    const std::vector<DocId> docids(numbers.begin(), numbers.end());
    experiment_->observe(served(arm, table_, docids));
  }
  TopicDetail detail(const char* topic = "t1") {
    return experiment_->topic(TopicId(topic)).value();
  }

  std::optional<Experiment> experiment_;
  std::shared_ptr<const ResolvedQrels> table_;
};

std::vector<std::optional<Rank>> ranks_in(const TopicDetail& topic, ArmIndex arm) {
  std::vector<std::optional<Rank>> ranks;
  for (const auto& citation : topic.citations) ranks.push_back(citation.arms[arm.value()].rank);
  return ranks;
}

TEST_F(TopicDetailTest, NamesEveryJudgementWithItsRankInEachArm) {
  begin();
  serve(kDetailA, {9, 1, 3, 2});
  serve(kDetailB, {2, 8, 7, 6, 5, 4});
  const TopicDetail topic = detail();
  ASSERT_EQ(topic.citations.size(), 5U);
  EXPECT_EQ(topic.citations[0].docno, Docno("d1"));
  EXPECT_EQ(topic.citations[0].grade, 3);
  EXPECT_TRUE(topic.citations[0].relevant);
  EXPECT_EQ(topic.citations[3].docno, Docno("d3"));
  EXPECT_FALSE(topic.citations[3].relevant);
  // Ranks in the order of the qrels: d1, d1500, d2, d3, d4.
  const std::optional<Rank> none;
  EXPECT_THAT(ranks_in(topic, kDetailA), ElementsAre(2, none, 4, 3, none));
  EXPECT_THAT(ranks_in(topic, kDetailB), ElementsAre(none, none, 1, none, 6));
  EXPECT_THAT(ranks_in(topic, kDetailC), ElementsAre(none, none, none, none, none));
  EXPECT_EQ(topic.citations[0].arms[0].in_index, true);
  EXPECT_EQ(topic.citations[1].arms[0].in_index, false) << "d1500 is in no index";
  EXPECT_EQ(topic.row.num_rel, 4U);
  EXPECT_TRUE(topic.row.arms[0].seen);
  EXPECT_FALSE(topic.row.arms[2].seen);
}

TEST_F(TopicDetailTest, SharesExistForTheFirstPresOfEveryScoredPair) {
  begin();
  serve(kDetailA, {9, 1, 3, 2});
  serve(kDetailB, {2, 8, 7, 6, 5, 4});
  TopicDetail topic = detail();
  ASSERT_EQ(topic.differences.size(), 1U) << "c has not served it";
  EXPECT_EQ(topic.differences[0].measure.name(), "PRES@10");
  // n N = 40. A: d1 10+1-2 = 9, d2 10+2-4 = 8. B: d2 10+1-1 = 10, d4 10+2-6 = 6.
  EXPECT_DOUBLE_EQ(topic.differences[0].difference, (16.0 - 17.0) / 40);
  EXPECT_THAT(topic.differences[0].shares, ElementsAre(-9.0 / 40, 0.0, 2.0 / 40, 0.0, 6.0 / 40));
  serve(kDetailC, {});
  topic = detail();
  ASSERT_EQ(topic.differences.size(), 3U);
  EXPECT_EQ(topic.differences[2].a, kDetailB);
  EXPECT_EQ(topic.differences[2].b, kDetailC);
  EXPECT_DOUBLE_EQ(topic.differences[2].difference, -16.0 / 40);
}

TEST_F(TopicDetailTest, UnservedTopicHasItsJudgements) {
  begin();
  const TopicDetail topic = detail("t2");
  ASSERT_EQ(topic.citations.size(), 1U);
  EXPECT_FALSE(topic.citations[0].arms[0].rank);
  EXPECT_EQ(topic.citations[0].arms[0].in_index, true);
  EXPECT_THAT(topic.differences, IsEmpty());
  EXPECT_FALSE(experiment_->topic(TopicId("t3")));
}

TEST_F(TopicDetailTest, WithoutAnAdapterIndexMembershipIsUnknown) {
  experiment_.emplace(judgements_in_detail(), ExperimentOptions{.arms = {"a", "b"}});
  for (const auto& citation : detail().citations) {
    for (const auto& place : citation.arms) EXPECT_FALSE(place.in_index);
  }
}

TEST_F(TopicDetailTest, NewDocumentsIndexMembershipIsUnknownUntilResolved) {
  begin();
  serve(kDetailA, {9, 1, 3, 2});
  (void)experiment_->rejudge(
      {.judged = {{TopicId("t1"), Docno("d9"), 2}}, .withdrawn = {{TopicId("t1"), Docno("d1")}}});
  TopicDetail topic = detail();
  ASSERT_EQ(topic.citations.size(), 5U);
  EXPECT_EQ(topic.citations[4].docno, Docno("d9"));
  EXPECT_FALSE(topic.citations[4].arms[0].in_index);
  EXPECT_TRUE(topic.row.arms[0].awaiting);
  EXPECT_THAT(topic.differences, IsEmpty());
  table_ = resolve(*experiment_);
  serve(kDetailA, {9, 1, 3, 2});
  serve(kDetailB, {9});
  topic = detail();
  EXPECT_EQ(topic.citations[4].arms[0].in_index, true);
  EXPECT_EQ(topic.citations[4].arms[0].rank, 1U);
  EXPECT_FALSE(topic.row.arms[0].awaiting);
  // n = 4; B lost only d2 at rank 4: 10 + 2 - 4.
  ASSERT_EQ(topic.differences.size(), 1U);
  EXPECT_DOUBLE_EQ(topic.differences[0].difference, -8.0 / 40);
}

TEST_F(TopicDetailTest, RemovedArmKeepsItsPlaceWithoutData) {
  begin();
  for (const ArmIndex arm : {kDetailA, kDetailB, kDetailC}) serve(arm, {1, 2});
  experiment_->remove_arm(kDetailB);
  for (const ArmIndex arm : {kDetailA, kDetailC}) serve(arm, {1, 2});
  const TopicDetail topic = detail();
  ASSERT_EQ(topic.row.arms.size(), 3U);
  EXPECT_FALSE(topic.row.arms[1].seen);
  EXPECT_FALSE(topic.citations[0].arms[1].rank);
  EXPECT_FALSE(topic.citations[0].arms[1].in_index);
  ASSERT_EQ(topic.differences.size(), 1U);
  EXPECT_EQ(topic.differences[0].b, kDetailC);
  EXPECT_EQ(topic.differences[0].difference, 0.0);
}

TEST_F(TopicDetailTest, SharesAreEmptyWithoutPresAndInASplit) {
  begin({.arms = {"a", "b"}, .measures = {"R@10", "AP@10"}});
  for (const ArmIndex arm : {kDetailA, kDetailB}) serve(arm, {1, 2});
  EXPECT_THAT(detail().differences, IsEmpty());
  begin({.arms = {"a", "b"}, .cutoffs = {10}, .mode = Mode::kSplit});
  for (const ArmIndex arm : {kDetailA, kDetailB}) serve(arm, {1, 2});
  EXPECT_THAT(detail().differences, IsEmpty());
}

TEST_F(TopicDetailTest, IsConsistentDuringConcurrentChanges) {
  begin();
  std::atomic<bool> is_over{false};
  std::jthread searching([&] {
    for (std::uint32_t i = 0; !is_over; ++i) {
      serve(ArmIndex(i % 3), {1 + i % 7, 9 + i % 5, 30});
      // Slows down, because a full queue would have to be emptied for each change.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  std::jthread judging([&] {
    for (std::uint32_t i = 0; i < 20; ++i) {
      (void)experiment_->rejudge(
          {.judged = {{TopicId("t1"), Docno("d" + std::to_string(10 + i)), 1}}});
      experiment_->remove_arm(kDetailC);
      experiment_->add_arm("c");
      experiment_->add_arm("more" + std::to_string(i));
    }
    is_over = true;
  });
  std::size_t arms = 0, citations = 0;
  while (!is_over) {
    const TopicDetail topic = detail();
    EXPECT_GE(topic.row.arms.size(), arms);
    EXPECT_GE(topic.citations.size(), citations);
    arms = topic.row.arms.size();
    citations = topic.citations.size();
    for (const auto& citation : topic.citations) ASSERT_EQ(citation.arms.size(), arms);
    for (const auto& difference : topic.differences) ASSERT_EQ(difference.shares.size(), citations);
  }
}

}  // namespace
}  // namespace prescope
