// Visits, and scopes that hosts open and end in every order and on any thread.
#include "prescope/query_scope.h"
#include "prescope/ranking_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <thread>

#include "support/served_rankings.h"

namespace prescope {
namespace {

using Clock = std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ArmIndex kFirstArm{0}, kSecondArm{1};

Qrels three_topics() {
  return Qrels::from_lines(std::vector<Qrels::Line>{
      {TopicId("t1"), Docno("d1")}, {TopicId("t2"), Docno("d2")}, {TopicId("t3"), Docno("d3")}});
}

class QueryScopes : public ::testing::Test {
 protected:
  explicit QueryScopes(const RecordingOptions& recording = {}, Mode mode = Mode::kObserve)
      : experiment_(three_topics(),
                    {.arms = {"a", "b"},
                     .measures = {"R@10"},
                     .mode = mode,
                     .recording = recording,
                     .shadow = {.sampling = recording.sampling},
                     .on_observation = [this](const Observation& one) { seen_.push_back(one); }}) {}

  std::unique_ptr<QueryScope> open(const char* topic) {
    return std::make_unique<QueryScope>(experiment_, TopicId(topic));
  }
  Ranking ranking() const { return served(kFirstArm, resolved_, docids_); }
  void observe() { experiment_.observe(ranking()); }
  Health health() { return experiment_.summary()->health; }
  /// The topics of what was recorded, in the order of recording.
  std::vector<std::string> topics() {
    experiment_.flush();
    std::vector<std::string> names;
    for (const Observation& one : seen_) {
      names.push_back(experiment_.qrels().topic(one.topic).id().text());
    }
    return names;
  }

