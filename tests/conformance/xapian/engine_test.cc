#include "prescope/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "conformance/watched.h"
#include "conformance/xapian/database_folder.h"
#include "conformance/xapian/database_server.h"
#include "prescope/error.h"
#include "xapian_engine.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PatentDocument patent(const std::string& docno, const std::string& abstract) {
  PatentDocument patent;
  patent.docno = Docno{docno};
  patent.abstract = abstract;
  return patent;
}

/// The same abstract of 8 words, "valve" in the first i of them: served by i descending.
std::vector<PatentDocument> valve_patents(std::uint32_t n) {
  std::vector<PatentDocument> patents;
  for (const Doc& doc : valves(n)) patents.push_back(patent(doc.docno, doc.text));
  return patents;
}

const ArmConfig kArm{ArmId{"a"}, {}};

std::vector<std::string> docnos(const std::vector<Hit>& hits) {
  std::vector<std::string> docnos;
  for (const Hit& hit : hits) docnos.push_back(hit.docno.text());
  return docnos;
}

class XapianEngineTest : public ::testing::Test {
 protected:
  void build(const std::vector<PatentDocument>& documents) { build(documents, folder()); }
  void build(const std::vector<PatentDocument>& documents, const fs::path& into) {
    const auto builder = engine_.create(into);
    for (const PatentDocument& document : documents) builder->add(document);
    EXPECT_EQ(builder->finish(), documents.size());
  }

  [[nodiscard]] fs::path folder() const { return root_.path() / "index"; }
  [[nodiscard]] std::vector<std::string> left_in_root() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  [[nodiscard]] std::vector<std::string> search(SearchIndex& index, const char* text,
                                                std::span<const Docno> excluded = {}) {
    std::vector<Hit> hits;
    index.searcher(kArm)->search(text, excluded, 10, &hits);
    return docnos(hits);
  }

  template <class Action>
  static void expect_error(ErrorCode code, const char* part, Action action) {
    try {
      static_cast<void>(action());
      FAIL() << "expected an error with '" << part << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }

  xapian::XapianEngine engine_;
  ScratchFolder root_;
};

TEST_F(XapianEngineTest, NamesItselfItsVersionAndItsSettings) {
  EXPECT_EQ(engine_.name(), "xapian");
  EXPECT_TRUE(engine_.version().starts_with("1.4."));
  EXPECT_FALSE(engine_.arm_settings().empty());
}

TEST_F(XapianEngineTest, StoredFieldsComeBackAsTheyWere) {
  const PatentDocument written = {.docno = Docno{"ÄP 1-Ω"},
                                  .title = "Ventil für Öl",
                                  .abstract = "特許 valve",
                                  .claims = "1. A valve.",
                                  .description = "It opens.",
                                  .ipc = {"F16K 1/00", "F16K 3/00"},
                                  .family = {Docno{"ÄP 1-Ω"}, Docno{"US1"}}};
  build({written, patent("EP2", "pump")});
  Watched watched(Watched::Citations{{"T1", "EP2"}});
  const auto index = engine_.open(folder(), watched.experiment());
  EXPECT_EQ(index->num_documents(), 2U);
  const auto read = index->document(written.docno);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->docno, written.docno);
  EXPECT_EQ(read->title, written.title);
  EXPECT_EQ(read->abstract, written.abstract);
  EXPECT_EQ(read->ipc, written.ipc);
  EXPECT_EQ(read->family, written.family);
  EXPECT_FALSE(index->document(Docno{"EP3"}).has_value());
}

TEST_F(XapianEngineTest, DocumentPrefersTheEquallySpelledPublication) {
  build({patent("EP0000005A1", "first"), patent("EP5B1", "second")});
  Watched watched(Watched::Citations{{"T1", "EP5"}}, {.docno = DocnoPolicy::kPatent});
  const auto index = engine_.open(folder(), watched.experiment());
  EXPECT_EQ(index->document(Docno{"EP5B1"})->abstract, "second");
  EXPECT_EQ(index->document(Docno{"EP-5-C"})->abstract, "first");
}

