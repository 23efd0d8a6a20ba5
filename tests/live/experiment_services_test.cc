// Services of an experiment: started last, ended first, and never left running.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>

#include "prescope/error.h"
#include "prescope/observation_log.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The calls that services and a log received, in their order. Several threads make them: the log
/// is called by the recorder's.
class ServiceCalls {
 public:
  void add(std::string call) {
    const std::scoped_lock lock(mutex_);
    calls_.push_back(std::move(call));
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::scoped_lock lock(mutex_);
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> calls_;
};

class NotedService final : public ExperimentService {
 public:
  NotedService(ServiceCalls& calls, std::string name) : calls_(calls), name_(std::move(name)) {
    calls_.add(name_ + " begins");
  }
  ~NotedService() override { calls_.add(name_ + " ends"); }

 private:
  ServiceCalls& calls_;
  std::string name_;
};

AttachService noted(ServiceCalls& calls, const std::string& name) {
  return [&calls, name](Experiment&) { return std::make_unique<NotedService>(calls, name); };
}

class NotedLog final : public ObservationLog {
 public:
  explicit NotedLog(ServiceCalls& calls) : calls_(calls) {}
  void begin(const Experiment&) override { calls_.add("log begins"); }
  void record(const Observation&) override { calls_.add("log records"); }
  void change(const ExperimentChange&) override {}
  bool flush() override { return true; }
  void end() noexcept override { calls_.add("log ends"); }
  LogProgress progress() const noexcept override { return {}; }

 private:
  ServiceCalls& calls_;
};

Qrels one_judged() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d1"), 1}});
}

ExperimentOptions with_services(ServiceCalls& calls, std::vector<AttachService> services) {
  return {.arms = {"a", "b"},
          .measures = {"R@10"},
          .mode = Mode::kPaired,
          .logs = {std::make_shared<NotedLog>(calls)},
          .services = std::move(services)};
}

void observe_once(Experiment& experiment) {
  const auto resolved = resolve(experiment);
  const QueryScope scope(experiment, TopicId("t"));
  experiment.observe(served(ArmIndex(0), resolved, {DocId(1)}));
}

TEST(ExperimentServices, StartInOrderAfterTheLogsAndEndInReverseBeforeThem) {
  ServiceCalls calls;
  {
    Experiment experiment(one_judged(),
                          with_services(calls, {noted(calls, "first"), noted(calls, "second")}));
    observe_once(experiment);
    experiment.flush();
  }
  EXPECT_THAT(calls.all(), ElementsAre("log begins", "first begins", "second begins", "log records",
                                       "second ends", "first ends", "log ends"));
}

TEST(ExperimentServices, ServiceStartsWithAWorkingExperiment) {
  ServiceCalls calls;
  const AttachService observes = [](Experiment& experiment) -> std::unique_ptr<ExperimentService> {
    observe_once(experiment);
    EXPECT_EQ(experiment.summary()->arms[0].judged_queries, 1U);
    EXPECT_NE(experiment.latest(), nullptr);
    static ServiceCalls nowhere;
    return std::make_unique<NotedService>(nowhere, "observer");
  };
  const Experiment experiment(one_judged(), with_services(calls, {observes}));
}

TEST(ExperimentServices, ThrowingServiceFailsTheConstructorAndStopsTheOthers) {
  ServiceCalls calls;
  const AttachService throws = [](Experiment& experiment) -> std::unique_ptr<ExperimentService> {
    observe_once(experiment);
    throw Error(ErrorCode::kIo, "no such port");
  };
  try {
    const Experiment experiment(
        one_judged(), with_services(calls, {noted(calls, "first"), throws, noted(calls, "third")}));
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_THAT(error.what(), HasSubstr("no such port"));
  }
  // The log holds all observations so far and has ended, as has the first service.
  EXPECT_THAT(
      calls.all(),
      AnyOf(ElementsAre("log begins", "first begins", "log records", "first ends", "log ends"),
            ElementsAre("log begins", "first begins", "first ends", "log records", "log ends")));
}

TEST(ExperimentServices, RunningShadowsAreAwaitedAfterTheServices) {
  ServiceCalls calls;
  std::atomic<int> searched{0};
  {
    Experiment experiment(one_judged(), with_services(calls, {noted(calls, "first")}));
    ASSERT_TRUE(experiment.shadow(experiment.visit(TopicId("t")), ArmIndex(0),
                                  [&](ArmIndex) { ++searched; }));
  }
  EXPECT_LE(searched, 2);
  std::vector<std::string> all = calls.all();
  const int given_up = searched < 2 ? 1 : 0;
  EXPECT_EQ(std::erase(all, "log records"), static_cast<std::size_t>(searched + given_up))
      << "each observed nothing, which is recorded, as is a visit that not all could search for";
  EXPECT_THAT(all, ElementsAre("log begins", "first begins", "first ends", "log ends"));
}

TEST(ExperimentServices, EmptyServiceIsRefusedWithItsNumber) {
  ServiceCalls calls;
  try {
    const Experiment experiment(one_judged(),
                                with_services(calls, {noted(calls, "first"), nullptr}));
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("service 2 is empty"));
  }
  EXPECT_TRUE(calls.all().empty());
}

}  // namespace
}  // namespace prescope
