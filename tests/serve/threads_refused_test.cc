// Behaviour when the system refuses new threads, and the properties of prescope's threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <iterator>
#include <memory>
#include <string>

#include "base/threads.h"
#include "prescope/dashboard.h"
#include "prescope/experiment.h"
#include "store/sessions/log_queue.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// While it lives, no thread can be started: each would get a stack larger than there is memory.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_attr_init(&before_);
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    EXPECT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 46U), 0);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

template <class Call>
void expect_refused_without_thread(const char* thread, const Call& call) {
  const prescope::Refusal refused = [&] {
    const NoMoreThreads meanwhile;
    return refusal_of(call);
  }();
  EXPECT_EQ(refused.code, ErrorCode::kIo);
  EXPECT_THAT(refused.message,
              AllOf(HasSubstr("the thread '" + std::string(thread) + "' cannot be started: "),
                    HasSubstr("; give this process more threads")));
  EXPECT_NO_THROW(call()) << "there are threads again";
}

Qrels one_topic() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}});
}

TEST(ThreadsRefused, ExperimentIsRefusedWithAMessage) {
  expect_refused_without_thread("prescope-record",
                                [] { const Experiment experiment(one_topic(), {.arms = {"a"}}); });
}

TEST(ThreadsRefused, LogIsRefusedWithAMessage) {
  struct NullSink : LogSink {
    void write(const LogBatch&) override {}
    void upkeep() override {}
    void close() override {}
  };
  expect_refused_without_thread(
      "prescope-log", [] { LogQueue("a place", {}, {}).begin(std::make_unique<NullSink>()); });
}

TEST(ThreadsRefused, DashboardIsRefusedAndItsExperimentGoesOn) {
  Experiment experiment(one_topic(), {.arms = {"a"}});
  expect_refused_without_thread("prescope-answer", [&] {
    const Dashboard dashboard(experiment, {.address = "127.0.0.1", .port = 0});
  });
  const auto resolved = resolve(experiment);
  {
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), resolved, {DocId(1)}));
  }
  experiment.flush();
  EXPECT_EQ(experiment.summary()->health.recorded, 1U);
}

TEST(ThreadsRefused, WorkIsDoneByTheAvailableThreads) {
  std::atomic<int> calls = 0;
  const NoMoreThreads meanwhile;
  in_parallel(100, 4, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 100);
}

TEST(StartThread, NamesTheThreadAndBlocksItsSignals) {
  sigset_t before, after, inside;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  std::string name;
  {
    const std::jthread thread = start_thread("prescope-test", [&] {
      pthread_sigmask(SIG_SETMASK, nullptr, &inside);
      char text[16] = "";
      pthread_getname_np(pthread_self(), text, sizeof text);
      name = text;
    });
  }
  EXPECT_EQ(name, "prescope-test");
  for (const int of_the_program : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGPIPE, SIGXFSZ, SIGCHLD}) {
    EXPECT_EQ(sigismember(&inside, of_the_program), 1) << of_the_program;
  }
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) {
    EXPECT_EQ(sigismember(&inside, own), 0) << own;
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGTERM, SIGSEGV, SIGXFSZ}) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal));
  }
}

}  // namespace
}  // namespace prescope