TEST_F(XapianEngineTest, SearchesEveryTextFieldAndIsObserved) {
  std::vector<PatentDocument> patents = {patent("EP1", ""), patent("EP2", "a brass valve"),
                                         patent("EP3", ""), patent("EP4", ""),
                                         patent("EP5", "an iron pump")};
  patents[0].title = "brass valves";
  patents[2].claims = "A brass valve.";
  patents[3].description = "The brass valve opens.";
  build(patents);
  Watched watched(Watched::Citations{{"T1", "EP3"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  std::vector<Hit> hits;
  {
    QueryScope scope(watched.experiment(), TopicId{"T1"});
    EXPECT_EQ(searcher->search("Brass VALVES", {}, 10, &hits), 4U);
  }
  EXPECT_THAT(docnos(hits), testing::UnorderedElementsAre("EP1", "EP2", "EP3", "EP4"));
  const std::vector<Rank> ranks = watched.only_ranks();
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(hits[ranks[0] - 1].docno.text(), "EP3");
  EXPECT_EQ(watched.experiment().summary()->health.queries_without_scope, 0U);
}

TEST_F(XapianEngineTest, HitsAreInServedOrderUpToTheDepth) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  std::vector<Hit> hits = {{Docno{"stale"}, 1.0F}};
  EXPECT_EQ(searcher->search("valve", {}, 3, &hits), 3U);
  EXPECT_THAT(docnos(hits), ElementsAre("EP5", "EP4", "EP3"));
  EXPECT_GT(hits[0].score, hits[1].score);
  EXPECT_EQ(searcher->search("valve", {}, UINT32_MAX, nullptr), 5U);
  EXPECT_THROW(searcher->search("valve", {}, 0, nullptr), Error);
}

TEST_F(XapianEngineTest, ExcludedDocumentsAreLeftOutAndNoScoreChanges) {
  build(valve_patents(8));
  Watched watched(Watched::Citations{{"T1", "EP1"}}, {.docno = DocnoPolicy::kPatent});
  const auto index = engine_.open(folder(), watched.experiment());
  for (const char* ranker : {"bm25", "tfidf", "pl2", "coord"}) {
    SCOPED_TRACE(ranker);
    const auto searcher = index->searcher({ArmId{"a"}, {{"ranker", ranker, "here"}}});
    for (const char* text : {"valve", "valve pump", "valve pump pump absent"}) {
      std::vector<Hit> all;
      std::vector<Hit> rest;
      searcher->search(text, {}, 10, &all);
      // Excluded by their keys: EP-8-A1 is EP8. EP77 does not exist.
      const std::vector<Docno> excluded = {Docno{"EP-8-A1"}, Docno{"EP2"}, Docno{"EP77"}};
      searcher->search(text, excluded, 10, &rest);
      std::erase_if(all, [](const Hit& hit) {
        return hit.docno.text() == "EP8" || hit.docno.text() == "EP2";
      });
      ASSERT_EQ(all.size(), 6U);
      ASSERT_EQ(docnos(rest), docnos(all));
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(rest[i].score, all[i].score);
    }
  }
}

TEST_F(XapianEngineTest, ExcludedDocumentsDoNotReduceTheDepth) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  std::vector<Hit> hits;
  const std::vector<Docno> excluded = {Docno{"EP5"}};
  EXPECT_EQ(index->searcher(kArm)->search("valve", excluded, 2, &hits), 2U);
  EXPECT_THAT(docnos(hits), ElementsAre("EP4", "EP3"));
}

TEST_F(XapianEngineTest, ThreadsSearchLikeOne) {
  build(valve_patents(8));
  Watched watched(Watched::Citations{{"T1", "EP6"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int query = 0; query < 20; ++query) {
        std::vector<Hit> hits;
        QueryScope scope(watched.experiment(), TopicId{"T1"});
        searcher->search("valve", {}, 4, &hits);
        EXPECT_THAT(docnos(hits), ElementsAre("EP8", "EP7", "EP6", "EP5"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<Seen> seen = watched.seen();
  EXPECT_EQ(seen.size(), 160U);
  for (const Seen& one : seen) EXPECT_EQ(one.hits, (std::vector<JudgedHit>{{3, {}}}));
}

TEST_F(XapianEngineTest, DocnosMayBeInAValueSlotOnly) {
  DatabaseFolder slots;
  slots.move_docnos(DocnoIn::kSlot);
  slots.add({{"EP1", "XAvalv XAvalv XApump"}, {"EP2", "XAvalv XApump XApump"}, {"EP3", "XApump"}});
  for (const DocnoPolicy policy : {DocnoPolicy::kRaw, DocnoPolicy::kPatent}) {
    Watched watched(Watched::Citations{{"T1", "EP2"}}, {.docno = policy});
    const auto index = engine_.open(slots.shard(0), watched.experiment());
    QueryScope scope(watched.experiment(), TopicId{"T1"});
    EXPECT_THAT(search(*index, "valve"), ElementsAre("EP1", "EP2"));
    EXPECT_THAT(search(*index, "valve", std::vector{Docno{"EP1"}}), ElementsAre("EP2"));
    EXPECT_EQ(index->document(Docno{"EP3"})->docno.text(), "EP3");
    const std::vector<Seen> seen = watched.seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].hits, (std::vector<JudgedHit>{{2, {}}}));
    EXPECT_EQ(seen[1].hits, (std::vector<JudgedHit>{{1, {}}}));
  }
}

/// EP1, EP3 in one database, EP2, EP4 in another, and a stub file that names both.
class StubTest : public XapianEngineTest {
 protected:
  void expect_whole_index(const std::string& stub) {
    const fs::path file = root_.path() / "stub";
    std::ofstream(file) << stub;
    Watched watched(Watched::Citations{{"T1", "EP3"}, {"T1", "EP2"}});
    const auto index = engine_.open(file, watched.experiment());
    EXPECT_EQ(index->num_documents(), 4U);
    {
      QueryScope scope(watched.experiment(), TopicId{"T1"});
      EXPECT_THAT(search(*index, "valve", std::vector{Docno{"EP4"}}),
                  ElementsAre("EP3", "EP2", "EP1"));
    }
    EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 2));
    EXPECT_EQ(index->document(Docno{"EP2"})->docno.text(), "EP2");
  }

  void build_shards() {
    const auto patents = valve_patents(4);
    build({patents[0], patents[2]}, root_.path() / "one");
    build({patents[1], patents[3]}, root_.path() / "two");
  }
};

TEST_F(StubTest, OfTwoLocalDatabases) {
  build_shards();
  expect_whole_index("auto one\nauto two\n");
}

TEST_F(StubTest, OfTwoServers) {
  build_shards();
  DatabaseServer one(root_.path() / "one");
  DatabaseServer two(root_.path() / "two");
  const auto line = [](const DatabaseServer& server) {
    return "remote 127.0.0.1:" + std::to_string(server.port()) + "\n";
  };
  expect_whole_index(line(one) + line(two));
  one.stop();
  Watched watched(Watched::Citations{{"T1", "EP3"}});
  expect_error(ErrorCode::kIo, "a server does not answer",
               [&] { return engine_.open(root_.path() / "stub", watched.experiment()); });
}

TEST_F(XapianEngineTest, AnEmptyIndexIsServedAndObserved) {
  build({});
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_EQ(searcher->search("valve", std::vector{Docno{"EP1"}}, 10, nullptr), 0U);
  EXPECT_THAT(watched.only_ranks(), IsEmpty());
}

TEST_F(XapianEngineTest, AnUnknownArmAndABadSettingAreUsageErrors) {
  build(valve_patents(1));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  expect_error(ErrorCode::kUsage, "'c'", [&] { return index->searcher({ArmId{"c"}, {}}); });
  expect_error(ErrorCode::kUsage, "x:1: unknown arm setting 'kk1'; did you mean 'k1'?", [&] {
    return index->searcher({ArmId{"a"}, {{"kk1", "1", "x:1"}}});
  });
}

TEST_F(XapianEngineTest, DocnosThatCannotBeTermsAreRefused) {
  const auto builder = engine_.create(folder());
  const auto add = [&](const std::string& docno, const std::string& abstract) {
    builder->add(patent(docno, abstract));
    return 0;
  };
  expect_error(ErrorCode::kBadInput, "without a docno", [&] { return add("", "x"); });
  expect_error(ErrorCode::kBadInput, "a docno of 245 bytes; expected at most 244",
               [&] { return add(std::string(245, 'x'), "x"); });
  expect_error(ErrorCode::kBadInput, "not valid UTF-8", [&] { return add("EP1", "\xC3\x28"); });
  PatentDocument claims = patent("EP1", "");
  claims.claims = "\xFF";
  expect_error(ErrorCode::kBadInput, "not valid UTF-8", [&] {
    builder->add(claims);
    return 0;
  });
  add(std::string(244, 'x'), "valve");
  EXPECT_EQ(builder->finish(), 1U);
  expect_error(ErrorCode::kEngine, "already finished", [&] { return add("EP1", "x"); });
}

TEST_F(XapianEngineTest, UnfinishedIndexIsInvisible) {
  {
    const auto builder = engine_.create(folder());
    builder->add(patent("EP1", "valve"));
    EXPECT_FALSE(fs::exists(folder()));
  }
  EXPECT_THAT(left_in_root(), IsEmpty());
}

TEST_F(XapianEngineTest, AnIndexIsReplacedOnlyWhenTheNewOneIsFinished) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  {
    const auto abandoned = engine_.create(folder());
    abandoned->add(patent("EP9", "valve"));
  }
  const auto builder = engine_.create(folder());
  builder->add(patent("EP9", "valve"));
  EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 3U);
  EXPECT_EQ(builder->finish(), 1U);
  EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 1U);
  EXPECT_THAT(left_in_root(), ElementsAre("index"));
}

