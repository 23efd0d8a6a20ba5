// Lists of topics, compared with brute force and with the summary itself.
#include "serve/site/topic_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "statistics/paired_tests.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kListed = 200, kListedArms = 3;

/// Topics T000 to T199, each arm with a mean of its own in eighths, or none.
std::shared_ptr<const Summary> drawn_summary(std::uint32_t seed) {
  std::mt19937 random(seed);
  Summary summary{.measures = {Measure::parse("PRES@10"), Measure::parse("AP")}};
  for (std::uint32_t a = 0; a < kListedArms; ++a) {
    summary.arms.push_back({.id = ArmId(std::string(1, static_cast<char>('a' + a)))});
  }
  for (std::uint32_t t = 0; t < kListed; ++t) {
    TopicRow row{.id = TopicId("T" + std::to_string(1000 + t).substr(1)),
                 .num_rel = 1 + static_cast<std::uint32_t>(random() % 5)};
    for (std::uint32_t a = 0; a < kListedArms; ++a) {
      TopicRow::Arm arm{.seen = random() % 5 > 0};
      const auto eighths = [&] { return static_cast<double>(random() % 9) / 8; };
      if (arm.seen) {
        arm.visits = random() % 4;
        arm.scores = {eighths(), std::nullopt};
        arm.means = {eighths(), random() % 3 == 0 ? std::nullopt : std::optional(eighths())};
        arm.relevant_ranks = {3, 10, 11};
        arm.num_ret = 20;
        if (random() % 4 > 0) arm.latency_ms = static_cast<double>(random() % 50);
      }
      row.arms.push_back(std::move(arm));
    }
    summary.rows.push_back(std::move(row));
  }
  return std::make_shared<const Summary>(std::move(summary));
}

std::optional<double> plain_mean(const TopicRow& row, std::size_t arm, std::size_t measure) {
  return row.arms[arm].means.empty() ? std::nullopt : row.arms[arm].means[measure];
}

