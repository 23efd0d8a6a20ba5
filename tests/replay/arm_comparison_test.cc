// Compares arms by values that no replay of the program can fix: latencies, and rankings that end
// before the cutoff.
#include <gtest/gtest.h>

#include <cmath>

#include "replay/replay.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

/// Two arms, and four topics with one relevant document each, d1.
class ArmsCompared : public ::testing::Test {
 protected:
  ArmsCompared() {
    options_.measures = parse_measures("PRES@4,R@4");
    for (const char* const name : {"a", "b"}) options_.arms.emplace_back().config.id = ArmId(name);
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < 4; ++t) lines.push_back({topic(t), Docno("d1"), 1});
    std::vector<std::string> names;
    for (const Measure& measure : options_.measures) names.push_back(measure.name());
    experiment_.emplace(Qrels::from_lines(lines),
                        ExperimentOptions{.arms = {"a", "b"}, .measures = names});
    table_ = resolve(*experiment_);
  }

  static TopicId topic(std::uint32_t number) { return TopicId(fmt::format("t{}", number)); }

  /// Serves documents that are not relevant up to d1 at `rank`.
  void serve(std::uint32_t arm, std::uint32_t number, Rank rank, std::uint64_t total_hits) {
    std::vector<DocId> docids;
    for (Rank r = 1; r < rank; ++r) docids.emplace_back(100 + r);
    docids.emplace_back(1);
    Ranking ranking = served(ArmIndex(arm), table_, docids);
    ranking.requested_depth = total_hits > rank ? rank : 10;
    ranking.total_hits = total_hits;
    const QueryScope scope(*experiment_, topic(number));
    experiment_->observe(ranking);
  }

  std::unique_ptr<const ArmComparison> compared(const Summary& summary) {
    return compare_replayed(options_, *experiment_, summary);
  }
  Summary summary() { return *experiment_->summary(); }

  ReplayOptions options_;
  std::optional<Experiment> experiment_;
  std::shared_ptr<const ResolvedQrels> table_;
};

TEST_F(ArmsCompared, LatencyIsTheGeometricMeanOverTopicsTimedInBoth) {
  for (std::uint32_t t = 0; t < 4; ++t) {
    for (const std::uint32_t arm : {0U, 1U}) serve(arm, t, 1, 1);
  }
  Summary timed = summary();
  // Ratios 2, 8 and 4; the fourth topic was timed in one arm only.
  const std::vector<std::pair<std::optional<double>, std::optional<double>>> times = {
      {10.0, 20.0}, {1.0, 8.0}, {3.0, 12.0}, {5.0, std::nullopt}};
  for (std::size_t t = 0; t < times.size(); ++t) {
    timed.rows[t].arms[0].latency_ms = times[t].first;
    timed.rows[t].arms[1].latency_ms = times[t].second;
  }
  const auto arms = compared(timed);
  ASSERT_EQ(arms->latencies.size(), 1U);
  const TopicLatency& latency = arms->latencies[0];
  EXPECT_EQ(latency.topics, 3U);
  // ln 2 (1, 3, 2): mean 2 ln 2, standard deviation ln 2; t(.975, 2) = 4.302653.
  const double half_width = 4.302653 * std::log(2.0) / std::sqrt(3.0);
  EXPECT_NEAR(latency.ratio.value(), 4.0, 1e-12);
  EXPECT_NEAR(latency.ci_low.value(), 4.0 * std::exp(-half_width), 1e-5);
  EXPECT_NEAR(latency.ci_high.value(), 4.0 * std::exp(half_width), 1e-4);
  EXPECT_EQ(latency_words(*arms, 0),
            "Latency, b over a in the same topic: 4.000 [0.715, 22.380]; no difference shown.");
}

TEST_F(ArmsCompared, ATopicWithoutAValueInOneArmIsInNoComparison) {
  for (std::uint32_t t = 0; t < 4; ++t) {
    serve(0, t, 1, 1);
    // Two hits of at least 100 do not say what is at rank 3.
    serve(1, t, 2, t == 0 ? 100 : 2);
  }
  const auto arms = compared(summary());
  const MeasureComparison& pres = arms->report.comparison.runs.at(0).measures.at(0);
  ASSERT_EQ(pres.topics.size(), 3U);
  EXPECT_EQ(pres.topics[0].topic, TopicIndex(1));
  EXPECT_EQ(pres.mean_b, 0.75);  // rank 2 of 4: credit 3 of 4
  const MeasureComparison& recall = arms->report.comparison.runs[0].measures.at(1);
  EXPECT_EQ(recall.topics.size(), 3U);
}

TEST_F(ArmsCompared, OneArmAndAGeometricMeanHaveNoComparison) {
  Summary geometric = summary();
  geometric.measures = parse_measures("GMAP@4");
  EXPECT_EQ(compared(geometric), nullptr);
  options_.arms.pop_back();
  EXPECT_EQ(compared(summary()), nullptr);
}

}  // namespace
}  // namespace prescope
