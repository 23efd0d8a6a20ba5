#include "prescope/xapian/observed_enquire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "conformance/watched.h"
#include "conformance/xapian/database_folder.h"
#include "conformance/xapian/database_server.h"
#include "conformance/xapian/overtaken_database.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;
using xapian::ObservedDatabase;
using xapian::ObservedEnquire;
using xapian::ObservedIndex;

/// The first hits for "valve", under a scope of T1.
Xapian::MSet search(Experiment& experiment, ObservedEnquire& enquire, std::uint32_t depth = 10) {
  QueryScope scope(experiment, TopicId{"T1"});
  enquire.set_query(Xapian::Query("valve"));
  return enquire.get_mset(0, depth);
}

/// valves(5), of which T1 cites EP3, served at rank 3.
class ObservedEnquireTest : public ::testing::Test {
 protected:
  ObservedEnquireTest() { folder_.add(valves(5)); }
  [[nodiscard]] Experiment& experiment() { return watched_.experiment(); }

  DatabaseFolder folder_;
  Watched watched_{Watched::Citations{{"T1", "EP3"}}};
  ObservedIndex index_ = index_of(folder_, experiment());
};

TEST_F(ObservedEnquireTest, EveryOverloadIsObservedOnce) {
  const ObservedDatabase database = index_.open();
  const ObservedEnquire made = database.enquire("b");
  ObservedEnquire enquire = made;  // a copy is observed too
  enquire.set_query(Xapian::Query("valve"));
  const Xapian::RSet relevant;
  const std::vector<std::function<Xapian::MSet()>> overloads = {
      [&] { return enquire.get_mset(0, 4); },
      [&] { return enquire.get_mset(0, 4, 5); },
      [&] { return enquire.get_mset(0, 4, 5, &relevant); },
      [&] { return enquire.get_mset(0, 4, 5, &relevant, nullptr); },
      [&] { return enquire.get_mset(0, 4, &relevant); },
      [&] { return enquire.get_mset(0, 4, &relevant, nullptr); }};
  for (const auto& overload : overloads) {
    QueryScope scope(experiment(), TopicId{"T1"});
    EXPECT_EQ(overload().size(), 4U);
  }
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), overloads.size());
  for (const Seen& one : seen) {
    EXPECT_THAT(one.ranks(), ElementsAre(3));
    EXPECT_EQ(one.facts.arm, ArmIndex{1});
    EXPECT_EQ(one.facts.depth, 4U);
    EXPECT_EQ(one.facts.num_ret, 4U);
    EXPECT_EQ(one.facts.total_hits, 5U);
    EXPECT_EQ(one.facts.flags, RankingFlags::kNone);
  }
}

TEST_F(ObservedEnquireTest, UnknownArmSuggestsTheNearest) {
  const ObservedDatabase database = index_.open();
  expect_error(ErrorCode::kUsage, "did you mean 'a'?", [&] { return database.enquire("aa"); });
}

/// A database that a writer will overtake, and citations of D5 and D599 in T1. "valve" is served in
/// the order of the documents: D5 is the sixth, or without D0 the fifth.
class OvertakenTest : public ::testing::Test {
 protected:
  OvertakenTest()
      : index_([this] { return std::vector{files_.open()}; }, watched_.experiment()),
        database_(index_.open()),
        enquire_(database_.enquire("a")) {}

  [[nodiscard]] Experiment& experiment() { return watched_.experiment(); }
  void expect_failure(const std::string& expected) {
    try {
      search(experiment(), enquire_);
      ADD_FAILURE() << "expected an exception";
    } catch (const Xapian::DatabaseModifiedError& failure) {
      EXPECT_EQ(failure.get_description(), expected);
    }
  }

  OvertakenDatabase files_;
  Watched watched_{Watched::Citations{{"T1", "D5"}, {"T1", "D599"}}};
  ObservedIndex index_;
  ObservedDatabase database_;
  ObservedEnquire enquire_;
};

