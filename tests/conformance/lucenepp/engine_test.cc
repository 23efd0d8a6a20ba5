#include <fstream>

#include "conformance/engine_tests.h"
#include "conformance/lucenepp/lucene_index.h"
#include "lucene_engine.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

Lucene::IndexWriterPtr writer_of(const fs::path& folder, bool is_new) {
  return Lucene::newLucene<Lucene::IndexWriter>(
      Lucene::FSDirectory::open(Lucene::StringUtils::toUnicode(folder.string())),
      Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), is_new,
      Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
}

void write_foreign(const fs::path& folder) {
  const auto writer = writer_of(folder, true);
  const auto document = Lucene::newLucene<Lucene::Document>();
  document->add(Lucene::newLucene<Lucene::Field>(L"body", L"valve", Lucene::Field::STORE_YES,
                                                 Lucene::Field::INDEX_ANALYZED));
  writer->addDocument(document);
  writer->close();
}

fs::path commit_file(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("segments_")) return entry.path();
  }
  return {};
}

std::shared_ptr<void> open_writer(const fs::path& folder) {
  const auto writer = writer_of(folder, false);
  return {nullptr, [writer](void*) { writer->close(); }};
}

std::unique_ptr<Engine> make() { return std::make_unique<lucenepp::LuceneEngine>(); }

// segments.gen still shows that there is an index if nothing is left of the commit's file.
const EngineUnderTest kLucene{.name = "Lucenepp",
                              .make = make,
                              .engine_name = "lucenepp",
                              .version_prefix = "3.",
                              .rankers = {"tfidf", "bm25"},
                              .longest_docno = 16383,
                              .holds_none = "holds no Lucene++ index",
                              .no_docnos = "no indexed field 'docno'",
                              .write_foreign = write_foreign,
                              .commit_file = commit_file,
                              .open_writer = open_writer};
INSTANTIATE_TEST_SUITE_P(Engine, EngineConformance, testing::Values(kLucene), name_of_engine);

class LuceneEngineTest : public EngineTest {
 protected:
  LuceneEngineTest() : EngineTest(make()) {}
};

TEST_F(LuceneEngineTest, QueryOverTheClauseLimitIsAnError) {
  build(valve_patents(2));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  const auto searcher = index->searcher(kArm);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "word" + std::to_string(i) + " ";
  expect_error(ErrorCode::kEngine, "maxClauseCount",
               [&] { return searcher->search({.text = text, .depth = 10}, nullptr); });
}

TEST_F(LuceneEngineTest, ADocumentOfSeveralDocnosHasTheOneThatIsJudgedOrExcluded) {
  using Lucene::Field;
  const auto writer = writer_of(folder(), true);
  for (const auto& docnos : {std::vector{L"EP1", L"EP2"}, std::vector{L"EP1"}}) {
    const auto document = Lucene::newLucene<Lucene::Document>();
    for (const wchar_t* docno : docnos) {
      document->add(Lucene::newLucene<Field>(L"docno", docno, Field::STORE_YES,
                                             Field::INDEX_NOT_ANALYZED_NO_NORMS));
    }
    document->add(
        Lucene::newLucene<Field>(L"abstract", L"valv", Field::STORE_NO, Field::INDEX_ANALYZED));
    writer->addDocument(document);
  }
  writer->close();
  Watched watched(Watched::Citations{{"T1", "EP2"}});
  const auto index = open(watched);
  EXPECT_THAT(search(*index, "valve"), testing::ElementsAre("EP1", "EP1"));
  QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_THAT(search(*index, "valve"), testing::ElementsAre("EP2", "EP1"));
  EXPECT_THAT(search(*index, "valve", std::vector{Docno{"EP2"}}), testing::ElementsAre("EP1"));
}

TEST_F(LuceneEngineTest, SecondBuilderOfAnIndexIsRefused) {
  const auto first = engine_->create(folder());
  first->add(patent("EP1", "valve"));
  expect_error(ErrorCode::kIo, "locked by an index writer",
               [&] { return engine_->create(folder()); });
  EXPECT_EQ(first->finish(), 1U);
}

TEST_F(LuceneEngineTest, AWriterOfAnotherProcessLocksOutABuilderButNoReader) {
  // Lucene++ tells other processes of a writer by this file alone.
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  std::ofstream(folder() / "write.lock");
  expect_error(ErrorCode::kIo, "remove its file write.lock",
               [&] { return engine_->create(folder()); });
  EXPECT_EQ(open(watched)->num_documents(), 3U);
  fs::remove(folder() / "write.lock");
  EXPECT_NO_THROW(static_cast<void>(engine_->create(folder())));
}

}  // namespace
}  // namespace prescope::conformance
