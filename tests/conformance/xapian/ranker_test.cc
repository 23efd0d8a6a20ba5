#include "prescope/xapian/ranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "patent_terms.h"
#include "prescope/error.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using xapian::parse_ranker;
using xapian::Ranker;

ArmConfig arm(const std::vector<std::pair<std::string, std::string>>& settings) {
  ArmConfig config{ArmId{"a"}, {}};
  for (const auto& [key, value] : settings) config.settings.push_back({key, value, "x:1"});
  return config;
}

void expect_refused(const std::vector<std::pair<std::string, std::string>>& settings,
                    const char* part) {
  try {
    static_cast<void>(parse_ranker(arm(settings)));
    ADD_FAILURE() << "expected an error with '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

/// Abstracts of 500 words; the first ten have "valve", document d d times.
Xapian::Database valves_database(int documents = 1000) {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  for (int number = 1; number <= documents; ++number) {
    const auto count = static_cast<Xapian::termcount>(number <= 10 ? number : 0);
    Xapian::Document document;
    if (count > 0) {
      document.add_term("XAvalv", count);
      document.add_term("Svalv", 11 - count);
    }
    document.add_term("XApump", 500 - count);
    database.add_document(document);
  }
  return database;
}

using Ranking = std::vector<std::pair<Xapian::docid, double>>;

Ranking rank(const Xapian::Database& database, const ArmConfig& config) {
  const Ranker ranker(parse_ranker(config));
  Xapian::Enquire enquire(database);
  enquire.set_query(ranker.query("the Valves", database));
  enquire.set_weighting_scheme(*ranker.weight());
  const Xapian::MSet served = enquire.get_mset(0, 100);
  Ranking ranking;
  for (auto hit = served.begin(); hit != served.end(); ++hit) {
    ranking.emplace_back(*hit, hit.get_weight());
  }
  return ranking;
}

std::vector<Xapian::docid> docids(const Ranking& ranking) {
  std::vector<Xapian::docid> ids;
  for (const auto& hit : ranking) ids.push_back(hit.first);
  return ids;
}

class SchemeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SchemeTest, DocumentsWithMoreOfAWordComeFirst) {
  const Ranking ranking =
      rank(valves_database(), arm({{"ranker", GetParam()}, {"fields.abstract", "1"}}));
  EXPECT_THAT(docids(ranking), ElementsAre(10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_GT(ranking.front().second, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Counting, SchemeTest,
                         testing::Values("bm25", "bm25plus", "pl2", "lm", "tfidf", "dph", "dlh",
                                         "bb2", "inl2", "ifb2", "ineb2"),
                         [](const auto& scheme) { return std::string(scheme.param); });

TEST(XapianRanker, Pl2PlusCountsTermsThatAreMoreFrequentThanDocuments) {
  // 55 valves, in 1000 documents and in 30.
  const ArmConfig pl2plus = arm({{"ranker", "pl2plus"}, {"fields.abstract", "1"}});
  EXPECT_EQ(rank(valves_database(), pl2plus).front().second, 0.0);
  EXPECT_GT(rank(valves_database(30), pl2plus).front().second, 0.0);
}

TEST(XapianRanker, BooleanSchemesRankByDocid) {
  for (const char* scheme : {"coord", "bool"}) {
    const Ranking ranking = rank(valves_database(), arm({{"ranker", scheme}}));
    EXPECT_THAT(docids(ranking), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)) << scheme;
  }
}

TEST(XapianRanker, TfIdfEqualsTheTextbook) {
  // ntn: wdf ln(N / df), here 10 ln(1000 / 10).
  const Ranking ranking =
      rank(valves_database(), arm({{"ranker", "tfidf"}, {"fields.abstract", "1"}}));
  EXPECT_NEAR(ranking.front().second, 10.0 * std::log(100.0), 1e-9);
}

TEST(XapianRanker, EachParameterChangesTheScores) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> pairs = {
      {{"ranker", "bm25"}, {"k1", "2"}},
      {{"ranker", "bm25"}, {"k2", "1"}},
      {{"ranker", "bm25"}, {"min_normlen", "3"}},
      {{"ranker", "bm25plus"}, {"delta", "2"}},
      {{"ranker", "pl2"}, {"c", "7"}},
      {{"ranker", "pl2plus"}, {"delta", "0.1"}},
      {{"ranker", "pl2plus"}, {"c", "7"}},
      {{"ranker", "bb2"}, {"c", "7"}},
      {{"ranker", "inl2"}, {"c", "7"}},
      {{"ranker", "ifb2"}, {"c", "7"}},
      {{"ranker", "ineb2"}, {"c", "7"}},
      {{"ranker", "lm"}, {"smoothing", "jelinek_mercer"}},
      {{"ranker", "lm"}, {"smoothing1", "0.1"}},
      {{"ranker", "lm"}, {"smoothing2", "100"}},
      {{"ranker", "lm"}, {"log", "1000"}},
      {{"ranker", "tfidf"}, {"normalizations", "lsn"}},
      {{"ranker", "bm25"}, {"fields.abstract", "3"}}};
  for (const auto& settings : pairs) {
    const Xapian::Database database =
        valves_database(settings.front().second == "pl2plus" ? 30 : 1000);
    const Ranking with = rank(database, arm(settings));
    const Ranking without = rank(database, arm({settings.front()}));
    EXPECT_NE(with, without) << settings.back().first;
  }
}

TEST(XapianRanker, RepeatedQueryTermsAreCounted) {
  const auto query_of = [](const char* text) {
    return Ranker(parse_ranker(arm({{"fields.abstract", "1"}}))).query(text, Xapian::Database());
  };
  EXPECT_EQ(query_of("valve pump Valves").get_description(), "Query((XApump OR XAvalv#2))");
}

TEST(XapianRanker, FieldsAreSearchedTogetherWithTheirWeights) {
  const xapian::RankerOptions options = parse_ranker(arm({}));
  const Ranker ranker(options);
  EXPECT_EQ(options.fields.size(), 4U);
  EXPECT_EQ(ranker.query("valve", Xapian::Database()).get_description(),
            "Query((0.5 * Svalv OR XAvalv OR XCvalv OR XDvalv))");
}

TEST(XapianRanker, ForeignDatabasesMayHaveOtherPrefixesAndStemmers) {
  const auto description = [](const std::vector<std::pair<std::string, std::string>>& settings) {
    return Ranker(parse_ranker(arm(settings)))
        .query("die Ventile", Xapian::Database())
        .get_description();
  };
  EXPECT_EQ(description({{"fields.claims", "1"}, {"prefixes.claims", ""}, {"stemmer", "german"}}),
            "Query((die OR ventil))");
  EXPECT_EQ(description({{"fields.claims", "2"}, {"prefixes.claims", "XY"}, {"stemmer", "none"}}),
            "Query(2 * (XYdie OR XYventile))");
}

TEST(XapianRanker, WordsAreStemmedWithoutStopWordsInAnyScript) {
  std::vector<std::pair<std::string, std::uint32_t>> terms;
  for (const auto& term : xapian::terms_of("The Valves, the valve; Öl 特許 W2O", "english")) {
    terms.emplace_back(term.term, term.count);
  }
  EXPECT_THAT(
      terms, UnorderedElementsAre(Pair("valv", 2), Pair("öl", 1), Pair("特許", 1), Pair("w2o", 1)));
}

TEST(XapianRanker, AQueryOfThousandsOfTermsWorks) {
  std::string text = "valve";
  for (int i = 0; i < 5000; ++i) text += " word" + std::to_string(i);
  const Ranker ranker(parse_ranker(arm({})));
  const Xapian::Database database = valves_database();
  const Xapian::Query query = ranker.query(text, database);
  EXPECT_EQ(query.get_description(), "Query((0.5 * Svalv OR XAvalv))");
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  EXPECT_EQ(enquire.get_mset(0, 100).size(), 10U);
}

TEST(XapianRanker, InvalidUtf8IsRefused) {
  const Ranker ranker(parse_ranker(arm({})));
  EXPECT_THROW(static_cast<void>(ranker.query("\xC3\x28", Xapian::Database())), Error);
}

TEST(XapianRanker, WrongSettingsAreRefusedWithTheValidOnes) {
  expect_refused({{"rank", "bm25"}}, "x:1: unknown arm setting 'rank'; did you mean 'ranker'?");
  expect_refused({{"ranker", "bm26"}}, "did you mean 'bm25'?");
  expect_refused({{"k1", "-1"}}, "k1 = '-1'; expected a number >= 0");
  expect_refused({{"b", "1.5"}}, "b = '1.5'; expected a number in [0, 1]");
  expect_refused({{"ranker", "pl2"}, {"c", "0"}}, "c = '0'; expected a number > 0");
  expect_refused({{"ranker", "tfidf"}, {"normalizations", "nxn"}}, "one letter each of nbslL");
  expect_refused({{"ranker", "lm"}, {"smoothing", "dirichlett"}}, "did you mean 'dirichlet'?");
  expect_refused({{"stemmer", "englisch"}}, "did you mean 'english'?");
  expect_refused({{"fields.title", "0"}}, "fields.title = '0'; expected a number > 0");
  expect_refused({{"fields.abstract", "1"}, {"prefixes.title", "T"}},
                 "'prefixes.title' has no meaning");
}

TEST(XapianRanker, ParameterOfAnotherSchemeIsRefusedNamingThatScheme) {
  expect_refused(
      {{"ranker", "pl2"}, {"k1", "1"}},
      "'k1' has no meaning for ranker = pl2; remove it, or set ranker = bm25 or bm25plus");
  expect_refused({{"c", "1"}},
                 "'c' has no meaning for ranker = bm25; remove it, or set ranker = "
                 "pl2 or pl2plus or bb2 or inl2 or ifb2 or ineb2");
  expect_refused({{"ranker", "dph"}, {"smoothing", "dirichlet"}}, "set ranker = lm");
}

TEST(XapianRanker, OptionsOutOfRangeAreRefused) {
  const auto with = [](auto change) {
    xapian::RankerOptions options = parse_ranker(arm({}));
    change(options);
    return options;
  };
  EXPECT_THROW(Ranker(with([](auto& o) { o.fields.clear(); })), Error);
  EXPECT_THROW(Ranker(with([](auto& o) { o.fields[0].weight = 0.0; })), Error);
  EXPECT_THROW(Ranker(with([](auto& o) { o.weight.b = 2.0; })), Error);
  EXPECT_THROW(Ranker(with([](auto& o) { o.weight.delta = 0.0; })), Error);
  EXPECT_THROW(Ranker(with([](auto& o) { o.weight.normalizations = "n"; })), Error);
  EXPECT_THROW(Ranker(with([](auto& o) { o.stemmer = "klingon"; })), Error);
}

}  // namespace
}  // namespace prescope::conformance
