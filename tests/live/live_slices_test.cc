// Slices that a live experiment follows: which may speak, and what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/ledger/followed_slices.h"
#include "prescope/report.h"
#include "report/live/live_report.h"
#include "support/difference_ledger.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A dimension "group" whose slices have so many topics each, in the order of the qrels; the topics
/// behind them are in none.
TopicSlices groups(const Qrels& qrels,
                   const std::vector<std::pair<std::string, std::uint32_t>>& sizes) {
  TopicSlices::Dimension dimension{.name = "group"};
  std::uint32_t next = 0;
  const auto take = [&](std::uint32_t topics) {
    std::vector<TopicIndex> taken;
    for (; topics > 0; --topics) taken.emplace_back(next++);
    return taken;
  };
  for (const auto& [name, size] : sizes) dimension.slices.push_back({name, take(size)});
  dimension.unsliced = take(static_cast<std::uint32_t>(qrels.topics().size()) - next);
  return {.dimensions = {dimension}};
}

auto is_followed(const std::string& name, std::uint32_t judged, bool may_speak,
                 std::uint32_t slices = 1) {
  return AllOf(Field(&FollowedSlice::name, name), Field(&FollowedSlice::judged, judged),
               Field(&FollowedSlice::may_speak, may_speak), Field(&FollowedSlice::slices, slices));
}

TEST(FollowedSlices, TakeSmallOnesTogetherAndLetLargeOnesSpeak) {
  const DifferenceLedger of(200);
  const FollowedSlices slices(
      groups(of.qrels(), {{"A", 50}, {"B", 9}, {"C", 49}, {"D", 7}, {"E", 10}}), of.qrels());
  EXPECT_THAT(slices.all(), ElementsAre(is_followed("A", 50, true), is_followed("C", 49, false),
                                        is_followed("E", 10, false),
                                        is_followed(std::string(kSmallSlices), 16, false, 2),
                                        is_followed(std::string(kUnsliced), 75, true)));
  EXPECT_EQ(slices.speaking(), 2U);
  EXPECT_THAT(slices.of(TopicIndex(0)), ElementsAre(0U));
  EXPECT_THAT(slices.of(TopicIndex(50)), ElementsAre(3U));
  EXPECT_THAT(slices.of(TopicIndex(199)), ElementsAre(4U));
  EXPECT_THAT(slices.of(TopicIndex(200)), IsEmpty());
}

// Many small slices together are no group that anybody asked about.
TEST(FollowedSlices, SmallOnesTogetherNeverSpeak) {
  const DifferenceLedger of(72);
  std::vector<std::pair<std::string, std::uint32_t>> sizes;
  for (int i = 0; i < 8; ++i) sizes.emplace_back(std::to_string(i), 9);
  const FollowedSlices slices(groups(of.qrels(), sizes), of.qrels());
  EXPECT_THAT(slices.all(), ElementsAre(is_followed(std::string(kSmallSlices), 72, false, 8)));
}

TEST(FollowedSlices, CountFamiliesAndTopicsWithRelevantDocuments) {
  const auto families = std::make_shared<FamilyMap>();
  std::vector<Qrels::Line> lines;
  for (int t = 0; t < 120; ++t) {
    const std::string topic = "t" + std::to_string(1000 + t);
    // Two topics for each family; those of ten families have nothing relevant.
    families->add(Docno(topic), "f" + std::to_string(t / 2));
    lines.push_back({TopicId(topic), Docno("d"), t < 20 ? 0 : 1});
  }
  const Qrels qrels = Qrels::from_lines(lines, {.families = families});
  const FollowedSlices slices(groups(qrels, {{"all", 120}}), qrels);
  EXPECT_THAT(slices.all(), ElementsAre(is_followed("all", 50, true)));
}

/// 200 topics: 60 in "gains", 60 in "loses", 30 in "few", and 50 in none.
class LiveSlices : public ::testing::Test {
 protected:
  LiveSlices() { of_.begin(groups(of_.qrels(), {{"gains", 60}, {"loses", 60}, {"few", 30}})); }

  void compare(std::uint32_t first, std::uint32_t last, double difference) {
    for (std::uint32_t t = first; t < last; ++t) of_.compare(t, difference);
  }
  [[nodiscard]] SliceSummary slice(std::string_view name) {
    const Summary summary = of_.summary();
    for (const SliceSummary& one : summary.pairs.at(0).slices) {
      if (one.name == name) return one;
    }
    throw std::out_of_range("no such slice");
  }
  [[nodiscard]] std::string state(std::string_view name) {
    const Summary summary = of_.summary();
    return live_slice_state_text(slice(name), names_of(summary, summary.pairs.at(0)));
  }
  [[nodiscard]] std::string sentence() {
    const Summary summary = of_.summary();
    return live_slices_sentence(summary, summary.pairs.at(0));
  }

