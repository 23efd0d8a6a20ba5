// Rankings of visits without judgements: joined, compared and added up, against a plain program
// that keeps everything.
#include "live/ledger/overlaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace prescope::overlaps_test {
namespace {

using State = PairOverlap::State;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ArmIndex kA{0}, kB{1}, kC{2};
constexpr std::uint64_t kIndex = (std::uint64_t{7} << 32U) + 1, kNextState = kIndex + 1;
constexpr std::uint64_t kOtherIndex = (std::uint64_t{8} << 32U) + 1;

/// A ranking whose documents it owns.
struct Served {
  Observation facts{};
  std::vector<DocId> docids{};
  std::vector<std::uint64_t> keys{};

  [[nodiscard]] Observation observation() const {
    Observation whole = facts;
    whole.captured_docids = docids;
    whole.captured_keys = keys;
    return whole;
  }
};

Observation facts(ArmIndex arm, std::uint64_t visit, std::uint32_t depth, std::size_t hits) {
  return {.arm = arm,
          .visit = visit,
          .compared_arms = 2,
          .depth = depth,
          .num_ret = static_cast<std::uint32_t>(hits),
          .flags = RankingFlags::kShadow};
}

Served keys(ArmIndex arm, std::vector<std::uint64_t> named, std::uint32_t depth = 10) {
  return {.facts = facts(arm, 1, depth, named.size()), .keys = std::move(named)};
}

Served docids(ArmIndex arm, std::uint64_t generation, std::vector<DocId> named) {
  Served served{.facts = facts(arm, 1, 10, named.size()), .docids = std::move(named)};
  served.facts.generation = generation;
  return served;
}

Served with(Served served, RankingFlags flags) {
  served.facts.flags = served.facts.flags | flags;
  return served;
}

Served from_rank(Rank first, Served served) {
  served.facts.first_rank = first;
  return served;
}

Served of_state(std::uint64_t generation, Served served) {
  served.facts.generation = generation;
  return served;
}

Served failed(ArmIndex arm) {
  return {.facts = {.arm = arm,
                    .visit = 1,
                    .compared_arms = 2,
                    .flags = RankingFlags::kShadow | RankingFlags::kFailed}};
}

Served given_up() {
  return {
      .facts = {.arm = kA,
                .visit = 1,
                .compared_arms = 2,
                .flags = RankingFlags::kShadow | RankingFlags::kUnseen | RankingFlags::kGivenUp}};
}

bool all_are_active(ArmIndex /*arm*/) { return true; }

Overlaps three_deep(RankingFlags scored = RankingFlags::kNone) {
  return Overlaps({.sampling = 1.0, .depth = 3, .persistence = 0.5}, scored);
}

/// Returns what became of the only pair of two arms.
PairOverlap outcome_of(const std::vector<Served>& rankings,
                       RankingFlags scored = RankingFlags::kNone) {
  Overlaps overlaps = three_deep(scored);
  for (const Served& ranking : rankings) {
    const auto done = overlaps.take(ranking.observation(), 2, all_are_active);
    if (!done.empty()) return done.at(0).pairs.at(0);
  }
  ADD_FAILURE() << "the visit is not done";
  return {};
}

TEST(Overlaps, EachVisitHasOneOutcome) {
  using enum RankingFlags;
  struct Case {
    const char* what;
    std::vector<Served> rankings;
    State state;
    double jaccard = 0.0, rbo = 0.0;
    std::uint32_t depth = 0;
  };
  const Case cases[] = {
      {"the same", {keys(kA, {1, 2, 3, 4}), keys(kB, {1, 2, 3, 5})}, State::kCompared, 1.0, 1.0},
      {"two of four; agreements 1, 1, 2/3, then 2/3: 1/2 + 1/4 + 1/12 + 1/12",
       {keys(kA, {1, 2, 3}), keys(kB, {1, 2, 4})},
       State::kCompared,
       0.5,
       11.0 / 12},
      {"in the other order", {keys(kB, {4}), keys(kA, {4})}, State::kCompared, 1.0, 1.0},
      {"one found nothing", {keys(kA, {}), keys(kB, {1})}, State::kCompared},
      {"neither found anything", {keys(kA, {}), keys(kB, {})}, State::kEmpty},
      {"one failed", {failed(kA), keys(kB, {1})}, State::kCompared},
      {"one timed out", {keys(kA, {1}), with(failed(kB), kTimedOut)}, State::kCompared},
      {"both failed", {failed(kA), failed(kB)}, State::kEmpty},
      {"failed beside a list that is not known to its end",
       {failed(kA), keys(kB, {1}, 1)},
       State::kShallow,
       0.0,
       0.0,
       1},
      {"both lists have ended", {keys(kA, {1}), keys(kB, {1, 2})}, State::kCompared, 0.5, 1.0},
      {"only two hits were asked for",
       {keys(kA, {1, 2}, 2), keys(kB, {1, 2, 3})},
       State::kShallow,
       0.0,
       0.0,
       2},
      {"an answer that was cut short counts as served",
       {with(keys(kA, {1, 2}, 10), kPartial), keys(kB, {1, 2})},
       State::kCompared,
       1.0,
       1.0},
      {"docids of one state",
       {docids(kA, kIndex, {DocId(1)}), docids(kB, kIndex, {DocId(1)})},
       State::kCompared,
       1.0,
       1.0},
      {"docids of two states",
       {docids(kA, kIndex, {DocId(1)}), docids(kB, kNextState, {DocId(1)})},
       State::kOtherIndex},
      {"docids of two indexes",
       {docids(kA, kIndex, {DocId(1)}), docids(kB, kOtherIndex, {DocId(1)})},
       State::kOtherIndex},
      {"docids of unknown indexes",
       {docids(kA, 0, {DocId(1)}), docids(kB, 0, {DocId(1)})},
       State::kOtherIndex},
      {"docids and docnos", {docids(kA, kIndex, {DocId(1)}), keys(kB, {1})}, State::kOtherIndex},
      {"docids, and nothing found",
       {docids(kA, kIndex, {DocId(1)}), keys(kB, {})},
       State::kCompared},
      {"docnos of two states of an index",
       {of_state(kIndex, keys(kA, {1})), of_state(kNextState, keys(kB, {1}))},
       State::kOtherIndex},
      {"docnos of two indexes",
       {of_state(kIndex, keys(kA, {1})), of_state(kOtherIndex, keys(kB, {1}))},
       State::kCompared,
       1.0,
       1.0},
      {"sorted in one arm", {with(keys(kA, {1}), kSorted), keys(kB, {1})}, State::kLeftOut},
      {"filtered in both",
       {with(keys(kA, {1}), kFiltered), with(keys(kB, {1}), kFiltered)},
       State::kLeftOut},
      {"from a later rank", {from_rank(4, keys(kA, {1})), keys(kB, {1})}, State::kIncomplete},
      {"given up", {keys(kA, {1}), given_up()}, State::kIncomplete},
      {"given up before any", {given_up()}, State::kIncomplete},
      {"a second ranking of an arm is not kept",
       {keys(kA, {1}), keys(kA, {9}), keys(kB, {1})},
       State::kCompared,
       1.0,
       1.0},
  };
  for (const Case& one : cases) {
    const PairOverlap pair = outcome_of(one.rankings);
    EXPECT_EQ(pair.state, one.state) << one.what;
    EXPECT_NEAR(pair.jaccard, one.jaccard, 1e-12) << one.what;
    EXPECT_NEAR(pair.rbo, one.rbo, 1e-12) << one.what;
    EXPECT_EQ(pair.depth, one.depth) << one.what;
  }
  EXPECT_EQ(outcome_of({with(keys(kA, {1}), kFiltered), keys(kB, {1})}, kFiltered).state,
            State::kCompared)
      << "filtered rankings are scored";
  EXPECT_TRUE(outcome_of({failed(kA), keys(kB, {1})}).has_failed_a);
  EXPECT_TRUE(outcome_of({keys(kA, {1}), failed(kB)}).has_failed_b);
}

TEST(Overlaps, WhatComesAfterAVisitIsDoneIsNotTakenForAnother) {
  Overlaps overlaps = three_deep();
  EXPECT_THAT(overlaps.take(keys(kA, {1}).observation(), 2, all_are_active), IsEmpty());
  EXPECT_EQ(overlaps.waiting(), 1U);
  EXPECT_EQ(overlaps.take(given_up().observation(), 2, all_are_active).size(), 1U);
  EXPECT_THAT(overlaps.take(keys(kB, {1}).observation(), 2, all_are_active), IsEmpty());
  EXPECT_EQ(overlaps.waiting(), 0U);
}

TEST(Overlaps, OldestVisitIsIncompleteWhenTooManyWait) {
  Overlaps overlaps = three_deep();
  std::size_t done = 0;
  for (std::uint64_t visit = 1; visit <= Overlaps::kMostVisits + 2; ++visit) {
    Served served = keys(kA, {1});
    served.facts.visit = visit;
    for (const VisitOverlap& one : overlaps.take(served.observation(), 2, all_are_active)) {
      EXPECT_EQ(one.visit, ++done) << "the oldest first";
      EXPECT_EQ(one.pairs.at(0).state, State::kIncomplete);
    }
  }
  EXPECT_EQ(done, 2U);
  EXPECT_EQ(overlaps.waiting(), Overlaps::kMostVisits);
}

TEST(Overlaps, ThreeArmsAreTwoPairsAndAnArmThatIsNotActiveIsNotMissing) {
  Overlaps overlaps = three_deep();
  const auto served = [](Served one) {
    one.facts.compared_arms = 3;
    return one;
  };
  std::vector<VisitOverlap> done;
  for (const Served& one : {keys(kC, {2}), keys(kA, {1}), keys(kB, {1})}) {
    done = overlaps.take(served(one).observation(), 3, all_are_active);
  }
  ASSERT_EQ(done.size(), 1U);
  ASSERT_EQ(done[0].pairs.size(), 2U);
  EXPECT_EQ(done[0].pairs[0].b, kB);
  EXPECT_EQ(done[0].pairs[0].jaccard, 1.0);
  EXPECT_EQ(done[0].pairs[1].b, kC);
  EXPECT_EQ(done[0].pairs[1].jaccard, 0.0);

  Overlaps paused = three_deep();
  (void)paused.take(keys(kA, {1}).observation(), 3, all_are_active);
  done = paused.take(keys(kB, {1}).observation(), 3, [](ArmIndex arm) { return arm != kC; });
  ASSERT_EQ(done.at(0).pairs.size(), 1U);
  EXPECT_EQ(done[0].pairs[0].b, kB);
}

/// One visit with a pair of values.
VisitOverlap visit(std::uint64_t number, std::string query, double rbo, double jaccard = 0.5) {
  return {.visit = number,
          .query = std::move(query),
          .pairs = {{.b = kB, .state = State::kCompared, .jaccard = jaccard, .rbo = rbo}}};
}

std::vector<std::uint64_t> changed_visits(const Overlaps& overlaps) {
  std::vector<std::uint64_t> visits;
  for (const ChangedQuery& one : overlaps.pair(kB).most_changed.all()) visits.push_back(one.visit);
  return visits;
}

TEST(MostChangedQueries, HaveEachQueryOnceInItsMostChangedVisit) {
  Overlaps overlaps = three_deep();
  overlaps.add(visit(1, "valve", 0.5));
  overlaps.add(visit(2, "pump", 0.4));
  overlaps.add(visit(3, "valve", 0.3));
  overlaps.add(visit(4, "valve", 0.9));
  overlaps.add(visit(5, "", 0.4, 0.2));  // without words, each visit is a query
  overlaps.add(visit(6, "", 0.4, 0.2));
  VisitOverlap same = visit(7, "nut", 1.0, 1.0);
  same.pairs[0].is_identical = true;
  overlaps.add(same);
  EXPECT_THAT(changed_visits(overlaps), ElementsAre(3, 5, 6, 2));
}

// The plain program keeps all visits, and looks for each query's least overlap in the end.
TEST(Overlaps, ResultsAreThoseOfAPlainProgram) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    Overlaps overlaps = three_deep();
    std::vector<VisitOverlap> all;
    std::map<State, std::uint64_t> outcomes;
    std::uint64_t failures = 0, identical = 0;
    std::vector<double> jaccard, rbo;
    const std::size_t visits = 1 + random() % 500;
    for (std::uint64_t number = 1; number <= visits; ++number) {
      PairOverlap pair{.b = kB, .state = static_cast<State>(random() % 10)};
      if (pair.state > State::kIncomplete) pair.state = State::kCompared;
      pair.has_failed_b = random() % 8 == 0;
      pair.is_identical = random() % 4 == 0;
      pair.jaccard = double(random() % 11) / 10.0;
      pair.rbo = pair.is_identical ? 1.0 : double(random() % 21) / 20.0;
      pair.depth = static_cast<std::uint32_t>(random() % 3);
      const std::string query = random() % 5 == 0 ? "" : "q" + std::to_string(random() % 60);
      all.push_back({.visit = number, .query = query, .pairs = {pair}});
      overlaps.add(all.back());
      ++outcomes[pair.state];
      if (pair.state != State::kCompared) continue;
      failures += pair.has_failed_b ? 1U : 0U;
      identical += pair.is_identical ? 1U : 0U;
      jaccard.push_back(pair.jaccard);
      rbo.push_back(pair.rbo);
    }
    const OverlapState& state = overlaps.pair(kB);
    EXPECT_EQ(state.rbo.n(), outcomes[State::kCompared]);
    EXPECT_EQ(state.empty, outcomes[State::kEmpty]);
    EXPECT_EQ(state.shallow, outcomes[State::kShallow]);
    EXPECT_EQ(state.other_index, outcomes[State::kOtherIndex]);
    EXPECT_EQ(state.left_out, outcomes[State::kLeftOut]);
    EXPECT_EQ(state.incomplete, outcomes[State::kIncomplete]);
    EXPECT_EQ(state.failed_b, failures);
    EXPECT_EQ(state.identical, identical);
    const auto mean_of = [](std::span<const double> values) {
      double sum = 0.0;
      for (const double value : values) sum += value;
      return sum / double(values.size());
    };
    if (!rbo.empty()) {
      EXPECT_NEAR(state.rbo.mean().value(), mean_of(rbo), 1e-12) << "seed " << seed;
      EXPECT_NEAR(state.jaccard.mean().value(), mean_of(jaccard), 1e-12) << "seed " << seed;
    }
    ASSERT_EQ(state.latest_rbo.mean().has_value(), rbo.size() >= kLatestOverlaps);
    if (rbo.size() >= kLatestOverlaps) {
      EXPECT_NEAR(state.latest_rbo.mean().value(), mean_of(std::span(rbo).last(kLatestOverlaps)),
                  1e-12);
    }
    using Place = std::tuple<double, double, std::uint64_t>;
    std::map<std::string, Place> least;
    for (const VisitOverlap& one : all) {
      const PairOverlap& pair = one.pairs[0];
      if (pair.state != State::kCompared || pair.is_identical) continue;
      const Place place{pair.rbo, pair.jaccard, one.visit};
      const std::string name = one.query.empty() ? std::to_string(one.visit) : one.query;
      const auto [known, is_new] = least.try_emplace(name, place);
      if (!is_new) known->second = std::min(known->second, place);
    }
    std::set<Place> ordered;
    for (const auto& [name, place] : least) ordered.insert(place);
    std::vector<std::uint64_t> expected;
    for (const auto& [of_rbo, of_jaccard, number] : ordered) {
      if (expected.size() < kMostChanged) expected.push_back(number);
    }
    EXPECT_EQ(changed_visits(overlaps), expected) << "seed " << seed;
  }
}

TEST(Overlaps, EpochBeginsAnew) {
  Overlaps overlaps = three_deep();
  (void)overlaps.take(keys(kA, {1}).observation(), 2, all_are_active);
  overlaps.add(visit(2, "valve", 0.5));
  overlaps.begin_epoch();
  EXPECT_EQ(overlaps.waiting(), 0U);
  EXPECT_EQ(overlaps.pair(kB).rbo.n(), 0U);
  EXPECT_THAT(changed_visits(overlaps), IsEmpty());
}

}  // namespace
}  // namespace prescope::overlaps_test
