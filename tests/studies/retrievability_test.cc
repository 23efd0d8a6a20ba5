// Which documents can be found: against counting with maps, and the Gini coefficient against its
// definition over all pairs.
#include "studies/retrievability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "prescope/error.h"
#include "prescope/run.h"
#include "runs/scan/topics_of_run.h"
#include "support/random_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using RankingsByTopic = std::map<std::string, std::vector<std::string>>;

RankingsByTopic rankings_of(const std::filesystem::path& path, RunOrder order = RunOrder::kTrec) {
  RankingsByTopic rankings;
  TopicReading reading;
  reading.is_wanted = [](std::string_view) { return true; };
  reading.take = [&](std::string_view topic, const TopicLines& lines) {
    auto& docnos = rankings[std::string(topic)];
    EXPECT_TRUE(docnos.empty()) << topic << " was given twice";
    for (const std::uint32_t line : lines.ranked(order)) docnos.emplace_back(lines.docno(line));
  };
  (void)read_whole_run(path, reading, [&] { rankings.clear(); });
  return rankings;
}

RankingsByTopic loaded(const std::filesystem::path& path, RunOrder order) {
  RankingsByTopic rankings;
  for (const Run::Topic& topic : load_run(path, order).topics) {
    auto& docnos = rankings[topic.id.text()];
    for (const Docno& docno : topic.docnos) docnos.push_back(docno.text());
  }
  return rankings;
}

TEST(Rankings, CoverTheWholeRun) {
  const ScratchFolder folder;
  const RandomRuns files({.seed = 41, .topics = 60, .lines = 200}, folder.path());
  for (const auto& run : files.runs) {
    for (const RunOrder order : {RunOrder::kTrec, RunOrder::kFile}) {
      EXPECT_EQ(rankings_of(run, order), loaded(run, order));
    }
  }
}

TEST(Rankings, AreTheSameIfTopicsAreScattered) {
  const ScratchFolder folder;
  const RandomRuns files({.seed = 42}, folder.path());
  std::vector<std::string> lines;
  std::ifstream in(files.runs.front());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::shuffle(lines.begin(), lines.end(), std::mt19937(42));
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const auto shuffled = folder.write("shuffled", text);
  for (const RunOrder order : {RunOrder::kTrec, RunOrder::kFile}) {
    EXPECT_EQ(rankings_of(shuffled, order), loaded(shuffled, order));
  }
}

TEST(Rankings, ReadEveryFormOfRun) {
  const ScratchFolder folder;
  const std::string odd =
      "\xEF\xBB\xBF# a comment\n\nT1\tQ0\tD1\t1\t-2.5\tx\r\nT1   Q0 D2 2 1e3 x\n"
      "T1 Q0 D\xC3\xA9 3 +7 x\nT2 Q0 D1 1 0.1 x";
  const auto path = folder.write("odd", odd);
  EXPECT_EQ(rankings_of(path),
            (RankingsByTopic{{"T1", {"D2", "D\xC3\xA9", "D1"}}, {"T2", {"D1"}}}));
  const auto zipped = folder.write_gzip("odd.gz", odd);
  EXPECT_EQ(rankings_of(zipped), rankings_of(path));
}

TEST(Rankings, MayBeLargerThanABlock) {
  const ScratchFolder folder;
  std::string text;
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i < 20000; ++i) text += fmt::format("T{} Q0 D{} 1 {}.5 x\n", t, i, 30000 - i);
  }
  const auto path = folder.write("long", text);
  EXPECT_EQ(rankings_of(path), loaded(path, RunOrder::kTrec));
}

TEST(Rankings, RefuseOtherFiles) {
  const ScratchFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    try {
      (void)rankings_of(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(folder.write("short", "T1 Q0 D1 1 2.0 x\nT1 Q0 D1\n")),
              ::testing::HasSubstr(":2: 3 columns"));
  EXPECT_THAT(message(folder.write("nan", "T1 Q0 D1 1 nan x\n")),
              ::testing::HasSubstr("is not a number"));
  EXPECT_THAT(message(folder.write("empty", "")), ::testing::HasSubstr("no rankings"));
  EXPECT_THAT(message(folder.path() / "missing"), ::testing::HasSubstr("missing"));
}

TEST(DocumentNumbers, FollowTheOrderOfFirstNames) {
  DocumentNumbers documents;
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back(fmt::format("EP-{:07}-A1", i * 7919 % 5003));
  for (std::uint32_t i = 0; i < names.size(); ++i) ASSERT_EQ(documents.number(names[i]), i);
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    ASSERT_EQ(documents.number(names[i]), i);
    ASSERT_EQ(documents.name(i), names[i]);
  }
  EXPECT_EQ(documents.size(), 5000U);
  EXPECT_EQ(documents.number("EP"), 5000U);
}

