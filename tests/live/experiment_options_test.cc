#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "prescope/error.h"
#include "prescope/experiment.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Qrels one_topic() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}});
}

/// Returns the message with which the options are refused; empty if they are accepted.
std::string refusal(const ExperimentOptions& options) {
  try {
    const Experiment experiment(one_topic(), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return {};
}

TEST(ExperimentOptionsCheck, NamesEveryBadOptionAtOnce) {
  EXPECT_THAT(
      refusal({.name = "mine",
               .arms = {"x", "x", ""},
               .measures = {"PRSE@100"},
               .alpha = 0.0,
               .recording = {.queue_bytes = 1,
                             .drain_interval = milliseconds(0),
                             .sampling = 1.5,
                             .capture_depth = 100'001,
                             .publish_interval = milliseconds(9)},
               .shadow = {.threads = 0, .queue = 0, .deadline = milliseconds(0), .sampling = -1},
               .split = {.baseline = {{TopicId("t1"), "PRSE@7", 0.5}}}}),
      AllOf(HasSubstr("experiment 'mine': "), HasSubstr("'x' is there twice"),
            HasSubstr("arm 3 has an empty name"), HasSubstr("PRES"), HasSubstr("alpha is 0"),
            HasSubstr("queue_bytes is 1"), HasSubstr("drain_interval is 0 ms"),
            HasSubstr("recording.sampling is 1.5"),
            HasSubstr("capture_depth is 100001; expected 0 to 100000"),
            HasSubstr("publish_interval is 9 ms; expected 10 to 3600000 ms"),
            AllOf(HasSubstr("shadow.threads is 0; expected 1 to 64"),
                  HasSubstr("shadow.queue is 0; expected 1 to 65536"),
                  HasSubstr("shadow.deadline is 0 ms; expected 1 to 3600000 ms"),
                  HasSubstr("shadow.sampling is -1; expected above 0, at most 1"),
                  HasSubstr("PRSE@7"))));
}

/// Each range of experiment_options.h: both its ends, and the values next to them.
TEST(ExperimentOptionsCheck, AcceptsBothEndsOfEachRangeAndNothingBeyond) {
  struct Case {
    std::function<void(ExperimentOptions&)> set;
    bool is_taken;
  };
  const double above_1 = std::nextafter(1.0, 2.0);
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  using Options = ExperimentOptions;
  const std::vector<Case> cases = {
      {[](Options& o) { o.recording.queue_bytes = 65535; }, false},
      {[](Options& o) { o.recording.queue_bytes = 65536; }, true},
      {[](Options& o) { o.recording.queue_bytes = (std::size_t{1} << 30U) + 1; }, false},
      {[](Options& o) { o.recording.drain_interval = milliseconds(1); }, true},
      {[](Options& o) { o.recording.drain_interval = milliseconds(1000); }, true},
      {[](Options& o) { o.recording.drain_interval = milliseconds(1001); }, false},
      {[](Options& o) { o.recording.sampling = 0.0; }, false},
      {[](Options& o) { o.recording.sampling = 5e-324; }, true},
      {[](Options& o) { o.recording.sampling = 1.0; }, true},
      {[=](Options& o) { o.recording.sampling = above_1; }, false},
      {[=](Options& o) { o.recording.sampling = not_a_number; }, false},
      {[](Options& o) { o.recording.capture_depth = 100'000; }, true},
      {[](Options& o) { o.recording.publish_interval = milliseconds(10); }, true},
      {[](Options& o) { o.recording.publish_interval = milliseconds(3'600'000); }, true},
      {[](Options& o) { o.recording.publish_interval = milliseconds(3'600'001); }, false},
      {[](Options& o) { o.alpha = 0.5; }, true},
      {[](Options& o) { o.alpha = std::nextafter(0.5, 1.0); }, false},
      {[=](Options& o) { o.alpha = not_a_number; }, false},
      {[](Options& o) { o.shadow.threads = 64; }, true},
      {[](Options& o) { o.shadow.threads = 65; }, false},
      {[](Options& o) { o.shadow.queue = 65536; }, true},
      {[](Options& o) { o.shadow.queue = 65537; }, false},
      {[](Options& o) { o.shadow.deadline = std::chrono::hours(1); }, true},
      {[](Options& o) { o.shadow.deadline = milliseconds(3'600'001); }, false},
      {[=](Options& o) { o.shadow.sampling = above_1; }, false},
      {[](Options& o) { o.cutoffs = {0}; }, false},
      {[](Options& o) {
         o.cutoffs = {1, (1U << 31U) - 1};
       },
       true},
      {[](Options& o) { o.cutoffs = {1U << 31U}; }, false},
      {[](Options& o) { o.cutoffs = {}; }, false},
      {[](Options& o) { o.arms = {}; }, false},
      {[](Options& o) { o.arms.assign(1, ""); }, false}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ExperimentOptions options{.arms = {"a"}};
    cases[i].set(options);
    EXPECT_EQ(refusal(options).empty(), cases[i].is_taken) << "case " << i << refusal(options);
  }
}

TEST(ExperimentOptionsCheck, AcceptsSixtyFourArms) {
  ExperimentOptions options;
  for (int i = 0; i < 64; ++i) options.arms.push_back("arm " + std::to_string(i));
  EXPECT_EQ(refusal(options), "");
  options.arms.emplace_back("one more");
  EXPECT_THAT(refusal(options), HasSubstr("65 arms; expected at most 64"));
}

TEST(ExperimentOptionsCheck, PrimaryIsOneOfTheMeasures) {
  const auto with_primary = [](const char* primary) {
    return refusal({.arms = {"a"}, .measures = {"PRES@100", "R@100"}, .primary = primary});
  };
  EXPECT_EQ(with_primary(""), "");
  EXPECT_EQ(with_primary("R@100"), "");
  EXPECT_THAT(with_primary("R@10"),
              HasSubstr("primary 'R@10' is none of the measures; did you mean 'R@100'?"));
  EXPECT_THAT(with_primary("PRSE@100"), HasSubstr("PRSE"));
  EXPECT_THAT(refusal({.arms = {"a", "b"}, .measures = {"GMAP", "AP"}, .mode = Mode::kPaired}),
              HasSubstr("primary 'GMAP' cannot decide: its mean is geometric"));
  for (const auto& [primary, place] :
       {std::pair{"", std::size_t{0}}, {"PRES@100", 0}, {"R@100", 1}}) {
    Experiment experiment(one_topic(),
                          {.arms = {"a"}, .measures = {"PRES@100", "R@100"}, .primary = primary});
    EXPECT_EQ(experiment.summary()->primary, place) << primary;
  }
}

TEST(ExperimentOptionsCheck, SlicesAreOfTheQrelsAndNotTooMany) {
  std::vector<Qrels::Line> lines;
  for (int t = 0; t < 1010; ++t) lines.push_back({TopicId(std::to_string(1000 + t)), Docno("d")});
  const Qrels qrels = Qrels::from_lines(lines);
  const auto said = [&](const TopicSlices& slices) {
    try {
      const Experiment experiment(qrels, {.arms = {"a"}, .slices = slices});
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return std::string(error.what());
    }
  };
  TopicSlices slices{.dimensions = {{.name = "tens"}}};
  for (std::uint32_t s = 0; s < 101; ++s) {
    auto& slice = slices.dimensions[0].slices.emplace_back();
    slice.name = std::to_string(s);
    for (std::uint32_t t = 0; t < 10; ++t) slice.topics.emplace_back(10 * s + t);
  }
  EXPECT_THAT(said(slices), HasSubstr("101 slices of 10 topics or more; expected at most 100"));
  slices.dimensions[0].slices.pop_back();
  EXPECT_EQ(said(slices), "");
  slices.dimensions[0].slices.back().topics.emplace_back(1010);
  EXPECT_THAT(said(slices), HasSubstr("dimension 'tens' has topics that are not of the qrels"));
}

TEST(ExperimentOptionsCheck, TestsThatMakeNoSenseAreRefused) {
  const auto said = [](const TestOptions& test, Mode mode = Mode::kPaired) {
    return refusal({.arms = {"a", "b"},
                    .measures = {"PRES@100", "R@100", "GMAP"},
                    .mode = mode,
                    .test = test});
  };
  EXPECT_EQ(said({.plan = {.topics = 100}}), "");
  EXPECT_EQ(said({.guardrails = {{"R@100", 0.02}, {"latency", 1.1}}, .same_within = 0.01}), "");
  EXPECT_THAT(said({.plan = {.topics = 9}}), HasSubstr("plan.topics is 9; expected at least 10"));
  for (const std::vector<double>& looks :
       {std::vector<double>{0.5}, std::vector<double>{0.5, 0.5, 1.0},
        std::vector<double>{0.7, 0.5, 1.0}, std::vector<double>{0.0, 1.0},
        std::vector<double>{1.0, 1.1}, std::vector<double>{0.5, std::nan("")},
        std::vector<double>{0.995, 1.0}}) {
    EXPECT_THAT(said({.plan = {.topics = 100, .looks = looks}}), HasSubstr("plan.looks are ["));
  }
  EXPECT_THAT(said({.plan = {.topics = 10,
                             .looks = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1,
                                       0.11, 1.0}}}),
              HasSubstr("plan.looks are 12 within 10 topics"));
  EXPECT_THAT(said({.plan = {.topics = 100, .live_alpha = 0.05}}),
              HasSubstr("plan.live_alpha is 0.05; expected 0 to below alpha"));
  EXPECT_THAT(said({.plan = {.topics = 100}}, Mode::kObserve), HasSubstr("paired or split"));
  EXPECT_THAT(said({.guardrails = {{"R@10", 0.02}}}), HasSubstr("did you mean 'R@100'?"));
  EXPECT_THAT(said({.guardrails = {{"latencies", 0.5}}}), HasSubstr("latencies"));
  EXPECT_THAT(said({.guardrails = {{"GMAP", 0.02}}}), HasSubstr("geometric"));
  for (const double margin : {0.0, 1.0, -0.1, std::nan("")}) {
    EXPECT_THAT(said({.guardrails = {{"R@100", margin}}}), HasSubstr("expected above 0, below 1"));
  }
  EXPECT_THAT(said({.guardrails = {{"latency", 1.0}}}), HasSubstr("expected a ratio above 1"));
  EXPECT_THAT(said({.guardrails = {{"latency", 1.1}}}, Mode::kSplit), HasSubstr("mode paired"));
  EXPECT_THAT(said({.guardrails = {{"R@100", 0.1}, {"R@100", 0.2}}}), HasSubstr("there twice"));
  EXPECT_THAT(said({.same_within = 1.0}), HasSubstr("same_within is 1; expected 0 to below 1"));
}

TEST(ExperimentOptionsCheck, SharesAreOfTheArmsOfASplit) {
  const auto said = [](const ArmShares& shares, Mode mode = Mode::kSplit) {
    return refusal({.arms = {"old", "new"}, .mode = mode, .split = {.shares = shares}});
  };
  EXPECT_EQ(said({{"old", 1000.0}, {"new", 0.001}}), "");
  EXPECT_THAT(said({{"old", 19.0}}, Mode::kPaired), HasSubstr("only in mode split"));
  EXPECT_THAT(said({{"odl", 19.0}}), HasSubstr("did you mean 'old'?"));
  for (const double share : {0.0, -1.0, 1001.0, std::nan("")}) {
    EXPECT_THAT(said({{"new", share}}), HasSubstr("expected 0.001 to 1000"));
  }
}

TEST(ExperimentOptionsCheck, GuardrailsAreReadFromText) {
  EXPECT_EQ(read_guardrail("R@100=0.02").measure, "R@100");
  EXPECT_EQ(read_guardrail("RBP(p=0.8)@50=0.02").measure, "RBP(p=0.8)@50");
  EXPECT_EQ(read_guardrail("latency=1.1").margin, 1.1);
  for (const char* text : {"", "R@100", "R@100=", "R@100=x", "=0.1"}) {
    EXPECT_THROW((void)read_guardrail(text), Error) << text;
  }
}

TEST(ExperimentOptionsCheck, ScoredFlagsAreThoseThatLeaveRankingsOut) {
  const auto with_flags = [](RankingFlags flags) {
    return refusal({.arms = {"a"}, .recording = {.scored_flags = flags}});
  };
  EXPECT_EQ(with_flags(RankingFlags::kSorted | RankingFlags::kFiltered | RankingFlags::kCollapsed),
            "");
  EXPECT_THAT(with_flags(RankingFlags::kSorted | RankingFlags::kFailed), HasSubstr("scored_flags"));
}

TEST(ExperimentDefaults, EpochRuleFollowsTheMode) {
  const auto rule = [](Mode mode, std::optional<EpochRule> given = {}) {
    const Experiment experiment(one_topic(), {.arms = {"a", "b"}, .mode = mode, .epochs = given});
    return experiment.options().epochs;
  };
  EXPECT_EQ(rule(Mode::kObserve), EpochRule::kGeneration);
  EXPECT_EQ(rule(Mode::kPaired), EpochRule::kConfiguration);
  EXPECT_EQ(rule(Mode::kSplit), EpochRule::kConfiguration);
  EXPECT_EQ(rule(Mode::kSplit, EpochRule::kGeneration), EpochRule::kGeneration);
}

TEST(ExperimentDefaults, SaltIsMadeOfNameAndStart) {
  const auto salt = [](Mode mode, const char* given) {
    Experiment experiment(
        one_topic(),
        {.name = "autumn", .arms = {"a", "b"}, .mode = mode, .split = {.salt = given}});
    EXPECT_EQ(experiment.summary()->salt, experiment.options().split.salt);
    return experiment.options().split.salt;
  };
  EXPECT_THAT(salt(Mode::kSplit, ""),
              ::testing::MatchesRegex("autumn\\|[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}Z"));
  EXPECT_EQ(salt(Mode::kSplit, "mine"), "mine");
  EXPECT_EQ(salt(Mode::kPaired, ""), "");
}

TEST(ExperimentGenerations, SayWhichIndexAndWhichState) {
  Experiment experiment(one_topic(), {.arms = {"a"}});
  constexpr std::uint64_t kSecond = std::uint64_t{1} << 32U;
  const std::uint64_t first = experiment.next_generation();
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(experiment.next_generation(), kSecond + 1) << "another index";
  const std::uint64_t later = experiment.next_generation(first);
  const std::uint64_t other_later = experiment.next_generation(kSecond + 1);
  EXPECT_GT(later, first);
  EXPECT_EQ(later >> 32U, 0U);
  EXPECT_GT(other_later, kSecond + 1);
  EXPECT_EQ(other_later >> 32U, 1U);
  EXPECT_NE(experiment.next_generation(first), later) << "two threads may reopen one index";
}

TEST(ExperimentOptionsCheck, RefusesABaselineOfOtherTopicsOrMeasures) {
  const auto with_baseline = [](std::vector<BaselineScore> scores) {
    return refusal({.arms = {"a"}, .cutoffs = {10}, .split = {.baseline = std::move(scores)}});
  };
  EXPECT_EQ(with_baseline({{TopicId("t1"), "PRES@10", 1.0}, {TopicId("t7"), "PRES@10", 0.0}}), "")
      << "of more topics";
  EXPECT_EQ(with_baseline({{TopicId("t1"), "PRES@10", 1.0}, {TopicId("t1"), "P@5", 0.2}}), "")
      << "of more measures";
  EXPECT_THAT(with_baseline({{TopicId("t7"), "PRES@10", 0.1}, {TopicId("t1"), "P@5", 0.2}}),
              HasSubstr("none of its 2 scores is of a topic and a measure of the experiment"));
  EXPECT_THAT(with_baseline({{TopicId("t1"), "PRES@10", 1.01}}),
              HasSubstr("PRES@10 of topic 't1' is 1.01; expected 0 to 1"));
  EXPECT_THAT(with_baseline({{TopicId("t1"), "R@10", 0.5}, {TopicId("t1"), "R@10", 0.25}}),
              HasSubstr("R@10 of topic 't1' is 0.5 and 0.25; keep one"));
}

TEST(ExperimentOptionsCheck, NamesFiftyProblemsAndCountsTheRest) {
  ExperimentOptions options{.arms = {"a"}};
  for (int i = 100; i < 200; ++i) {
    options.split.baseline.push_back({TopicId("t" + std::to_string(i)), "PRES@100", 2.0});
  }
  EXPECT_THAT(refusal(options),
              AllOf(HasSubstr("'t149'"), Not(HasSubstr("'t150'")), HasSubstr("and 51 more")))
      << "100 scores out of range, and none of them of a topic";
}

TEST(ExperimentOptionsCheck, RefusesQrelsWithoutTopics) {
  try {
    const Experiment experiment(Qrels(), {.arms = {"a"}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
  }
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
