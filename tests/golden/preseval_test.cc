// The 1,200 values that PRESeval, the script of the authors of PRES, printed for four CLEF-IP 2011
// systems (N_max 1000, the order of the file's lines is the ranking). PRESeval counts a repeated
// document again at each of its lines; prescope counts it once.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/text_file.h"
#include "support/plain_evaluation.h"

namespace prescope {
namespace {

constexpr double kNmax = 1000.0;
constexpr double kTolerance = 1e-12;  // the values are printed with 15 significant digits

const std::filesystem::path kFolder = std::filesystem::path(PRESCOPE_TEST_DATA) / "clefip2011";

struct Values {
  double pres = 0.0, ap = 0.0, recall = 0.0;
};

struct Expected {
  Values values;
  bool has_duplicates = false;
};

double printed_number(std::string_view text) {
  double value = NAN;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

using BySystem = std::map<std::string, std::map<std::string, Expected>>;

/// Columns: system, topic, PRES, AP, recall, ret_rel, num_rel, rel_ranks, has_duplicates.
BySystem load_expected() {
  BySystem expected;
  TextFile file(kFolder / "preseval_expected.tsv");
  std::string_view line;
  file.next(line);  // the heading
  while (file.next(line)) {
    std::vector<std::string_view> columns;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      columns.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    expected[std::string(columns.at(0))][std::string(columns.at(1))] = {
        {printed_number(columns.at(2)), printed_number(columns.at(3)),
         printed_number(columns.at(4))},
        columns.at(8) == "1"};
  }
  return expected;
}

Values score(const EvaluatedTopic& topic) {
  static const Measure pres = Measure::parse("PRES@1000"), ap = Measure::parse("AP@1000"),
                       recall = Measure::parse("R@1000");
  return {pres.score(topic.ranks()).value(), ap.score(topic.ranks()).value(),
          recall.score(topic.ranks()).value()};
}

/// PRESeval's own count: every line of a relevant document is another document found.
Values score_counting_every_line(const Run::Topic& ranking, const TopicQrels& judged) {
  double credit = 0.0, precisions = 0.0, found = 0.0, rank = 0.0;
  for (const Docno& docno : ranking.docnos) {
    ++rank;
    if (!judged.find(docno.text())) continue;
    ++found;
    credit += kNmax + found - rank;
    precisions += found / rank;
  }
  const double n = judged.num_rel();
  return {credit / (n * kNmax), precisions / n, found / n};
}

void expect_near(const Values& ours, const Values& theirs) {
  EXPECT_NEAR(ours.pres, theirs.pres, kTolerance * std::max(1.0, theirs.pres));
  EXPECT_NEAR(ours.ap, theirs.ap, kTolerance * std::max(1.0, theirs.ap));
  EXPECT_NEAR(ours.recall, theirs.recall, kTolerance * std::max(1.0, theirs.recall));
}

class Preseval : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) {
      GTEST_SKIP() << "the collection is absent: " << kFolder.string();
    }
    qrels_ = Qrels::load(kFolder / "qrels.reconstructed.txt");
    expected_ = load_expected();
    for (const auto& [system, topics] : expected_) {
      runs_[system] = load_run(kFolder / "runs" / (system + ".res.gz"), RunOrder::kFile);
    }
  }

  [[nodiscard]] Values means(const std::string& system) const {
    Values sum;
    const auto topics = evaluate(qrels_, runs_.at(system));
    for (const EvaluatedTopic& topic : topics) {
      const Values values = score(topic);
      sum = {sum.pres + values.pres, sum.ap + values.ap, sum.recall + values.recall};
    }
    const auto count = static_cast<double>(topics.size());
    return {sum.pres / count, sum.ap / count, sum.recall / count};
  }

  Qrels qrels_;
  BySystem expected_;
  std::map<std::string, prescope::Run> runs_;
};

TEST_F(Preseval, AgreesOnEveryTopicWithoutDuplicateLines) {
  std::size_t compared = 0, with_duplicates = 0;
  for (const auto& [system, run] : runs_) {
    for (const EvaluatedTopic& topic : evaluate(qrels_, run)) {
      const std::string& id = qrels_.topic(topic.topic).id().text();
      SCOPED_TRACE(system + " " + id);
      const Expected& expected = expected_.at(system).at(id);
      EXPECT_EQ(topic.duplicates > 0, expected.has_duplicates);
      ++(expected.has_duplicates ? with_duplicates : compared);
      if (!expected.has_duplicates) expect_near(score(topic), expected.values);
    }
  }
  EXPECT_EQ(compared, 1090U);  // 4 systems x 300 topics, less the 110 with duplicates
  EXPECT_EQ(with_duplicates, 110U);
}

TEST_F(Preseval, DiffersOnDuplicateLinesOnlyByCountingThemAgain) {
  for (const auto& [system, run] : runs_) {
    for (const Run::Topic& ranking : run.topics) {
      SCOPED_TRACE(system + " " + ranking.id.text());
      const TopicQrels& judged = qrels_.topic(qrels_.find(ranking.id.text()).value());
      expect_near(score_counting_every_line(ranking, judged),
                  expected_.at(system).at(ranking.id.text()).values);
    }
  }
}

TEST_F(Preseval, DuplicatesNeverRaiseOurValues) {
  std::size_t lower = 0;
  double highest_recall = 0.0;
  for (const EvaluatedTopic& topic : evaluate(qrels_, runs_.at("MMs_decision_tree"))) {
    const std::string& id = qrels_.topic(topic.topic).id().text();
    const Values ours = score(topic), theirs = expected_.at("MMs_decision_tree").at(id).values;
    EXPECT_LE(ours.pres, theirs.pres + kTolerance) << id;
    EXPECT_LE(ours.recall, 1.0) << id;
    lower += ours.pres < theirs.pres - kTolerance ? 1 : 0;
    highest_recall = std::max(highest_recall, theirs.recall);
  }
  EXPECT_GT(lower, 0U);
  // 12 lines of 4 relevant documents, EP-1284109-A2 in preseval/detailed_MMs_decision_tree.csv.
  EXPECT_EQ(highest_recall, 12.0 / 4.0);
}

TEST_F(Preseval, ReportsTheDuplicateLines) {
  const std::map<std::string, std::uint32_t> known = {{"CORI", 0},  // SOURCE.txt
                                                      {"GMs_decision_tree", 0},
                                                      {"GMs_linear_regression", 0},
                                                      {"MMs_decision_tree", 3254}};
  for (const auto& [system, duplicates] : known) {
    std::uint32_t sum = 0;
    for (const EvaluatedTopic& topic : evaluate(qrels_, runs_.at(system))) sum += topic.duplicates;
    EXPECT_EQ(sum, duplicates) << system;
  }
}

TEST_F(Preseval, MeansEqualThoseThatPresevalPrinted) {
  // preseval/detailed_*.csv, rounded in SOURCE.txt to six digits; the last one counted once.
  const Values cori = means("CORI");
  EXPECT_NEAR(cori.pres, .194088, 5e-7);
  EXPECT_NEAR(cori.ap, .071441, 5e-7);
  EXPECT_NEAR(cori.recall, .196952, 5e-7);
  const Values regression = means("GMs_linear_regression");
  EXPECT_NEAR(regression.pres, .244417, 5e-7);
  EXPECT_NEAR(regression.ap, .043654, 5e-7);
  EXPECT_NEAR(regression.recall, .252351, 5e-7);
  EXPECT_NEAR(means("MMs_decision_tree").pres, .2058, 5e-5);
}

}  // namespace
}  // namespace prescope
