#include "prescope/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "lucene_engine.h"
#include "prescope/error.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    std::string name = (fs::temp_directory_path() / "prescope-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~EngineTest() override { fs::remove_all(root_); }

  void build(const std::vector<PatentDocument>& documents) {
    const auto builder = engine_.create(folder());
    for (const PatentDocument& document : documents) builder->add(document);
    EXPECT_EQ(builder->finish(), documents.size());
  }

  [[nodiscard]] fs::path folder() const { return root_ / "index"; }
  [[nodiscard]] std::vector<std::string> left_in_root() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_))
      names.push_back(entry.path().filename());
    return names;
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

  lucenepp::LuceneEngine engine_;
  fs::path root_;
};

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

TEST_F(EngineTest, NamesItselfItsVersionAndItsSettings) {
  EXPECT_EQ(engine_.name(), "lucenepp");
  EXPECT_TRUE(engine_.version().starts_with("3."));
  EXPECT_FALSE(engine_.arm_settings().empty());
}

TEST_F(EngineTest, StoredFieldsComeBackAsTheyWere) {
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

TEST_F(EngineTest, DocumentPrefersTheEquallySpelledPublication) {
  build({patent("EP0000005A1", "first"), patent("EP5B1", "second")});
  Watched watched(Watched::Citations{{"T1", "EP5"}}, {.docno = DocnoPolicy::kPatent});
  const auto index = engine_.open(folder(), watched.experiment());
  EXPECT_EQ(index->document(Docno{"EP5B1"})->abstract, "second");
  EXPECT_EQ(index->document(Docno{"EP-5-C"})->abstract, "first");
}

TEST_F(EngineTest, SearchesEveryTextFieldAndIsObserved) {
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
  // The warm-up of the arm was not observed.
  EXPECT_EQ(watched.experiment().summary()->health.queries_without_scope, 0U);
}

TEST_F(EngineTest, HitsAreInServedOrderUpToTheDepth) {
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

TEST_F(EngineTest, ExcludedDocumentsAreLeftOutAndNoScoreChanges) {
  build(valve_patents(8));
  Watched watched(Watched::Citations{{"T1", "EP1"}}, {.docno = DocnoPolicy::kPatent});
  const auto index = engine_.open(folder(), watched.experiment());
  for (const char* ranker : {"tfidf", "bm25"}) {
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

TEST_F(EngineTest, ExcludedDocumentsDoNotReduceTheDepth) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  std::vector<Hit> hits;
  const std::vector<Docno> excluded = {Docno{"EP5"}};
  EXPECT_EQ(searcher->search("valve", excluded, 2, &hits), 2U);
  EXPECT_THAT(docnos(hits), ElementsAre("EP4", "EP3"));
}

TEST_F(EngineTest, ExclusionsOfATopicAreNotAUsersFilter) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const std::vector<Docno> excluded = {Docno{"EP5"}};
  {
    const QueryScope scope(watched.experiment(), TopicId{"T1"});
    index->searcher(kArm)->search("valve", excluded, 10, nullptr);
  }
  EXPECT_THAT(watched.only_ranks(), ElementsAre(4));
  EXPECT_EQ(watched.seen()[0].facts.flags, RankingFlags::kNone);
}

TEST_F(EngineTest, QueryOverTheClauseLimitIsAnError) {
  build(valve_patents(2));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "word" + std::to_string(i) + " ";
  expect_error(ErrorCode::kEngine, "maxClauseCount",
               [&] { return searcher->search(text, {}, 10, nullptr); });
}

TEST_F(EngineTest, AnEmptyIndexIsServedAndObserved) {
  build({});
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  const auto searcher = index->searcher(kArm);
  QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_EQ(searcher->search("valve", {}, 10, nullptr), 0U);
  EXPECT_THAT(watched.only_ranks(), IsEmpty());
}

TEST_F(EngineTest, AnUnknownArmAndABadSettingAreUsageErrors) {
  build(valve_patents(1));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = engine_.open(folder(), watched.experiment());
  expect_error(ErrorCode::kUsage, "'c'", [&] { return index->searcher({ArmId{"c"}, {}}); });
  expect_error(ErrorCode::kUsage, "x:1: unknown arm setting 'kk1'; did you mean 'k1'?", [&] {
    index->searcher({ArmId{"a"}, {{"kk1", "1", "x:1"}}});
  });
}

TEST_F(EngineTest, DocnosThatCannotBeTermsAreRefused) {
  const auto builder = engine_.create(folder());
  expect_error(ErrorCode::kBadInput, "without a docno",
               [&] { return builder->add(patent("", "x")); });
  expect_error(ErrorCode::kBadInput, "a docno of 20000 bytes",
               [&] { return builder->add(patent(std::string(20000, 'x'), "x")); });
  expect_error(ErrorCode::kBadInput, "not valid UTF-8",
               [&] { return builder->add(patent("EP1", "\xC3\x28")); });
  builder->add(patent("EP1", "valve"));
  EXPECT_EQ(builder->finish(), 1U);
  expect_error(ErrorCode::kEngine, "already finished",
               [&] { return builder->add(patent("EP2", "x")); });
  expect_error(ErrorCode::kEngine, "already finished", [&] { return builder->finish(); });
}

TEST_F(EngineTest, UnfinishedIndexIsInvisible) {
  {
    const auto builder = engine_.create(folder());
    builder->add(patent("EP1", "valve"));
    EXPECT_FALSE(fs::exists(folder()));
  }
  EXPECT_THAT(left_in_root(), IsEmpty());
}

TEST_F(EngineTest, AnIndexIsReplacedOnlyWhenTheNewOneIsFinished) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  {
    const auto abandoned = engine_.create(folder());
    abandoned->add(patent("EP9", "valve"));
  }
  const auto old_index = engine_.open(folder(), watched.experiment());
  EXPECT_EQ(old_index->num_documents(), 3U);
  const auto builder = engine_.create(folder());
  builder->add(patent("EP9", "valve"));
  EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 3U);
  EXPECT_EQ(builder->finish(), 1U);
  EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 1U);
  EXPECT_THAT(left_in_root(), ElementsAre("index"));
  // A searcher of the old index goes on serving it.
  EXPECT_EQ(old_index->searcher(kArm)->search("valve", {}, 10, nullptr), 3U);
}

