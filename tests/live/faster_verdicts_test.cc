// "Faster" through the whole of a paired experiment: caches, retries and noise of one arm, and arms
// that truly differ.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "prescope/experiment.h"
#include "support/served_rankings.h"

namespace prescope::faster_verdicts {
namespace {

using Latency = ShadowOptions::Latency;
using Clock = std::chrono::steady_clock;

constexpr ArmIndex kServes{0};
constexpr std::uint32_t kQueries = 40;
constexpr int kVisits = 640;

TopicId topic_of(std::uint32_t t) { return TopicId("t" + std::to_string(100 + t)); }

Qrels one_relevant() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kQueries; ++t) lines.push_back({topic_of(t), Docno("d1"), 1});
  return Qrels::from_lines(lines);
}

/// Two arms and the times that their searches would take.
struct Engines {
  bool have_own_caches = false;  ///< of the query searched last; it saves half the time
  double ratio = 1.0;            ///< of arm 1's times to those of arm 0
  RankingFlags slow_in_b = RankingFlags::kNone;  ///< of the slow third of arm 1's searches

  // Each arm has its own, because the pool searches the arms in random order.
  std::array<std::mt19937_64, 2> random{std::mt19937_64(7), std::mt19937_64(8)};
  std::array<std::uint32_t, 2> cached{kQueries, kQueries};

  Ranking search(ArmIndex arm, std::uint32_t query, const std::shared_ptr<const ResolvedQrels>& of,
                 const std::vector<DocId>& docids) {
    const double noise = std::normal_distribution<double>(0.0, 0.2)(random[arm.value()]);
    double seconds = 1.0 * std::exp(noise) * (arm == kServes ? 1.0 : ratio);
    if (have_own_caches && cached[arm.value()] == query) seconds /= 2.0;
    cached[arm.value()] = query;
    Ranking ranking = served(arm, of, docids);
    // Nobody waits: the search says that it will have ended then.
    ranking.search_started = Clock::now();
    ranking.search_ended =
        ranking.search_started + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    if (arm != kServes && noise > 0.1) ranking.flags = slow_in_b;
    return ranking;
  }
};

LatencyRatio measured(Latency latency, Engines engines) {
  ExperimentOptions options{.arms = {"a", "b"},
                            .measures = {"R@10"},
                            .mode = Mode::kPaired,
                            .shadow = {.queue = kVisits, .deadline = std::chrono::hours(1)}};
  options.shadow.latency = latency;
  Experiment experiment(one_relevant(), options);
  const auto resolved = resolve(experiment);
  const std::vector<DocId> docids = {DocId(1), DocId(7)};
  for (int i = 0; i < kVisits; ++i) {
    const auto query = static_cast<std::uint32_t>(i) % kQueries;
    const Visit visit = experiment.visit(topic_of(query));
    experiment.observe(visit, engines.search(kServes, query, resolved, docids));
    EXPECT_TRUE(experiment.shadow(visit, kServes, [&, query](ArmIndex arm) {
      experiment.observe(engines.search(arm, query, resolved, docids));
    }));
    experiment.drain_shadow();
  }
  return experiment.summary(SummaryDetail::kVerdicts)->pairs.at(0).latency;
}

TEST(FasterVerdicts, AreOfSearchesInLikeState) {
  struct Case {
    std::string_view name{};
    Engines engines{};
    std::array<bool, 3>
        differs{};  ///< searched once, twice, once in a state that the host confirms
  };
  const Case cases[] = {
      {"equal arms", {}, {false, false, false}},
      {"b is slower", {.ratio = 1.2}, {false, true, true}},
      {"b is faster", {.ratio = 0.8}, {false, true, true}},
      {"equal arms with their own caches", {.have_own_caches = true}, {false, false, true}},
      {"b is slower, with own caches",
       {.have_own_caches = true, .ratio = 1.2},
       {false, true, true}},
      {"slow searches of b retried", {.slow_in_b = RankingFlags::kRetried}, {false, false, false}},
      {"slow searches of b untimed", {.slow_in_b = RankingFlags::kUntimed}, {false, false, false}},
      {"slow searches of b filtered",
       {.slow_in_b = RankingFlags::kFiltered},
       {false, false, false}}};
  for (const Case& one : cases) {
    const Latency ways[] = {Latency::kBothArms, Latency::kBothArmsTwice, Latency::kBothArmsAlike};
    for (std::size_t i = 0; i < std::size(ways); ++i) {
      const LatencyRatio ratio = measured(ways[i], one.engines);
      EXPECT_EQ(ratio.differs, one.differs[i])
          << one.name << ", way " << i << ", ratio " << ratio.mean.value_or(0.0);
      EXPECT_EQ(ratio.differs, ratio.state == LatencyState::kFaster);
    }
  }
}

TEST(FasterVerdicts, TheSecondSearchOfAnArmCounts) {
  ExperimentOptions options{.arms = {"a", "b"}, .measures = {"R@10"}, .mode = Mode::kPaired};
  options.shadow.latency = Latency::kBothArmsTwice;
  std::vector<Observation> recorded;
  options.on_observation = [&](const Observation& one) {
    recorded.push_back(one);
    recorded.back().hits = {};
  };
  Experiment experiment(one_relevant(), options);
  const auto resolved = resolve(experiment);
  std::array<std::atomic<int>, 2> searches{};
  const auto search = [&](ArmIndex arm) {
    const int n = ++searches[arm.value()];
    if (arm.value() == 1 && n > 2) throw std::runtime_error("fails from the third time on");
    const std::vector<DocId> docids(static_cast<std::size_t>(n), DocId(7));
    experiment.observe(served(arm, resolved, docids));
  };
  const auto run = [&] {
    EXPECT_TRUE(experiment.shadow(experiment.visit(topic_of(0)), kServes, search));
    experiment.drain_shadow();
    experiment.flush();
  };
  run();
  EXPECT_EQ(searches[0], 2);
  EXPECT_EQ(searches[1], 2);
  ASSERT_EQ(recorded.size(), 2U) << "the first searches are not recorded";
  for (const Observation& one : recorded) {
    EXPECT_EQ(one.num_ret, 2U);
    EXPECT_TRUE(has(one.flags, RankingFlags::kRepeated));
  }
  run();
  EXPECT_EQ(searches[0], 4);
  EXPECT_EQ(searches[1], 3) << "an arm that fails is not searched again";
  EXPECT_EQ(experiment.summary()->arms[1].failed_queries, 1U);
  EXPECT_EQ(experiment.summary()->health.shadow_failed, 1U);
}

}  // namespace
}  // namespace prescope::faster_verdicts
