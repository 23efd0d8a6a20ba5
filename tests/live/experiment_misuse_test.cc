// Calls that would wait for ever: inside the recorder's own calls, and in a forked child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "prescope/dashboard.h"
#include "prescope/error.h"
#include "prescope/observation_log.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

Qrels topic_of_one_judgement() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}});
}

struct Call {
  const char* name;
  std::function<void(Experiment&)> make;
};

/// Everything that waits for the recorder.
std::vector<Call> waiting_calls() {
  return {{"flush", [](Experiment& e) { e.flush(); }},
          {"summary", [](Experiment& e) { (void)e.summary(); }},
          {"topic", [](Experiment& e) { (void)e.topic(TopicId("t1")); }},
          {"add_arm", [](Experiment& e) { (void)e.add_arm("c"); }},
          {"pause_arm", [](Experiment& e) { e.pause_arm(ArmIndex(1)); }},
          {"resume_arm", [](Experiment& e) { e.resume_arm(ArmIndex(1)); }},
          {"remove_arm", [](Experiment& e) { e.remove_arm(ArmIndex(1)); }},
          {"restart_arm", [](Experiment& e) { e.restart_arm(ArmIndex(1)); }},
          {"set_resolved", [](Experiment& e) { e.set_resolved(ArmIndex(0), nullptr); }},
          {"rejudge", [](Experiment& e) {
             (void)e.rejudge({.judged = {{TopicId("t1"), Docno("d2"), 1}}});
           }}};
}

/// Returns the message of the Error(kUsage) with which the call is refused; empty if it is not.
std::string refusal(Experiment& experiment, const Call& call) {
  try {
    call.make(experiment);
  } catch (const Error& error) {
    return error.code() == ErrorCode::kUsage ? error.what() : "";
  }
  return "";
}

void serve_once(Experiment& experiment) {
  const std::vector<DocId> docids = {DocId(1)};
  const QueryScope scope(experiment, TopicId("t1"));
  experiment.observe(served(ArmIndex(0), nullptr, docids));
}

TEST(ExperimentMisuse, ListenerThatWaitsForTheRecorderIsRefused) {
  Experiment* experiment = nullptr;
  std::vector<std::string> refusals;
  const auto listener = [&](const Observation&) {
    refusals.clear();
    for (const Call& call : waiting_calls()) refusals.push_back(refusal(*experiment, call));
    EXPECT_NE(experiment->latest(), nullptr);
    (void)experiment->summary();  // throws
  };
  Experiment mine(topic_of_one_judgement(),
                  {.arms = {"a", "b"},
                   .recording = {.publish_interval = std::chrono::milliseconds(10)},
                   .on_observation = listener});
  experiment = &mine;
  for (int i = 0; i < 2; ++i) {  // on the recorder thread, or on the one that flushes
    serve_once(mine);
    if (i == 0) {
      while (mine.latest()->health.recorded == 0) std::this_thread::yield();
    }
    mine.flush();
    ASSERT_EQ(refusals.size(), waiting_calls().size());
    for (std::size_t c = 0; c < refusals.size(); ++c) {
      EXPECT_THAT(refusals[c], HasSubstr("call latest()")) << waiting_calls()[c].name;
    }
  }
  const auto summary = mine.summary();
  EXPECT_EQ(summary->health.listener_failures, 2U);
  EXPECT_EQ(summary->health.recorded, 2U);
  EXPECT_EQ(summary->arms.size(), 2U) << "nothing was changed";
}

class FlushingLog final : public ObservationLog {
 public:
  void begin(const Experiment&) override {}
  void record(const Observation&) override { experiment->flush(); }
  void change(const ExperimentChange&) override { (void)experiment->summary(); }
  bool flush() override { return true; }
  void end() noexcept override {}
  LogProgress progress() const noexcept override { return {}; }

  Experiment* experiment = nullptr;
};

TEST(ExperimentMisuse, LogThatWaitsForTheRecorderIsRefused) {
  const auto log = std::make_shared<FlushingLog>();
  Experiment experiment(topic_of_one_judgement(), {.arms = {"a", "b"}, .logs = {log}});
  log->experiment = &experiment;
  serve_once(experiment);
  experiment.pause_arm(ArmIndex(1));
  EXPECT_EQ(experiment.summary()->health.log_failures, 2U);
}

/// Runs `work` in a forked child; returns its exit code. A child that hangs is ended by a signal.
int exit_code_in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(work());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ExperimentMisuse, ForkedChildIsToldAndEnds) {
  const std::vector<Call> calls = waiting_calls();
  auto experiment = std::make_unique<Experiment>(
      topic_of_one_judgement(),
      ExperimentOptions{
          .arms = {"a", "b"}, .mode = Mode::kPaired, .services = {dashboard({.port = 0})}});
  const int child = exit_code_in_child([&] {
    serve_once(*experiment);
    if (experiment->shadow(experiment->visit(TopicId("t1")), ArmIndex(0), [](ArmIndex) {})) {
      return 100;
    }
    for (std::size_t c = 0; c < calls.size(); ++c) {
      if (refusal(*experiment, calls[c]).find("the process has forked") == std::string::npos) {
        return static_cast<int>(c) + 1;
      }
    }
    experiment.reset();
    return 0;
  });
  EXPECT_EQ(child, 0) << "100: took a shadow; else the number of the call that was not refused";
  serve_once(*experiment);
  EXPECT_EQ(experiment->summary()->health.recorded, 2U)
      << "the parent goes on: a ranking without a table, and that its visit was not seen";
}

TEST(ExperimentMisuse, ForkedChildReadsTheLatestSummaryWhileTheParentDoes) {
  const Experiment experiment(topic_of_one_judgement(), {.arms = {"a"}});
  const std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)experiment.latest();
  });
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(exit_code_in_child([&] { return experiment.latest() != nullptr ? 0 : 1; }), 0);
  }
}

TEST(ExperimentMisuse, ForkedChildMakesItsOwnExperiment) {
  Experiment of_parent(topic_of_one_judgement(), {.arms = {"a"}});
  EXPECT_EQ(exit_code_in_child([] {
              Experiment own(topic_of_one_judgement(), {.arms = {"a"}});
              serve_once(own);
              return own.summary()->health.recorded == 1 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace prescope
