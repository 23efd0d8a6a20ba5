// The engine-agnostic part of the query path neither allocates nor waits.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "conformance/count_allocations.h"
#include "support/count_locks.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using conformance::allocations_in;
using conformance::kAllocationsAreCounted;
using conformance::make_buffer_of_this_thread;

void expect_free(const char* what, const std::function<void()>& work) {
  if (kAllocationsAreCounted) {
    EXPECT_EQ(allocations_in(work), 0U) << what;
  }
  if (kLocksAreCounted) {
    EXPECT_EQ(locks_in(work), 0U) << what;
  }
  if (!kAllocationsAreCounted && !kLocksAreCounted) work();
}

TEST(QueryPathCounters, CountAllocations) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "a sanitizer has replaced malloc";
  EXPECT_EQ(allocations_in([] { delete new int(1); }), 1U);
}

TEST(QueryPathCounters, CountEveryKindOfLock) {
  if (!kLocksAreCounted) GTEST_SKIP() << "a sanitizer has replaced the locks";
  std::mutex mutex;
  EXPECT_EQ(locks_in([&] { const std::lock_guard lock(mutex); }), 1U);
  EXPECT_EQ(locks_in([&] {
              if (mutex.try_lock()) mutex.unlock();
            }),
            1U);
  std::condition_variable condition;
  EXPECT_EQ(locks_in([&] { condition.notify_one(); }), 1U);
  EXPECT_GE(locks_in([&] {
              std::unique_lock lock(mutex);
              condition.wait_for(lock, std::chrono::microseconds(1));
            }),
            2U);
  int word = 0;
  EXPECT_EQ(locks_in([&] { ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0); }), 1U)
      << "what std::atomic waits and wakes by";
}

Qrels judged_topic() {
  std::vector<Qrels::Line> lines;
  for (int i = 0; i < 20; ++i) {
    lines.push_back({TopicId("t1"), Docno("d" + std::to_string(i * 7))});
  }
  return Qrels::from_lines(lines);
}

/// Every kind of query, on an experiment whose recorder sleeps for a second at a time.
class QueryPath : public ::testing::Test {
 protected:
  explicit QueryPath(RecordingOptions recording = {.drain_interval = std::chrono::seconds(1),
                                                   .capture_depth = 1000})
      : experiment_(judged_topic(), {.arms = {"a", "b"}, .recording = recording}),
        resolved_(resolve(experiment_)) {
    for (std::uint32_t i = 0; i < 1000; ++i) docids_.emplace_back(i);
    for (int i = 0; i < 1000; ++i) names_.push_back("d" + std::to_string(i));
    docnos_.assign(names_.begin(), names_.end());
  }

  void SetUp() override { make_buffer_of_this_thread(experiment_, TopicId("t1")); }

  Ranking by_docid(std::uint32_t arm = 0) const {
    Ranking ranking = served(ArmIndex(arm), resolved_, docids_);
    ranking.requested_depth = 1000;
    return ranking;
  }
  Ranking by_docno() const {
    return {.kind = HitKind::kDocnos, .docnos = docnos_, .requested_depth = 1000};
  }

  Experiment experiment_;
  std::shared_ptr<const ResolvedQrels> resolved_;
  std::vector<DocId> docids_;
  std::vector<std::string> names_;
  std::vector<std::string_view> docnos_;
};

TEST_F(QueryPath, JudgedUnjudgedAndFailedQueriesNeitherAllocateNorLock) {
  expect_free("judged docids, captured", [&] {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe(by_docid());
  });
  expect_free("judged docnos, captured", [&] {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe(by_docno());
  });
  const TopicId unjudged("nobody judged this, and its name is long");
  expect_free("unjudged", [&] {
    const QueryScope scope(experiment_, unjudged);
    experiment_.observe(by_docid());
  });
  expect_free("failed", [&] {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe_failure(ArmIndex(0), Experiment::SearchFailure::kFailed);
  });
  const Visit visit = experiment_.visit(TopicId("t1"), {.key = "session", .arm = "b"});
  expect_free("an explicit visit", [&] {
    const QueryScope scope(experiment_, experiment_.visit(unjudged, {.key = "session"}));
    experiment_.observe(visit, by_docid());
    experiment_.observe_failure(visit, ArmIndex(0), Experiment::SearchFailure::kFailed);
    experiment_.observe(by_docid());
  });
  expect_free("without scope", [&] {
    experiment_.observe(by_docid());
    experiment_.observe_failure(ArmIndex(0), Experiment::SearchFailure::kTimedOut);
  });
  const Health health = experiment_.summary()->health;
  const std::uint64_t each = kAllocationsAreCounted && kLocksAreCounted ? 2 : 1;
  EXPECT_EQ(health.recorded, 8 * each) << "and they were recorded";
  EXPECT_EQ(health.queries_without_scope, each);
}

