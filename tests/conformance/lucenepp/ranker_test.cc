#include "prescope/lucenepp/ranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "conformance/lucenepp/lucene_index.h"
#include "prescope/error.h"

#include <lucene++/Similarity.h>

namespace prescope::conformance {
namespace {

using lucenepp::parse_ranker;
using lucenepp::Ranker;
using lucenepp::RankerOptions;
using testing::HasSubstr;

RankerOptions options(RankerOptions::Model model) {
  RankerOptions options;
  options.model = model;
  options.fields = {{L"text", 1.0}};
  options.analyzer = Lucene::newLucene<Lucene::WhitespaceAnalyzer>();
  return options;
}

/// 200 documents in 4 segments; word wK has a probability that falls with K; 2 to 60 words each.
class RankerTest : public ::testing::Test {
 protected:
  RankerTest() {
    std::mt19937 random(7);
    std::geometric_distribution<int> word(0.12);
    std::uniform_int_distribution<int> length(2, 60);
    for (int segment = 0; segment < 4; ++segment) {
      std::vector<Doc> docs;
      for (int i = 0; i < 50; ++i) {
        Doc doc{"D" + std::to_string(texts_.size()), ""};
        texts_.emplace_back();
        for (int left = length(random); left > 0; --left) {
          const std::string text = "w" + std::to_string(word(random));
          doc.text += text + " ";
          ++texts_.back()[text];
        }
        docs.push_back(doc);
      }
      index_.add(docs);
    }
    reader_ = index_.open();
    searcher_ = Lucene::newLucene<Lucene::IndexSearcher>(reader_);
  }

  [[nodiscard]] double length(std::size_t document) const {
    const std::uint8_t norm = reader_->norms(L"text")[static_cast<int32_t>(document)];
    return std::pow(Lucene::Similarity::decodeNorm(norm), -2.0);
  }

  /// The textbook formula over all documents, by score descending, then document.
  [[nodiscard]] std::vector<ScoredDocid> bm25(const std::map<std::string, int>& query, double k1,
                                              double b) const {
    const auto documents = static_cast<double>(texts_.size());
    double average = 0.0;  // every document has more than one word
    for (std::size_t i = 0; i < texts_.size(); ++i) average += length(i) / documents;
    std::vector<ScoredDocid> hits;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      double score = 0.0;
      bool matches = false;
      for (const auto& [word, qtf] : query) {
        const auto found = texts_[i].find(word);
        if (found == texts_[i].end()) continue;
        matches = true;
        double carrying = 0.0;
        for (const auto& text : texts_) carrying += static_cast<double>(text.count(word));
        const double idf = std::log(1.0 + (documents - carrying + 0.5) / (carrying + 0.5));
        const double tf = found->second;
        const double norm = k1 * (1.0 - b + b * length(i) / average);
        score += qtf * idf * tf * (k1 + 1.0) / (tf + norm);
      }
      if (matches) hits.push_back({static_cast<int32_t>(i), score});
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const ScoredDocid& x, const ScoredDocid& y) { return x.score > y.score; });
    return hits;
  }

  LuceneIndex index_;
  std::vector<std::map<std::string, int>> texts_;
  Lucene::IndexReaderPtr reader_;
  Lucene::IndexSearcherPtr searcher_;
};

TEST_F(RankerTest, Bm25IsTheTextbookFormula) {
  const std::map<std::string, int> query = {{"w0", 1}, {"w3", 2}, {"w11", 1}, {"w25", 3}};
  for (const auto& [k1, b] : {std::pair{1.2, 0.75}, {2.0, 0.0}, {0.0, 0.5}, {0.5, 1.0}}) {
    SCOPED_TRACE(testing::Message() << "k1 " << k1 << " b " << b);
    RankerOptions wanted = options(RankerOptions::Model::kBm25);
    wanted.k1 = k1;
    wanted.b = b;
    const Ranker ranker(reader_, wanted);
    const auto served = searcher_->search(ranker.query("w25 w3 w0 w25 w11 w3 w25"), 200);
    const std::vector<ScoredDocid> expected = bm25(query, k1, b);
    ASSERT_EQ(std::size_t(served->scoreDocs.size()), expected.size());
    std::map<int32_t, double> score_of;
    for (const ScoredDocid& hit : expected) score_of[hit.docid] = hit.score;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Lucene::ScoreDocPtr& hit = served->scoreDocs[static_cast<int32_t>(i)];
      // Equal scores may differ in the last bits, and so in their order.
      EXPECT_NEAR(hit->score, expected[i].score, 1e-12);
      EXPECT_NEAR(hit->score, score_of.at(hit->doc), 1e-12);
    }
  }
}

