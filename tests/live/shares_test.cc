// Unequal shares of split traffic: what is compared, and the check of the coin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/arms.h"
#include "live/summary/summarize.h"
#include "report/live/live_report.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kTopics = 4000;
constexpr ArmIndex kOld{0}, kNew{1};

std::string name_of_topic(std::uint32_t t) { return "t" + std::to_string(t); }

/// "old" has nine topics where "new" has one, and finds the one relevant document of each 200 ranks
/// later, so that PRES@1000 is 0.2 less.
class UnequalShares : public ::testing::Test {
 protected:
  static Qrels all_topics() {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      lines.push_back({TopicId(name_of_topic(t)), Docno("d")});
    }
    return Qrels::from_lines(lines);
  }
  [[nodiscard]] const std::string& id(TopicIndex topic) const {
    return qrels_.topic(topic).id().text();
  }
  [[nodiscard]] ArmIndex drawn(TopicIndex topic) const {
    return table_.drawn_for(id(topic), "autumn").value();
  }

  void serve(TopicIndex topic, ArmIndex arm) {
    const JudgedHit hit{arm == kOld ? 501U : 301U, JudgementIndex(0)};
    Observation observation{
        .topic = topic, .arm = arm, .visit = ++visits_, .depth = 1000, .num_ret = 1000};
    observation.hits = std::span(&hit, 1);
    ledger_.record(observation);
  }
  [[nodiscard]] Summary summary() {
    return summarize(ledger_, {.experiment = "e", .salt = "autumn", .alpha = 0.05, .arms = arms_},
                     SummaryDetail::kVerdicts);
  }

  Qrels qrels_ = all_topics();
  JudgedDocnos judged_{qrels_};
  Scorer scorer_{parse_measures("PRES@1000")};
  std::vector<ArmFacts> arms_{{.id = ArmId("old")}, {.id = ArmId("new")}};
  ArmTable table_{std::vector<std::string>{"old", "new"}, {{"old", 9.0}}};
  std::uint64_t visits_ = 0;
  Ledger ledger_{
      judged_,
      scorer_,
      2,
      {.mode = Mode::kSplit,
       .assigned = [this](TopicIndex topic) { return std::optional(drawn(topic)); },
       .share = [this](ArmIndex arm) { return table_.share(arm); },
       .second_draw = [this](TopicIndex topic) { return second_draw(id(topic), "autumn"); }}};
};

TEST_F(UnequalShares, AreComparedByAsManyTopicsOfEach) {
  for (std::uint32_t t = 0; t < kTopics; ++t) serve(TopicIndex(t), drawn(TopicIndex(t)));
  const Summary now = summary();
  const ArmPair& pair = now.pairs.at(0);
  const LiveVerdict& live = pair.differences.at(0).live.value();
  // Of each arm 400; five standard deviations of either are 95.
  EXPECT_NEAR(now.arms[1].topics_seen, 400, 95);
  EXPECT_NEAR(live.topics, 800, 190);
  EXPECT_NEAR(live.mean.value(), 0.2, 0.02);
  EXPECT_EQ(live.state, LiveState::kConfirmed);
  EXPECT_EQ(pair.differences.at(0).topics, live.topics);
  EXPECT_EQ(pair.sample_ratio->share_b, 0.1);
  EXPECT_FALSE(pair.sample_ratio->alarm);
  EXPECT_THAT(sample_ratio_words(now, pair),
              HasSubstr("10 % are to be new's, and as many of the other arm's are compared"));
}

TEST_F(UnequalShares, AHostThatServesHalfAndHalfRaisesTheAlarm) {
  for (std::uint32_t t = 0; t < 400; ++t) serve(TopicIndex(t), ArmIndex(t % 2));
  const Summary now = summary();
  EXPECT_TRUE(now.pairs.at(0).sample_ratio->alarm);
  EXPECT_THAT(sample_ratio_words(now, now.pairs.at(0)), HasSubstr("no coin with 10 % for new"));
}

}  // namespace
}  // namespace prescope