  std::vector<Observation> seen_;  // read after a flush
  Experiment experiment_;
  std::shared_ptr<const ResolvedQrels> resolved_ = resolve(experiment_);
  const std::vector<DocId> docids_ = {DocId(1), DocId(2)};
};

TEST_F(QueryScopes, ScopesOfTwoVisitsOnOneThreadMatchNothing) {
  enum class Step { kOpenFirst, kOpenSecond, kOpenThird, kEndFirst, kEndSecond, kObserve };
  using enum Step;
  // Whichever request has the thread, an observation goes to its own topic or to none.
  struct Case {
    const char* about;
    std::vector<Step> steps;
    std::vector<std::string> topics;
    std::uint64_t misplaced, without_scope, without_ranking = 0;
  };
  const Case cases[] = {
      {"one after the other",
       {kOpenFirst, kObserve, kEndFirst, kOpenSecond, kObserve, kEndSecond},
       {"t1", "t2"},
       0,
       0},
      {"the first has its turn while both are open",
       {kOpenFirst, kOpenSecond, kObserve, kEndFirst, kObserve, kEndSecond},
       {},
       1,
       2},
      {"the first was ranked before the second came",
       {kOpenFirst, kObserve, kOpenSecond, kObserve, kEndSecond, kObserve, kEndFirst},
       {"t1"},
       1,
       2},
      {"a third comes while one of two is still open",
       {kOpenFirst, kOpenSecond, kEndFirst, kOpenThird, kObserve, kEndSecond, kObserve},
       {},
       2,
       2},
      {"neither is ranked", {kOpenFirst, kOpenSecond, kEndFirst, kEndSecond}, {}, 1, 0},
      {"no ranking", {kOpenFirst, kEndFirst}, {}, 0, 0, 1},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.about);
    const Health before = health();
    seen_.clear();
    std::unique_ptr<QueryScope> first, second, third;
    for (const Step step : one.steps) {
      if (step == kOpenFirst) first = open("t1");
      if (step == kOpenSecond) second = open("t2");
      if (step == kOpenThird) third = open("t3");
      if (step == kEndFirst) first.reset();
      if (step == kEndSecond) second.reset();
      if (step == kObserve) observe();
    }
    third.reset();
    EXPECT_EQ(QueryScope::current(), nullptr);
    EXPECT_EQ(topics(), one.topics);
    EXPECT_EQ(health().misplaced_scopes - before.misplaced_scopes, one.misplaced);
    EXPECT_EQ(health().queries_without_scope - before.queries_without_scope, one.without_scope);
    EXPECT_EQ(health().queries_without_ranking - before.queries_without_ranking,
              one.without_ranking);
  }
}

TEST_F(QueryScopes, ScopesOfOneVisitNest) {
  const Visit visit = experiment_.visit(TopicId("t1"));
  auto outer = std::make_unique<QueryScope>(experiment_, visit);
  {
    const QueryScope inner(experiment_, visit);
    EXPECT_EQ(QueryScope::current(), &inner);
    observe();
  }
  EXPECT_EQ(QueryScope::current(), outer.get());
  observe();
  auto last = std::make_unique<QueryScope>(experiment_, visit);
  outer.reset();
  EXPECT_EQ(QueryScope::current(), last.get()) << "in any order";
  observe();
  EXPECT_THAT(topics(), ElementsAre("t1", "t1", "t1"));
  EXPECT_EQ(health().misplaced_scopes, 0U);
}

TEST_F(QueryScopes, VisitsOfTwoExperimentsAreTwo) {
  Experiment other(three_topics(), {.arms = {"a"}});
  const QueryScope of_other(other, TopicId("t1"));
  const auto scope = open("t1");
  observe();
  EXPECT_THAT(topics(), IsEmpty());
  EXPECT_EQ(health().misplaced_scopes, 1U);
}

TEST_F(QueryScopes, ScopesThatTakeTurnsForEverAreAllCounted) {
  std::deque<std::unique_ptr<QueryScope>> open_ones;
  for (int i = 0; i < 100; ++i) {
    open_ones.push_back(open("t1"));
    if (open_ones.size() == 3) open_ones.pop_front();
  }
  observe();
  open_ones.clear();
  EXPECT_EQ(health().misplaced_scopes, 99U) << "all but the first";
  const auto next = open("t3");
  observe();
  EXPECT_THAT(topics(), ElementsAre("t3"));
}

TEST_F(QueryScopes, ScopesBesideOneThatEndedElsewhereMatchNothing) {
  auto first = open("t1"), second = open("t2");
  std::jthread([&] { first.reset(); }).join();
  observe();  // of the second, as far as anybody can tell
  auto third = open("t3");
  observe();  // of the second or the third
  second.reset();
  third.reset();
  const auto next = open("t3");
  observe();
  EXPECT_THAT(topics(), ElementsAre("t3"));
  EXPECT_EQ(health().queries_without_scope, 2U);
}

TEST_F(QueryScopes, ScopeThatEndsOnAnotherThreadMatchesNothingMore) {
  auto scope = open("t1");
  std::jthread([&] { scope.reset(); }).join();
  observe();
  EXPECT_EQ(QueryScope::current(), nullptr);
  EXPECT_EQ(health().misplaced_scopes, 1U);
  EXPECT_EQ(health().queries_without_scope, 1U);
  {
    const auto next = open("t2");
    observe();
  }
  EXPECT_THAT(topics(), ElementsAre("t2"));
}

TEST_F(QueryScopes, ScopesOfAThreadThatIsGoneAreCounted) {
  std::unique_ptr<QueryScope> scope;
  std::jthread([&] { scope = open("t1"); }).join();
  const auto mine = open("t2");
  scope.reset();
  observe();
  EXPECT_THAT(topics(), ElementsAre("t2"));
  EXPECT_EQ(health().misplaced_scopes, 1U);
}

TEST_F(QueryScopes, ScopesThatEndElsewhereWhileTheirThreadServesOthersAreSafe) {
  constexpr int kScopes = 200;
  std::atomic<QueryScope*> given{nullptr};
  std::jthread ends([&] {
    for (int i = 0; i < kScopes; ++i) {
      QueryScope* scope = nullptr;
      while ((scope = given.exchange(nullptr)) == nullptr) std::this_thread::yield();
      delete scope;
    }
  });
  for (int i = 0; i < kScopes; ++i) {
    given = open("t1").release();
    do {
      observe();  // of another request, whose host opened no scope
      const auto own = open("t2");
      observe();
    } while (given != nullptr);
  }
  ends.join();
  observe();
  EXPECT_GE(health().misplaced_scopes, std::uint64_t{kScopes});
  EXPECT_EQ(QueryScope::current(), nullptr);
  const auto next = open("t3");
  observe();
  EXPECT_EQ(topics().back(), "t3") << "no scope is still waited for";
}

TEST_F(QueryScopes, MoreThanSixteenOpenScopesAreCounted) {
  const Visit visit = experiment_.visit(TopicId("t1"));
  std::vector<std::unique_ptr<QueryScope>> open_ones;
  const auto open_one = [&] {
    open_ones.push_back(std::make_unique<QueryScope>(experiment_, visit));
  };
  for (int i = 0; i < 16; ++i) open_one();
  observe();
  open_one();
  observe();
  while (!open_ones.empty()) open_ones.pop_back();
  EXPECT_EQ(health().queries_without_ranking, 0U);
  open_one();
  observe();
  EXPECT_THAT(topics(), ElementsAre("t1", "t1"));
  EXPECT_EQ(health().misplaced_scopes, 1U);
  EXPECT_EQ(health().queries_without_scope, 1U);
}

TEST_F(QueryScopes, RequestsThatTakeTurnsOnAThreadPassTheirVisits) {
  const Visit first = experiment_.visit(TopicId("t1")), second = experiment_.visit(TopicId("t2"));
  {
    const QueryScope around_the_call(experiment_, second);
    observe();
    experiment_.observe(first, ranking());  // whatever scope is open
  }
  {
    RankingObserver of_first(experiment_, first, ranking());
    RankingObserver of_second(experiment_, second, ranking());
    EXPECT_TRUE(of_second.wants_hits()) << "each has a buffer";
  }
  experiment_.observe_failure(first, kSecondArm, Experiment::SearchFailure::kTimedOut);
  EXPECT_THAT(topics(), ElementsAre("t2", "t1", "t2", "t1", "t1"));
  EXPECT_EQ(seen_[0].visit, second.number);
  EXPECT_EQ(seen_[1].visit, first.number);
  EXPECT_EQ(seen_[4].visit, first.number);
  EXPECT_EQ(seen_[4].arm, kSecondArm);
  EXPECT_EQ(health().dropped_queue_full, 0U);
  EXPECT_EQ(health().misplaced_scopes, 0U);
}

TEST_F(QueryScopes, VisitsHaveNumbersKeysAndArms) {
  const Visit none = experiment_.visit(TopicId("t1")),
              keyed = experiment_.visit(TopicId("t1"), {.key = "session 7", .arm = "b"}),
              page = experiment_.visit(TopicIndex(0), {.key = "session 7"}),
              other = experiment_.visit(TopicId("nobody judged this"), {.key = "session 8"}),
              unknown_arm = experiment_.visit(TopicId("t1"), {.arm = "c"});
  EXPECT_EQ((std::set{none.number, keyed.number, page.number, other.number, unknown_arm.number}),
            (std::set<std::uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(none.key, 0U);
  EXPECT_NE(keyed.key, 0U);
  EXPECT_EQ(page.key, keyed.key);
  EXPECT_NE(other.key, keyed.key);
  EXPECT_EQ(other.topic, kUnjudgedTopic);
  EXPECT_EQ(keyed.arm, kSecondArm);
  EXPECT_EQ(unknown_arm.arm, std::nullopt);
  experiment_.observe(keyed, ranking());
  EXPECT_EQ(health().unknown_arm, 1U);
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].arm, kSecondArm);
  EXPECT_EQ(seen_[0].visit_key, keyed.key);
  EXPECT_EQ(seen_[0].compared_arms, 0U);
}

TEST_F(QueryScopes, RankingsWithoutAStartHaveNoLatency) {
  Ranking unstarted = ranking();
  unstarted.search_started = {};
  {
    const auto scope = open("t1");
    experiment_.observe(unstarted);  // the scope gives the start
    experiment_.observe(unstarted);
  }
  Visit visit = experiment_.visit(TopicId("t1"));
  experiment_.observe(visit, unstarted);
  visit.started = {};
  experiment_.observe(visit, unstarted);
  experiment_.observe(visit, ranking());
  experiment_.flush();
  ASSERT_EQ(seen_.size(), 5U);
  const bool is_timed[] = {true, false, true, false, true};
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    EXPECT_EQ(has(seen_[i].flags, RankingFlags::kUntimed), !is_timed[i]) << i;
    EXPECT_LT(seen_[i].latency, std::chrono::hours(1)) << "not since the machine was started";
  }
  const auto summary = experiment_.summary();
  EXPECT_EQ(summary->health.unknown_start, 2U);
  EXPECT_EQ(summary->arms[0].latency.count, 3U);
}

