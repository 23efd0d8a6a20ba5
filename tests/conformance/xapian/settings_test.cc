// What a database cannot honour of an arm is said.
#include "conformance/engine_tests.h"
#include "conformance/unhonoured_settings.h"
#include "conformance/xapian/database_folder.h"
#include "xapian_engine.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Writes a database as another program than prescope does: abstracts under XA.
template <class AddTerms>
void write_foreign(const fs::path& folder, AddTerms add_terms) {
  Xapian::WritableDatabase writer(folder.string(), Xapian::DB_CREATE_OR_OVERWRITE);
  for (const char* docno : {"EP1", "EP2"}) {
    Xapian::Document document;
    document.add_boolean_term(std::string("Q") + docno);
    add_terms(document);
    writer.add_document(document);
  }
  writer.commit();
}

void write_boolean(const fs::path& folder) {
  write_foreign(folder, [](Xapian::Document& document) { document.add_boolean_term("XAvalv"); });
}

// 30 words that an English stemmer changes; 21 of the stems have 5 letters or more.
constexpr const char* kText =
    "connecting rotating pumps sensing blades heated surfaces measuring signals controlled valves "
    "coating heaters cooling engines filtering liquids pressing plates moving wheels driving belts "
    "bearings housings circuits detecting magnets spraying reactors separating";

void write_text(const fs::path& folder, const char* stemmer) {
  Xapian::TermGenerator generator;
  generator.set_stemmer(Xapian::Stem(stemmer));
  generator.set_stemming_strategy(stemmer == std::string_view("none")
                                      ? Xapian::TermGenerator::STEM_NONE
                                      : Xapian::TermGenerator::STEM_ALL);
  write_foreign(folder, [&](Xapian::Document& document) {
    generator.set_document(document);
    generator.index_text_without_positions(kText, 1, "XA");
    document = generator.get_document();
  });
}

PatentDocument whole_patent(const std::string& docno) {
  PatentDocument document = patent(docno, "rotating pumps");
  document.title = "valves";
  document.claims = "a valve";
  document.description = "the valve";
  return document;
}

void write_with_prescope(const fs::path& folder) {
  xapian::XapianEngine engine;
  const auto builder = engine.create(folder);
  builder->add(patent("EP1", "valves"));
  builder->finish();
}

class XapianSettingsTest : public EngineTest {
 protected:
  XapianSettingsTest() : EngineTest(std::make_unique<xapian::XapianEngine>()) {}

  [[nodiscard]] std::vector<std::string> notes(const std::vector<ArmSetting>& settings = {}) {
    Watched watched(Watched::Citations{{"T1", "EP1"}});
    return open(watched)->searcher({ArmId{"a"}, settings})->notes();
  }
};

TEST_F(XapianSettingsTest, WhatTheDatabaseCannotHonourIsSaid) {
  build({whole_patent("EP1"), whole_patent("EP2")});
  const auto row = [](const std::string& key, const std::string& value, const char* ranker) {
    return UnhonouredSetting{.setting = key,
                             .written = {key, value, "x.toml:1"},
                             .write = write_boolean,
                             .says = "its terms are boolean; remove the setting",
                             .beside = {{"ranker", ranker, "x.toml:2"}}};
  };
  const UnhonouredSetting rows[] = {
      {"ranker", {"ranker", "pl2", "x.toml:1"}, write_boolean, "its terms are boolean"},
      row("k1", "2", "bm25"),
      row("k2", "1", "bm25"),
      row("k3", "2", "bm25"),
      row("b", "0.4", "bm25"),
      row("min_normlen", "0.2", "bm25"),
      row("delta", "1", "bm25plus"),
      row("c", "2", "pl2"),
      row("normalizations", "ntn", "tfidf"),
      row("smoothing", "dirichlet", "lm"),
      row("smoothing1", "1", "lm"),
      row("smoothing2", "1", "lm"),
      row("log", "2", "lm"),
      {.setting = "stemmer",
       .written = {"stemmer", "none", "x.toml:3"},
       .write = write_with_prescope,
       .says = "stemmer = 'none': the database holds terms made as words in lower case without "
               "English stop words, stemmer english",
       .good = "english"},
      {"fields.NAME",
       {"fields.claims", "1", "x.toml:4"},
       write_with_prescope,
       "no document of the database has a text in 'claims' (no term begins with XC): it has "
       "abstract; remove the setting"},
      {.setting = "prefixes.NAME",
       .written = {"prefixes.title", "XB", "x.toml:5"},
       .write = write_with_prescope,
       .says = "prefixes.title = 'XB', but no term of the database begins so",
       .good = "S"}};
  expect_unhonoured_settings_are_said(*engine_, rows, folder());
}

