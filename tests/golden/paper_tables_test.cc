#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "prescope/measure.h"

// The tables of Magdy & Jones, "PRES: a score metric for evaluating recall-oriented information
// retrieval applications", SIGIR 2010, as printed there, and its errata.
namespace prescope {
namespace {

// The ranks at which the relevant documents of a topic were found.
struct Found {
  std::uint32_t num_rel;
  std::vector<Rank> ranks;
};

double score(const std::string& measure, const Found& found) {
  const std::optional<double> value =
      Measure::parse(measure).score({.num_rel = found.num_rel, .relevant = found.ranks});
  EXPECT_TRUE(value) << measure;
  return value.value_or(-1.0);
}

// "To the printed digits": the value rounded to as many decimals as are printed.
void expect_prints(const std::string& measure, const Found& found, std::string_view printed) {
  const std::size_t point = printed.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : printed.size() - point - 1;
  EXPECT_EQ(fmt::format("{:.{}f}", score(measure, found), decimals), printed) << measure;
}

// Tables 1 and 2: four relevant documents, N_max 100.
struct Table12Row {
  std::vector<Rank> ranks;
  const char *ap, *recall, *f1, *f_ap1, *f_ap4, *pres;
};

void expect_row(const Table12Row& row) {
  const Found found{4, row.ranks};
  SCOPED_TRACE(fmt::format("ranks {}", fmt::join(row.ranks, " ")));
  expect_prints("AP@100", found, row.ap);
  expect_prints("R@100", found, row.recall);
  expect_prints("F1@100", found, row.f1);
  expect_prints("Fap1@100", found, row.f_ap1);
  expect_prints("Fap4@100", found, row.f_ap4);
  expect_prints("PRES@100", found, row.pres);
}

TEST(PaperTables1And2, ComeOutAsPrinted) {
  const Table12Row rows[] = {
      {{1}, "0.2500", "0.25", "0.0192", "0.250", "0.250", "0.25"},
      {{1, 2, 3, 4}, "1.0000", "1.00", "0.0769", "1.000", "1.000", "1.00"},
      {{1, 98, 99, 100}, "0.2727", "1.00", "0.0769", "0.429", "0.864", "0.28"},
  };
  for (const Table12Row& row : rows) expect_row(row);
}

// Row 2 is printed with ranks {50, 51, 53, 54} and the values 0.0481, 1, 0.0769, 0.0917, 0.462,
// 0.51.
TEST(PaperTables1And2, ErratumRow2DoesNotFollowFromItsPrintedRanks) {
  // AP = (1/50 + 2/51 + 3/53 + 4/54) / 4, PRES = (51 + 51 + 50 + 50) / 400
  expect_row({{50, 51, 53, 54}, "0.0475", "1.00", "0.0769", "0.0906", "0.4587", "0.505"});
}

TEST(PaperTables1And2, ErratumRow2FollowsFromTheRanks50To53) {
  // F'1 rounds to 0.0918: the printed 0.0917 is the value cut off behind the fourth decimal.
  expect_row({{50, 51, 52, 53}, "0.0481", "1.00", "0.0769", "0.0918", "0.462", "0.51"});
  const double f_ap1 = score("Fap1@100", {4, {50, 51, 52, 53}});
  EXPECT_EQ(fmt::format("{:.4f}", std::floor(f_ap1 * 1e4) / 1e4), "0.0917");
}

// Table 3: N_max 1000, three decimals.
struct Table3Row {
  Found found;
  const char *recall, *ap, *pres;
};

// The AP of ranks {41, 54} is (1/41 + 2/54) / 3 = 0.020476 and printed as 0.021, as if rounded to
// 0.0205 first and that to 0.021. Every other value of the table is rounded once.
const std::vector<Rank> kRowRoundedTwice = {41, 54};
constexpr const char* kRoundedTwice = "0.0205";

TEST(PaperTable3, ComesOutAsPrinted) {
  const Table3Row rows[] = {
      {{41, {98, 296}}, "0.049", "0.000", "0.039"},
      {{6, {23, 272, 345}}, "0.500", "0.010", "0.394"},
      {{6, {2, 517, 761}}, "0.500", "0.085", "0.288"},
      {{3, {660, 741}}, "0.667", "0.001", "0.201"},
      {{3, {41, 54}}, "0.667", kRoundedTwice, "0.636"},
      {{3, {1, 781}}, "0.667", "0.334", "0.407"},
      {{7, {1, 33, 354, 548, 733, 840, 841}}, "1.000", "0.157", "0.525"},
      {{3, {32, 35, 46}}, "1.000", "0.051", "0.964"},
  };
  for (const Table3Row& row : rows) {
    SCOPED_TRACE(fmt::format("ranks {}", fmt::join(row.found.ranks, " ")));
    expect_prints("AP@1000", row.found, row.ap);
    expect_prints("R@1000", row.found, row.recall);
    expect_prints("PRES@1000", row.found, row.pres);
  }
}

// Equation 4 is printed with nR, the number found, in place of the missing m = n - nR: sum r = sum
// over found r + m (N_max + n) - m (m - 1) / 2. With m, eq. 3 gives the tables.
double pres_by_equation_4(const Found& found, double cutoff, double missing) {
  double sum = missing * (cutoff + found.num_rel) - missing * (missing - 1) / 2;
  for (const Rank rank : found.ranks) sum += rank;
  return 1 - (sum / found.num_rel - (found.num_rel + 1.0) / 2) / cutoff;
}

TEST(PaperEquation4, HoldsWithTheMissingInPlaceOfTheFound) {
  const Found cases[] = {{41, {98, 296}}, {6, {23, 272, 345}}, {3, {660, 741}}, {3, {32, 35, 46}}};
  for (const Found& found : cases) {
    const double nr = static_cast<double>(found.ranks.size());
    const double pres = score("PRES@1000", found);
    EXPECT_NEAR(pres_by_equation_4(found, 1000, found.num_rel - nr), pres, 1e-12);
    if (found.num_rel != 2 * nr) {
      EXPECT_GT(std::abs(pres_by_equation_4(found, 1000, nr) - pres), 0.1) << "as printed";
    }
  }
}

TEST(HandCheckedPres, ComesOutExactly) {
  std::vector<Rank> first_hundred;
  for (Rank rank = 1; rank <= 100; ++rank) first_hundred.push_back(rank);
  const struct {
    Found found;
    const char* measure;
    double expected;  // credits of the documents found / (n N)
  } cases[] = {
      {{1, {1}}, "PRES@100", 100.0 / 100},
      {{1, {100}}, "PRES@100", 1.0 / 100},
      {{3, {98, 99, 100}}, "PRES@100", (3.0 + 3 + 3) / 300},
      {{5, {}}, "PRES@100", 0.0},
      {{5, {1, 2}}, "PRES@100", (100.0 + 100) / 500},
      {{5, {1}}, "PRES@1", 1.0 / 5},
      {{4, {1, 3, 10}}, "PRES@10", (10.0 + 9 + 3) / 40},
      {{20, {1, 50, 100}}, "PRES@100", (100.0 + 52 + 3) / 2000},
      {{200, first_hundred}, "PRES@100", 100.0 * 100 / 20000},
      {{2, {101}}, "PRES@100", 0.0},
      {{3, {32, 35, 46}}, "PRES@100", (69.0 + 67 + 57) / 300},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(score(c.measure, c.found), c.expected) << c.measure << ", n = " << c.found.num_rel;
  }
}

std::optional<nlohmann::json> stored(const char* name) {
  const auto path = std::filesystem::path(PRESCOPE_TEST_REFERENCE) / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return nlohmann::json::parse(std::ifstream(path));
}

Found found_of(const nlohmann::json& row, std::uint32_t num_rel) {
  return {num_rel, row["ranks"].get<std::vector<Rank>>()};
}

// A number of tables 1 and 2 in its shortest decimals, as printed there.
std::string printed(const nlohmann::json& value) { return fmt::format("{}", value.get<double>()); }

// A number of table 3, which prints three decimals.
std::string printed3(const nlohmann::json& value) {
  return fmt::format("{:.3f}", value.get<double>());
}

TEST(StoredPaperTables, Table1And2ComeOutAsPrintedExceptTheErratumRow) {
  const auto tables = stored("paper_tables.json");
  if (!tables) GTEST_SKIP() << "paper_tables.json is not in " PRESCOPE_TEST_REFERENCE;
  const auto& table = (*tables)["table1_2"];
  int rows = 0;
  for (const auto& row : table["rows"]) {
    Found found = found_of(row, table["n"]);
    const bool erratum = found.ranks == std::vector<Rank>{50, 51, 53, 54};
    if (erratum) found.ranks = {50, 51, 52, 53};
    SCOPED_TRACE(row.dump());
    expect_prints("AP@100", found, printed(row["AP"]));
    expect_prints("R@100", found, printed(row["recall"]));
    expect_prints("F1@100", found, printed(row["F1"]));
    if (!erratum) expect_prints("Fap1@100", found, printed(row["F'1"]));  // there cut off
    expect_prints("Fap4@100", found, printed(row["F'4"]));
    expect_prints("PRES@100", found, printed(row["PRES"]));
    ++rows;
  }
  EXPECT_EQ(rows, 4);
}

TEST(StoredPaperTables, Table3ComesOutAsPrinted) {
  const auto tables = stored("paper_tables.json");
  if (!tables) GTEST_SKIP() << "paper_tables.json is not in " PRESCOPE_TEST_REFERENCE;
  const auto& rows = (*tables)["table3"]["rows"];
  for (const auto& row : rows) {
    const Found found = found_of(row, row["n"]);
    SCOPED_TRACE(row.dump());
    const bool rounded_twice = found.ranks == kRowRoundedTwice;
    expect_prints("AP@1000", found, rounded_twice ? kRoundedTwice : printed3(row["AP"]));
    expect_prints("R@1000", found, printed3(row["recall"]));
    expect_prints("PRES@1000", found, printed3(row["PRES"]));
  }
  EXPECT_EQ(rows.size(), 8U);
}

TEST(StoredVectors, PresRecallAndApComeOut) {
  const auto vectors = stored("statistics_vectors.json");
  if (!vectors) GTEST_SKIP() << "statistics_vectors.json is not in " PRESCOPE_TEST_REFERENCE;
  for (const auto& row : (*vectors)["metrics"]) {
    SCOPED_TRACE(row.dump());
    const Found found = found_of(row, row["n"]);
    const auto cutoff = row["nmax"].get<std::uint32_t>();
    EXPECT_NEAR(score(fmt::format("PRES@{}", cutoff), found), row["pres"].get<double>(), 1e-12);
    EXPECT_NEAR(score(fmt::format("R@{}", cutoff), found), row["recall"].get<double>(), 1e-12);
    EXPECT_NEAR(score(fmt::format("AP@{}", cutoff), found), row["ap"].get<double>(), 1e-12);
  }
}

}  // namespace
}  // namespace prescope