  DifferenceLedger of_{200};
};

TEST_F(LiveSlices, SayWhereEachArmIsAheadThoughNothingIsShownOverAll) {
  compare(0, 60, 0.3);
  compare(60, 120, -0.3);
  compare(150, 200, 0.0);
  EXPECT_EQ(of_.summary().pairs[0].differences[0].live->state, LiveState::kNoVerdict);
  EXPECT_EQ(sentence(),
            "b is better in group gains (60 topics), but a is better in group loses (60 topics).");
  EXPECT_EQ(state("gains"), "b confirmed better");
  EXPECT_EQ(state("loses"), "a confirmed better");
  EXPECT_EQ(state("few"), "too few");
  const SliceSummary gains = slice("gains");
  EXPECT_EQ(gains.difference.live->topics, 60U);
  EXPECT_EQ(gains.differing, 60U);
  EXPECT_NEAR(gains.difference.mean.value(), 0.3, 1e-12);
  // PRES@1000 of one relevant document at rank 500, and at rank 200.
  EXPECT_NEAR(gains.difference.mean_a.value(), 0.501, 1e-12);
  EXPECT_NEAR(gains.difference.mean_b.value(), 0.801, 1e-12);
}

// Three slices may speak: gains, loses, and the topics in none.
TEST_F(LiveSlices, ShareAnAlphaAmongThoseThatMaySpeak) {
  compare(0, 200, 0.1);
  EXPECT_NEAR(slice("gains").difference.live->alpha, 0.05 / 3, 1e-15);
  EXPECT_NEAR(slice(kUnsliced).difference.live->alpha, 0.05 / 3, 1e-15);
  // A slice that may not speak is described by itself.
  EXPECT_NEAR(slice("few").difference.live->alpha, 0.05, 1e-15);
  EXPECT_EQ(slice("few").difference.live->state, LiveState::kDescribed);
}

TEST_F(LiveSlices, WaitForFiftyTopicsOfWhichTwentyDiffer) {
  compare(0, 49, 0.4);
  EXPECT_EQ(state("gains"), "collecting (49 of 50 topics)");
  compare(49, 50, 0.4);
  EXPECT_EQ(state("gains"), "b confirmed better");
  compare(60, 79, -0.4);
  compare(79, 120, 0.0);
  EXPECT_EQ(state("loses"), "collecting (19 of 20 that differ)");
  EXPECT_EQ(slice("loses").differing, 19U);
}

TEST_F(LiveSlices, SayThatOneTurnsAgainstTheVerdictOverAll) {
  compare(0, 60, 0.4);
  compare(150, 200, 0.4);
  EXPECT_EQ(sentence(),
            "b is better in group gains (60 topics) and topics without group (50 topics).");
  compare(60, 120, -0.1);
  EXPECT_THAT(sentence(), HasSubstr("topics without group (50 topics), but a is better in group "
                                    "loses (60 topics)."));
}

TEST_F(LiveSlices, NameThoseThatAreTooFewAndTurnAgainstTheVerdict) {
  compare(0, 60, 0.4);
  compare(150, 200, 0.4);
  compare(120, 150, -0.4);
  EXPECT_THAT(sentence(),
              HasSubstr(" The other way round, but too few to say: group few (30 topics)."));
}

TEST_F(LiveSlices, SayNothingIfNothingIsShown) {
  compare(0, 120, 0.0);
  EXPECT_EQ(sentence(), "No slice is shown to differ.");
}

// Failures of one arm void the verdict over all topics, and so those of slices.
TEST_F(LiveSlices, AVetoVoidsThem) {
  compare(0, 60, 0.4);
  for (std::uint32_t t = 60; t < 120; ++t) of_.fail(t, 0);
  EXPECT_EQ(of_.summary().pairs[0].differences[0].live->state, LiveState::kVetoed);
  EXPECT_EQ(state("gains"), "vetoed");
  EXPECT_EQ(sentence(), "");
}

TEST_F(LiveSlices, AreInTheTableAndTheJson) {
  compare(0, 60, 0.3);
  const std::string table = to_table(of_.summary());
  EXPECT_THAT(table, HasSubstr("b minus a by slice, PRES@1000"));
  EXPECT_THAT(table, HasSubstr("b is better in group gains (60 topics)."));
  EXPECT_THAT(table, HasSubstr("3 of 4 slices may speak: those with 50 judged topics or more."));
  const Json gains = summary_json(of_.summary())["pairs"][0]["slices"][0];
  EXPECT_EQ(gains["dimension"], "group");
  EXPECT_EQ(gains["slice"], "gains");
  EXPECT_EQ(gains["may_speak"], true);
  EXPECT_EQ(gains["difference"]["live"]["topics"], 60);
  EXPECT_EQ(gains["words"]["state"], "b confirmed better");
}

}  // namespace
}  // namespace prescope