TEST_F(XapianSettingsTest, EveryOtherStemmerIsRefused) {
  build({whole_patent("EP1")});
  for (const char* stemmer : {"german", "porter"}) {
    expect_error(ErrorCode::kUsage, std::string("stemmer = '") + stemmer + "'", [&] {
      return notes({{"stemmer", stemmer, ""}});
    });
  }
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(XapianSettingsTest, AnArmThatNamesNoSchemeIsNoted) {
  write_boolean(folder());
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("terms are boolean"), HasSubstr("too few words")));
}

TEST_F(XapianSettingsTest, TheStemsOfAnotherProgramAreTried) {
  write_text(folder(), "english");
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_THAT(notes({{"stemmer", "none", ""}}), ElementsAre(HasSubstr("seems to hold stems")));
  write_text(folder(), "none");
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("does not hold stems of english")));
  EXPECT_THAT(notes({{"stemmer", "none", ""}}), IsEmpty());
}

TEST_F(XapianSettingsTest, ADatabaseWithoutAnyOfOurFieldsIsRefused) {
  write_foreign(folder(), [](Xapian::Document& document) { document.add_term("Kvalve"); });
  expect_error(ErrorCode::kUsage, "name the prefixes of its own fields", [&] { return notes(); });
}

TEST_F(XapianSettingsTest, AFieldOfFewDocumentsIsNoted) {
  std::vector<PatentDocument> documents = valve_patents(10);
  documents.front().claims = "a valve";
  build(documents);
  EXPECT_THAT(notes({{"fields.claims", "1", ""}}),
              ElementsAre(HasSubstr("fields.claims reads a text that 1 of 10 (10.0 %) documents")));
}

TEST_F(XapianSettingsTest, ThePassportCountsWhatWasIndexed) {
  std::vector<PatentDocument> documents = valve_patents(3);
  documents.front().title = "a title";
  build(documents);
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const IndexPassport passport = open(watched)->passport();
  EXPECT_THAT(passport.analyzer.value_or(""), HasSubstr("stemmer english"));
  EXPECT_EQ(*passport.fields, (std::vector<IndexPassport::Field>{{"title", 1}, {"abstract", 3}}));
  const auto digest = open(watched)->digest(documents[1].docno);
  EXPECT_TRUE(digest.has_value());
  EXPECT_EQ(open(watched)->digest(Docno{"EP999"}), std::nullopt);

  // Others have written to it: counts and checksum are no longer known.
  Xapian::WritableDatabase writer(folder().string(), Xapian::DB_OPEN);
  Xapian::Document added;
  added.add_boolean_term("QEP999");
  writer.add_document(added);
  writer.commit();
  const IndexPassport changed = open(watched)->passport();
  EXPECT_EQ(changed.analyzer, passport.analyzer);
  EXPECT_EQ(changed.checksum, std::nullopt);
  EXPECT_EQ(*changed.fields, (std::vector<IndexPassport::Field>{{"title", {}}, {"abstract", {}}}));
}

}  // namespace
}  // namespace prescope::conformance
