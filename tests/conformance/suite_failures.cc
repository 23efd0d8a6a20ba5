// A failure inside the engine reaches the host as it would without prescope. A failure inside
// prescope never reaches the host and is counted.
#include <cxxabi.h>
#include <gmock/gmock.h>

#include <future>

#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Thrown {
  std::string type = "nothing";
  std::string message;
  friend bool operator==(const Thrown&, const Thrown&) = default;
};

/// Returns the dynamic type of the exception of `work`, which need not be a std::exception.
template <class Work>
Thrown thrown_by(Work&& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    return {abi::__cxa_current_exception_type()->name(), failure.what()};
  } catch (...) {
    return {abi::__cxa_current_exception_type()->name(), ""};
  }
  return {};
}

TEST_P(Conformance, EngineFailureReachesTheHostUnchanged) {
  if (!traits().engine_can_fail) GTEST_SKIP() << "the engine cannot be made to fail";
  Watched watched(valve_citations());
  Experiment& experiment = watched.experiment();
  const auto broken = opened(valves(5), experiment);
  const auto sound = opened(valves(5), experiment);
  const auto searcher = broken->searcher("a");
  broken->break_engine();

  const Request request{.word = "valve"};
  const Thrown observed = thrown_by([&] { search_for(experiment, "T1", *searcher, request); });
  EXPECT_NE(observed, Thrown{});
  EXPECT_EQ(observed, thrown_by([&] { searcher->search_unobserved(request); }));
  EXPECT_THAT(watched.seen(), IsEmpty());
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->health.queries_without_ranking, 0U);  // it is counted as failed
  EXPECT_EQ(summary->health.adapter_failures, 0U);

  search_for(experiment, "T1", *sound->searcher("b"), request);
  EXPECT_THAT(watched.only_ranks(), ElementsAre(2, 5));
}

TEST_P(Conformance, ASearchThatThrowsIsCountedOnceAsFailed) {
  if (!traits().engine_can_fail) GTEST_SKIP() << "the engine cannot be made to fail";
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("b");
  search_for(watched.experiment(), "T1", *searcher, {.word = "valve"});
  subject->break_engine();
  for (const char* topic : {"T1", "T2", "unheard of"}) {
    EXPECT_NE(
        thrown_by([&] { search_for(watched.experiment(), topic, *searcher, {.word = "valve"}); }),
        Thrown{});
  }
  const std::vector<Observation> failures = watched.failures();
  ASSERT_EQ(failures.size(), 3U);
  for (const Observation& failure : failures) {
    EXPECT_TRUE(has(failure.flags, RankingFlags::kFailed));
    EXPECT_EQ(failure.arm, watched.experiment().arm("b"));
  }
  EXPECT_EQ(failures[1].topic, watched.experiment().qrels().find("T2"));
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->arms[1].failed_queries, 3U);
  EXPECT_EQ(summary->arms[1].timed_out_queries, 0U);
  EXPECT_EQ(summary->arms[1].topics_seen, 2U);  // a failure is a ranking without hits
  EXPECT_EQ(summary->arms[1].latency.count, 1U + 3U);
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U);
  EXPECT_EQ(summary->health.recorded, summary->health.pushed);
  // T1: EP4 and EP1 of three, and then nothing; T2: nothing.
  EXPECT_DOUBLE_EQ(mean_of(*summary, "b", "R@10").value(), (2.0 / 3.0 + 0.0) / 2.0 / 2.0);
}