/// sum over all pairs of |r_i - r_j| / (2 N^2 mean): the definition.
double plain_gini(std::vector<std::uint32_t> scores, std::uint64_t population) {
  scores.resize(population);
  double differences = 0.0, sum = 0.0;
  for (const double x : scores) {
    sum += x;
    for (const double y : scores) differences += std::abs(x - y);
  }
  const auto n = static_cast<double>(population);
  return differences / (2.0 * n * n * (sum / n));
}

TEST(Retrievability, CountsTopicsThatRetrieveTheDocument) {
  RetrievabilityScores scores;
  scores.add_topic(std::vector<std::uint32_t>{3, 1, 3});
  scores.add_topic(std::vector<std::uint32_t>{1});
  scores.add_topic({});
  EXPECT_EQ(scores.score(1), 2U);
  EXPECT_EQ(scores.score(3), 1U);  // a repeated document counts once
  EXPECT_EQ(scores.score(0), 0U);
  EXPECT_EQ(scores.score(99), 0U);
  EXPECT_EQ(scores.topics(), 3U);
  EXPECT_EQ(scores.repeated(), 1U);
}

TEST(Retrievability, IsSummarizedAsItsDefinitionsSay) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> scores(1 + random() % 40);
    for (std::uint32_t& score : scores)
      score = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random() % 20);
    const std::uint64_t population = scores.size() + random() % 30;
    const RetrievabilitySummary summary = summarize(scores, population);
    std::uint64_t sum = 0;
    for (const std::uint32_t score : scores) sum += score;
    EXPECT_EQ(summary.total, sum);
    EXPECT_EQ(summary.never(), population - scores.size() +
                                   static_cast<std::uint64_t>(std::ranges::count(scores, 0U)));
    EXPECT_EQ(summary.highest, *std::ranges::max_element(scores));
    if (sum == 0) {
      EXPECT_EQ(summary.gini, std::nullopt);
      continue;
    }
    EXPECT_NEAR(summary.gini.value(), plain_gini(scores, population), 1e-12);
    // The Gini coefficient is 1 less twice the area under the Lorenz curve.
    double area = 0.0;
    for (std::size_t i = 1; i < summary.lorenz.size(); ++i) {
      const LorenzPoint &a = summary.lorenz[i - 1], &b = summary.lorenz[i];
      area += (b.documents - a.documents) * (a.retrievability + b.retrievability) / 2.0;
    }
    EXPECT_NEAR(summary.gini.value(), 1.0 - 2.0 * area, 1e-12);
    EXPECT_EQ(summary.lorenz.back(), (LorenzPoint{1.0, 1.0}));
  }
}

TEST(Retrievability, OfNoDocumentsHasNoValues) {
  const RetrievabilitySummary nothing = summarize({}, 0);
  EXPECT_EQ(nothing.mean, std::nullopt);
  EXPECT_EQ(nothing.gini, std::nullopt);
  EXPECT_EQ(summarize({}, 5).never(), 5U);
}

TEST(Retrievability, OfEqualDocumentsHasGiniZero) {
  EXPECT_EQ(summarize(std::vector<std::uint32_t>{4, 4, 4}, 3).gini, 0.0);
  // One of four documents has all: (2*4 - 4 - 1) * r / (4 r) = 3/4.
  EXPECT_EQ(summarize(std::vector<std::uint32_t>{9}, 4).gini, 0.75);
}

TEST(Retrievability, NamesDocumentsThatBecameUnfindable) {
  DocumentNumbers documents;
  for (const char* name : {"D0", "D3", "D2", "D1", "D4"}) (void)documents.number(name);
  RetrievabilityScores a, b;
  a.add_topic(std::vector<std::uint32_t>{0, 1, 2, 3});
  a.add_topic(std::vector<std::uint32_t>{0, 1, 2});
  b.add_topic(std::vector<std::uint32_t>{0, 4});
  const RetrievabilityComparison comparison = compare_retrievability(a, b, documents);
  using Change = RetrievabilityChange;
  // D2 and D3 had 2 topics, by name; then D1.
  EXPECT_EQ(comparison.lost,
            (std::vector<Change>{
                {.document = 2, .a = 2}, {.document = 1, .a = 2}, {.document = 3, .a = 1}}));
  EXPECT_EQ(comparison.gained, (std::vector<Change>{{.document = 4, .b = 1}}));
  EXPECT_EQ(comparison.in_both, 1U);
  EXPECT_EQ(comparison.fallen, 1U);
  EXPECT_EQ(comparison.risen, 0U);
}

TEST(Retrievability, KeepsItsScoresWhenRenumbered) {
  RetrievabilityScores scores;
  scores.add_topic(std::vector<std::uint32_t>{0, 2});
  scores.add_topic(std::vector<std::uint32_t>{2});
  scores.renumber(std::vector<std::uint32_t>{5, 1, 0});
  EXPECT_EQ(scores.score(5), 1U);
  EXPECT_EQ(scores.score(0), 2U);
  EXPECT_EQ(scores.score(2), 0U);
}

}  // namespace
}  // namespace prescope
