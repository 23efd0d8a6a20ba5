// The mean of a measure in slices of the topics, night by night.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nightly/history.h"
#include "support/evaluation_records.h"
#include "support/scratch_file.h"

namespace prescope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Nights whose topics T10, T11, ... find their only document at a rank, or not at all (0).
class SliceHistoryTest : public ::testing::Test {
 protected:
  /// Adds a night that is compared with `baseline`.
  void add(const std::vector<Rank>& ranks, std::optional<std::int64_t> baseline) {
    std::vector<EvaluationRecord::Topic> topics;
    for (std::size_t t = 0; t < ranks.size(); ++t) {
      topics.push_back(topic_found_at(fmt::format("T{}", 10 + t), {ranks[t]}));
    }
    records_.push_back(evaluation_record(std::move(topics)));
    History::Line& line = history_.lines.emplace_back();
    line.night.number = std::ssize(records_);
    line.baseline = baseline;
  }
  [[nodiscard]] SliceHistory read(const std::string& table) {
    return slice_history(history_, {.file = folder_.write("slices", table)}, Measure::parse("R@10"),
                         [&](std::int64_t night) {
                           ++reads_[night];
                           return records_.at(static_cast<std::size_t>(night - 1));
                         });
  }

  ScratchFolder folder_;
  std::vector<EvaluationRecord> records_;
  History history_;
  std::map<std::int64_t, int> reads_;
};

/// The first `a` topics are in slice a, the next `b` in b.
std::string table_of_slices(int a, int b) {
  std::string table;
  for (int t = 0; t < a + b; ++t) table += fmt::format("T{}\t{}\n", 10 + t, t < a ? "a" : "b");
  return table;
}

std::vector<std::string> names_of(const SliceHistory& history) {
  std::vector<std::string> names;
  for (const auto& [dimension, name, slices] : history.slices) {
    names.push_back(fmt::format("{} of {}", name, slices));
  }
  return names;
}

// R@10 of 20 topics: of a all, then 9 of 10; of b all, then 5 of 10.
TEST_F(SliceHistoryTest, HasTheMeanOfEachSliceAndItsChange) {
  add(std::vector<Rank>(20, 1), {});
  std::vector<Rank> ranks(20, 3);
  for (const std::size_t lost : {0, 10, 11, 12, 13, 14}) ranks[lost] = 11;
  add(ranks, 1);
  add(ranks, {});
  const SliceHistory slices = read(table_of_slices(10, 10));
  EXPECT_EQ(slices.measure, "R@10");
  EXPECT_THAT(names_of(slices), ElementsAre("a of 1", "b of 1"));
  using Value = SliceHistory::Value;
  ASSERT_EQ(slices.values.size(), 3U);
  EXPECT_THAT(slices.values[0], ElementsAre(Value{10, 1.0, {}}, Value{10, 1.0, {}}));
  EXPECT_THAT(slices.values[1], ElementsAre(Value{10, 0.9, -0.1}, Value{10, 0.5, -0.5}));
  EXPECT_THAT(slices.values[2], ElementsAre(Value{10, 0.9, {}}, Value{10, 0.5, {}}));
  EXPECT_THAT(reads_, ElementsAre(std::pair(1, 1), std::pair(2, 1), std::pair(3, 1)));
}

TEST_F(SliceHistoryTest, ReadsABaselineThatIsNotListed) {
  add(std::vector<Rank>(10, 1), {});
  add(std::vector<Rank>(10, 0), 1);
  history_.lines.erase(history_.lines.begin());
  const SliceHistory slices = read(table_of_slices(10, 0));
  ASSERT_EQ(slices.values.size(), 1U);
  EXPECT_THAT(slices.values[0], ElementsAre(SliceHistory::Value{10, 0.0, -1.0}));
}

TEST_F(SliceHistoryTest, TakesSmallSlicesTogetherUnlessThereIsOne) {
  add(std::vector<Rank>(24, 1), {});
  const SliceHistory both = read(table_of_slices(9, 8));
  EXPECT_THAT(names_of(both), ElementsAre("(small slices) of 2", "(none) of 1"));
  EXPECT_EQ(both.values.at(0).at(0).topics, 17U);
  EXPECT_EQ(both.values.at(0).at(1).topics, 7U);
  EXPECT_THAT(names_of(read(table_of_slices(10, 8))),
              ElementsAre("a of 1", "b of 1", "(none) of 1"));
}

// Other judgements: the topics of each night are found by their ids.
TEST_F(SliceHistoryTest, FindsTopicsThatANightLacks) {
  add(std::vector<Rank>(15, 1), {});
  add(std::vector<Rank>(12, 1), {});
  std::string table = table_of_slices(15, 0);
  table += "X1\ta\nX2\ta\n";
  const SliceHistory slices = read(table);
  EXPECT_EQ(slices.values.at(0).at(0).topics, 15U);
  EXPECT_EQ(slices.values.at(1).at(0).topics, 12U);
  EXPECT_EQ(slices.unjudged, 2U);
  EXPECT_EQ(slices.unjudged_example, "X1");
}

TEST_F(SliceHistoryTest, RefusesAFileOfOtherTopics) {
  add(std::vector<Rank>(3, 1), {});
  EXPECT_THAT(refusal_of([&] { (void)read("X1\ta\n"); }).message,
              HasSubstr("none of its 1 topics, such as 'X1', is judged"));
  history_.lines.clear();
  EXPECT_THAT(read("X1\ta\n").slices, IsEmpty()) << "there is no night to slice";
}

}  // namespace
}  // namespace prescope::testing
