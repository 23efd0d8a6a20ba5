#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "prescope/error.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

Qrels judged_topic() {
  return Qrels::from_lines(
      std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}, {TopicId("t1"), Docno("d2")}});
}

class ExperimentArms : public ::testing::Test {
 protected:
  // The smallest queue: a change first records everything that fits into it.
  Experiment experiment_{
      judged_topic(), {.arms = {"a", "b"}, .cutoffs = {10}, .recording = {.queue_bytes = 65536}}};
  std::shared_ptr<const ResolvedQrels> resolved_ = resolve(experiment_);

  void serve(ArmIndex arm) {
    const std::vector<DocId> docids = {DocId(1)};
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe(served(arm, resolved_, docids));
  }
  std::uint64_t epoch() { return experiment_.summary()->epoch.number; }

  /// Returns the message with which a change is refused; checks that it changed nothing.
  template <class Change>
  std::string refusal(Change change) {
    const std::uint64_t before = epoch();
    try {
      change();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
      EXPECT_EQ(epoch(), before);
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(ExperimentArms, AnArmAddedLaterIsLikeTheOthers) {
  const ArmIndex c = experiment_.add_arm("c");
  EXPECT_EQ(c, ArmIndex(2));
  EXPECT_EQ(experiment_.find_arm("c"), c);
  EXPECT_EQ(experiment_.status(c), ArmStatus::kActive);
  resolved_ = resolve(experiment_);
  serve(ArmIndex(0));
  serve(c);
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->epoch.number, 2U);
  EXPECT_EQ(summary->epoch.reason, EpochReason::kArms);
  ASSERT_EQ(summary->arms.size(), 3U);
  EXPECT_EQ(summary->arms[2].id, ArmId("c"));
  EXPECT_EQ(summary->arms[2].means[0].mean, 0.5) << "(10 + 1 - 1) / (2 * 10)";
  EXPECT_EQ(summary->arms[2].relevant_missing, 0U);
}

TEST_F(ExperimentArms, ArmNamesKeepTheirAddresses) {
  const std::span<const ArmId> before = experiment_.arms();
  for (int i = 2; i < 64; ++i) (void)experiment_.add_arm("arm " + std::to_string(i));
  EXPECT_EQ(experiment_.arms().data(), before.data());
  EXPECT_EQ(experiment_.arms().size(), 64U);
  EXPECT_EQ(before.size(), 2U) << "a span is of those that were there";
  EXPECT_THAT(refusal([&] { experiment_.add_arm("one more"); }), HasSubstr("the 65th"));
}

TEST_F(ExperimentArms, RefusesInvalidChanges) {
  EXPECT_THAT(refusal([&] { experiment_.add_arm(""); }), HasSubstr("empty name"));
  EXPECT_THAT(refusal([&] { experiment_.add_arm("b"); }), HasSubstr("'b' is there already"));
  EXPECT_THAT(refusal([&] { experiment_.remove_arm(ArmIndex(0)); }), HasSubstr("'a' is the first"));
  EXPECT_THAT(refusal([&] { experiment_.pause_arm(ArmIndex(2)); }),
              HasSubstr("arm number 2 is not one of the 2 arms"));
  experiment_.remove_arm(ArmIndex(1));
  for (void (Experiment::*change)(ArmIndex) : {&Experiment::pause_arm, &Experiment::resume_arm,
                                               &Experiment::remove_arm, &Experiment::restart_arm}) {
    EXPECT_THAT(refusal([&] { (experiment_.*change)(ArmIndex(1)); }), HasSubstr("'b' was removed"));
  }
}

TEST_F(ExperimentArms, NothingIsRecordedForAPausedArm) {
  serve(ArmIndex(1));
  experiment_.pause_arm(ArmIndex(1));
  EXPECT_EQ(experiment_.status(ArmIndex(1)), ArmStatus::kPaused);
  serve(ArmIndex(1));
  auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.inactive_arm, 1U);
  EXPECT_EQ(summary->health.pushed, 1U);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U);
  EXPECT_EQ(summary->arms[1].judged_queries, 1U) << "what it served stays";
  EXPECT_EQ(summary->arms[1].status, ArmStatus::kPaused);
  experiment_.resume_arm(ArmIndex(1));
  serve(ArmIndex(1));
  summary = experiment_.summary();
  EXPECT_EQ(summary->arms[1].judged_queries, 2U);
  EXPECT_EQ(summary->epoch.number, 3U) << "one pause, one return";
}

