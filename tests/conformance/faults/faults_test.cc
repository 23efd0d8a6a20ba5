// Every fault of an adapter makes the conformance suite fail: each runs in a process of its own, in
// the program of suite_test.cc. That the suite passes without a fault, ctest checks by running that
// program itself.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/count_allocations.h"
#include "conformance/faults/fault.h"
#include "support/count_locks.h"

namespace prescope::conformance {
namespace {

/// The end of the suite's program with one fault, on one of its tests.
struct Outcome {
  int status = -1;
  std::string output;
};

Outcome run(std::string_view fault, const std::string& test) {
  const std::string command = "PRESCOPE_ADAPTER_FAULT='" + std::string(fault) +
                              "' " PRESCOPE_FAULTY_SUITE " --gtest_filter='Memory/Conformance." +
                              test + "' 2>&1";
  Outcome outcome;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) outcome.output += line;
  const int ended = ::pclose(pipe);
  if (WIFEXITED(ended)) outcome.status = WEXITSTATUS(ended);
  return outcome;
}

struct Expected {
  std::string_view fault;
  std::string test;  ///< one of those that fail
};

const std::vector<Expected>& all_expected() {
  static const std::vector<Expected> expected = {
      {"changes the ranking", "TheRankingIsServedUnchanged/Docids"},
      {"swallows failures", "EngineFailureReachesTheHostUnchanged/Docids"},
      {"wrong first rank", "PageRanksBeginAtItsFirstRank/Docids"},
      {"served count as depth", "AnObservationHoldsTheFactsOfItsQuery/Docids"},
      {"sorted unflagged", "SortedSearchIsMatchedInItsOrderAndFlagged/Docids"},
      {"wrong arm", "TwoArmsOfOneIndexAreKeptApart/Docids"},
      {"observes twice", "MeasuresAreTheSameForEveryAdapter/Docids"},
      {"failure unobserved", "ASearchThatThrowsIsCountedOnceAsFailed/Docids"},
      {"counts removed documents", "CollectionSizeIsThatOfTheServedState/Docids"},
      {"counts removed documents", "CollectionSizeIsThatOfTheServedState/Docnos"},
      {"stale collection size", "CollectionSizeIsThatOfTheServedState/Docids"},
      {"stale collection size", "CollectionSizeIsThatOfTheServedState/Docnos"},
      {"clock after the search", "TheEnginesTimeIsInTheLatency/Docids"},
      {"end forgotten", "WorkOnAnAnswerIsNotInTheLatency/Docids"},
      {"end forgotten", "WorkOnAnAnswerIsNotInTheLatency/Docnos"},
      {"only first hits", "LongRankingsOfEqualScoresKeepTheirRanks/Docids"},
      {"only first hits", "LongRankingsOfEqualScoresKeepTheirRanks/Docnos"},
      {"one document for each key", "APatentInSeveralDocumentsCountsAtItsFirstRank/Docids"},
      {"keeps its table", "CompactingAfterRemovalsKeepsTheMatches/Docids"},
      {"keeps its generation", "GenerationsAreDistinctAndGrow/Docids"},
      {"keeps its generation", "JudgementsAndIndexMayChangeAtOnce/Docnos"},
      {"ignores new judgements", "NewJudgementsAreMatchedAfterReopeningAnUnchangedIndex/Docids"},
      {"keeps a table that failed", "UnresolvableGenerationIsServedUnchangedAndUnmatched/Docids"},
      {"throws at reopening", "UnresolvableGenerationIsServedUnchangedAndUnmatched/Docids"},
      {"compares docnos for keys", "APatentInSeveralDocumentsCountsAtItsFirstRank/Docids"},
      {"change unnoticed", "ChangeUnderAnOpenSearcherIsNoticed/Docids"},
      {"change unnoticed", "ChangeUnderAnOpenSearcherIsNoticed/Docnos"},
      {"abandon forgotten", "RankingThatCannotBeReadIsNotRecorded/Docids"},
      {"abandon forgotten", "RankingThatCannotBeReadIsNotRecorded/Docnos"},
      {"allocates", "ObservingNeitherAllocatesNorLocks/Docids"},
      {"allocates", "ObservingNeitherAllocatesNorLocks/Docnos"},
      {"locks", "ObservingNeitherAllocatesNorLocks/Docids"},
      {"locks", "ObservingNeitherAllocatesNorLocks/Docnos"},
  };
  return expected;
}

/// A sanitizer that has replaced malloc or the locks leaves nothing to count.
bool can_be_found(std::string_view fault) {
  if (fault != "allocates" && fault != "locks") return true;
  return kAllocationsAreCounted && kLocksAreCounted;
}

TEST(ConformanceFaults, EachMakesATestFailThatPassesWithoutIt) {
  for (const auto& [fault, test] : all_expected()) {
    if (!can_be_found(fault)) continue;
    SCOPED_TRACE(std::string(fault) + ": " + test);
    const Outcome sound = run("none", test);
    EXPECT_EQ(sound.status, 0) << sound.output;
    EXPECT_NE(sound.output.find("[       OK ]"), std::string::npos) << sound.output;
    const Outcome faulty = run(fault, test);
    EXPECT_EQ(faulty.status, 1) << faulty.output;
    EXPECT_NE(faulty.output.find("[  FAILED  ]"), std::string::npos) << faulty.output;
  }
}

TEST(ConformanceFaults, EachIsExpectedToBeFound) {
  std::set<std::string_view> expected = {"none"};
  for (const Expected& one : all_expected()) expected.insert(one.fault);
  EXPECT_EQ(expected, std::set<std::string_view>(kFaultNames.begin(), kFaultNames.end()));
}

}  // namespace
}  // namespace prescope::conformance
