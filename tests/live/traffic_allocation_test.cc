// The calls of a host around its search neither allocate nor lock, utf8proc's functions included.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace prescope