TEST_F(XapianEngineTest, FoldersWithOtherFilesAreKept) {
  fs::create_directories(folder());
  EXPECT_NO_THROW(static_cast<void>(engine_.create(folder())));  // empty
  std::ofstream(folder() / "thesis.txt") << "years of work";
  expect_error(ErrorCode::kIo, "holds 'thesis.txt'", [&] { return engine_.create(folder()); });
  expect_error(ErrorCode::kIo, "is a file",
               [&] { return engine_.create(folder() / "thesis.txt"); });
  EXPECT_TRUE(fs::exists(folder() / "thesis.txt"));
}

TEST_F(XapianEngineTest, AnotherProgramsDatabaseIsNeverReplaced) {
  DatabaseFolder foreign;
  foreign.add(valves(1));
  expect_error(ErrorCode::kIo, "prescope did not make",
               [&] { return engine_.create(foreign.shard(0)); });
}

TEST_F(XapianEngineTest, ADatabaseWithoutDocnosIsRefused) {
  DatabaseFolder nameless;
  nameless.add(valves(1));
  nameless.move_docnos(DocnoIn::kNowhere);
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  expect_error(ErrorCode::kEngine, "no term with the prefix 'Q' and no value in slot 0",
               [&] { return engine_.open(nameless.shard(0), watched.experiment()); });
}

