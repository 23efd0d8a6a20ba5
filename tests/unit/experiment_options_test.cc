#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/error.h"
#include "prescope/experiment.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Qrels one_topic() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}});
}

TEST(ExperimentOptionsCheck, NamesEveryBadOptionAtOnce) {
  try {
    const Experiment experiment(
        one_topic(),
        {.arms = {"x", "x"},
         .measures = {"PRSE@100"},
         .recording = {.queue_bytes = 1, .drain_interval = std::chrono::milliseconds(0)}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'x' is there twice"), HasSubstr("PRES"),
                                    HasSubstr("queue_bytes is 1"), HasSubstr("0 ms")));
  }
}

TEST(ExperimentOptionsCheck, RefusesQrelsWithoutTopics) {
  EXPECT_THROW(Experiment(Qrels(), {.arms = {"a"}}), Error);
}

TEST(ExperimentOptionsCheck, NamesTheNearestArm) {
  const Experiment experiment(one_topic(), {.arms = {"tfidf", "bm25"}});
  try {
    (void)experiment.arm("bm52");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'bm25'"));
  }
}

}  // namespace
}  // namespace prescope
