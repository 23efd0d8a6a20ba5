// Which events a summary holds, and how they are written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/events.h"
#include "prescope/error.h"
#include "support/report_summary.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr EventKind kAll[] = {EventKind::kBetter,          EventKind::kWorse,
                              EventKind::kVetoed,          EventKind::kLatencyWorse,
                              EventKind::kGuardrailBroken, EventKind::kPlanEnded};

/// A pair in paired mode whose primary measure is in this state.
Summary summary_with(LiveState state, double mean) {
  Summary summary = testing::live_summary();
  LiveVerdict& live = *summary.pairs[0].differences[0].live;
  live.state = state;
  live.mean = mean;
  return summary;
}

std::vector<EventKind> kinds_in(const Summary& summary) {
  std::vector<EventKind> kinds;
  for (const Event& event : events_in(summary, kAll)) kinds.push_back(event.kind);
  return kinds;
}

TEST(Events, FollowFromTheStateOfThePrimaryMeasure) {
  struct Case {
    LiveState state;
    double mean;
    std::vector<EventKind> kinds;
  };
  for (const Case& one : std::vector<Case>{
           {LiveState::kCollecting, -0.1, {}},
           {LiveState::kNoVerdict, -0.1, {}},
           {LiveState::kAhead, -0.1, {}},
           {LiveState::kLeading, -0.1, {}},
           {LiveState::kDescribed, -0.1, {}},
           {LiveState::kConfirmed, 0.1, {EventKind::kBetter}},
           {LiveState::kConfirmed, -0.1, {EventKind::kWorse}},
           {LiveState::kVetoed, 0.1, {EventKind::kVetoed}},
       }) {
    EXPECT_EQ(kinds_in(summary_with(one.state, one.mean)), one.kinds) << to_string(one.state);
  }
}

/// A planned test in this state, whose only look has been taken if it has ended.
Summary summary_with(PlannedState state) {
  Summary summary = summary_with(LiveState::kDescribed, 0.0);
  const bool has_ended = state != PlannedState::kGoing;
  PlannedLook look{.topics = 100, .boundary = 2.0, .is_taken = has_ended};
  if (has_ended) look.z = look.mean = look.low = look.high = 0.1;
  summary.pairs[0].planned = PlannedTest{.state = state, .looks = {look}};
  return summary;
}

TEST(Events, FollowFromAPlannedTest) {
  using enum EventKind;
  const std::pair<PlannedState, std::vector<EventKind>> cases[] = {
      {PlannedState::kGoing, {}},
      {PlannedState::kBetter, {kBetter, kPlanEnded}},
      {PlannedState::kWorse, {kWorse, kPlanEnded}},
      {PlannedState::kNotShown, {kPlanEnded}},
      {PlannedState::kVetoed, {kVetoed}}};
  for (const auto& [state, kinds] : cases) {
    EXPECT_EQ(kinds_in(summary_with(state)), kinds) << to_string(state);
  }
  const Event ended = events_in(summary_with(PlannedState::kNotShown), kAll).at(0);
  EXPECT_THAT(ended.sentence, HasSubstr("The planned test has ended with 100 topics"));
  EXPECT_EQ(ended.topics, 100U);  // the figures are those of the look
  EXPECT_EQ(ended.mean, 0.1);
}

TEST(Events, ABrokenGuardrailIsOne) {
  Summary summary = summary_with(LiveState::kCollecting, 0.0);
  summary.pairs[0].guardrails = {{.name = "R@100", .margin = 0.02, .topics = 70, .mean = -0.06},
                                 {.name = "latency", .margin = 1.1, .mean = 1.3}};
  EXPECT_THAT(kinds_in(summary), IsEmpty());
  summary.pairs[0].guardrails[1].state = GuardrailState::kKept;
  EXPECT_THAT(kinds_in(summary), IsEmpty());
  summary.pairs[0].guardrails[0].state = GuardrailState::kBroken;
  EXPECT_THAT(kinds_in(summary), ElementsAre(EventKind::kGuardrailBroken));
  EXPECT_THAT(events_in(summary, kAll).at(0).sentence,
              HasSubstr(": R@100 has lost more than 0.02 (-0.0600 over 70 topics)."));
}

