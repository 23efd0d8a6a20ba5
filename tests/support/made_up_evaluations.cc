#include "support/made_up_evaluations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace prescope {
namespace {

constexpr std::uint32_t kMadeUpDepth = 1000;

class EvaluationMaker {
 public:
  explicit EvaluationMaker(const MadeUpEvaluation& wishes)
      : wishes_(wishes), random_(wishes.seed) {}

  EvaluationRecord make() {
    EvaluationRecord record{.arm = wishes_.arm,
                            .source = fmt::format("replay experiment-{}.toml", wishes_.seed),
                            .config = "ranker = \"bm25\"\nb = 0.75\n",
                            .time = wishes_.time,
                            .index = {.engine = "toy",
                                      .engine_version = "1.2",
                                      .path = "/indexes/tonight",
                                      .documents = 1'000'000 + wishes_.seed,
                                      .judged_found = 17},
                            .depth = kMadeUpDepth,
                            .measures = parse_measures(wishes_.measures)};
    for (std::uint32_t i = 0; i < wishes_.topics; ++i) record.topics.push_back(topic(i));
    record.qrels = {.hash = fmt::format("{:016x}", 0xC0FFEE + wishes_.topics),
                    .topics = wishes_.topics,
                    .judgements = 3 * wishes_.topics,
                    .relevant = 2 * wishes_.topics,
                    .docno = DocnoPolicy::kPatent,
                    .min_grade = 2};
    for (const auto& topic : record.topics) {
      if (topic.latency) record.latency.add(*topic.latency);
    }
    record.docno_hint = {
        .policy = DocnoPolicy::kFamily, .judged = 40, .matched = 4, .would_match = 38};
    for (std::uint32_t n = wishes_.seed % 3; n > 0; --n) record.missing.emplace_back(docno(n));
    record.conditions = {{"topics.exclude_pairs", "2 pairs"}, {"topics.source", "\"file\"\n"}};
    record.samples = {{Docno(docno(1)), std::nullopt, UINT64_MAX}, {Docno(docno(2)), 0, 7}};
    record.index.passport = {.analyzer = "words",
                             .fields = {{{"title", wishes_.seed}, {"claims", std::nullopt}}},
                             .checksum = "00"};
    return record;
  }

 private:
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }

  [[nodiscard]] bool is_awkward() const {
    return wishes_.names == MadeUpEvaluation::Names::kAwkward;
  }
  [[nodiscard]] std::string topic_id(std::uint32_t i) const {
    return fmt::format("EP{:07}A1{}", i, is_awkward() ? " \"é\"" : "");
  }
  std::string docno(Rank rank) {
    return fmt::format("EP{:07}{}B{}", below(9'999'999), is_awkward() ? "\\\"ü\"" : "",
                       is_awkward() ? rank : 1);
  }

  EvaluationRecord::Topic topic(std::uint32_t i) {
    EvaluationRecord::Topic topic{
        .id = TopicId(topic_id(i)), .num_ret = kMadeUpDepth, .duplicates = below(3)};
    if (below(10) == 0) return not_served(topic);
    std::set<Rank> ranks;
    for (std::uint32_t n = below(wishes_.most_found + 1); n > 0; --n) {
      ranks.insert(1 + below(kMadeUpDepth));
    }
    for (const Rank rank : ranks) {
      topic.found.push_back({.docno = Docno(docno(rank)), .rank = rank});
    }
    topic.num_rel = static_cast<std::uint32_t>(ranks.size()) + below(4);
    if (below(10) > 0) topic.latency = std::chrono::nanoseconds{1 + below(80'000'000)};
    return topic;
  }

  EvaluationRecord::Topic not_served(EvaluationRecord::Topic topic) {
    topic.num_ret = 0;
    topic.duplicates = 0;
    topic.num_rel = below(4);
    topic.served = false;
    return topic;
  }

  const MadeUpEvaluation& wishes_;
  std::mt19937 random_;
};

}  // namespace

EvaluationRecord made_up(const MadeUpEvaluation& wishes) { return EvaluationMaker(wishes).make(); }

void expect_same(const EvaluationRecord& actual, const EvaluationRecord& expected) {
  EXPECT_EQ(actual.arm, expected.arm);
  EXPECT_EQ(actual.source, expected.source);
  EXPECT_EQ(actual.config, expected.config);
  EXPECT_EQ(actual.time, expected.time);
  EXPECT_EQ(actual.qrels, expected.qrels);
  EXPECT_EQ(actual.index, expected.index);
  EXPECT_EQ(actual.depth, expected.depth);
  EXPECT_EQ(actual.measures, expected.measures);
  EXPECT_EQ(actual.latency, expected.latency);
  EXPECT_EQ(actual.missing, expected.missing);
  EXPECT_EQ(actual.conditions, expected.conditions);
  EXPECT_EQ(actual.samples, expected.samples);
  ASSERT_EQ(actual.topics.size(), expected.topics.size());
  for (std::size_t i = 0; i < actual.topics.size(); ++i) {
    EXPECT_EQ(actual.topics[i], expected.topics[i]) << expected.topics[i].id.text();
  }
  ASSERT_EQ(actual.docno_hint.has_value(), expected.docno_hint.has_value());
  if (!expected.docno_hint) return;
  EXPECT_EQ(actual.docno_hint->policy, expected.docno_hint->policy);
  EXPECT_EQ(actual.docno_hint->judged, expected.docno_hint->judged);
  EXPECT_EQ(actual.docno_hint->matched, expected.docno_hint->matched);
  EXPECT_EQ(actual.docno_hint->would_match, expected.docno_hint->would_match);
}

}  // namespace prescope
