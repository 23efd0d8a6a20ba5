// The views and tables of a store as any SQLite tool sees them, and their documentation.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "store/nights/store.h"
#include "store/sqlite/database.h"
#include "support/made_up_evaluations.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// The rows of a query, columns parted by '|', as the sqlite3 program prints them.
std::vector<std::string> rows_of(const Database& database, const std::string& sql, int columns) {
  std::vector<std::string> rows;
  for (Statement row(database, sql); row.next();) {
    std::string& text = rows.emplace_back();
    for (int i = 0; i < columns; ++i) {
      text += (i == 0 ? "" : "|") + std::string(row.text(i));
    }
  }
  return rows;
}

class StoreViews : public ::testing::Test {
 protected:
  StoreViews() {
    store_.pin(record_, {.name = "main", .by = "ada", .why = "release", .time = time(2)});
    store_.add(made_up({.seed = 2, .topics = 25, .time = time(26)}));
    GateVerdict verdict;
    verdict.outcome = GateOutcome::kRegression;
    verdict.rules = {{"margin.PRES@100", GateVerdict::Status::kFail, "PRES fell"}};
    verdict.measures = {{.measure = Measure::parse("PRES@100"),
                         .margin = 0.01,
                         .difference = -0.25,
                         .low = -0.5,
                         .losses = 7,
                         .status = GateVerdict::Status::kFail}};
    verdict.baseline.name = "main";
    verdict.baseline.number = 1;
    store_.add(2, verdict);
  }

  // 2026-11-22T03:10:00.250Z is 1'795'317'000.250 s after 1970: date -u -d @1795317000.
  static UtcTime time(int hours) {
    return UtcTime(std::chrono::milliseconds(1'795'317'000'250)) + std::chrono::hours(hours - 2);
  }
  [[nodiscard]] std::vector<std::string> rows(const std::string& sql, int columns) const {
    return rows_of(database_, sql, columns);
  }

  ScratchFolder folder_;
  EvaluationRecord record_ = made_up({.seed = 1, .topics = 25, .time = time(2)});
  Store store_ = Store::open(folder_.path() / "a.store", Store::Access::kWrite);
  Database database_ = open_store_file(folder_.path() / "a.store", Database::Access::kRead);
};

TEST_F(StoreViews, NightMeansEqualThoseOfTheMeasures) {
  Statement row(database_,
                "SELECT time, arm, mean, topics, depth, outcome FROM night_means "
                "WHERE evaluation = 1 AND measure = ?");
  for (const Measure& measure : record_.measures) {
    ASSERT_TRUE(row.bind(measure.name()).next());
    const Mean mean = mean_of(record_, measure);
    EXPECT_EQ(row.text(0), "2026-11-22T03:10:00.250Z");
    EXPECT_EQ(row.text(1), "bm25");
    EXPECT_EQ(row.real(2), *mean.mean);
    EXPECT_EQ(row.integer(3), mean.topics);
    EXPECT_EQ(row.integer(4), 1000);
    EXPECT_TRUE(row.is_null(5));
  }
  EXPECT_EQ(rows("SELECT evaluation, outcome FROM night_means GROUP BY evaluation", 2).at(1),
            fmt::format("2|{}", to_string(GateOutcome::kRegression)));
}

TEST_F(StoreViews, NightTopicsHaveEveryTopicWithTheScoreOfItsFacts) {
  std::map<std::pair<std::string, std::string>, std::optional<double>> scores;
  Statement row(database_, "SELECT topic, measure, score FROM night_topics WHERE evaluation = 1");
  while (row.next()) {
    scores[{std::string(row.text(0)), std::string(row.text(1))}] = row.as<std::optional<double>>(2);
  }
  EXPECT_EQ(scores.size(), record_.topics.size() * record_.measures.size());
  for (const auto& topic : record_.topics) {
    for (const Measure& measure : record_.measures) {
      EXPECT_EQ(scores.at({topic.id.text(), measure.name()}),
                EvaluationRecord::score(topic, measure));
    }
  }
}