TEST_F(OvertakenTest, ASearchIsRepeatedOnceAndCountedOnce) {
  const auto before = database_.resolved();
  files_.overtake();
  const Xapian::MSet served = search(experiment(), enquire_, 1000);
  EXPECT_EQ(served.size(), OvertakenDatabase::kDocuments - 1);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].ranks(), ElementsAre(5, 599));
  EXPECT_EQ(seen[0].facts.flags, RankingFlags::kRetried);
  EXPECT_GT(seen[0].facts.generation, before->generation());
  EXPECT_EQ(seen[0].facts.documents, database_.database().get_doccount());
  const auto summary = experiment().summary();
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
  EXPECT_EQ(summary->arms[0].retried_queries, 1U);
  EXPECT_EQ(summary->health.adapter_failures, 0U);
}

TEST_F(OvertakenTest, ARepeatedSearchIsMatchedByDocnoUntilTheOwnerReopens) {
  files_.overtake();
  search(experiment(), enquire_);
  EXPECT_EQ(database_.resolved(), nullptr);
  search(experiment(), enquire_);
  EXPECT_TRUE(database_.reopen());
  ASSERT_NE(database_.resolved(), nullptr);
  search(experiment(), enquire_);
  EXPECT_FALSE(database_.reopen());
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 3U);
  for (const Seen& one : seen) {
    EXPECT_THAT(one.ranks(), ElementsAre(5));
    // The same state is the same generation, however it is matched.
    EXPECT_EQ(one.facts.generation, database_.resolved()->generation());
  }
  EXPECT_EQ(seen[0].facts.flags, RankingFlags::kRetried);
  EXPECT_EQ(seen[1].facts.flags, RankingFlags::kNone);
}

TEST_F(OvertakenTest, RepeatedSearchUsesTheTableOfAnotherThread) {
  files_.overtake();
  const ObservedDatabase other = index_.open();
  search(experiment(), enquire_);
  EXPECT_EQ(database_.resolved(), other.resolved());
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(5));
}

TEST_F(OvertakenTest, FailedReopenThrowsTheFirstException) {
  const std::string expected = files_.overtake();
  const auto elsewhere = files_.path().parent_path() / "elsewhere";
  std::filesystem::rename(files_.path(), elsewhere);
  expect_failure(expected);
  EXPECT_TRUE(watched_.seen().empty());
  EXPECT_EQ(watched_.failures().size(), 1U);
  // The next search does not return an empty ranking either, which Xapian would serve now.
  std::filesystem::rename(elsewhere, files_.path());
  EXPECT_THROW(search(experiment(), enquire_), Xapian::DatabaseModifiedError);

  EXPECT_TRUE(database_.reopen());
  enquire_ = database_.enquire("a");
  search(experiment(), enquire_);
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(5));
}

TEST_F(OvertakenTest, ReplacedDatabaseIsNotSearchedUntilReopened) {
  const std::string expected = files_.overtake();
  compact_renumbered(files_.path());
  expect_failure(expected);
  EXPECT_TRUE(database_.reopen());
  enquire_ = database_.enquire("a");
  search(experiment(), enquire_);
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(5));
}

TEST_F(OvertakenTest, ASearchWithASpyIsNotRepeated) {
  Xapian::ValueCountMatchSpy spy(0);
  enquire_.add_matchspy(&spy);
  files_.overtake();
  EXPECT_THROW(search(experiment(), enquire_), Xapian::DatabaseModifiedError);
  enquire_.clear_matchspies();
  EXPECT_NO_THROW(search(experiment(), enquire_));
}

TEST_F(OvertakenTest, UnreadableDocnosRecordNothing) {
  enquire_.set_query(Xapian::Query("valve"));
  // A state without a table, because no thread has resolved it.
  files_.overtake();
  Xapian::Database same = database_.database();
  same.reopen();
  const Xapian::MSet served = search_valve(same);
  files_.overtake();
  {
    QueryScope scope(experiment(), TopicId{"T1"});
    enquire_.observe(served, {.requested_depth = 1000, .flags = RankingFlags::kNone});
  }
  EXPECT_TRUE(watched_.seen().empty());
  EXPECT_EQ(experiment().summary()->health.adapter_failures, 1U);
}

