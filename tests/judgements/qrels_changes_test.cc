#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "prescope/error.h"
#include "prescope/qrels.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Qrels judged_patents() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("EP-0000002-B1"), 1},
                                                    {TopicId("t1"), Docno("EP4"), 2},
                                                    {TopicId("t2"), Docno("EP2"), 1}},
                           {.docno = DocnoPolicy::kPatent, .min_grade = 2});
}

std::map<std::string, Grade> grades(const TopicQrels& topic) {
  std::map<std::string, Grade> result;
  for (const Judgement& judgement : topic.judgements()) result[judgement.key] = judgement.grade;
  return result;
}

std::string refusal(const JudgementChanges& changes) {
  try {
    (void)judged_patents().with(changes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(QrelsChanges, JudgeRegradeAndWithdrawMatchByKey) {
  const Qrels before = judged_patents();
  const Qrels after = before.with(
      {.judged = {{TopicId("t1"), Docno("EP0003A1"), 3}, {TopicId("t1"), Docno("EP 2"), 2}},
       .withdrawn = {{TopicId("t1"), Docno("EP4B1")}}});
  EXPECT_EQ(grades(after.topic(TopicIndex(0))),
            (std::map<std::string, Grade>{{"EP2", 2}, {"EP3", 3}}));
  EXPECT_EQ(after.topic(TopicIndex(0)).num_rel(), 2U) << "min grade 2";
  EXPECT_EQ(after.topic(TopicIndex(0)).judgements()[0].docno, Docno("EP-0000002-B1"))
      << "as spelled where it was first judged";
  EXPECT_EQ(grades(after.topic(TopicIndex(1))), grades(before.topic(TopicIndex(1))));
  EXPECT_EQ(grades(before.topic(TopicIndex(0))),
            (std::map<std::string, Grade>{{"EP2", 1}, {"EP4", 2}}))
      << "the old value is as it was";
}

TEST(QrelsChanges, ATopicMayLoseAllItsJudgementsAndKeepsItsPlace) {
  const Qrels after = judged_patents().with(
      {.withdrawn = {{TopicId("t1"), Docno("EP2")}, {TopicId("t1"), Docno("EP4")}}});
  ASSERT_EQ(after.topics().size(), 2U);
  EXPECT_TRUE(after.topic(TopicIndex(0)).judgements().empty());
  EXPECT_EQ(after.find("t2"), TopicIndex(1));
}

TEST(QrelsChanges, ShareAllButABlockOfTopicsWithTheVersionBefore) {
  std::vector<Qrels::Line> lines;
  for (int t = 0; t < 10'000; ++t) {
    lines.push_back({TopicId("t" + std::to_string(t)), Docno("EP1"), 1});
  }
  const Qrels before = Qrels::from_lines(lines);
  const Qrels after = before.with({.judged = {{TopicId("t77"), Docno("EP2"), 1}}});
  std::size_t unshared = 0;
  after.topics().for_each_unshared(before.topics(), [&](std::size_t) { ++unshared; });
  EXPECT_EQ(unshared, 64U);
  EXPECT_EQ(after.num_judgements(), 10'001U);
}

TEST(QrelsChanges, ReportAllProblemsAtOnce) {
  EXPECT_THAT(
      refusal({.judged = {{TopicId("t1"), Docno("EP7"), 1},
                          {TopicId("t1"), Docno("EP 07"), 2},
                          {TopicId("t2"), Docno("EP2"), 3},
                          {TopicId("t9"), Docno("EP1"), 1}},
               .withdrawn = {{TopicId("t2"), Docno("EP2")}, {TopicId("t2"), Docno("EP4")}}}),
      AllOf(HasSubstr("'EP 07' of topic 't1' is given grade 1 and grade 2"),
            HasSubstr("'EP2' of topic 't2' is judged and withdrawn"),
            HasSubstr("topic 't9' is not in the qrels"),
            HasSubstr("'EP4' of topic 't2' is withdrawn, but was not judged")));
}

TEST(QrelsChanges, NameTheFirstTenProblemsAndCountTheRest) {
  JudgementChanges changes;
  for (int i = 10; i < 35; ++i) {
    changes.judged.push_back({TopicId("x" + std::to_string(i)), Docno("EP1"), 1});
  }
  EXPECT_THAT(refusal(changes),
              AllOf(HasSubstr("'x19'"), Not(HasSubstr("'x20'")), HasSubstr("and 15 more")));
}

TEST(QrelsChanges, RepeatedChangeCountsOnce) {
  const Qrels after = judged_patents().with(
      {.judged = {{TopicId("t2"), Docno("EP5"), 1}, {TopicId("t2"), Docno("EP05A1"), 1}},
       .withdrawn = {{TopicId("t1"), Docno("EP2")}, {TopicId("t1"), Docno("EP2B1")}}});
  EXPECT_EQ(grades(after.topic(TopicIndex(0))), (std::map<std::string, Grade>{{"EP4", 2}}));
  EXPECT_EQ(grades(after.topic(TopicIndex(1))),
            (std::map<std::string, Grade>{{"EP2", 1}, {"EP5", 1}}));
}

/// The oracle: the judgements as a map that is changed one by one, then read again.
TEST(QrelsChangesProperty, EqualJudgementsReadAfterTheChange) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::map<std::pair<std::string, std::string>, Grade> plain;
    for (int i = 0; i < 40; ++i) {
      plain[{"t" + std::to_string(random() % 4), "d" + std::to_string(random() % 30)}] =
          static_cast<Grade>(random() % 4);
    }
    const auto lines_of = [&] {
      std::vector<Qrels::Line> lines;
      for (const auto& [of, grade] : plain) {
        lines.push_back({TopicId(of.first), Docno(of.second), grade});
      }
      return lines;
    };
    const Qrels before = Qrels::from_lines(lines_of(), {.min_grade = 2});
    JudgementChanges changes;
    std::map<std::pair<std::string, std::string>, bool> touched;
    for (int i = 0; i < 10; ++i) {
      const std::pair of{"t" + std::to_string(random() % 4), "d" + std::to_string(random() % 60)};
      if (!before.find(of.first) || !touched.emplace(of, true).second) continue;
      if (plain.contains(of) && random() % 2 == 0) {
        changes.withdrawn.push_back({TopicId(of.first), Docno(of.second)});
        plain.erase(of);
      } else {
        plain[of] = static_cast<Grade>(random() % 4);
        changes.judged.push_back({TopicId(of.first), Docno(of.second), plain[of]});
      }
    }
    const Qrels after = before.with(changes);
    ASSERT_EQ(after.topics().size(), before.topics().size());
    std::size_t compared = 0;
    const Qrels anew = Qrels::from_lines(lines_of(), {.min_grade = 2});
    for (const TopicQrels& expected : anew.topics()) {
      const TopicQrels& topic = after.topic(*after.find(expected.id().text()));
      EXPECT_EQ(grades(topic), grades(expected));
      EXPECT_EQ(topic.num_rel(), expected.num_rel());
      compared += topic.judgements().size();
    }
    EXPECT_EQ(compared, after.num_judgements());
  }
}

}  // namespace
}  // namespace prescope
