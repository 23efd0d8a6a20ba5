// The calls of a host around its search neither allocate nor lock, utf8proc's functions included.
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "conformance/count_allocations.h"
#include "prescope/experiment.h"
#include "prescope/topic_matcher.h"
#include "support/count_locks.h"

namespace prescope {
namespace {

using conformance::allocations_in;
using conformance::kAllocationsAreCounted;

Qrels one_topic() {
  const Qrels::Line lines[] = {{TopicId("EP1"), Docno("EP2"), 1}};
  return Qrels::from_lines(lines);
}

TEST(TrafficAllocation, CounterSeesAllocations) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  EXPECT_EQ(allocations_in([] { ::operator delete(::operator new(100)); }), 1U);
}

TEST(TrafficAllocation, MatchingATextDoesNotAllocate) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  std::string text;
  while (text.size() < 5000) text += "Wärmeübertrager für ＫÄＬＴＥmittel q\u0307\u0323 ";
  const TopicMatcher::Text texts[] = {{TopicId("EP1"), text}};
  const Qrels qrels = one_topic();
  const TopicMatcher matcher(qrels, texts);
  const std::string other = text + "x";
  const std::string invalid = text + "\xFF";
  TopicIndex found = kUnjudgedTopic, missed{}, refused{};
  EXPECT_EQ(allocations_in([&] {
              found = matcher.find(text);
              missed = matcher.find(other);
              refused = matcher.find(invalid);
            }),
            0U);
  EXPECT_EQ(found, TopicIndex(0));
  EXPECT_EQ(missed, kUnjudgedTopic);
  EXPECT_EQ(refused, kUnjudgedTopic);
}

ExperimentOptions paired_and_sampled() {
  return {.arms = {"a", "b"}, .mode = Mode::kPaired, .shadow = {.sampling = 0.5}};
}

TEST(TrafficAllocation, AskingForAShadowOrAnArmNeitherAllocatesNorLocks) {
  if (!kAllocationsAreCounted || !kLocksAreCounted) {
    GTEST_SKIP() << "the sanitizer has replaced malloc and locks";
  }
  Experiment paired(one_topic(), paired_and_sampled());
  const Experiment split(one_topic(), {.arms = {"a", "b"}, .mode = Mode::kSplit});
  const TopicId judged("EP1"), unjudged("a topic with a name that is too long for a small string");
  int wanted = 0;
  const auto ask = [&] {
    for (int i = 0; i < 100; ++i) {
      wanted += paired.wants_shadow(paired.visit(judged, {.key = "session", .arm = "b"})) ? 1 : 0;
      wanted += paired.wants_shadow(paired.visit(judged)) ? 1 : 0;
      wanted += paired.wants_shadow(paired.visit(unjudged)) ? 1000 : 0;
      (void)split.arm_for(unjudged.text());
    }
  };
  EXPECT_EQ(allocations_in(ask), 0U);
  EXPECT_EQ(locks_in(ask), 0U);
  EXPECT_GT(wanted, 0);
  EXPECT_LT(wanted, 400) << "some were left out, and every unjudged one";
}

/// Allocations and locks in offering visits for comparison, of a host that keeps its function.
struct Cost {
  std::uint64_t allocations = 0, locks = 0;
};
Cost cost_of_offers(Experiment& experiment, TopicIndex topic) {
  constexpr int kOffers = 50;
  const std::string query(300, 'q');
  int taken = 0;
  const auto offer = [&] {
    for (int i = 0; i < kOffers; ++i) {
      const Visit visit = experiment.visit(topic);
      if (!experiment.wants_shadow(visit)) continue;
      taken += experiment.shadow(
                   visit, ArmIndex(0), [](ArmIndex) {}, query)
                   ? 1
                   : 0;
    }
  };
  const Cost cost{.allocations = allocations_in(offer), .locks = locks_in(offer)};
  EXPECT_EQ(taken, 2 * kOffers);
  return cost;
}

// The pool's thread waits in a search until the offers are counted.
TEST(TrafficAllocation, OfferingAnUnjudgedVisitCostsWhatAJudgedOneCosts) {
  if (!kAllocationsAreCounted || !kLocksAreCounted) {
    GTEST_SKIP() << "the sanitizer has replaced malloc and locks";
  }
  Experiment experiment(
      one_topic(),
      {.arms = {"a", "b"},
       .mode = Mode::kPaired,
       .shadow = {.queue = 1000, .deadline = std::chrono::hours(1), .overlap = {.sampling = 1.0}}});
  std::promise<void> begun, go_on;
  const std::shared_future<void> may_go_on = go_on.get_future().share();
  std::once_flag once;
  experiment.shadow(experiment.visit(TopicIndex(0)), ArmIndex(0), [&](ArmIndex) {
    std::call_once(once, [&] { begun.set_value(); });
    may_go_on.wait();
  });
  begun.get_future().wait();
  const Cost judged = cost_of_offers(experiment, TopicIndex(0));
  const Cost unjudged = cost_of_offers(experiment, kUnjudgedTopic);
  go_on.set_value();
  EXPECT_EQ(judged.allocations, 0U);
  EXPECT_EQ(unjudged.allocations, judged.allocations);
  EXPECT_EQ(unjudged.locks, judged.locks);
  experiment.drain_shadow();
}

// After the first ranking of the thread, which makes its buffer.
TEST(TrafficAllocation, PostingRankingsOfAnUnjudgedVisitNeitherAllocatesNorLocks) {
  if (!kAllocationsAreCounted || !kLocksAreCounted) {
    GTEST_SKIP() << "the sanitizer has replaced malloc and locks";
  }
  Experiment experiment(
      one_topic(),
      {.arms = {"a", "b"}, .mode = Mode::kPaired, .shadow = {.overlap = {.sampling = 1.0}}});
  const std::vector<std::string_view> docnos(200, "EP-1000-A1");
  Ranking rankings[2];
  for (std::uint32_t arm = 0; arm < 2; ++arm) {
    rankings[arm] = {.arm = ArmIndex(arm),
                     .kind = HitKind::kDocnos,
                     .docnos = docnos,
                     .requested_depth = 200,
                     .latency = std::chrono::milliseconds(3)};
  }
  const std::string query(300, 'q');
  const auto post = [&] {
    experiment.observe_comparison(experiment.visit(kUnjudgedTopic), ArmIndex(0), rankings, query);
  };
  post();
  EXPECT_EQ(allocations_in(post), 0U);
  EXPECT_EQ(locks_in(post), 0U);
  EXPECT_EQ(experiment.summary()->pairs[0].overlap->visits, 3U);
}

}  // namespace
}  // namespace prescope