TEST_F(QueryScopes, EachScopeOfAVisitTimesItsFirstRankingFromTheStartThatTheVisitHas) {
  constexpr std::chrono::hours kHour{1};
  Visit visit = experiment_.visit(TopicId("t1"));
  visit.started -= kHour;
  const auto search = [&] {
    const QueryScope around_the_call(experiment_, visit);
    observe();
    observe();
  };
  search();
  search();
  visit.started = {};
  search();
  experiment_.flush();
  ASSERT_EQ(seen_.size(), 6U);
  const bool is_from_the_start[] = {true, false, true, false, false, false};
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    EXPECT_EQ(seen_[i].latency >= kHour, is_from_the_start[i]) << i;
  }
}

TEST_F(QueryScopes, OwnTimeIncludesOpeningTheScope) {
  // Looking up a topic with a name of 16 MB takes far longer than the rest.
  const TopicId topic(std::string(std::size_t{16} << 20U, 'x'));
  // Nobody else has the processor in one of twenty tries.
  bool is_included = false;
  for (int i = 0; i < 20 && !is_included; ++i) {
    seen_.clear();
    {
      const auto began = Clock::now();
      const QueryScope scope(experiment_, topic);
      const auto opening = Clock::now() - began;
      observe();
      experiment_.flush();
      is_included = seen_.at(0).self_time > opening / 2;
    }
  }
  EXPECT_TRUE(is_included);
}

class SampledScopes : public QueryScopes {
 protected:
  SampledScopes() : QueryScopes({.sampling = 0.5}, Mode::kPaired) {}
};

TEST_F(SampledScopes, PagesOfAVisitAndItsShadowsShareOneDecision) {
  int taken = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "session " + std::to_string(i);
    const Visit first = experiment_.visit(TopicId("t1"), {.key = key});
    const bool is_taken = RankingObserver(experiment_, first, ranking()).wants_hits();
    taken += is_taken ? 1 : 0;
    EXPECT_EQ(experiment_.wants_shadow(first), is_taken);
    std::jthread([&] {
      const QueryScope scope(experiment_, TopicId("t1"), {.key = key});
      EXPECT_EQ(RankingObserver(experiment_, ranking()).wants_hits(), is_taken) << key;
    }).join();
  }
  // Within 6 standard deviations of the binomial law.
  EXPECT_NEAR(taken, 100, 6 * std::sqrt(200 * 0.25));
  EXPECT_EQ(health().sampled_out, std::uint64_t(2 * (200 - taken)));
}

}  // namespace
}  // namespace prescope