/// Docids move when EP1 is gone and the rest is copied.
class ReopenedByHostTest : public ::testing::Test {
 protected:
  ReopenedByHostTest() { folder_.add(valves(5)); }

  DatabaseFolder folder_;
  Watched watched_{Watched::Citations{{"T1", "EP2"}, {"T1", "EP5"}}};
  ObservedIndex index_ = index_of(folder_, watched_.experiment());
};

TEST_F(ReopenedByHostTest, StateWithoutATableIsMatchedByDocno) {
  ObservedDatabase database = index_.open();
  ObservedEnquire enquire = database.enquire("a");
  const auto first = database.resolved();
  folder_.remove("EP5");
  folder_.add({valves(5).back()});  // with another docid
  Xapian::Database same = database.database();
  ASSERT_TRUE(same.reopen());
  search(watched_.experiment(), enquire);
  EXPECT_EQ(database.resolved(), nullptr);
  EXPECT_TRUE(database.reopen());
  ASSERT_NE(database.resolved(), nullptr);
  search(watched_.experiment(), enquire);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 2U);
  // As before: EP5, EP4, EP3, EP2, EP1.
  for (const Seen& one : seen) {
    EXPECT_THAT(one.ranks(), ElementsAre(1, 4));
    EXPECT_EQ(one.facts.generation, database.resolved()->generation());
    EXPECT_EQ(one.facts.documents, 5U);
  }
  EXPECT_GT(database.resolved()->generation(), first->generation());
}

TEST_F(ReopenedByHostTest, RenumberingCompactionIsMatchedCorrectly) {
  ObservedDatabase database = index_.open();
  ObservedEnquire enquire = database.enquire("a");
  folder_.remove("EP1");
  folder_.compact();
  Xapian::Database same = database.database();
  same.reopen();
  const auto hits = [](const Xapian::MSet& served) {
    std::vector<std::string> docnos;
    for (auto hit = served.begin(); hit != served.end(); ++hit) {
      docnos.push_back(hit.get_document().get_data());
    }
    return docnos;
  };
  EXPECT_THAT(hits(search(watched_.experiment(), enquire)),
              ElementsAre("EP5", "EP4", "EP3", "EP2"));
  EXPECT_TRUE(database.reopen());  // reopened: see below
  search(watched_.experiment(), enquire);
  ObservedEnquire later = database.enquire("a");
  search(watched_.experiment(), later);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 3U);
  for (const Seen& one : seen) EXPECT_THAT(one.ranks(), ElementsAre(1, 4));
}

TEST_F(ReopenedByHostTest, ReplacedDatabaseOfTheSameRevisionIsReopened) {
  // Xapian 1.4 reads such a database's numbers, keeps the tables of the old one open, and reports
  // that nothing has changed.
  ObservedDatabase database = index_.open();
  ObservedEnquire old = database.enquire("a");
  const auto revision = database.database().get_revision();
  folder_.remove("EP1");
  folder_.compact();
  {
    Xapian::WritableDatabase writer(folder_.shard(0).string());
    while (writer.get_revision() < revision) {
      writer.set_metadata("revision", std::to_string(writer.get_revision()));
      writer.commit();
    }
    ASSERT_EQ(writer.get_revision(), revision);
  }
  EXPECT_TRUE(database.reopen());
  ObservedEnquire anew = database.enquire("a");
  search(watched_.experiment(), old);
  EXPECT_EQ(search(watched_.experiment(), anew).size(), 4U);
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_THAT(seen[0].ranks(), ElementsAre(1, 4));
  EXPECT_THAT(seen[1].ranks(), ElementsAre(1, 4));
}

