#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nightly/gate/checks.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using Topic = EvaluationRecord::Topic;

/// A topic with two relevant documents, at these ranks.
Topic topic(const char* id, std::vector<Rank> ranks, std::optional<std::uint32_t> family) {
  Topic topic{.id = TopicId(id), .num_rel = 2, .num_ret = 100, .family = family};
  for (const Rank rank : ranks) topic.found.push_back({Docno("d" + std::to_string(rank)), rank});
  return topic;
}

/// R@10 of three topics at the baseline and tonight.
PairedScores scores_by(std::array<std::optional<std::uint32_t>, 3> families) {
  const std::vector<Topic> baseline = {topic("a", {1, 2}, {}), topic("b", {1, 50}, {}),
                                       topic("c", {1, 50}, {})};
  const std::vector<Topic> tonight = {topic("a", {1, 50}, families[0]), topic("b", {}, families[1]),
                                      topic("c", {1, 2}, families[2])};
  std::vector<PairedTopic> pairs;
  for (std::size_t t = 0; t < tonight.size(); ++t) pairs.push_back({&baseline[t], &tonight[t]});
  return paired_scores(pairs, Measure::parse("R@10"));
}

TEST(GateFamilies, TopicsOfOneFamilyAreOneValueTheirMean) {
  // a: 1 -> 0.5, b: 0.5 -> 0, both of family 4; c: 0.5 -> 1.
  const PairedScores scores = scores_by({4, 4, 0});
  EXPECT_THAT(scores.differences(), ElementsAre(-0.5, 0.5));
  EXPECT_THAT(scores.a(), ElementsAre(0.75, 0.5));
  EXPECT_THAT(scores.b(), ElementsAre(0.25, 1.0));
}

TEST(GateFamilies, WithoutAMapEachTopicIsAValue) {
  EXPECT_THAT(scores_by({}).differences(), ElementsAre(-0.5, -0.5, 0.5));
}

}  // namespace
}  // namespace prescope