TEST_F(RankerTest, Bm25ExplainsTheScoreItServes) {
  const Ranker ranker(reader_, options(RankerOptions::Model::kBm25));
  const auto query = ranker.query("w3 w11");
  for (const ScoredDocid& hit : hits_of(*searcher_->search(query, 5))) {
    EXPECT_DOUBLE_EQ(searcher_->explain(query, hit.docid)->getValue(), hit.score);
  }
}

TEST_F(RankerTest, TfIdfIsLucenesOwnOverOneClauseForEachTerm) {
  const auto by_hand = Lucene::newLucene<Lucene::BooleanQuery>();
  for (const auto& [word, count] : {std::pair{L"w3", 2.0}, {L"w11", 1.0}, {L"w0", 1.0}}) {
    const auto clause = term_query(word);
    clause->setBoost(count);
    by_hand->add(clause, Lucene::BooleanClause::SHOULD);
  }
  const Ranker ranker(reader_, options(RankerOptions::Model::kTfIdf));
  EXPECT_EQ(hits_of(*searcher_->search(ranker.query("w3 w11 w3 w0"), 200)),
            hits_of(*searcher_->search(by_hand, 200)));
}

TEST_F(RankerTest, WithoutCoordMoreMatchingTermsAreNotRewarded) {
  RankerOptions wanted = options(RankerOptions::Model::kTfIdf);
  const auto with = searcher_->search(Ranker(reader_, wanted).query("w0 absent"), 1);
  wanted.coord = RankerOptions::Coord::kOff;
  const auto without = searcher_->search(Ranker(reader_, wanted).query("w0 absent"), 1);
  // One of two terms matches: coord is 1/2.
  EXPECT_DOUBLE_EQ(with->scoreDocs[0]->score, without->scoreDocs[0]->score / 2.0);
}

TEST_F(RankerTest, FieldBoostScalesItsScoreAndAbsentFieldAddsNothing) {
  RankerOptions wanted = options(RankerOptions::Model::kBm25);
  const auto once = hits_of(*searcher_->search(Ranker(reader_, wanted).query("w3"), 10));
  wanted.fields = {{L"text", 3.0}, {L"no such field", 1.0}};
  const auto thrice = hits_of(*searcher_->search(Ranker(reader_, wanted).query("w3"), 10));
  ASSERT_EQ(once.size(), thrice.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_NEAR(thrice[i].score, 3.0 * once[i].score, 1e-12);
  }
}

TEST_F(RankerTest, TermsOverTheLimitThrowLucenesException) {
  std::string text;
  for (int32_t i = 0; i <= Lucene::BooleanQuery::getMaxClauseCount(); ++i) {
    text += "x" + std::to_string(i) + " ";
  }
  const Ranker ranker(reader_, options(RankerOptions::Model::kBm25));
  EXPECT_THROW(static_cast<void>(ranker.query(text)), Lucene::TooManyClausesException);
}

TEST_F(RankerTest, ATextWithoutTermsMatchesNothingAndInvalidUtf8IsRefused) {
  const Ranker ranker(reader_, options(RankerOptions::Model::kBm25));
  EXPECT_EQ(searcher_->search(ranker.query(" "), 10)->totalHits, 0);
  EXPECT_EQ(searcher_->search(ranker.query(""), 10)->totalHits, 0);
  EXPECT_THROW(static_cast<void>(ranker.query("w3 \xC3\x28 w0")), Error);
}

