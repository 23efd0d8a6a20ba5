// Versions of the judgements in a store: each has rows for what it changed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "nightly/record/evaluation_record.h"
#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sqlite/database.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kJudgedTopics = 300;  // more than a block of a shared list

TopicId topic(std::uint32_t number) { return TopicId(fmt::format("t{:03}", number)); }

/// One document for each topic.
Qrels judgements() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kJudgedTopics; ++t) lines.push_back({topic(t), Docno("d1"), 1});
  return Qrels::from_lines(lines);
}

JudgementChanges judged(std::uint32_t number, const char* docno) {
  return {.judged = {{topic(number), Docno(docno), 1}}};
}
JudgementChanges withdrawn(std::uint32_t number, const char* docno) {
  return {.withdrawn = {{topic(number), Docno(docno)}}};
}

class StoredJudgements : public ::testing::Test {
 protected:
  /// Runs a session with these changes to its judgements, and serves a ranking behind each.
  void run(const Qrels& qrels, const std::vector<JudgementChanges>& changes) {
    Experiment experiment(qrels, {.arms = {"a"}, .cutoffs = {10}, .logs = {log_to_store(path_)}});
    for (const JudgementChanges& change : changes) {
      experiment.rejudge(change);
      const QueryScope scope(experiment, topic(kJudgedTopics - 1));
      const std::vector<std::string_view> docnos = {"d1", "EP1002A1"};
      experiment.observe({.arm = ArmIndex(0),
                          .kind = HitKind::kDocnos,
                          .docnos = docnos,
                          .requested_depth = 10,
                          .search_started = std::chrono::steady_clock::now()});
    }
  }
  /// Returns "version<base: rows" for each version, by number.
  [[nodiscard]] std::vector<std::string> versions() const {
    const Database database(path_, Database::Access::kRead);
    std::vector<std::string> found;
    for (Statement row(database,
                       "SELECT number, ifnull(changed_from, 0), (SELECT count(*) FROM qrels_topics"
                       " WHERE qrels = number) FROM qrels_versions ORDER BY number");
         row.next();) {
      found.push_back(fmt::format("{}<{}: {}", row.integer(0), row.integer(1), row.integer(2)));
    }
    return found;
  }
  /// Returns the hash of the judgements with which a session ends, read back and checked.
  [[nodiscard]] std::string last_hash(std::int64_t session) const {
    const RebuiltSession checks_each_version_against_its_hash(path_, session);
    const Database database(path_, Database::Access::kRead);
    Statement row(
        database,
        "SELECT hash FROM qrels_versions WHERE number = (SELECT qrels FROM session_changes"
        " WHERE session = ? ORDER BY number DESC)");
    EXPECT_TRUE(row.bind(session).next());
    return std::string(row.text(0));
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "a.store";
};

TEST_F(StoredJudgements, ALateJudgementAddsTheRowsOfWhatItChanged) {
  const Qrels first = judgements();
  run(first, {judged(0, "d2"), judged(299, "d2"), judged(0, "d3")});
  EXPECT_THAT(versions(), ElementsAre("1<0: 300", "2<1: 1", "3<2: 1", "4<3: 1"));
  const Qrels last = first.with(judged(0, "d2")).with(judged(299, "d2")).with(judged(0, "d3"));
  EXPECT_EQ(last_hash(1), qrels_version(last).hash);
}

TEST_F(StoredJudgements, AJudgementThatIsTakenBackLeadsToTheVersionBefore) {
  const Qrels first = judgements();
  run(first, {judged(7, "d2"), withdrawn(7, "d2"), judged(7, "d2"), judged(8, "d2")});
  EXPECT_THAT(versions(), ElementsAre("1<0: 300", "2<1: 1", "3<2: 1"));
  EXPECT_EQ(last_hash(1), qrels_version(first.with(judged(7, "d2")).with(judged(8, "d2"))).hash);
}

TEST_F(StoredJudgements, ASessionGoesOnFromAVersionThatHasChangesOnly) {
  const Qrels first = judgements(), second = first.with(judged(7, "d2"));
  run(first, {judged(7, "d2")});
  run(second, {judged(9, "d2"), withdrawn(7, "d2"), withdrawn(9, "d2")});
  EXPECT_THAT(versions(), ElementsAre("1<0: 300", "2<1: 1", "3<2: 1", "4<3: 1"));
  EXPECT_EQ(last_hash(1), qrels_version(second).hash);
  EXPECT_EQ(last_hash(2), qrels_version(first).hash);
}

// A version is told by its keys, so its topics may be stored in another spelling than a session's.
TEST_F(StoredJudgements, ADocumentJudgedAgainInAnotherSpellingIsThatOfTheStore) {
  const auto one = [](const char* docno) {
    return JudgementChanges{.judged = {{topic(kJudgedTopics - 1), Docno(docno), 1}}};
  };
  const Qrels first = Qrels::from_lines(
      std::vector<Qrels::Line>{{topic(0), Docno("EP-1000-A1"), 1},
                               {topic(kJudgedTopics - 1), Docno("EP-1001-A1"), 1}},
      {.docno = DocnoPolicy::kPatent});
  run(first, {one("EP-1002-A1"), withdrawn(kJudgedTopics - 1, "EP1002A1"), one("EP1002A1")});
  run(first, {one("EP1002B1")});
  EXPECT_THAT(versions(), ElementsAre("1<0: 2", "2<1: 1"));
  for (const std::int64_t session : {1, 2}) {
    EXPECT_EQ(last_hash(session), qrels_version(first.with(one("EP1002"))).hash);
  }
}

// A store has the keys of families and not their documents. The hash of the keys differed from the
// hash of the session, because it left out the version of the rules of patent numbers.
TEST_F(StoredJudgements, OfFamiliesAreReadBack) {
  auto families = std::make_shared<FamilyMap>();
  families->add(Docno("EP1000A1"), "F1");
  families->add(Docno("US5000A"), "F1");
  const TopicId last = topic(kJudgedTopics - 1);
  const Qrels first = Qrels::from_lines(std::vector<Qrels::Line>{{last, Docno("EP1000A1"), 1}},
                                        {.docno = DocnoPolicy::kFamily, .families = families});
  run(first, {{.judged = {{last, Docno("EP1002A1"), 1}}},
              {.withdrawn = {{last, Docno("US5000A")}}},
              {.judged = {{last, Docno("US5000A"), 1}}}});
  EXPECT_EQ(versions().size(), 3U) << "the first document and its family are one";
  EXPECT_EQ(last_hash(1),
            qrels_version(first.with({.judged = {{last, Docno("EP1002A1"), 1}}})).hash);
}

// An evaluation stores that a version exists, without its topics.
TEST_F(StoredJudgements, AVersionOfAnEvaluationGetsItsTopicsFromALateJudgement) {
  const Qrels first = judgements(), second = first.with(judged(7, "d2"));
  run(first, {});
  {
    const Database database(path_, Database::Access::kUpdate);
    const QrelsVersion version = qrels_version(second);
    Statement(database,
              "INSERT INTO qrels_versions (hash, topics, judgements, relevant, docno, min_grade)"
              " VALUES (?, ?, ?, ?, 'raw', 1)")
        .bind(version.hash, version.topics, version.judgements, version.relevant)
        .run();
  }
  run(first, {judged(7, "d2")});
  EXPECT_THAT(versions(), ElementsAre("1<0: 300", "2<1: 1"));
  EXPECT_EQ(last_hash(2), qrels_version(second).hash);
}

// Hashes of two topics that trade their grades, or a document, must not add up to the same.
TEST(QrelsVersion, DiffersIfTopicsTradeWhatTheyHave) {
  std::map<std::string, std::vector<Grade>> seen;
  for (const Grade a : {1, 2, 3, 4}) {
    for (const Grade b : {1, 2, 3, 4}) {
      for (const Grade c : {1, 2, 3, 4}) {
        const std::vector<Qrels::Line> lines = {{TopicId("t1"), Docno("d1"), a},
                                                {TopicId("t2"), Docno("d1"), b},
                                                {TopicId("t3"), Docno("d1"), c}};
        seen[qrels_version(Qrels::from_lines(lines)).hash] = {a, b, c};
      }
    }
  }
  EXPECT_EQ(seen.size(), 64U);
}

TEST(QrelsVersion, OfChangedJudgementsIsThatOfTheSameJudgementsReadAnew) {
  const Qrels first = judgements();
  const std::vector<JudgementChanges> changes = {judged(3, "d2"), judged(3, "d1"), judged(64, "d9"),
                                                 withdrawn(3, "d1"), withdrawn(299, "d1")};
  Qrels before = first;
  QrelsVersion version = qrels_version(first);
  for (const JudgementChanges& change : changes) {
    const Qrels now = before.with(change);
    version = changed_qrels_version(now, before, version);
    EXPECT_EQ(version, qrels_version(now));
    before = now;
  }
}

}  // namespace
}  // namespace prescope
