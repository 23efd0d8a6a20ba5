// What a host calls before it searches does not allocate, utf8proc's functions included.
#include <gtest/gtest.h>

#include "conformance/count_allocations.h"
#include "prescope/experiment.h"
#include "prescope/topic_matcher.h"

namespace prescope {
namespace {

using conformance::allocations_in;
using conformance::kAllocationsAreCounted;

Qrels one_topic() {
  const Qrels::Line lines[] = {{TopicId("EP1"), Docno("EP2"), 1}};
  return Qrels::from_lines(lines);
}

TEST(TrafficAllocation, IsSeenByTheCounter) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  EXPECT_EQ(allocations_in([] { ::operator delete(::operator new(100)); }), 1U);
}

TEST(TrafficAllocation, MatchingATextHasNone) {
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

}  // namespace
}  // namespace prescope
