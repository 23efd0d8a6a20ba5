// What an index cannot honour of an arm is said.
#include "conformance/engine_tests.h"
#include "conformance/lucenepp/lucene_index.h"
#include "conformance/unhonoured_settings.h"
#include "lucene_engine.h"
#include "prescope/lucenepp/patent_analyzer.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using Lucene::Field;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// How another program than prescope writes the field `abstract`.
struct Foreign {
  Field::Index index = Field::INDEX_ANALYZED;
  Field::Store store = Field::STORE_YES;
  bool keeps_frequencies = true;
  Lucene::AnalyzerPtr analyzer = lucenepp::patent_analyzer();
  const wchar_t* field = L"abstract";
};

void write_foreign(const fs::path& folder, const Foreign& how) {
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      Lucene::FSDirectory::open(Lucene::StringUtils::toUnicode(folder.string())), how.analyzer,
      true, Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  for (const wchar_t* docno : {L"EP1", L"EP2"}) {
    const auto document = Lucene::newLucene<Lucene::Document>();
    document->add(Lucene::newLucene<Field>(L"docno", docno, Field::STORE_YES,
                                           Field::INDEX_NOT_ANALYZED_NO_NORMS));
    const auto text = Lucene::newLucene<Field>(
        how.field, L"Heated valves, connecting rotating pumps with sensing blades", how.store,
        how.index);
    text->setOmitTermFreqAndPositions(!how.keeps_frequencies);
    document->add(text);
    writer->addDocument(document);
  }
  writer->close();
}

void write_without_frequencies(const fs::path& folder) {
  write_foreign(folder, {.keeps_frequencies = false});
}
void write_without_lengths(const fs::path& folder) {
  write_foreign(folder, {.index = Field::INDEX_ANALYZED_NO_NORMS});
}

const std::vector<UnhonouredSetting> kRows = {
    {"ranker",
     {"ranker", "bm25", "x.toml:1"},
     write_without_frequencies,
     "does not keep how often a term occurs in a document in abstract; remove the setting"},
    {"k1",
     {"k1", "0.9", "x.toml:2"},
     write_without_frequencies,
     "does not keep how often a term occurs in a document in abstract"},
    {"b",
     {"b", "0.4", "x.toml:3"},
     write_without_lengths,
     "does not keep how long documents are in abstract"},
    {.setting = "coord",
     .says = "how many of the query's terms match is counted while it is searched"},
    {"fields.NAME",
     {"fields.claims", "1", "x.toml:4"},
     [](const fs::path& folder) { write_foreign(folder, {}); },
     "no document of the index has a text in 'claims': it has abstract; remove"}};

class LuceneSettingsTest : public EngineTest {
 protected:
  LuceneSettingsTest() : EngineTest(std::make_unique<lucenepp::LuceneEngine>()) {}

  [[nodiscard]] std::vector<std::string> notes(const std::vector<ArmSetting>& settings = {}) {
    Watched watched(Watched::Citations{{"T1", "EP1"}});
    return open(watched)->searcher({ArmId{"a"}, settings})->notes();
  }
};

PatentDocument whole_patent(const std::string& docno) {
  PatentDocument document = patent(docno, "rotating pumps");
  document.title = "valves";
  document.claims = "a valve";
  document.description = "the valve";
  return document;
}

TEST_F(LuceneSettingsTest, WhatTheIndexCannotHonourIsSaid) {
  build({whole_patent("EP1"), whole_patent("EP2")});
  expect_unhonoured_settings_are_said(*engine_, kRows, folder());
}

TEST_F(LuceneSettingsTest, AFieldOfFewDocumentsIsNoted) {
  std::vector<PatentDocument> documents = valve_patents(10);
  documents.front().claims = "a valve";
  build(documents);
  EXPECT_THAT(notes({{"fields.claims", "1", ""}}),
              ElementsAre(HasSubstr("fields.claims reads a text that 1 of 10 (10.0 %) documents")));
  EXPECT_THAT(notes({{"fields.abstract", "1", ""}}), IsEmpty());
}

TEST_F(LuceneSettingsTest, AnotherAnalyzerIsNoted) {
  write_foreign(folder(), {});  // with ours
  EXPECT_THAT(notes(), IsEmpty());
  write_foreign(folder(), {.analyzer = Lucene::newLucene<Lucene::WhitespaceAnalyzer>()});
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("was made with another analyzer")));
  write_foreign(folder(), {.store = Field::STORE_NO});
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("does not say how its texts were analysed")));
}

TEST_F(LuceneSettingsTest, AnIndexWithoutAnyOfOurFieldsIsRefused) {
  write_foreign(folder(), {.field = L"body"});
  expect_error(ErrorCode::kUsage, "none of the fields that prescope searches",
               [&] { return notes(); });
}

TEST_F(LuceneSettingsTest, ThePassportCountsWhatWasIndexed) {
  std::vector<PatentDocument> documents = valve_patents(3);
  documents.front().title = "a title";
  build(documents);
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  const IndexPassport passport = index->passport();
  EXPECT_THAT(passport.analyzer.value_or(""), HasSubstr("Porter stems"));
  EXPECT_EQ(*passport.fields, (std::vector<IndexPassport::Field>{{"title", 1}, {"abstract", 3}}));
  EXPECT_NE(index->digest(documents[0].docno), index->digest(documents[1].docno));
  EXPECT_EQ(index->digest(documents[1].docno), digest_of(documents[1]));
  EXPECT_EQ(index->digest(Docno{"EP999"}), std::nullopt);

  // In another order it is the same index; with texts moved by one document it is not.
  std::swap(documents[0], documents[2]);
  build(documents);
  EXPECT_EQ(open(watched)->passport().checksum, passport.checksum);
  std::swap(documents[0].abstract, documents[2].abstract);
  build(documents);
  EXPECT_NE(open(watched)->passport().checksum, passport.checksum);
}

}  // namespace
}  // namespace prescope::conformance
