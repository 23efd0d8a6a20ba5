// The query path: it costs no allocation and no lock, and its clock runs for the engine's work
// only.
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "conformance/count_allocations.h"
#include "conformance/suite.h"
#include "support/count_locks.h"

namespace prescope::conformance {
namespace {

using std::chrono::milliseconds;
using Work = std::function<void()>;

/// Compares the least counts of both: an engine with threads of its own locks more in one search
/// than in the next.
void expect_no_more(const char* what, std::uint64_t (*count)(const Work&), const Work& observed,
                    const Work& unobserved) {
  constexpr int kRounds = 10, kMostRounds = 500;
  std::uint64_t with = std::numeric_limits<std::uint64_t>::max(), without = with;
  for (int i = 0; i < kRounds || (with > without && i < kMostRounds); ++i) {
    without = std::min(without, count(unobserved));
    with = std::min(with, count(observed));
  }
  EXPECT_LE(with, without) << what << " of an observed search and of an unobserved one";
}

TEST_P(Conformance, ObservingNeitherAllocatesNorLocks) {
  constexpr int kDocuments = 300;
  std::vector<Doc> docs;
  Watched::Citations citations;
  for (int i = 0; i < kDocuments; ++i) {
    docs.push_back({"D" + std::to_string(i), "valve"});
    if (i % 3 == 0) citations.emplace_back("T1", docs.back().docno);
  }
  Watched watched(citations);
  const auto subject = opened(docs, watched.experiment());
  const auto searcher = subject->searcher("a");
  for (const std::uint32_t depth : {1U, 300U}) {
    const Request request{.word = "valve", .depth = depth};
    const Work unobserved = [&] { searcher->search_unobserved(request); };
    const Work observed = [&] { search_for(watched.experiment(), "T1", *searcher, request); };
    // Not under a sanitizer: its build of an adapter is not the one that hosts run.
    if (kAllocationsAreCounted && kLocksAreCounted) {
      expect_no_more("allocations", allocations_in, observed, unobserved);
      expect_no_more("locks", locks_in, observed, unobserved);
    }
    observed();
    EXPECT_EQ(watched.seen().back().hits.size(), (depth + 2) / 3);
  }
}

TEST_P(Conformance, TheEnginesTimeIsInTheLatency) {
  if (!traits().timed) GTEST_SKIP() << "its rankings were searched at another time";
  constexpr milliseconds kDelay(20);
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  if (!subject->slow_engine(kDelay)) GTEST_SKIP() << "a test cannot slow the engine down";
  {
    // The latency of the first begins with the scope, that of the second by the adapter's clock.
    const QueryScope scope(watched.experiment(), TopicId{"T1"});
    for (int i = 0; i < 2; ++i) searcher->search({.word = "valve"});
  }
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 2U);
  for (const Seen& one : seen) EXPECT_GE(one.facts.latency, kDelay);
}

TEST_P(Conformance, WorkOnAnAnswerIsNotInTheLatency) {
  if (!traits().timed) GTEST_SKIP() << "its rankings were searched at another time";
  // So long that no pause elsewhere in the call hides it.
  constexpr milliseconds kDelay(100);
  Watched watched(valve_citations());
  const auto subject = opened(valves(5), watched.experiment());
  const auto searcher = subject->searcher("a");
  if (!subject->slow_reading(kDelay)) GTEST_SKIP() << "the adapter shows an answer as it is";
  for (int i = 0; i < 3; ++i) {
    const auto began = std::chrono::steady_clock::now();
    search_for(watched.experiment(), "T1", *searcher, {.word = "valve"});
    const auto around = std::chrono::steady_clock::now() - began;
    EXPECT_LE(watched.seen().back().facts.latency + kDelay, around);
  }
}

}  // namespace
}  // namespace prescope::conformance
