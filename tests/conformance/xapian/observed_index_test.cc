#include "prescope/xapian/observed_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "conformance/watched.h"
#include "conformance/xapian/database_folder.h"
#include "conformance/xapian/database_server.h"

namespace prescope::conformance {
namespace {

using testing::HasSubstr;
using xapian::ObservedDatabase;
using xapian::ObservedEnquire;
using xapian::ObservedIndex;

/// Every document, its docno (which the tests keep as data) compared with every judged key.
std::vector<Resolution> by_brute_force(const Xapian::Database& database,
                                       const JudgedDocnos& judged) {
  std::vector<Resolution> found;
  for (auto docid = database.postlist_begin(""); docid != database.postlist_end(""); ++docid) {
    const std::string key = judged.docnos().key(Docno{database.get_document(*docid).get_data()});
    for (std::uint32_t i = 0; i < judged.num_keys(); ++i) {
      if (judged.key(i) == key) found.push_back({i, DocId{*docid}});
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void expect_complete(const ObservedDatabase& database, const Experiment& experiment) {
  const auto resolved = database.resolved();
  ASSERT_NE(resolved, nullptr);
  std::vector<Resolution> found(resolved->resolutions().begin(), resolved->resolutions().end());
  std::sort(found.begin(), found.end());
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found, by_brute_force(database.database(), experiment.judged()));
  EXPECT_EQ(resolved->collection_size(), database.database().get_doccount());
}

/// EP1000A1 .. EP1299A1, a third of which also have a B1, in a mixed order.
std::vector<Doc> publications() {
  std::vector<Doc> docs;
  for (int i = 0; i < 300; ++i) {
    const std::string number = "EP" + std::to_string(1000 + i);
    docs.push_back({number + "A1", "valve"});
    if (i % 3 == 0) docs.push_back({number + "-B1", "valve"});
  }
  docs.push_back({docs.front().docno, "valve"});  // a docno twice
  std::shuffle(docs.begin(), docs.end(), std::mt19937(20));
  return docs;
}

/// Cites 100 of those patents by kind A1 and three that no document carries.
Watched::Citations citations() {
  Watched::Citations citations = {{"T0", "EP1"}, {"T1", "EP2"}, {"T2", std::string(400, 'x')}};
  for (int i = 0; i < 300; i += 3) {
    citations.emplace_back("T" + std::to_string(i % 10), "EP" + std::to_string(1000 + i) + "A1");
  }
  return citations;
}

struct Place {
  DocnoPolicy policy;
  DocnoIn docnos;
  std::size_t shards;
};

class ResolvingTest : public ::testing::TestWithParam<Place> {};

TEST_P(ResolvingTest, TheTableIsCompleteAfterAddDeleteAndCompact) {
  DatabaseFolder folder(GetParam().shards);
  folder.move_docnos(GetParam().docnos);
  folder.add(publications());
  Watched watched(citations(), {.docno = GetParam().policy});
  ObservedDatabase database = index_of(folder, watched.experiment()).open();
  expect_complete(database, watched.experiment());
  EXPECT_FALSE(database.reopen());

  watched.experiment().rejudge(
      {.judged = {{TopicId("T1"), Docno("EP1001A1")}, {TopicId("T1"), Docno("EP7")}},
       .withdrawn = {{TopicId("T0"), Docno("EP1")}}});
  EXPECT_TRUE(database.reopen());
  expect_complete(database, watched.experiment());

  folder.add({{"EP1", "valve"}, {"EP1003A1", "valve"}});
  EXPECT_TRUE(database.reopen());
  expect_complete(database, watched.experiment());

  for (int i = 0; i < 300; i += 6) folder.remove("EP" + std::to_string(1000 + i) + "A1");
  EXPECT_TRUE(database.reopen());
  expect_complete(database, watched.experiment());

  folder.compact();
  EXPECT_TRUE(database.reopen());
  expect_complete(database, watched.experiment());
}

INSTANTIATE_TEST_SUITE_P(Places, ResolvingTest,
                         testing::Values(Place{DocnoPolicy::kRaw, DocnoIn::kTerm, 1},
                                         Place{DocnoPolicy::kRaw, DocnoIn::kTerm, 2},
                                         Place{DocnoPolicy::kRaw, DocnoIn::kSlot, 1},
                                         Place{DocnoPolicy::kPatent, DocnoIn::kTerm, 1},
                                         Place{DocnoPolicy::kPatent, DocnoIn::kTerm, 3},
                                         Place{DocnoPolicy::kPatent, DocnoIn::kSlot, 1},
                                         Place{DocnoPolicy::kPublication, DocnoIn::kSlot, 2}));

TEST(ObservedIndex, ThreadsInOneStateShareOneTable) {
  DatabaseFolder folder(2);
  folder.add(publications());
  Watched watched(citations());
  const ObservedIndex index = index_of(folder, watched.experiment());
  std::vector<std::shared_ptr<const ResolvedQrels>> tables(8);
  std::vector<std::thread> threads;
  for (auto& table : tables) threads.emplace_back([&] { table = index.open().resolved(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& table : tables) EXPECT_EQ(table, tables.front());
  // Kept also after all users of it are gone, for hosts that open for each request.
  const auto* const before = tables.front().get();
  tables.clear();
  EXPECT_EQ(index.open().resolved().get(), before);

  folder.add({{"EP1", "valve"}});
  EXPECT_NE(index.open().resolved().get(), before);
}

TEST(ObservedIndex, RemoteDatabasesAreResolvedByEachThreadInOneGeneration) {
  DatabaseFolder folder;
  folder.add(publications());
  const DatabaseServer server(folder.shard(0));
  Watched watched(citations(), {.docno = DocnoPolicy::kPatent});
  const ObservedIndex index([&] { return std::vector{server.open()}; }, watched.experiment());
  const ObservedDatabase first = index.open();
  const ObservedDatabase second = index.open();
  EXPECT_NE(first.resolved(), second.resolved());
  EXPECT_EQ(first.resolved()->generation(), second.resolved()->generation());
  expect_complete(first, watched.experiment());
  expect_complete(second, watched.experiment());
}

TEST(ObservedIndex, ReplacedDatabaseBehindAServerIsNoticed) {
  // As ReplacedDatabaseOfTheSameRevisionIsReopened, but here the server is mistaken.
  DatabaseFolder folder;
  folder.add(valves(3));
  const DatabaseServer server(folder.shard(0));
  Watched watched(Watched::Citations{{"T1", "EP3"}});
  const ObservedIndex index([&] { return std::vector{server.open()}; }, watched.experiment());
  ObservedDatabase database = index.open();
  const auto revision = Xapian::Database(folder.shard(0).string()).get_revision();
  folder.remove("EP1");
  folder.compact();
  {
    Xapian::WritableDatabase writer(folder.shard(0).string());
    while (writer.get_revision() < revision) {
      writer.set_metadata("revision", std::to_string(writer.get_revision()));
      writer.commit();
    }
  }
  EXPECT_TRUE(database.reopen());
  EXPECT_EQ(database.database().get_doccount(), 2U);
  expect_complete(database, watched.experiment());
  EXPECT_FALSE(database.reopen());
}

TEST(ObservedIndex, DatabaseWithoutDocnosIsRefusedWithTheSearchedPlaces) {
  DatabaseFolder folder;
  folder.add(valves(2));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const ObservedIndex index([&] { return folder.open(); }, watched.experiment(),
                            {.docno_prefix = "XPN:", .docno_slot = 7});
  expect_error(ErrorCode::kEngine, testing::AllOf(HasSubstr("'XPN:'"), HasSubstr("slot 7")),
               [&] { return index.open(); });
}

TEST(ObservedIndex, EmptyDatabaseResolvesOnceDocumentsAreAdded) {
  DatabaseFolder folder;
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  ObservedDatabase database = index_of(folder, watched.experiment()).open();
  EXPECT_EQ(database.resolved()->missing_keys().size(), 1U);
  folder.add(valves(1));
  EXPECT_TRUE(database.reopen());
  EXPECT_TRUE(database.resolved()->missing_keys().empty());
}

TEST(ObservedIndex, OpenerWithoutDatabasesIsAUsageError) {
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const ObservedIndex index([] { return std::vector<Xapian::Database>(); }, watched.experiment());
  expect_error(ErrorCode::kUsage, "no database", [&] { return index.open(); });
}

TEST(ObservedIndex, ExceptionOfTheOpenerPassesThrough) {
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const ObservedIndex index(
      []() -> std::vector<Xapian::Database> { return {Xapian::Database("/nowhere/at/all")}; },
      watched.experiment());
  EXPECT_THROW(static_cast<void>(index.open()), Xapian::DatabaseNotFoundError);
}

TEST(ObservedIndex, ExceptionWhileReopeningPassesThroughAndKeepsTheState) {
  DatabaseFolder folder;
  folder.add(valves(2));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  ObservedDatabase database = index_of(folder, watched.experiment()).open();
  const auto before = database.resolved();
  Xapian::Database same = database.database();
  same.close();
  EXPECT_THROW(database.reopen(), Xapian::DatabaseClosedError);
  EXPECT_EQ(database.resolved(), before);
}

TEST(ObservedIndex, FailureOfTheOpenerAtAReopeningPassesThrough) {
  DatabaseFolder folder;
  folder.add(valves(5));
  Watched watched(Watched::Citations{{"T1", "EP2"}});
  bool is_away = false;
  const ObservedIndex index(
      [&] {
        if (is_away) throw std::runtime_error("the opener's own");
        return folder.open();
      },
      watched.experiment());
  ObservedDatabase database = index.open();
  const Xapian::Database* const before = &database.database();
  ObservedEnquire old = database.enquire("a");
  old.set_query(Xapian::Query("valve"));
  folder.remove("EP1");
  folder.compact();
  is_away = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(database.reopen(), std::runtime_error);
    EXPECT_EQ(&database.database(), before);
    // Xapian may hold tables of both databases now.
    EXPECT_THROW(old.get_mset(0, 10), Xapian::DatabaseModifiedError);
  }
  EXPECT_EQ(watched.experiment().summary()->health.adapter_failures, 0U);

  is_away = false;
  EXPECT_TRUE(database.reopen());
  expect_complete(database, watched.experiment());
  ObservedEnquire anew = database.enquire("a");
  anew.set_query(Xapian::Query("valve"));
  const QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_EQ(anew.get_mset(0, 10).size(), 4U);
  EXPECT_EQ(watched.only_ranks(), std::vector<Rank>{4});
}

TEST(ObservedIndex, AnEnquireDoesNotWaitForAThreadThatTellsOfItsTable) {
  DatabaseFolder folder;
  folder.add(valves(2));
  std::promise<void> recording, go_on;
  Experiment experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId{"T1"}, Docno{"EP1"}}}),
                        {.arms = {"a"}, .on_observation = [&](const Observation&) {
                           recording.set_value();
                           go_on.get_future().wait();
                         }});
  const ObservedIndex index = index_of(folder, experiment);
  ObservedDatabase database = index.open(), other = index.open();
  ObservedEnquire enquire = database.enquire("a");
  enquire.set_query(Xapian::Query("valve"));
  {
    const QueryScope scope(experiment, TopicId{"T1"});
    static_cast<void>(enquire.get_mset(0, 10));
  }
  recording.get_future().wait();  // from now on the recorder is busy
  folder.add(valves(1));
  const auto reopened = std::async(std::launch::async, [&] { return database.reopen(); });
  const auto searched = std::async(std::launch::async, [&] {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(300);
    while (Clock::now() < end) static_cast<void>(other.enquire("a"));
  });
  EXPECT_EQ(searched.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  go_on.set_value();
}

// The experiment of a forked process records nothing, and its searches go on.
TEST(ObservedIndex, SearchesGoOnInAForkedProcess) {
  DatabaseFolder folder;
  folder.add(valves(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const ObservedIndex index = index_of(folder, watched.experiment());
  const auto exit_code = [&]() noexcept {
    ObservedDatabase database = index.open();
    ObservedEnquire enquire = database.enquire("a");
    enquire.set_query(Xapian::Query("valve"));
    return enquire.get_mset(0, 10).size() == 3 ? 0 : 1;
  };
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(exit_code());
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ObservedIndex, MissingDocumentsAreCountedInTheLatestState) {
  DatabaseFolder folder;
  folder.add(valves(2));
  Watched watched(Watched::Citations{{"T1", "EP1"}, {"T1", "EP3"}});
  ObservedDatabase database = index_of(folder, watched.experiment()).open();
  static_cast<void>(database.enquire("a"));
  EXPECT_EQ(watched.experiment().summary()->arms[0].relevant_missing, 1U);
  EXPECT_FALSE(watched.experiment().summary()->arms[1].relevant_missing.has_value());
  folder.add({{"EP3", "valve"}});
  database.reopen();
  EXPECT_EQ(watched.experiment().summary()->arms[0].relevant_missing, 0U);
}

}  // namespace
}  // namespace prescope::conformance