TEST_F(StoreViews, NightCitationsAreTheFacts) {
  std::vector<std::string> expected;
  for (const auto& topic : record_.topics) {
    for (const auto& found : topic.found) {
      expected.push_back(fmt::format("{}|{}|{}", topic.id.text(), found.docno.text(), found.rank));
    }
  }
  EXPECT_EQ(rows("SELECT topic, docno, rank FROM night_citations WHERE evaluation = 1 "
                 "ORDER BY topic, rank",
                 3),
            expected);
}

// PRES@100 = sum of (100 + j - r_j) over the j-th found, over 100 n: from the view alone.
TEST_F(StoreViews, MeasuresCanBeRecomputedFromCitationsInPlainSql) {
  Statement row(database_,
                "SELECT t.score, (SELECT coalesce(sum(100 + j - rank), 0) FROM "
                "(SELECT rank, row_number() OVER (ORDER BY rank) AS j FROM night_citations c "
                "WHERE c.evaluation = 1 AND c.topic = t.topic AND c.rank <= 100)) "
                "/ (100.0 * t.num_rel) FROM night_topics t "
                "WHERE t.evaluation = 1 AND t.measure = 'PRES@100' AND t.num_rel > 0");
  int topics = 0;
  for (; row.next(); ++topics) EXPECT_DOUBLE_EQ(row.real(0), row.real(1));
  EXPECT_GT(topics, 10);
}

TEST_F(StoreViews, PinsAndVerdictsHaveTheirHistory) {
  EXPECT_EQ(rows("SELECT pin, time, name, evaluation, replaced, pinned_by, why, must_find "
                 "FROM pin_history",
                 8),
            std::vector<std::string>{"1|2026-11-22T03:10:00.250Z|main|1||ada|release|0"});
  EXPECT_EQ(rows("SELECT evaluation, arm, baseline, baseline_evaluation, reason, measure, status, "
                 "margin, difference, low, high, losses FROM verdict_history",
                 12),
            std::vector<std::string>{"2|bm25|main|1|PRES fell|PRES@100|fail|0.01|-0.25|-0.5||7"});
}

/// The section of docs/formats.md on a table or view: from its heading to the next.
std::map<std::string, std::string> sections() {
  std::ifstream file(PRESCOPE_SOURCE_DIR "/docs/formats.md");
  std::map<std::string, std::string> sections;
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      const auto begin = line.find('`');
      const auto end = line.find('`', begin + 1);
      name = end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
    }
    sections[name] += line + '\n';
  }
  return sections;
}

TEST_F(StoreViews, AndTablesAreDocumentedColumnByColumn) {
  const auto documented = sections();
  std::set<std::string> names;
  for (Statement table(database_,
                       "SELECT name, type FROM sqlite_schema WHERE type IN ('table', "
                       "'view') AND name NOT LIKE 'sqlite_%'");
       table.next();) {
    const std::string name(table.text(0));
    names.insert(name);
    const auto section = documented.find(name);
    if (section == documented.end()) {
      ADD_FAILURE() << "docs/formats.md has no section on the " << table.text(1) << ' ' << name;
      continue;
    }
    Statement column(database_, "SELECT name FROM pragma_table_info(?)");
    for (column.bind(name); column.next();) {
      EXPECT_NE(section->second.find(fmt::format("| `{}` |", column.text(0))), std::string::npos)
          << "docs/formats.md does not say what column " << column.text(0) << " of " << name
          << " means";
    }
  }
  EXPECT_GE(names.size(), 20U);
}

TEST_F(StoreViews, TheDocumentationNamesTheVersionOfTheSchema) {
  EXPECT_THAT(sections()[""],
              ::testing::HasSubstr(fmt::format("| `user_version` | {}, the version of the schema |",
                                               kStoreVersion)));
}

// No section about a missing table, and no missing column.
TEST_F(StoreViews, AndTablesInTheDocumentationExist) {
  for (const auto& [name, text] : sections()) {
    if (name.empty()) continue;
    std::set<std::string> columns;
    Statement column(database_, "SELECT name FROM pragma_table_info(?)");
    for (column.bind(name); column.next();) columns.emplace(column.text(0));
    EXPECT_FALSE(columns.empty()) << name;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("| `")) continue;
      const std::string documented = line.substr(3, line.find('`', 3) - 3);
      EXPECT_TRUE(columns.contains(documented)) << name << '.' << documented;
    }
  }
}

}  // namespace
}  // namespace prescope
