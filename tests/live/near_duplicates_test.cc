// Two equal arms, and topics in clusters of near-duplicates, which share what an arm does for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "prescope/experiment.h"
#include "support/number_of_cases.h"

namespace prescope::near_duplicates {
namespace {

constexpr std::uint32_t kTopics = 400, kRelevant = 3, kDepth = 100;
const std::uint64_t kExperiments = number_of_cases(20);

struct Clusters {
  std::uint32_t size = 1;
  bool has_map = false;
};

struct Outcome {
  bool has_verdict = false;
  std::uint32_t told = 0, alike = 0, units = 0;
};

std::string topic_name(std::uint32_t topic) { return "T" + std::to_string(1000 + topic); }

Qrels judgements(const Clusters& clusters) {
  std::vector<Qrels::Line> lines;
  auto families = std::make_shared<FamilyMap>();
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    families->add(Docno(topic_name(t)), "f" + std::to_string(t / clusters.size));
    for (std::uint32_t i = 0; i < kRelevant; ++i) {
      lines.push_back({TopicId(topic_name(t)), Docno("d" + std::to_string(kRelevant * t + i))});
    }
  }
  return Qrels::from_lines(lines, {.families = clusters.has_map ? families : nullptr});
}

/// One experiment of a host that serves arm A and searches with B in the shadow.
class Host {
 public:
  Host(const Clusters& clusters, std::uint64_t seed)
      : random_(seed),
        experiment_(judgements(clusters),
                    {.arms = {"A", "B"},
                     .measures = {"PRES@100"},
                     .mode = Mode::kPaired,
                     .shadow = {.deadline = std::chrono::hours(1),
                                .latency = ShadowOptions::Latency::kNotCompared}}) {
    std::vector<Resolution> found;
    for (std::uint32_t key = 0; key < experiment_.judged().num_keys(); ++key) {
      const std::string& docno = experiment_.judged().key(key);
      found.push_back({key, DocId(static_cast<std::uint32_t>(std::stoi(docno.substr(1))))});
    }
    table_ = std::make_unique<const ResolvedQrels>(experiment_.judged(), std::move(found),
                                                   experiment_.next_generation(), 1'000'000);
    ranks_.resize(std::size_t{2} * kTopics / clusters.size);
    for (auto& ranks : ranks_) {
      for (std::uint32_t& rank : ranks) rank = static_cast<std::uint32_t>(random_() % 150);
    }
    for (std::uint32_t t = 0; t < kTopics; ++t) order_.push_back(t);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
    size_ = clusters.size;
  }

  Outcome run() {
    Outcome outcome;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      ask(order_[i]);
      if (i % 10 == 9) look(outcome);
    }
    return outcome;
  }

 private:
  void ask(std::uint32_t topic) {
    const Visit visit = experiment_.visit(TopicId(topic_name(topic)));
    const std::vector<DocId> served = ranking(topic, 0);
    experiment_.observe(visit, of(ArmIndex(0), served));
    ASSERT_TRUE(experiment_.shadow(visit, ArmIndex(0), [this, topic](ArmIndex arm) {
      const std::vector<DocId> found = ranking(topic, arm.value());
      experiment_.observe(of(arm, found));
    }));
  }

  void look(Outcome& outcome) {
    experiment_.drain_shadow();
    const auto summary = experiment_.summary(SummaryDetail::kVerdicts);
    const ArmPair& pair = summary->pairs.front();
    const LiveVerdict& live = pair.differences.front().live.value();
    outcome.has_verdict = outcome.has_verdict || live.state == LiveState::kLeading ||
                          live.state == LiveState::kConfirmed;
    outcome.told = pair.told_topics;
    outcome.alike = pair.alike_topics;
    outcome.units = live.topics;
  }

  std::vector<DocId> ranking(std::uint32_t topic, std::uint32_t arm) const {
    std::vector<DocId> docids;
    for (std::uint32_t i = 0; i < kDepth; ++i) docids.emplace_back(500'000 + i);
    const auto& ranks = ranks_[2 * (topic / size_) + arm];
    for (std::uint32_t i = 0; i < kRelevant; ++i) {
      if (ranks[i] < kDepth) docids[ranks[i]] = DocId(kRelevant * topic + i);
    }
    return docids;
  }

  Ranking of(ArmIndex arm, const std::vector<DocId>& docids) const {
    return {.arm = arm,
            .resolved = table_.get(),
            .docids = docids,
            .requested_depth = kDepth,
            .search_started = std::chrono::steady_clock::now()};
  }

  std::mt19937_64 random_;
  Experiment experiment_;
  std::unique_ptr<const ResolvedQrels> table_;
  std::vector<std::array<std::uint32_t, kRelevant>> ranks_;  // of both arms, by cluster
  std::vector<std::uint32_t> order_;                         // of the topics
  std::uint32_t size_ = 1;
};

class NearDuplicates : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(NearDuplicates, CountOnceWithAFamilyMapSoThatEqualArmsDoNotDiffer) {
  std::uint32_t verdicts = 0;
  for (std::uint64_t seed = 1; seed <= kExperiments; ++seed) {
    const Outcome outcome = Host({.size = GetParam(), .has_map = true}, seed).run();
    verdicts += outcome.has_verdict ? 1 : 0;
    EXPECT_EQ(outcome.units, kTopics / GetParam()) << "seed " << seed;
    EXPECT_EQ(outcome.alike, 0U) << "with a map nothing is searched for";
  }
  EXPECT_LE(verdicts, (kExperiments + 19) / 20) << "of seeds 1 to " << kExperiments;
}

TEST_P(NearDuplicates, AreNoticedWithoutAMap) {
  for (std::uint64_t seed = 1; seed <= kExperiments; ++seed) {
    const Outcome outcome = Host({.size = GetParam()}, seed).run();
    EXPECT_EQ(outcome.units, kTopics);
    EXPECT_GE(outcome.told, kTopics / 2) << "seed " << seed;
    EXPECT_EQ(outcome.alike, outcome.told) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, NearDuplicates, ::testing::Values(2, 5, 20));

TEST(NearDuplicatesOfNone, DifferentTopicsAreNotTakenForThem) {
  for (std::uint64_t seed = 1; seed <= kExperiments; ++seed) {
    const Outcome outcome = Host({.size = 1}, seed).run();
    EXPECT_GE(outcome.told, kTopics / 2) << "seed " << seed;
    EXPECT_LE(outcome.alike, outcome.told / 10) << "seed " << seed;
  }
}

}  // namespace
}  // namespace prescope::near_duplicates