/// A listener that keeps the recorder waiting until it is let go, at the latest at the end of the
/// test.
class SlowListener {
 public:
  ~SlowListener() { release(); }
  void operator()() const { gate_.wait(); }
  void release() {
    if (!std::exchange(open_, true)) promise_.set_value();
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> gate_ = promise_.get_future().share();
  bool open_ = false;
};

Qrels valve_qrels() {
  std::vector<Qrels::Line> lines;
  for (const auto& [topic, docno] : valve_citations()) {
    lines.push_back({TopicId{topic}, Docno{docno}, 1});
  }
  return Qrels::from_lines(lines);
}

TEST_P(Conformance, FullQueueDoesNotChangeServedRankings) {
  SlowListener slow;
  Experiment experiment(valve_qrels(), {.arms = {"a"},
                                        .recording = {.queue_bytes = 64U << 10U},
                                        .on_observation = [&slow](const Observation&) { slow(); }});
  const auto subject = opened(valves(5), experiment);
  const auto searcher = subject->searcher("a");
  const Request request{.word = "valve"};
  const std::vector<ServedHit> plain = searcher->search_unobserved(request);
  // An observation takes more than 128 bytes, so that at most 512 fit into 64 KiB.
  constexpr std::uint64_t kQueries = 600;
  std::uint64_t changed = 0;
  for (std::uint64_t i = 0; i < kQueries; ++i) {
    changed += search_for(experiment, "T1", *searcher, request) != plain ? 1U : 0U;
  }
  slow.release();
  EXPECT_EQ(changed, 0U);
  const Health health = experiment.summary()->health;
  EXPECT_GE(health.dropped_queue_full, kQueries - 512);
  EXPECT_EQ(health.pushed + health.dropped_queue_full, kQueries);
  EXPECT_EQ(health.recorded, health.pushed);
  EXPECT_EQ(health.adapter_failures, 0U);
}

TEST_P(Conformance, ThrowingListenerDoesNotChangeServedRankings) {
  Experiment experiment(valve_qrels(),
                        {.arms = {"a"}, .cutoffs = {10}, .on_observation = [](const Observation&) {
                           throw std::runtime_error("the listener's own");
                         }});
  const auto subject = opened(valves(5), experiment);
  const auto searcher = subject->searcher("a");
  const Request request{.word = "valve"};
  EXPECT_EQ(search_for(experiment, "T1", *searcher, request), searcher->search_unobserved(request));
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->health.listener_failures, 1U);
  EXPECT_DOUBLE_EQ(mean_of(*summary, "a", "PRES@10").value(), 16.0 / 30.0);
}

TEST_P(Conformance, UnresolvableGenerationIsServedUnchangedAndUnmatched) {
  if (!traits().docids) GTEST_SKIP() << "the engine serves docnos: there is nothing to resolve";
  if (!traits().docnos_can_fail) GTEST_SKIP() << "the index cannot be made unreadable";
  Watched watched(valve_citations());
  Experiment& experiment = watched.experiment();
  const auto subject = opened(valves(4), experiment);
  const auto before = subject->searcher("a");
  subject->break_docnos();
  subject->add({valves(5).back()});
  EXPECT_TRUE(subject->reopen());
  EXPECT_EQ(subject->resolved(), nullptr);

  const auto searcher = subject->searcher("a");
  const Request request{.word = "valve"};
  const std::vector<ServedHit> served = search_for(experiment, "T1", *searcher, request);
  EXPECT_EQ(served.size(), 5U);
  EXPECT_EQ(served, searcher->search_unobserved(request));
  search_for(experiment, "T1", *searcher, {.word = "absent"});
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->health.adapter_failures, 1U);
  EXPECT_EQ(summary->health.unmatched_rankings, 2U);  // the empty one too
  EXPECT_EQ(summary->arms[0].judged_queries, 0U);     // it is not taken for one without hits

  if (!traits().keeps_generations) return;
  search_for(experiment, "T1", *before, request);
  EXPECT_EQ(experiment.summary()->arms[0].judged_queries, 1U);
}

TEST_P(Conformance, RankingThatCannotBeReadIsNotRecorded) {
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  if (!subject->break_reading()) GTEST_SKIP() << "the adapter reads no hits that can be unreadable";
  // EP1, the last hit, cannot be read; EP4 can.
  const auto served = search_for(watched.experiment(), "T1", *searcher, {.word = "valve"});
  EXPECT_EQ(served.size(), 5U);
  EXPECT_THAT(watched.seen(), IsEmpty());
  const auto summary = watched.experiment().summary();
  EXPECT_EQ(summary->health.adapter_failures, 1U);
  EXPECT_EQ(summary->arms[0].judged_queries, 0U);
}

}  // namespace
}  // namespace prescope::conformance