std::optional<double> plain_value(const TopicRow& row, const TopicQuery& query) {
  const auto a = plain_mean(row, query.a, query.measure);
  const auto b = query.b ? plain_mean(row, *query.b, query.measure) : std::nullopt;
  const auto difference = a && b ? std::optional(*b - *a) : std::nullopt;
  switch (query.sort) {
    case TopicSort::kNumRel:
      return row.num_rel;
    case TopicSort::kDifference:
      return difference;
    case TopicSort::kAbsDifference:
      return difference ? std::optional(std::abs(*difference)) : std::nullopt;
    case TopicSort::kVisits:
      return static_cast<double>(row.arms[query.a].visits +
                                 (query.b ? row.arms[*query.b].visits : 0));
    case TopicSort::kScoreA:
      return a;
    case TopicSort::kScoreB:
      return b;
    case TopicSort::kLatencyA:
      return row.arms[query.a].latency_ms;
    case TopicSort::kLatencyB:
      return query.b ? row.arms[*query.b].latency_ms : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Pairwise: whether x has to stand before y.
bool comes_before(const TopicRow& x, const TopicRow& y, const TopicQuery& query) {
  const bool descends = query.order == SortOrder::kDescending;
  if (query.sort == TopicSort::kTopic) return descends ? x.id > y.id : x.id < y.id;
  const auto of_x = plain_value(x, query), of_y = plain_value(y, query);
  if (of_x.has_value() != of_y.has_value()) return of_x.has_value();
  if (!of_x || *of_x == *of_y) return x.id < y.id;
  return descends ? *of_x > *of_y : *of_x < *of_y;
}

TEST(TopicList, SortsByEveryKeyInBothDirections) {
  const auto summary = drawn_summary(1);
  for (std::size_t sort = 0; sort < kTopicSorts.size(); ++sort) {
    for (const SortOrder order : {SortOrder::kAscending, SortOrder::kDescending}) {
      for (const std::optional<std::size_t> b : {std::optional<std::size_t>(2), {}}) {
        const TopicQuery query{.measure = 1,
                               .a = 1,
                               .b = b,
                               .sort = static_cast<TopicSort>(sort),
                               .order = order,
                               .size = 500};
        SCOPED_TRACE(kTopicSorts[sort]);
        const TopicList page = list_topics(*summary, query);
        ASSERT_EQ(page.rows.size(), kListed);
        EXPECT_EQ(page.matching, kListed);
        for (std::size_t i = 1; i < page.rows.size(); ++i) {
          ASSERT_TRUE(
              comes_before(summary->rows[page.rows[i - 1]], summary->rows[page.rows[i]], query));
        }
      }
    }
  }
}

TEST(TopicList, PagesTogetherAreTheWholeList) {
  const auto summary = drawn_summary(2);
  TopicQuery query{.b = 1, .size = 500};
  const std::vector<std::uint32_t> whole = list_topics(*summary, query).rows;
  query.size = 7;
  std::vector<std::uint32_t> together;
  for (query.page = 0; query.page * 7 < kListed; ++query.page) {
    const auto rows = list_topics(*summary, query).rows;
    together.insert(together.end(), rows.begin(), rows.end());
  }
  EXPECT_EQ(together, whole);
  query.page = 1'000'000'000;
  EXPECT_THAT(list_topics(*summary, query).rows, IsEmpty());
  EXPECT_EQ(list_topics(*summary, query).matching, kListed);
}

TEST(TopicList, SearchesPartsOfIdsInEitherCase) {
  const auto summary = drawn_summary(3);
  TopicQuery query{.sort = TopicSort::kTopic, .order = SortOrder::kAscending, .search = "t19"};
  const TopicList page = list_topics(*summary, query);
  EXPECT_EQ(page.matching, 10U);
  EXPECT_THAT(page.rows, ElementsAre(190, 191, 192, 193, 194, 195, 196, 197, 198, 199));
  query.search = "x";
  EXPECT_EQ(list_topics(*summary, query).matching, 0U);
  query.search = "T";
  EXPECT_EQ(list_topics(*summary, query).matching, kListed);
}

TEST(TopicList, CountsTopicsByTheSignOfTheDifference) {
  const auto summary = drawn_summary(4);
  const TopicQuery query{.a = 2, .b = 0};
  std::uint32_t wins = 0, ties = 0, losses = 0;
  const TopicList list = list_topics(*summary, query);
  for (std::size_t r = 0; r < kListed; ++r) {
    const TopicRow& row = summary->rows[r];
    const auto a = plain_mean(row, 2, 0), b = plain_mean(row, 0, 0);
    EXPECT_EQ(list.differences[r].has_value(), a && b);
    if (!a || !b) continue;
    EXPECT_DOUBLE_EQ(list.differences[r].value(), *b - *a);
    ++(*b > *a ? wins : *b < *a ? losses : ties);
  }
  EXPECT_EQ(list.wins, wins);
  EXPECT_EQ(list.ties, ties);
  EXPECT_EQ(list.losses, losses);
  EXPECT_EQ(std::accumulate(list.strip.begin(), list.strip.end(), 0U), wins + losses);
}

/// One topic in which b is better by `difference`.
TopicList list_of(double a, double b) {
  Summary summary{.measures = {Measure::parse("PRES@10")},
                  .arms = {{.id = ArmId("a")}, {.id = ArmId("b")}}};
  TopicRow row{.id = TopicId("t"), .arms = std::vector<TopicRow::Arm>(2)};
  row.arms[0].means = {a};
  row.arms[1].means = {b};
  summary.rows.push_back(row);
  return list_topics(summary, {.b = 1});
}

TEST(TopicList, EdgesBelongToTheBinNearerToZero) {
  const struct {
    double a, b;
    std::size_t bin;
  } kCases[] = {
      {0.0, 1.0, 39},     {1.0, 0.0, 0},    {0.0, 0.05, 20}, {0.05, 0.0, 19},
      {0.444, 0.494, 20},  // 0.05 except for binary noise
      {0.0, 0.051, 21},   {0.051, 0.0, 18}, {0.0, 0.15, 22}, {0.3, 0.9, 31},  // (0.55, 0.6]
      {0.0, 1e-9, 20},    {1e-9, 0.0, 19},
  };
  for (const auto& [a, b, bin] : kCases) {
    const TopicList tally = list_of(a, b);
    EXPECT_EQ(tally.strip[bin], 1U) << b << " - " << a;
    EXPECT_EQ(tally.wins + tally.losses, 1U);
  }
  const TopicList tie = list_of(0.1 + 0.2, 0.3);
  EXPECT_EQ(tie.ties, 1U);
  EXPECT_THAT(tie.strip, Each(0U));
}

TEST(TopicList, SplitComparesNoTopics) {
  Summary summary = *drawn_summary(5);
  summary.mode = Mode::kSplit;
  const TopicList list = list_topics(summary, {.b = 1});
  EXPECT_EQ(list.wins + list.ties + list.losses, 0U);
  EXPECT_FALSE(list.differences[0]);
}

TEST(TopicListJson, EqualsTheList) {
  const auto summary = drawn_summary(7);
  const TopicQuery query{
      .a = 1, .b = 2, .sort = TopicSort::kScoreB, .search = "1", .page = 1, .size = 5};
  const json page = json::parse(topic_list_json(*summary, query));
  EXPECT_EQ(page["measure"], "PRES@10");
  EXPECT_EQ(page["a"], "b");
  EXPECT_EQ(page["b"], "c");
  EXPECT_EQ(page["total"], kListed);
  EXPECT_EQ(page["matching"], list_topics(*summary, query).matching);
  EXPECT_EQ(page["sort"], "score_b");
  EXPECT_EQ(page["order"], "desc");
  EXPECT_EQ(page["page"], 1);
  EXPECT_EQ(page["size"], 5);
  ASSERT_EQ(page["strip"].size(), 40U);
  EXPECT_EQ(page["strip"][0]["low"], -1.0);
  EXPECT_EQ(page["strip"][19]["high"], 0.0);
  EXPECT_EQ(page["strip"][22]["low"], 0.1);
  EXPECT_EQ(page["strip"][22]["high"], 0.15);
  ASSERT_EQ(page["topics"].size(), 5U);
  const std::vector<std::uint32_t> rows = list_topics(*summary, query).rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TopicRow& row = summary->rows[rows[i]];
    const json& topic = page["topics"][i];
    EXPECT_EQ(topic["topic"], row.id.text());
    EXPECT_EQ(topic["num_rel"], row.num_rel);
    for (std::size_t a = 0; a < kListedArms; ++a) {
      EXPECT_EQ(topic["arms"][a]["visits"], row.arms[a].visits);
      EXPECT_EQ(topic["arms"][a]["seen"], row.arms[a].seen);
      if (!row.arms[a].seen) {
        EXPECT_TRUE(topic["arms"][a]["mean"].is_null());
        continue;
      }
      EXPECT_EQ(topic["arms"][a]["mean"], row.arms[a].means[0].value());
      EXPECT_EQ(topic["arms"][a]["last"], row.arms[a].scores[0].value());
      EXPECT_EQ(topic["arms"][a]["found"], 2) << "ranks 3 and 10 of PRES@10";
      EXPECT_EQ(topic["arms"][a]["num_ret"], 20);
    }
  }
}

}  // namespace
}  // namespace prescope::serve
