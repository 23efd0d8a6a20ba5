// Lines of one arm that never come: whoever loses them must not win or lose a verdict by it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "collect/posted_visits.h"
#include "support/number_of_cases.h"

namespace prescope {
namespace {

constexpr int kJudgedTopics = 80, kVisitsOfTopic = 4;

Qrels judged_topics() {
  std::vector<Qrels::Line> lines;
  for (int t = 0; t < kJudgedTopics; ++t) {
    lines.push_back({TopicId(fmt::format("EP{}", t)), Docno(fmt::format("US{}", t)), 1});
  }
  return Qrels::from_lines(lines);
}

/// An experiment of two arms that rank equally well: the rank of the relevant document is drawn
/// anew for each arm and visit. Lines of arm b are lost if `is_lost(rank, draw)`.
template <class IsLost>
std::shared_ptr<const Summary> collected(unsigned seed, const VerdictLimits& limits,
                                         const IsLost& is_lost) {
  Experiment experiment(judged_topics(),
                        {.arms = {"a", "b"},
                         .measures = {"PRES@10"},
                         .mode = Mode::kPaired,
                         .limits = limits,
                         .shadow = {.latency = ShadowOptions::Latency::kNotCompared}});
  PostedVisits visits(experiment, std::chrono::seconds(60));
  std::mt19937 random(seed);
  std::uint64_t request = 0;
  for (int v = 0; v < kJudgedTopics * kVisitsOfTopic; ++v) {
    const int topic = v % kJudgedTopics;
    for (const std::uint32_t arm : {0U, 1U}) {
      const auto rank = 1 + static_cast<std::size_t>(random() % 12);
      const auto draw = static_cast<double>(random() % 1000) / 1000.0;
      if (arm == 1 && is_lost(rank, draw)) continue;
      const std::string visit = fmt::format("v{}", v), relevant = fmt::format("US{}", topic);
      PostedRanking ranking{.id = visit, .visit = visit, .depth = 10};
      ranking.docnos.assign(10, "CN1");
      if (rank <= ranking.docnos.size()) ranking.docnos[rank - 1] = relevant;
      const TopicIndex index = *experiment.qrels().find(fmt::format("EP{}", topic));
      static_cast<void>(visits.observe({ranking, index, ArmIndex(arm), ++request}));
    }
  }
  visits.give_up_all();
  return experiment.summary();
}

bool has_verdict(const Summary& summary) {
  const LiveState state = summary.pairs[0].differences[0].live.value().state;
  return state == LiveState::kLeading || state == LiveState::kConfirmed;
}

VerdictLimits without_incomplete() {
  VerdictLimits limits;
  limits.incomplete = 1.0;
  return limits;
}

/// Counts experiments with a verdict; each one is false.
template <class IsLost>
int false_verdicts(int experiments, const VerdictLimits& limits, const IsLost& is_lost) {
  int verdicts = 0;
  for (int e = 0; e < experiments; ++e) {
    verdicts += has_verdict(*collected(static_cast<unsigned>(e), limits, is_lost)) ? 1 : 0;
  }
  return verdicts;
}

constexpr auto kAtRandom = [](std::size_t, double draw) { return draw < 0.1; };
constexpr auto kBadOnes = [](std::size_t rank, double) { return rank > 10; };

TEST(LostLines, GiveNoFalseVerdict) {
  const auto experiments = static_cast<int>(number_of_cases(40));
  const int most = std::max(2, experiments / 20);  // 5 %
  for (const VerdictLimits& limits : {VerdictLimits(), without_incomplete()}) {
    EXPECT_LE(false_verdicts(experiments, limits, kAtRandom), most);
    EXPECT_LE(false_verdicts(experiments, limits, kBadOnes), most)
        << "lost because their search found nothing";
  }
}

TEST(LostLines, AreCountedAndEndTheVerdict) {
  const auto summary = collected(1, VerdictLimits(), kAtRandom);
  const auto& epoch = summary->epoch;
  EXPECT_EQ(epoch.compared_visits + epoch.incomplete_visits,
            std::uint64_t(kJudgedTopics * kVisitsOfTopic));
  EXPECT_EQ(summary->health.shadow_failed, epoch.incomplete_visits);
  EXPECT_EQ(summary->pairs[0].differences[0].live.value().state, LiveState::kVetoed);
}

}  // namespace
}  // namespace prescope
