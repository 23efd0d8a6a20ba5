#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "prescope/experiment.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/TopDocs.h>

namespace prescope::lucenepp {

/// Facts about a ranking from a host that runs its own collector.
struct ServedPage {
  /// Hits asked for from `first_rank` on; fewer served hits mean that the ranking ended.
  std::uint32_t requested_depth = 0;
  Rank first_rank = 1;
  /// When the search began; by default, now.
  std::chrono::steady_clock::time_point search_started = std::chrono::steady_clock::now();
  RankingFlags flags = RankingFlags::kNone;
};

/// The experiment that the rankings of one searcher go to, and the table that its docids are
/// matched with. Thread-safe.
struct RankingTarget {
  Experiment* experiment = nullptr;
  ArmIndex arm;
  /// The searcher's own table; null serves unmatched.
  std::shared_ptr<const ResolvedQrels> resolved;

  /// Observes hits of the searcher under the QueryScope of the calling thread. Never throws or
  /// allocates, at any depth.
  void observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept;
  /// Observes, in an exception handler, that a search has ended with the current exception.
  /// Lucene::TimeExceededException means that it timed out.
  void observe_failure() const noexcept;

  /// Runs a part of a search. An exception is observed as a failure, and passes through.
  template <class Part>
  auto observe_failures_of(Part&& part) const {
    try {
      return std::forward<Part>(part)();
    } catch (...) {
      observe_failure();
      throw;
    }
  }

  /// Runs a search for `n` hits and observes its answer, or its exception, which passes through.
  template <class Search>
  auto observe_search(std::int32_t n, RankingFlags flags, Search&& search) const {
    const auto started = std::chrono::steady_clock::now();
    auto served = observe_failures_of(std::forward<Search>(search));
    // Lucene++ cuts n to maxDoc; the host's own n tells a ranking that ended from one that was cut.
    if (served) {
      observe(*served, {.requested_depth = static_cast<std::uint32_t>(n),
                        .search_started = started,
                        .flags = flags});
    }
    return served;
  }
};

}  // namespace prescope::lucenepp
