// Judgements that are found as topics come.
#include "judgements/found_topics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "prescope/error.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

/// Has a judgement of each topic "t..." that is written in lower or upper case.
class MadeUpSource : public JudgementSource {
 public:
  [[nodiscard]] std::string name_of(std::string_view topic) const override {
    std::string name(topic);
    if (!name.empty() && name[0] == 'T') name[0] = 't';
    return name;
  }
  [[nodiscard]] std::optional<Judged> judge(const std::string& topic) override {
    asked.push_back(topic);
    if (is_broken) throw std::runtime_error("the disk is gone");
    if (topic.empty() || topic[0] != 't') return std::nullopt;
    Judged judged{.lines = {{TopicId(topic), Docno("EP1000001A1"), 1},
                            {TopicId(topic), Docno("US" + topic.substr(1)), 0}}};
    judged.families = families;
    judged.family = topic.size() > 2 ? topic.substr(0, 2) : "";
    return judged;
  }
  [[nodiscard]] std::string version() const override { return "made up"; }

  std::vector<std::string> asked;
  std::shared_ptr<const FamilyMap> families;
  bool is_broken = false;
};

class TopicsFromASource : public ::testing::Test {
 protected:
  [[nodiscard]] Qrels qrels(DocnoPolicy docno = DocnoPolicy::kPatent) const {
    return Qrels::from_source(source, {.docno = docno});
  }
  std::shared_ptr<MadeUpSource> source = std::make_shared<MadeUpSource>();
};

TEST_F(TopicsFromASource, AreJudgedOnceWhenTheyAreFirstAskedFor) {
  const Qrels judgements = qrels(), copy = judgements;
  EXPECT_EQ(judgements.find("t1"), std::nullopt) << "find asks nobody";
  EXPECT_TRUE(source->asked.empty());
  const auto first = judgements.look_up("t1");
  EXPECT_THAT(first, Optional(TopicIndex(0)));
  EXPECT_EQ(copy.look_up("T1"), first) << "another spelling, in a copy";
  EXPECT_EQ(judgements.find("t1"), first);
  EXPECT_EQ(judgements.find("T1"), first);
  EXPECT_THAT(judgements.look_up("t2"), Optional(TopicIndex(1)));
  EXPECT_THAT(source->asked, ElementsAre("t1", "t2"));
  EXPECT_EQ(judgements.topic(*first).id().text(), "t1");
  EXPECT_EQ(judgements.topic(*first).num_rel(), 1U);
  EXPECT_EQ(judgements.num_topics(), 2U);
  EXPECT_EQ(judgements.num_judgements(), 4U);
  EXPECT_EQ(judgements.num_relevant(), 2U);
  EXPECT_EQ(judgements.topics_with_relevant(), 2U);
  EXPECT_FALSE(judgements.has(TopicIndex(2)));
}

TEST_F(TopicsFromASource, AreAskedForAgainIfTheSourceHadNothingOrFailed) {
  const Qrels judgements = qrels();
  EXPECT_EQ(judgements.look_up("no topic"), std::nullopt);
  EXPECT_EQ(judgements.look_up(""), std::nullopt);
  EXPECT_EQ(judgements.lookups().failed, 0U);
  source->is_broken = true;
  EXPECT_EQ(judgements.look_up("t1"), std::nullopt);
  EXPECT_EQ(judgements.lookups().failed, 1U);
  source->is_broken = false;
  EXPECT_NE(judgements.look_up("t1"), std::nullopt);
}

TEST_F(TopicsFromASource, FindADocumentByEveryMemberOfItsFamily) {
  const auto families = std::make_shared<FamilyMap>();
  for (const char* const member : {"EP1000001", "JP2001000001", "US6000001"}) {
    families->add(Docno(member), "8");
  }
  source->families = families;
  const Qrels judgements = qrels(DocnoPolicy::kFamily);
  const TopicQrels& topic = judgements.topic(*judgements.look_up("t7000001"));
  const auto found = [&](std::string_view docno) {
    DocnoBuffer buffer;
    const auto judgement = topic.find(judgements.docnos().key(docno, buffer));
    return judgement ? topic.judgements()[judgement->value()].docno.text() : "nothing";
  };
  EXPECT_EQ(found("EP1000001B1"), "EP1000001A1");
  EXPECT_EQ(found("JP2001000001A"), "EP1000001A1");
  EXPECT_EQ(found("US 6,000,001 A"), "EP1000001A1");
  EXPECT_EQ(found("US7000001B2"), "US7000001") << "has no family";
  EXPECT_EQ(found("US6000002A"), "nothing");
}

TEST_F(TopicsFromASource, OfOneFamilyAreOneUnit) {
  const Qrels judgements = qrels();
  for (const char* const topic : {"t1", "t22", "t23", "t3", "t24"}) {
    ASSERT_TRUE(judgements.look_up(topic));
  }
  std::vector<std::uint32_t> families;
  for (std::uint32_t t = 0; t < 5; ++t)
    families.push_back(judgements.family(TopicIndex(t)).value());
  EXPECT_THAT(families, ElementsAre(0, 1, 1, 2, 1));
  EXPECT_EQ(judgements.num_families(), 3U);
  EXPECT_EQ(judgements.found_family(TopicIndex(2)), "t2");
}

TEST_F(TopicsFromASource, BeyondTheRoomAreCounted) {
  FoundTopics few(source, {}, 2);
  EXPECT_NE(few.look_up("t1"), std::nullopt);
  EXPECT_NE(few.look_up("t2"), std::nullopt);
  EXPECT_EQ(few.look_up("t3"), std::nullopt);
  EXPECT_NE(few.look_up("t1"), std::nullopt);
  EXPECT_EQ(few.lookups().without_room, 1U);
  EXPECT_EQ(few.size(), 2U);
}

TEST_F(TopicsFromASource, CannotBeChanged) {
  const Qrels judgements = qrels();
  ASSERT_TRUE(judgements.look_up("t1"));
  const auto refusal = refusal_of([&] {
    (void)judgements.with({.judged = {{TopicId("t1"), Docno("EP5"), 1}}, .withdrawn = {}});
  });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
}

// Threads look up the same topics in different orders, and read those that others have found.
TEST_F(TopicsFromASource, HaveOnePositionForAllThreads) {
  constexpr std::uint32_t kThreads = 4, kTopics = 3001;
  const Qrels judgements = qrels();
  std::vector<std::vector<TopicIndex>> found(kThreads, std::vector<TopicIndex>(kTopics));
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t n = 0; n < kThreads; ++n) {
      threads.emplace_back([&, n] {
        for (std::uint32_t i = 0; i < kTopics; ++i) {
          const std::uint32_t t = (i * (2 * n + 1) + n * 700) % kTopics;
          found[n][t] = *judgements.look_up(fmt::format("t{}", t));
          EXPECT_EQ(judgements.topic(found[n][t]).id().text(), fmt::format("t{}", t));
        }
      });
    }
  }
  for (std::uint32_t n = 1; n < kThreads; ++n) EXPECT_EQ(found[n], found[0]);
  EXPECT_EQ(judgements.num_topics(), kTopics);
  EXPECT_EQ(source->asked.size(), kTopics);
}

}  // namespace
}  // namespace prescope