TEST_F(EngineTest, FoldersWithOtherFilesAreKept) {
  fs::create_directories(folder());
  EXPECT_NO_THROW(static_cast<void>(engine_.create(folder())));  // empty
  std::ofstream(folder() / "thesis.txt") << "years of work";
  expect_error(ErrorCode::kIo, "holds 'thesis.txt'", [&] { return engine_.create(folder()); });
  expect_error(ErrorCode::kIo, "is a file",
               [&] { return engine_.create(folder() / "thesis.txt"); });
  EXPECT_TRUE(fs::exists(folder() / "thesis.txt"));
}

void write_foreign_index(const fs::path& folder) {
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      Lucene::FSDirectory::open(Lucene::StringUtils::toUnicode(folder.string())),
      Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), true,
      Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  const auto document = Lucene::newLucene<Lucene::Document>();
  document->add(Lucene::newLucene<Lucene::Field>(L"body", L"valve", Lucene::Field::STORE_YES,
                                                 Lucene::Field::INDEX_ANALYZED));
  writer->addDocument(document);
  writer->close();
}

TEST_F(EngineTest, AnotherProgramsIndexIsNeverReplaced) {
  fs::create_directories(folder());
  write_foreign_index(folder());
  expect_error(ErrorCode::kIo, "prescope did not make", [&] { return engine_.create(folder()); });
}

TEST_F(EngineTest, AnIndexWithoutTheDocnoFieldIsRefused) {
  fs::create_directories(folder());
  write_foreign_index(folder());
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  expect_error(ErrorCode::kEngine, "no indexed field 'docno'",
               [&] { return engine_.open(folder(), watched.experiment()); });
}

TEST_F(EngineTest, AMissingIndexIsAnIoError) {
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  expect_error(ErrorCode::kIo, "no such folder",
               [&] { return engine_.open(folder(), watched.experiment()); });
  fs::create_directories(folder());
  expect_error(ErrorCode::kIo, "holds no Lucene++ index",
               [&] { return engine_.open(folder(), watched.experiment()); });
}

TEST_F(EngineTest, ADamagedIndexIsAnEngineErrorAndNotReplaced) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("segments_")) continue;
    // Truncated to every length, down to 0. segments.gen still shows that there is an index.
    for (auto size = fs::file_size(entry.path()); size-- > 0;) {
      fs::resize_file(entry.path(), size);
      SCOPED_TRACE(size);
      expect_error(ErrorCode::kEngine, "damaged",
                   [&] { return engine_.open(folder(), watched.experiment()); });
    }
  }
  expect_error(ErrorCode::kIo, "damaged", [&] { return engine_.create(folder()); });
}

TEST_F(EngineTest, WriterOfThisProcessLocksOutABuilderButNoReader) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      Lucene::FSDirectory::open(Lucene::StringUtils::toUnicode(folder().string())),
      Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), false,
      Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  expect_error(ErrorCode::kIo, "locked by an index writer",
               [&] { return engine_.create(folder()); });
  EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 3U);
  writer->close();
  EXPECT_NO_THROW(static_cast<void>(engine_.create(folder())));
}

TEST_F(EngineTest, SecondBuilderOfAnIndexIsRefused) {
  const auto first = engine_.create(folder());
  first->add(patent("EP1", "valve"));
  expect_error(ErrorCode::kIo, "locked by an index writer",
               [&] { return engine_.create(folder()); });
  EXPECT_EQ(first->finish(), 1U);
}

TEST_F(EngineTest, AWriterOfAnotherProcessLocksOutABuilderButNoReader) {
  // Lucene++ tells other processes of a writer by this file alone.
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  std::ofstream(folder() / "write.lock");
  expect_error(ErrorCode::kIo, "remove its file write.lock",
               [&] { return engine_.create(folder()); });
  EXPECT_EQ(engine_.open(folder(), watched.experiment())->num_documents(), 3U);
  fs::remove(folder() / "write.lock");
  EXPECT_NO_THROW(static_cast<void>(engine_.create(folder())));
}

TEST_F(EngineTest, LeftoversOfAKilledBuilderAreRemoved) {
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