TEST(ObservedEnquire, ADocumentOfSeveralDocnosIsMatchedByEachWithAndWithoutATable) {
  DatabaseFolder folder;
  folder.add(valves(2));
  {
    Xapian::WritableDatabase writer(folder.shard(0).string());
    Xapian::Document merged = writer.get_document(1);
    merged.add_boolean_term("QEP0");
    merged.add_boolean_term("QEP9");
    writer.replace_document(1, merged);
    writer.commit();
  }
  Watched watched(Watched::Citations{{"T1", "EP9"}, {"T2", "EP0"}});
  ObservedDatabase database = index_of(folder, watched.experiment()).open();
  ObservedEnquire enquire = database.enquire("a");
  search(watched.experiment(), enquire);
  folder.add({{"EP3", "pump"}});
  Xapian::Database same = database.database();
  same.reopen();
  search(watched.experiment(), enquire);
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 2U);
  for (const Seen& one : seen) EXPECT_THAT(one.ranks(), ElementsAre(2));
}

TEST(ObservedEnquire, LostServerThrowsAtOnce) {
  DatabaseFolder folder;
  folder.add(valves(5));
  DatabaseServer server(folder.shard(0));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  int opened = 0;
  const ObservedIndex index(
      [&] {
        ++opened;
        return std::vector{server.open()};
      },
      watched.experiment());
  const ObservedDatabase database = index.open();
  ObservedEnquire enquire = database.enquire("a");
  server.stop();
  EXPECT_THROW(search(watched.experiment(), enquire), Xapian::NetworkError);
  EXPECT_EQ(opened, 1);
  EXPECT_TRUE(watched.seen().empty());
  EXPECT_EQ(watched.failures().size(), 1U);
}

/// A match decider whose server does not answer in time.
class SlowDecider : public Xapian::MatchDecider {
 public:
  bool operator()(const Xapian::Document&) const override {
    throw Xapian::NetworkTimeoutError("no answer in time");
  }
};

TEST_F(ObservedEnquireTest, ASearchThatTimesOutIsCountedAsTimedOut) {
  const ObservedDatabase database = index_.open();
  ObservedEnquire enquire = database.enquire("a");
  enquire.set_query(Xapian::Query("valve"));
  const SlowDecider slow;
  {
    const QueryScope scope(experiment(), TopicId{"T1"});
    EXPECT_THROW(enquire.get_mset(0, 10, nullptr, &slow), Xapian::NetworkTimeoutError);
  }
  ASSERT_EQ(watched_.failures().size(), 1U);
  EXPECT_EQ(watched_.failures()[0].flags, RankingFlags::kTimedOut);
  const auto summary = experiment().summary();
  EXPECT_EQ(summary->arms[0].timed_out_queries, 1U);
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
}

TEST_F(ObservedEnquireTest, HitsOfAPlainEnquireCanBeObserved) {
  const ObservedDatabase database = index_.open();
  const ObservedEnquire enquire = database.enquire("a");
  Xapian::Enquire plain(database.database());
  plain.set_query(Xapian::Query("valve"));
  const Xapian::MSet page = plain.get_mset(2, 2);
  {
    QueryScope scope(experiment(), TopicId{"T1"});
    enquire.observe(page, {.requested_depth = 2, .flags = RankingFlags::kDeepened});
  }
  const std::vector<Seen> seen = watched_.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].ranks(), ElementsAre(3));
  EXPECT_EQ(seen[0].facts.first_rank, 3U);
  EXPECT_EQ(seen[0].facts.num_ret, 2U);
  EXPECT_EQ(seen[0].facts.flags, RankingFlags::kDeepened);
}

TEST_F(ObservedEnquireTest, PageBehindTheLastRankIsCountedAndNotRecorded) {
  const ObservedDatabase database = index_.open();
  ObservedEnquire enquire = database.enquire("a");
  enquire.set_query(Xapian::Query("valve"));
  {
    const QueryScope scope(experiment(), TopicId{"T1"});
    EXPECT_TRUE(enquire.get_mset(std::numeric_limits<Xapian::doccount>::max(), 10).empty());
  }
  EXPECT_EQ(experiment().summary()->health.adapter_failures, 1U);
  EXPECT_TRUE(watched_.seen().empty());
}

}  // namespace
}  // namespace prescope::conformance
