#pragma once

#include <array>
#include <string_view>

namespace prescope::conformance {

/// One mistake of an adapter.
enum class Fault {
  kNone,
  // Faults that the host notices.
  kChangesTheRanking,
  kSwallowsFailures,
  // Wrong facts of a ranking.
  kWrongFirstRank,
  kServedCountAsDepth,
  kSortedUnflagged,
  kWrongArm,
  kObservesTwice,
  kFailureUnobserved,
  kCountsRemovedDocuments,
  kStaleCollectionSize,
  // Wrong times.
  kClockAfterTheSearch,
  kEndForgotten,
  // Wrong matches.
  kOnlyFirstHits,
  kOneDocumentForEachKey,
  kKeepsItsTable,
  kKeepsItsGeneration,
  kIgnoresNewJudgements,
  kKeepsATableThatFailed,
  kThrowsAtReopening,
  kComparesDocnosForKeys,
  kChangeUnnoticed,
  kAbandonForgotten,
  // Costs of the query path.
  kAllocates,
  kLocks,
};

/// Their names for the environment variable PRESCOPE_ADAPTER_FAULT, in the order of the values.
inline constexpr std::array kFaultNames = {
    std::string_view("none"),
    std::string_view("changes the ranking"),
    std::string_view("swallows failures"),
    std::string_view("wrong first rank"),
    std::string_view("served count as depth"),
    std::string_view("sorted unflagged"),
    std::string_view("wrong arm"),
    std::string_view("observes twice"),
    std::string_view("failure unobserved"),
    std::string_view("counts removed documents"),
    std::string_view("stale collection size"),
    std::string_view("clock after the search"),
    std::string_view("end forgotten"),
    std::string_view("only first hits"),
    std::string_view("one document for each key"),
    std::string_view("keeps its table"),
    std::string_view("keeps its generation"),
    std::string_view("ignores new judgements"),
    std::string_view("keeps a table that failed"),
    std::string_view("throws at reopening"),
    std::string_view("compares docnos for keys"),
    std::string_view("change unnoticed"),
    std::string_view("abandon forgotten"),
    std::string_view("allocates"),
    std::string_view("locks"),
};

}  // namespace prescope::conformance