TEST_F(RankerTest, OptionsOutOfRangeAreRefused) {
  const auto refused = [&](auto&& change) {
    RankerOptions wanted = options(RankerOptions::Model::kBm25);
    change(wanted);
    EXPECT_THROW(Ranker(reader_, wanted), Error);
  };
  refused([](RankerOptions& o) { o.fields.clear(); });
  refused([](RankerOptions& o) { o.k1 = -0.1; });
  refused([](RankerOptions& o) { o.b = 1.1; });
  refused([](RankerOptions& o) { o.fields[0].boost = 0.0; });
  refused([](RankerOptions& o) { o.k1 = std::nan(""); });
}

ArmConfig arm(const std::vector<std::pair<std::string, std::string>>& settings) {
  ArmConfig config{ArmId{"mine"}, {}};
  for (const auto& [key, value] : settings) {
    const auto line = std::to_string(config.settings.size() + 1);
    config.settings.push_back({key, value, "replay.toml:" + line});
  }
  return config;
}

TEST(ParseRanker, ReadsEverySetting) {
  const RankerOptions bm25 = parse_ranker(
      arm({{"ranker", "bm25"}, {"k1", "0.9"}, {"b", "0.4"}, {"fields.claims", "2.5"}}));
  EXPECT_EQ(bm25.model, RankerOptions::Model::kBm25);
  EXPECT_EQ(bm25.k1, 0.9);
  EXPECT_EQ(bm25.b, 0.4);
  ASSERT_EQ(bm25.fields.size(), 1U);
  EXPECT_EQ(bm25.fields[0].name, L"claims");
  EXPECT_EQ(bm25.fields[0].boost, 2.5);

  const RankerOptions tfidf = parse_ranker(arm({{"ranker", "tfidf"}, {"coord", "off"}}));
  EXPECT_EQ(tfidf.model, RankerOptions::Model::kTfIdf);
  EXPECT_EQ(tfidf.coord, RankerOptions::Coord::kOff);
  EXPECT_EQ(tfidf.fields.size(), 4U);
}

TEST(ParseRanker, DefaultsToBm25OverTheTextFields) {
  const RankerOptions options = parse_ranker(arm({}));
  EXPECT_EQ(options.model, RankerOptions::Model::kBm25);
  EXPECT_EQ(options.k1, 1.2);
  EXPECT_EQ(options.b, 0.75);
  EXPECT_EQ(options.fields.size(), 4U);
}

TEST(ParseRanker, ReportsAllProblemsAtOnce) {
  try {
    static_cast<void>(parse_ranker(arm({{"rnaker", "bm25"},
                                        {"k1", "-1"},
                                        {"b", "1,0"},
                                        {"fields.titel", "2"},
                                        {"fields.title", "0"},
                                        {"b", "0.5"},
                                        {"coord", "on"}})));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    for (const char* part :
         {"replay.toml:1: unknown arm setting 'rnaker'; did you mean 'ranker'?",
          "replay.toml:2: k1 = '-1'; expected a number >= 0",
          "replay.toml:3: b = '1,0'; expected a number in [0, 1]",
          "replay.toml:4: unknown arm setting 'fields.titel'; did you mean 'fields.title'?",
          "replay.toml:5: fields.title = '0'; expected a number > 0",
          "replay.toml:6: 'b' is set a second time; keep one",
          "replay.toml:7: 'coord' has no meaning for ranker = bm25"}) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
}

TEST(ParseRanker, RefusesInvalidValues) {
  for (const char* value : {"", " 1", "1x", "nan", "inf", "1e999"}) {
    EXPECT_THROW(static_cast<void>(parse_ranker(arm({{"k1", value}}))), Error) << value;
  }
  EXPECT_THROW(static_cast<void>(parse_ranker(arm({{"ranker", "bm52"}}))), Error);
  EXPECT_THROW(static_cast<void>(parse_ranker(arm({{"ranker", "tfidf"}, {"k1", "1"}}))), Error);
  EXPECT_THROW(static_cast<void>(parse_ranker(arm({{"ranker", "tfidf"}, {"coord", "true"}}))),
               Error);
}

TEST(ParseRanker, EverySettingIsListedForTheUser) {
  const auto lines = lucenepp::ranker_settings();
  for (const char* key : {"ranker", "k1", "b", "coord", "fields.NAME"}) {
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return line.starts_with(std::string(key) + " ");
    })) << key;
  }
}

}  // namespace
}  // namespace prescope::conformance
