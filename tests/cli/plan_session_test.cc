// `prescope plan` from a session of a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// R@10 of four topics differs by +.5, 0, -.5 and 0: the pilot of plan.transcript.
class PlanOfASession : public ::testing::Test {
 protected:
  PlanOfASession() {
    std::vector<Qrels::Line> lines;
    for (const char* const topic : {"T1", "T2", "T3"}) {
      lines.push_back({TopicId(topic), Docno("A")});
      lines.push_back({TopicId(topic), Docno("B")});
    }
    lines.push_back({TopicId("T4"), Docno("A")});
    Experiment experiment(Qrels::from_lines(lines),
                          {.name = "spring",
                           .arms = {"old", "new", "idle"},
                           .measures = {"R@10", "P@5"},
                           .logs = {log_to_store(workspace_.path("live.store"))}});
    const auto serve = [&](const char* topic, std::uint32_t arm, const char* docno) {
      const QueryScope scope(experiment, TopicId(topic));
      experiment.observe({.arm = ArmIndex(arm),
                          .kind = HitKind::kDocnos,
                          .docnos = std::array{std::string_view(docno)},
                          .requested_depth = 10,
                          .search_started = std::chrono::steady_clock::now()});
    };
    serve("T1", 0, "C");
    serve("T2", 0, "A");
    serve("T3", 0, "A");
    serve("T4", 0, "A");
    serve("T1", 1, "A");
    serve("T2", 1, "B");
    serve("T3", 1, "C");
    serve("T4", 1, "A");
  }
  Outcome plan(std::vector<std::string> more) const {
    more.insert(more.begin(), {"plan", "--store", "live.store", "--difference", "0.1"});
    return workspace_.run(std::move(more));
  }
  std::string refusal(std::vector<std::string> more) const {
    const Outcome outcome = plan(std::move(more));
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  }

  Workspace workspace_;
};

TEST_F(PlanOfASession, HasThePilotOfItsRankings) {
  const Outcome outcome = plan({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("experiment  spring"), HasSubstr("B           new"),
                    HasSubstr("R@10: mean difference +0.0000 over 4 topics, 2 without one; "
                              "standard deviation 0.4082")));
}

TEST_F(PlanOfASession, TakesAnotherMeasureOfTheSession) {
  EXPECT_THAT(plan({"-m", "P@5"}).out, HasSubstr("P@5: mean difference"));
  EXPECT_THAT(refusal({"-m", "P@6"}), HasSubstr("did you mean 'P@5'?"));
}

TEST_F(PlanOfASession, RefusesWhatMakesNoSenseBesideIt) {
  EXPECT_THAT(refusal({"--arm", "nwe"}), HasSubstr("did you mean 'new'?"));
  EXPECT_THAT(refusal({"--arm", "idle"}), HasSubstr("fewer than two topics"));
  EXPECT_THAT(refusal({"--sd", "0.1"}), HasSubstr("have no meaning beside a pilot"));
  EXPECT_THAT(refusal({"qrels.txt"}), HasSubstr("give either a store, or QRELS and two runs"));
  EXPECT_THAT(refusal({"--docno", "patent"}), HasSubstr("give either a store"));
  EXPECT_THAT(refusal({"--session", "7"}), HasSubstr("session"));
  const Outcome alone =
      workspace_.run({"plan", "--sd", "0.1", "--difference", "0.1", "--arm", "b"});
  EXPECT_THAT(alone.err, HasSubstr("have no meaning without --store"));
}

}  // namespace
}  // namespace prescope::testing