TEST_F(XapianEngineTest, AMissingDatabaseIsAnIoError) {
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  expect_error(ErrorCode::kIo, "no such folder",
               [&] { return engine_.open(folder(), watched.experiment()); });
  fs::create_directories(folder());
  expect_error(ErrorCode::kIo, "holds no Xapian database",
               [&] { return engine_.open(folder(), watched.experiment()); });
}

TEST_F(XapianEngineTest, ADamagedDatabaseIsAnEngineErrorAndNotReplaced) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const fs::path version = folder() / "iamglass";
  // Truncated to every length from half of it down to 0.
  for (auto size = fs::file_size(version) / 2; size-- > 0;) {
    fs::resize_file(version, size);
    SCOPED_TRACE(size);
    expect_error(ErrorCode::kEngine, "damaged",
                 [&] { return engine_.open(folder(), watched.experiment()); });
  }
  expect_error(ErrorCode::kIo, "damaged", [&] { return engine_.create(folder()); });
}

TEST_F(XapianEngineTest, AWriterLocksOutABuilderButNoReader) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  {
    Xapian::WritableDatabase writer(folder().string(), Xapian::DB_OPEN);
    expect_error(ErrorCode::kIo, "locked by an index writer",
                 [&] { return engine_.create(folder()); });
    EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 3U);
  }
  EXPECT_NO_THROW(static_cast<void>(engine_.create(folder())));
}

TEST_F(XapianEngineTest, LeftoversOfAKilledBuilderAreRemoved) {
  if (const pid_t child = ::fork(); child == 0) {
    const auto builder = engine_.create(folder());
    builder->add(patent("EP1", "valve"));
    ::_exit(0);  // without unwinding
  } else {
    ::waitpid(child, nullptr, 0);
  }
  ASSERT_THAT(left_in_root(), ElementsAre(".index.prescope-partial"));
  build(valve_patents(2));
  EXPECT_THAT(left_in_root(), ElementsAre("index"));
}

}  // namespace
}  // namespace prescope::conformance
