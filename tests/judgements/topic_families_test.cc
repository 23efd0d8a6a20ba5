#include <gtest/gtest.h>

#include "prescope/qrels.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

std::vector<std::uint32_t> families_of(const Qrels& qrels) {
  std::vector<std::uint32_t> families;
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    families.push_back(qrels.family(TopicIndex(t)).value());
  }
  return families;
}

/// Topics in the order of their ids.
std::vector<Qrels::Line> judged(std::initializer_list<const char*> topics) {
  std::vector<Qrels::Line> lines;
  for (const char* topic : topics) lines.push_back({TopicId(topic), Docno("EP99")});
  return lines;
}

std::shared_ptr<const FamilyMap> map_of(
    std::initializer_list<std::pair<const char*, const char*>> members) {
  auto map = std::make_shared<FamilyMap>();
  for (const auto& [docno, family] : members) map->add(Docno(docno), family);
  return map;
}

TEST(TopicFamilies, FollowTheMapUnderEveryDocnoPolicy) {
  const auto lines =
      judged({"EP1000000A1", "EP2000000B1", "PAC-7", "US3000000A", "WO2001000001A1"});
  const auto map =
      map_of({{"EP-1000000-B1", "f9"}, {"US3000000", "f9"}, {"PAC-7", "f2"}, {"JP5000000A", "f2"}});
  for (const DocnoPolicy policy :
       {DocnoPolicy::kRaw, DocnoPolicy::kPublication, DocnoPolicy::kPatent, DocnoPolicy::kFamily}) {
    const Qrels qrels = Qrels::from_lines(lines, {.docno = policy, .families = map});
    EXPECT_EQ(families_of(qrels), (std::vector<std::uint32_t>{0, 1, 2, 0, 3}))
        << "numbered by their first topics; a topic that the map lacks is alone";
    EXPECT_EQ(qrels.num_families(), 4U);
    EXPECT_TRUE(qrels.has_family_map());
  }
}

TEST(TopicFamilies, WithoutAMapEachTopicIsItsOwn) {
  const Qrels qrels = Qrels::from_lines(judged({"EP1A1", "EP1B1", "EP2A1"}));
  EXPECT_EQ(families_of(qrels), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(qrels.num_families(), 3U);
  EXPECT_FALSE(qrels.has_family_map());
}

TEST(TopicFamilies, ChangedJudgementsLeaveThemAsTheyAre) {
  const Qrels before = Qrels::from_lines(judged({"EP1A1", "EP2A1", "EP3A1"}),
                                         {.families = map_of({{"EP1", "f"}, {"EP3", "f"}})});
  const Qrels after = before.with({.judged = {{TopicId("EP2A1"), Docno("EP98")}},
                                   .withdrawn = {{TopicId("EP3A1"), Docno("EP99")}}});
  EXPECT_EQ(families_of(after), (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(after.num_judgements(), 3U);
  EXPECT_EQ(after.num_relevant(), 3U);
  EXPECT_EQ(after.topics_with_relevant(), 2U);
  EXPECT_EQ(before.topics_with_relevant(), 3U);
}

TEST(TopicFamilies, AValueThatMeansNoneMakesNoFamily) {
  const Qrels qrels =
      Qrels::from_lines(judged({"EP1A1", "EP2A1", "EP3A1"}),
                        {.families = map_of({{"EP1", "-1"}, {"EP2", "-1"}, {"EP3", "0"}})});
  EXPECT_EQ(qrels.num_families(), 3U);
  EXPECT_EQ(qrels.without_family().patents, 3U);
  EXPECT_EQ(qrels.without_family().example, "-1");
}

TEST(TopicFamilies, AreReadFromTheFile) {
  const ScratchFolder folder;
  const Qrels qrels = Qrels::from_lines(
      judged({"EP1A1", "EP2A1"}), {.family_map = folder.write("families.txt", "EP1 f1\nEP2 f1\n")});
  EXPECT_EQ(qrels.num_families(), 1U);
}

}  // namespace
}  // namespace prescope
