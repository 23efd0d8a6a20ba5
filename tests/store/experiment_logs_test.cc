// The calls that an experiment makes to its logs, and the handling of their exceptions.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "prescope/observation_log.h"
#include "prescope/report.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = ExperimentChange::Kind;

/// Writes down its calls, one line each.
class Notes : public ObservationLog {
 public:
  explicit Notes(std::vector<std::string>& calls) : calls_(calls) {}

  void begin(const Experiment& experiment) override {
    experiment_ = &experiment;
    calls_.push_back("begin " + experiment.options().name);
  }
  void record(const Observation& observation) override {
    const Qrels& qrels = experiment_->qrels(observation.judgements_version);
    const std::string topic = observation.topic == kUnjudgedTopic
                                  ? "unjudged"
                                  : qrels.topic(observation.topic).id().text();
    calls_.push_back(fmt::format("record {} {} {}", topic,
                                 experiment_->arms()[observation.arm.value()].text(),
                                 observation.hits.size()));
  }
  void change(const ExperimentChange& change) override {
    const std::string config = change.description != nullptr ? change.description->config : "-";
    calls_.push_back(fmt::format("change {} {} {} {}", static_cast<int>(change.kind),
                                 change.arm.value(), config, change.judgements_version));
  }
  bool flush() override { return true; }
  void end() noexcept override { calls_.push_back("end"); }
  LogProgress progress() const noexcept override {
    return {.dropped_queue_full = 2, .dropped_write_failures = 3, .waiting = 4, .is_failing = true};
  }

 private:
  std::vector<std::string>& calls_;
  const Experiment* experiment_ = nullptr;
};

class Refusing : public ObservationLog {
 public:
  void begin(const Experiment&) override { throw Error(ErrorCode::kIo, "no room for a log"); }
  void record(const Observation&) override {}
  void change(const ExperimentChange&) override {}
  bool flush() override { return true; }
  void end() noexcept override {}
  LogProgress progress() const noexcept override { return {}; }
};

class Throwing : public Refusing {
 public:
  void begin(const Experiment&) override {}
  void record(const Observation&) override { throw std::runtime_error("record"); }
  void change(const ExperimentChange&) override { throw std::runtime_error("change"); }
};

Qrels two_topics() {
  return Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t1"), Docno("d1")}, {TopicId("t1"), Docno("d2")}, {TopicId("t2"), Docno("d3")}});
}

void serve(Experiment& experiment, const std::shared_ptr<const ResolvedQrels>& resolved,
           const char* topic, ArmIndex arm, const std::vector<DocId>& docids) {
  const QueryScope scope(experiment, TopicId(topic));
  experiment.observe(served(arm, resolved, docids));
}

TEST(ExperimentLogs, ReceiveEverythingInOrder) {
  std::vector<std::string> calls;
  {
    Experiment experiment(two_topics(), {.name = "night",
                                         .arms = {"a", "b"},
                                         .cutoffs = {10},
                                         .logs = {std::make_shared<Notes>(calls)}});
    const auto resolved = resolve(experiment);
    serve(experiment, resolved, "t1", ArmIndex(0), {DocId(1), DocId(7), DocId(2)});
    serve(experiment, resolved, "nothing judged", ArmIndex(1), {DocId(1)});
    experiment.pause_arm(ArmIndex(0));
    experiment.resume_arm(ArmIndex(0));
    const ArmIndex third = experiment.add_arm("c", {.config = "k1 = 2"});
    experiment.restart_arm(third, {.config = "k1 = 3"});
    experiment.restart_arm(ArmIndex(1));
    experiment.remove_arm(third);
    experiment.rejudge({.judged = {{TopicId("t2"), Docno("d4")}}, .withdrawn = {}});
    serve(experiment, resolved, "t2", ArmIndex(1), {DocId(3)});
  }
  const auto change = [](Kind kind, const std::string& rest) {
    return fmt::format("change {} {}", static_cast<int>(kind), rest);
  };
  EXPECT_THAT(
      calls,
      ElementsAre("begin night", "record t1 a 2", "record unjudged b 0",
                  change(Kind::kArmPaused, "0 - 0"), change(Kind::kArmResumed, "0 - 0"),
                  change(Kind::kArmAdded, "2 k1 = 2 0"), change(Kind::kArmRestarted, "2 k1 = 3 0"),
                  change(Kind::kArmRestarted, "1 - 0"), change(Kind::kArmRemoved, "2 - 0"),
                  change(Kind::kJudgements, "0 - 1"), "record t2 b 1", "end"));
}

TEST(ExperimentLogs, ExceptionIsCountedAndNotPassedOn) {
  std::vector<std::string> calls;
  Experiment experiment(two_topics(),
                        {.arms = {"a"},
                         .cutoffs = {10},
                         .logs = {std::make_shared<Throwing>(), std::make_shared<Notes>(calls)}});
  const auto resolved = resolve(experiment);
  serve(experiment, resolved, "t1", ArmIndex(0), {DocId(1)});
  experiment.restart_arm(ArmIndex(0));
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->health.log_failures, 2U);
  EXPECT_EQ(summary->health.log_queue_full, 2U);
  EXPECT_EQ(summary->health.log_write_failures, 3U);
  EXPECT_EQ(summary->health.logs_failing, 1U);
  EXPECT_THAT(to_table(*summary), HasSubstr("1 log cannot be written; 4 observations wait"));
  EXPECT_EQ(summary->health.recorded, 1U);
  EXPECT_EQ(calls.size(), 3U) << "the other log has begun, and was given both";
  EXPECT_THAT(to_json(*summary), HasSubstr("\"log_failures\": 2"));
  EXPECT_THAT(to_table(*summary), HasSubstr("2 failed calls of a log"));
}

TEST(ExperimentLogs, RefusingLogEndsTheOthers) {
  std::vector<std::string> calls;
  const Refusal refusal = refusal_of([&] {
    const Experiment experiment(
        two_topics(), {.name = "night",
                       .arms = {"a"},
                       .logs = {std::make_shared<Notes>(calls), std::make_shared<Refusing>()}});
  });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_EQ(refusal.message, "no room for a log");
  EXPECT_THAT(calls, ElementsAre("begin night", "end"));
}

TEST(ExperimentLogs, NullLogsAndBadDescriptionsAreRefused) {
  EXPECT_THAT(refusal_of([] {
                const Experiment experiment(two_topics(), {.arms = {"a"}, .logs = {nullptr}});
              }).message,
              HasSubstr("log 1 is null"));
  EXPECT_THAT(refusal_of([] {
                const Experiment experiment(two_topics(),
                                            {.arms = {"bm25"}, .descriptions = {{"bm52", {}}}});
              }).message,
              HasSubstr("described arm 'bm52' is none of the arms; did you mean 'bm25'?"));
  const ScratchFolder scratch;
  const auto log = log_to_json_lines(scratch.path() / "log.jsonl");
  const Experiment first(two_topics(), {.arms = {"a"}, .logs = {log}});
  EXPECT_THAT(refusal_of([&] {
                const Experiment second(two_topics(), {.arms = {"a"}, .logs = {log}});
              }).message,
              HasSubstr("serves an experiment already"));
}

}  // namespace
}  // namespace prescope