TEST(ExperimentSplit, PastEpochsCompareTheArmsThatWereActive) {
  Experiment experiment(judged_topic(),
                        {.arms = {"a", "b"}, .cutoffs = {10}, .mode = Mode::kSplit});
  const auto serve_one_topic = [&](ArmIndex arm) {
    const std::vector<DocId> docids = {DocId(1)};
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(arm, resolve(experiment), docids));
  };
  serve_one_topic(ArmIndex(0));
  serve_one_topic(ArmIndex(1));
  experiment.pause_arm(ArmIndex(1));
  serve_one_topic(ArmIndex(0));
  experiment.resume_arm(ArmIndex(1));
  const auto summary = experiment.summary();
  ASSERT_EQ(summary->past_epochs.size(), 2U);
  EXPECT_EQ(summary->past_epochs[0].differences.at(0).topics, 1U);
  EXPECT_EQ(summary->past_epochs[1].differences.at(0).topics, 0U) << "b was paused";
  EXPECT_TRUE(summary->pairs.at(0).sample_ratio);
  experiment.remove_arm(experiment.add_arm("c"));
  experiment.add_arm("c");
  const std::vector<PastEpoch> past = experiment.summary()->past_epochs;
  ASSERT_EQ(past.size(), 5U);
  for (const std::size_t epoch : {2U, 4U}) {
    ASSERT_EQ(past[epoch].differences.size(), 3U) << "PRES, R and AP of b; c came afterwards";
    EXPECT_EQ(past[epoch].differences[0].live.value().alpha, 0.05) << "c has no share of it";
  }
}

TEST_F(ExperimentArms, PausingAPausedArmIsNoChange) {
  experiment_.resume_arm(ArmIndex(1));
  EXPECT_EQ(epoch(), 1U);
  experiment_.pause_arm(ArmIndex(1));
  experiment_.pause_arm(ArmIndex(1));
  EXPECT_EQ(epoch(), 2U);
}

TEST_F(ExperimentArms, ARemovedArmIsForgottenAndMayComeAgain) {
  serve(ArmIndex(1));
  experiment_.remove_arm(ArmIndex(1));
  EXPECT_EQ(experiment_.status(ArmIndex(1)), ArmStatus::kRemoved);
  EXPECT_EQ(experiment_.find_arm("b"), ArmIndex(1));
  serve(ArmIndex(1));
  auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.inactive_arm, 1U);
  EXPECT_EQ(summary->arms[1].judged_queries, 0U);
  EXPECT_EQ(summary->arms[1].relevant_missing, std::nullopt);
  EXPECT_EQ(experiment_.add_arm("b"), ArmIndex(1));
  serve(ArmIndex(1));
  summary = experiment_.summary();
  EXPECT_EQ(summary->arms[1].judged_queries, 1U);
  EXPECT_EQ(summary->arms[1].means[0].mean, 0.5);
  EXPECT_EQ(summary->epoch.number, 3U);
}

TEST_F(ExperimentArms, ARestartForgetsTheScoresOfTheEpoch) {
  serve(ArmIndex(0));
  experiment_.restart_arm(ArmIndex(0));
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->epoch.number, 2U);
  EXPECT_EQ(summary->arms[0].means[0].topics, 0U);
  EXPECT_EQ(summary->arms[0].judged_queries, 1U) << "queries are counted on";
}

TEST_F(ExperimentArms, RankingOfAnUnknownArmIsCountedAndLeftOut) {
  serve(ArmIndex(7));
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.unknown_arm, 1U);
  EXPECT_EQ(summary->health.pushed, 0U);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U);
}

TEST_F(ExperimentArms, AreReadWhileTheyChange) {
  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        for (std::uint32_t a = 0; a < experiment_.arms().size(); ++a) {
          EXPECT_EQ(experiment_.find_arm(experiment_.arms()[a].text()), ArmIndex(a));
          serve(ArmIndex(a));
        }
        // Lets the recorder run, also if there are fewer cores than threads.
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    const ArmIndex added = experiment_.add_arm("new " + std::to_string(i));
    experiment_.pause_arm(added);
    experiment_.resume_arm(added);
    if (i % 2 == 0) experiment_.remove_arm(added);
  }
  done = true;
  readers.clear();
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->arms.size(), 22U);
  EXPECT_EQ(summary->epoch.number, 1U + 20 * 3 + 10);
  EXPECT_EQ(summary->health.recorded, summary->health.pushed);
}

}  // namespace
}  // namespace prescope
