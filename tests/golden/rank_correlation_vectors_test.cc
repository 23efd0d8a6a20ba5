// Rank correlation: the stored vectors (computed with scipy and a second program), and the printed
// values about table 4 of Magdy & Jones, SIGIR 2010, section 6.2, and of the draft of that paper.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "golden/statistics_vectors.h"
#include "statistics/rank_correlation.h"
#include "studies/correlation_study.h"

namespace prescope {
namespace {

using nlohmann::json;

using RankCorrelationVectors = StatisticsVectors;
using Scores = std::vector<double>;

/// The vectors are in double precision.
constexpr double kOfVectors = 1e-12;

void expect_counts(const PairCounts& pairs, const json& expected) {
  EXPECT_EQ(pairs.concordant, expected["C"]);
  EXPECT_EQ(pairs.discordant, expected["D"]);
  EXPECT_EQ(pairs.tied_x, expected["tie_x_only"]);
  EXPECT_EQ(pairs.tied_y, expected["tie_y_only"]);
  EXPECT_EQ(pairs.tied_both, expected["tie_both"]);
}

void expect_value(std::optional<double> value, const json& expected, const char* key) {
  ASSERT_TRUE(value) << key;
  if (!expected.contains(key)) return;
  EXPECT_NEAR(*value, expected[key].get<double>(), kOfVectors) << key;
}

void expect_correlations(const Scores& x, const Scores& y, const json& expected) {
  const PairCounts pairs = count_pairs(x, y);
  expect_counts(pairs, expected);
  expect_value(kendall_tau_a(pairs), expected, "tau_a");
  expect_value(kendall_tau_b(pairs), expected, "tau_b");
  expect_value(kendall_tau_b(pairs), expected, "scipy_tau_b");
  expect_value(goodman_kruskal_gamma(pairs), expected, "gamma");
  expect_value(spearman_rho(x, y), expected, "spearman_midrank");
  expect_value(tau_ap(x, y), expected, "tau_ap_est_x_ref_y");
  expect_value(tau_ap(y, x), expected, "tau_ap_est_y_ref_x");
}

// Systems of the table are in the order of their names, by which ties are broken.
TEST_F(RankCorrelationVectors, OfTable4) {
  const json& stored = vectors_["rank_correlation"];
  const auto scores = [&](const char* measure) { return stored["table4"][measure].get<Scores>(); };
  const struct {
    const char *x, *y, *key;
  } kPairs[] = {{"MAP", "Recall", "MAP_Recall"},
                {"PRES", "Recall", "PRES_Recall"},
                {"PRES", "MAP", "PRES_MAP"}};
  for (const auto& pair : kPairs) {
    SCOPED_TRACE(pair.key);
    expect_correlations(scores(pair.x), scores(pair.y), stored["results"][pair.key]);
  }
}

TEST_F(RankCorrelationVectors, FiveValuesWithAndWithoutTies) {
  for (const char* key : {"small", "small_ties"}) {
    SCOPED_TRACE(key);
    const json& stored = vectors_["rank_correlation"]["results"][key];
    expect_correlations(stored["x"].get<Scores>(), stored["y"].get<Scores>(), stored);
  }
}

std::vector<std::uint32_t> letters(const std::string& text) { return {text.begin(), text.end()}; }

TEST_F(RankCorrelationVectors, OfRankBiasedOverlap) {
  for (const json& row : vectors_["rbo"]) {
    SCOPED_TRACE(row.dump());
    const auto overlap = rank_biased_overlap(letters(row["S"]), letters(row["T"]), row["p"]);
    ASSERT_TRUE(overlap);
    EXPECT_NEAR(overlap->extrapolated, row["ext"].get<double>(), kOfVectors);
    EXPECT_NEAR(overlap->least, row["min_at_k"].get<double>(), kOfVectors);
  }
}

class PaperTable4 : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path = PRESCOPE_TEST_REFERENCE "/paper_tables.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    tables_ = json::parse(std::ifstream(path));
    ScoreTable table{.systems = {}, .measures = {"MAP", "recall", "PRES"}, .scores = {{}, {}, {}}};
    for (const json& row : tables_["table4"]) {
      table.systems.push_back(row["run"]);
      for (std::size_t m = 0; m < table.measures.size(); ++m) {
        table.scores[m].push_back(row[table.measures[m]]);
      }
    }
    study_ = study_correlation(std::move(table), kPersistenceForSystems);
  }

  [[nodiscard]] const MeasureCorrelation& between(std::string_view a, std::string_view b) const {
    for (const MeasureCorrelation& each : study_.correlations) {
      const std::string_view x = study_.table.measures[each.x], y = study_.table.measures[each.y];
      if ((x == a && y == b) || (x == b && y == a)) return each;
    }
    throw std::out_of_range("no such pair");
  }

  json tables_;
  CorrelationStudy study_;
};

constexpr double kAsPrinted = 0.01;  // two decimals, of scores that are rounded to three

TEST_F(PaperTable4, HasTheCorrelationsThatThePaperPrints) {
  ASSERT_EQ(study_.table.systems.size(), 48U);
  const struct {
    const char *a, *b;
    double tau, rho;  // .56/.87/.66: Kendall; .71/.97/.82, of the draft: Spearman
  } kPrinted[] = {
      {"MAP", "recall", .56, .71}, {"PRES", "recall", .87, .97}, {"PRES", "MAP", .66, .82}};
  for (const auto& printed : kPrinted) {
    SCOPED_TRACE(std::string(printed.a) + " and " + printed.b);
    const MeasureCorrelation& pair = between(printed.a, printed.b);
    EXPECT_NEAR(pair.tau_b.value(), printed.tau, kAsPrinted);
    EXPECT_NEAR(pair.spearman.value(), printed.rho, kAsPrinted);
    // Truncated to two decimals, tau-b is the printed value, three times.
    EXPECT_DOUBLE_EQ(std::floor(*pair.tau_b * 100) / 100, printed.tau);
  }
}

TEST_F(PaperTable4, HasThePrintedCorrelationsAlsoAsStored) {
  const json& printed = tables_["table4_correlations"];
  for (const auto& [key, measures] : std::map<std::string, std::pair<std::string, std::string>>{
           {"MAP-recall", {"MAP", "recall"}},
           {"PRES-recall", {"PRES", "recall"}},
           {"PRES-MAP", {"PRES", "MAP"}}}) {
    const MeasureCorrelation& pair = between(measures.first, measures.second);
    EXPECT_NEAR(pair.tau_b.value(), printed["kendall_tau"][key].get<double>(), kAsPrinted) << key;
    EXPECT_NEAR(pair.spearman.value(), printed["spearman"][key].get<double>(), kAsPrinted) << key;
  }
}

// Section 5: PRES <= R for every topic, and so for the means. The lower bound, n R^2 / N_max, says
// nothing about means.
TEST_F(PaperTable4, NoPrintedPresExceedsItsRecall) {
  for (const json& row : tables_["table4"]) {
    EXPECT_LE(row["PRES"].get<double>(), row["recall"].get<double>()) << row.dump();
  }
}

}  // namespace
}  // namespace prescope
