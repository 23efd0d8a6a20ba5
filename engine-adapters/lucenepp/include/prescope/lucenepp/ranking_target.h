#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "prescope/experiment.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/TopDocs.h>

namespace prescope::lucenepp {

struct ObservedIndexOptions {
  /// An indexed field that holds each document's docno as one term (NOT_ANALYZED).
  std::wstring docno_field = L"docno";
};

/// Facts about a ranking from a host that runs its own collector.
struct ServedPage {
  /// Hits asked for from `first_rank` on; fewer served hits mean that the ranking ended.
  std::uint32_t requested_depth = 0;
  Rank first_rank = 1;
  /// When the search began; by default, now.
  std::chrono::steady_clock::time_point search_started = std::chrono::steady_clock::now();
  /// When it had ended; if not set, when observing begins.
  std::optional<std::chrono::steady_clock::time_point> search_ended{};
  /// kSorted if the order is not that of the score, kFiltered if a filter left documents out.
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
  Outcome observe(const Lucene::TopDocs& served, const ServedPage& page) const noexcept;
  /// Observes, in an exception handler, that a search has ended with the current exception.
  /// Lucene::TimeExceededException means that it timed out.
  void observe_failure() const noexcept;
};

}  // namespace prescope::lucenepp