TEST(Events, OtherMeasuresSayNothing) {
  Summary summary = summary_with(LiveState::kConfirmed, -0.1);
  std::swap(summary.measures[0], summary.measures[1]);
  std::swap(summary.pairs[0].differences[0], summary.pairs[0].differences[1]);
  EXPECT_THAT(kinds_in(summary), IsEmpty());
  summary.primary = 1;
  EXPECT_THAT(kinds_in(summary), ElementsAre(EventKind::kWorse));
}

TEST(Events, ObservedTrafficHasNone) {
  EXPECT_THAT(kinds_in(testing::observed_summary()), IsEmpty());
}

TEST(Events, LatencyIsWorseIfTheSlowerArmIsTheSecond) {
  Summary summary = summary_with(LiveState::kCollecting, 0.0);
  LatencyRatio& ratio = summary.pairs[0].latency;
  ratio.mean = 1.25;
  EXPECT_THAT(kinds_in(summary), ElementsAre(EventKind::kLatencyWorse));
  EXPECT_THAT(events_in(summary, kAll)[0].sentence, HasSubstr("tfidf is faster"));
  ratio.mean = 0.8;
  EXPECT_THAT(kinds_in(summary), IsEmpty());
  ratio.mean = 1.25;
  ratio.state = LatencyState::kNoVerdict;
  EXPECT_THAT(kinds_in(summary), IsEmpty());
}

TEST(Events, OnlyKindsThatAreAskedForAreReturned) {
  const Summary summary = summary_with(LiveState::kConfirmed, -0.1);
  EXPECT_THAT(events_in(summary, std::vector{EventKind::kBetter, EventKind::kVetoed}), IsEmpty());
}

TEST(Events, HaveTheFiguresOfTheVerdictAndItsSentence) {
  Summary summary = summary_with(LiveState::kConfirmed, -0.125);
  summary.salt = "salt";
  summary.pairs[0].latency.mean = 0.75;
  const std::vector<Event> events = events_in(summary, kAll);
  ASSERT_EQ(events.size(), 1U);
  Event event = events[0];
  event.id = "worse-1";
  event.time = UtcTime(std::chrono::milliseconds(1'700'000'000'123));
  EXPECT_EQ(event_json(event), R"({
 "id": "worse-1",
 "kind": "worse",
 "time": "2023-11-14T22:13:20.123Z",
 "experiment": "patents",
 "salt": "salt",
 "epoch": 3,
 "arm": "bm25",
 "compared_with": "tfidf",
 "measure": "PRES@100",
 "mean": -0.125,
 "low": 0.1,
 "high": 0.15,
 "topics": 212,
 "latency": {
  "ratio": 0.75,
  "low": 0.7,
  "high": 0.9,
  "visits": 640
 },
 "sentence": "tfidf is better than bm25 by 0.1250 PRES@100.",
 "text": "patents: tfidf is better than bm25 by 0.1250 PRES@100."
}
)");
}

TEST(Events, MissingFiguresAreNull) {
  Event event{.kind = EventKind::kVetoed, .experiment = "a\xFF"};
  const std::string json = event_json(event);
  for (const char* const member : {"\"salt\": null", "\"mean\": null", "\"latency\": null"}) {
    EXPECT_THAT(json, HasSubstr(member));
  }
  EXPECT_THAT(json, HasSubstr("a\uFFFD")) << "bytes that are not UTF-8 are replaced";
}

TEST(EventKinds, AreReadByName) {
  for (const EventKind kind : kAll) EXPECT_EQ(parse_event_kind(to_string(kind)), kind);
  EXPECT_THAT(refusal_of([] { static_cast<void>(parse_event_kind("worst")); }).message,
              ::testing::AllOf(HasSubstr("unknown kind of event 'worst'; did you mean 'worse'?"),
                               HasSubstr("Valid: better, worse, vetoed, latency_worse, "
                                         "guardrail_broken, plan_ended")));
}

}  // namespace
}  // namespace prescope