TEST_F(QueryPath, ScopesAndAbandonedRankingsNeitherAllocateNorLock) {
  const TopicId topic("t1");
  expect_free("scopes", [&] {
    { const QueryScope by_index(experiment_, TopicIndex(0)); }
    { const QueryScope of_arm(experiment_, topic, {.arm = "b"}); }
    { const QueryScope of_unknown(experiment_, topic, {.arm = "c"}); }
    const QueryScope by_topic(experiment_, topic);
    const QueryScope of_its_visit(experiment_, by_topic.visit());
    EXPECT_EQ(QueryScope::current(), &of_its_visit);
  });
  expect_free("misplaced scopes", [&] {
    std::optional<QueryScope> first, second;
    first.emplace(experiment_, topic);
    second.emplace(experiment_, topic);
    first.reset();
    experiment_.observe(by_docid());
    second.reset();
  });
  expect_free("abandoned", [&] {
    const QueryScope scope(experiment_, topic);
    RankingObserver observer(experiment_, by_docid());
    observer.abandon();
  });
  expect_free("names and states of arms, judgements", [&] {
    EXPECT_EQ(experiment_.find_arm("b"), ArmIndex(1));
    EXPECT_EQ(experiment_.status(ArmIndex(1)), ArmStatus::kActive);
    EXPECT_EQ(experiment_.arms().size(), 2U);
    EXPECT_EQ(experiment_.judged().version(), 0U);
  });
}

TEST_F(QueryPath, PausedRemovedAndUnknownArmsNeitherAllocateNorLock) {
  experiment_.pause_arm(ArmIndex(0));
  experiment_.remove_arm(ArmIndex(1));
  for (const std::uint32_t arm : {0U, 1U, 7U}) {
    expect_free("inactive", [&] {
      const QueryScope scope(experiment_, TopicId("t1"));
      experiment_.observe(by_docid(arm));
      experiment_.observe_failure(ArmIndex(arm), Experiment::SearchFailure::kFailed);
    });
  }
  EXPECT_EQ(experiment_.summary()->health.pushed, 0U);
}

TEST_F(QueryPath, SearchersOfOldTablesNeitherAllocateNorLock) {
  for (int i = 0; i < 3; ++i) {
    (void)experiment_.rejudge({.judged = {{TopicId("t1"), Docno("d3"), i}}});
  }
  expect_free("a table three versions old", [&] {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe(by_docid());
  });
  const Health health = experiment_.summary()->health;
  EXPECT_EQ(health.unmatched_rankings, 0U);
  EXPECT_GT(health.recorded, 0U);
}

class FullQueryPath : public QueryPath {
 protected:
  FullQueryPath() : QueryPath({.queue_bytes = 65536, .drain_interval = std::chrono::seconds(1)}) {}
};

TEST_F(FullQueryPath, DroppedQueriesNeitherAllocateNorLock) {
  const auto observe = [&] {
    const QueryScope scope(experiment_, TopicId("t1"));
    experiment_.observe(by_docid());
  };
  // A second holds far fewer than these.
  for (int i = 0; i < 5000; ++i) observe();
  expect_free("judged, full", observe);
  expect_free("failed, full", [&] {
    experiment_.observe_failure(ArmIndex(0), Experiment::SearchFailure::kFailed);
  });
  EXPECT_GT(experiment_.summary()->health.dropped_queue_full, 0U);
}

class SampledQueryPath : public QueryPath {
 protected:
  SampledQueryPath() : QueryPath({.sampling = 0.5}) {}
};

TEST_F(SampledQueryPath, SampledAndUnsampledQueriesNeitherAllocateNorLock) {
  std::jthread([&] {
    // Chance decides which query is the first that needs a buffer.
    for (int i = 0; i < 64; ++i) make_buffer_of_this_thread(experiment_, TopicId("t1"));
    expect_free("sampled", [&] {
      for (int i = 0; i < 64; ++i) {
        const QueryScope scope(experiment_, TopicId("t1"));
        experiment_.observe(by_docid());
      }
    });
  }).join();
  const Health health = experiment_.summary()->health;
  EXPECT_GT(health.sampled_out, 0U);
  EXPECT_GT(health.recorded, 0U);
}

}  // namespace
}  // namespace prescope
