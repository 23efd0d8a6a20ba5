// Faults between an engine and its client: each is counted by its own counter, and no fault counts
// as hits that were found, or as a search that found nothing.
#include <chrono>

#include "conformance/http/search_front.h"

namespace prescope::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What an arm makes of a fault that lasts.
struct FaultCase {
  std::string fault;
  enum class Is { kFailed, kTimedOut, kPartial, kServed } is;
  std::string says;  ///< part of the error, or of a note
};
void PrintTo(const FaultCase& of, std::ostream* out) { *out << of.fault; }

class Faults : public SearchFront, public ::testing::WithParamInterface<FaultCase> {
 protected:
  /// Settings that give up fast, and take what comes.
  static Settings impatient() {
    return {{"retries", "0"},
            {"timeout_s", GetParam().fault == "hang" ? "0.5" : "60"},
            {"partial_answers", "serve"},
            {"headers.X-Fault", GetParam().fault}};
  }
};

TEST_P(Faults, LandInTheirOwnCounter) {
  using Is = FaultCase::Is;
  const FaultCase& of = GetParam();
  const auto searched = searcher(arm_of("opensearch"), impatient());
  if (of.is == Is::kFailed || of.is == Is::kTimedOut) {
    expect_error(ErrorCode::kEngine, of.says, [&] { return search(searched); });
    ASSERT_THAT(watched_.failures(), SizeIs(1));
  } else {
    EXPECT_THAT(search(searched).docnos, ::testing::Not(IsEmpty()));
  }
  const ArmSummary arm = counted();
  EXPECT_EQ(arm.failed_queries, of.is == Is::kFailed ? 1U : 0U);
  EXPECT_EQ(arm.timed_out_queries, of.is == Is::kTimedOut ? 1U : 0U);
  EXPECT_EQ(arm.partial_queries, of.is == Is::kPartial ? 1U : 0U);
  if (of.is == Is::kServed) {
    EXPECT_THAT(watched_.seen(), SizeIs(1));
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfTheEngine, Faults,
    ::testing::Values(FaultCase{"timeout", FaultCase::Is::kPartial, ""},
                      FaultCase{"partial", FaultCase::Is::kPartial, ""},
                      FaultCase{"terminated", FaultCase::Is::kPartial, ""},
                      FaultCase{"429", FaultCase::Is::kFailed, "HTTP status 429"},
                      FaultCase{"503", FaultCase::Is::kFailed, "HTTP status 503"},
                      FaultCase{"401", FaultCase::Is::kFailed, "set user and password_env"},
                      FaultCase{"html", FaultCase::Is::kFailed, "not JSON"},
                      FaultCase{"cut", FaultCase::Is::kFailed, "no whole answer"},
                      FaultCase{"hang", FaultCase::Is::kTimedOut, "no answer within 500 ms"},
                      FaultCase{"empty", FaultCase::Is::kFailed,
                                "60 documents match, and gave no hit"},
                      FaultCase{"lying-total", FaultCase::Is::kServed, ""},
                      FaultCase{"duplicate", FaultCase::Is::kServed, ""}),
    [](const auto& one) {
      std::string name = one.param.fault;
      std::erase(name, '-');
      return name;
    });

class Repeated : public SearchFront {};

TEST_F(Repeated, APartialAnswerIsRefusedUnlessItIsAskedFor) {
  for (const std::string fault : {"timeout", "partial", "terminated"}) {
    const auto searched =
        searcher(arm_of("opensearch"), {{"retries", "1"}, {"headers.X-Fault", fault}});
    const std::uint64_t before = counted().failed_queries;
    expect_error(ErrorCode::kEngine, "set partial_answers = 'serve'",
                 [&] { return search(searched); });
    EXPECT_EQ(counted().failed_queries, before + 1) << fault;
  }
  EXPECT_EQ(counted().partial_queries, 0U);
}

TEST_F(Repeated, AnEngineThatIsBusyIsAskedAgain) {
  const auto searched = searcher(arm_of("opensearch"));
  for (const std::string fault : {"503", "cut", "partial", "empty"}) {
    front_->set_fault(fault, 2);
    EXPECT_THAT(search(searched).docnos, ElementsAreArray(from(60, 10))) << fault;
  }
  const ArmSummary arm = counted();
  EXPECT_EQ(arm.retried_queries, 4U);
  EXPECT_EQ(arm.failed_queries + arm.timed_out_queries + arm.partial_queries, 0U);
  EXPECT_THAT(searched.notes(), ElementsAre(HasSubstr("4 of 4 searches were answered when they "
                                                      "were repeated")));
}

TEST_F(Repeated, WaitsAsLongAsTheEngineAsks) {
  const auto searched = searcher(arm_of("solr"));
  front_->set_fault("429", 1);  // Retry-After: 1
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(search(searched).docnos, SizeIs(10));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
}

TEST_F(Repeated, WhatWillNotPassIsAskedOnce) {
  const auto searched = searcher(arm_of("vespa"));
  const auto searches = [&] { return front_->counters().at("searches").get<int>(); };
  for (const std::string fault : {"401", "html"}) {
    front_->set_fault(fault, 9);
    const int before = searches();
    EXPECT_THROW(static_cast<void>(search(searched)), Error);
    EXPECT_EQ(searches(), before + 1) << fault;
  }
}

TEST_F(Repeated, ATotalBelowTheHitsCountsAsUnknown) {
  const auto searched = searcher(arm_of("opensearch"), {{"headers.X-Fault", "lying-total"}});
  const http::Answer answer = search(searched);
  EXPECT_THAT(answer.docnos, SizeIs(10));
  EXPECT_EQ(answer.total, std::nullopt);
  EXPECT_THAT(searched.notes(), ElementsAre(HasSubstr("total was below the number of hits")));
}

TEST_F(Repeated, ADocumentThatIsServedTwiceCountsOnce) {
  search(searcher(arm_of("opensearch"), {{"headers.X-Fault", "duplicate"}}));
  const Seen seen = watched_.seen().front();
  EXPECT_THAT(seen.ranks(), ElementsAre(1));  // EP60, EP60, EP59, ... EP56
  EXPECT_EQ(seen.facts.duplicates, 1U);
}

TEST_F(Repeated, AServerThatIsNotThereIsAFailure) {
  http::ObservedHttp nobody("http://127.0.0.1:1/bm25", watched_.experiment());
  const auto searched = nobody.searcher(config(arm_of("opensearch"), {{"retries", "1"}}));
  expect_error(ErrorCode::kEngine, "no whole answer", [&] { return search(searched); });
  EXPECT_EQ(counted().failed_queries, 1U);
  EXPECT_THAT(searched.notes(), ElementsAre(HasSubstr("does not say which fields")));
}

// A failure in the middle of several pages is one failure, and no shorter ranking.
TEST_F(Repeated, AFaultOnALaterPageFailsTheSearch) {
  for (const std::string server : {"opensearch", "solr", "vespa"}) {
    const auto searched = searcher(arm_of(server), {{"window", "4"}, {"retries", "0"}});
    search(searched, 12);
    const auto before = counted();
    front_->set_fault("cut", 1);
    EXPECT_THROW(static_cast<void>(search(searched, 12)), Error) << server;
    EXPECT_EQ(counted().failed_queries, before.failed_queries + 1) << server;
  }
}

}  // namespace
}  // namespace prescope::conformance
