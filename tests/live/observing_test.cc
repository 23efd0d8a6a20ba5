// Rankings of topics of any size, however their records get into the queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "prescope/ranking_observer.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

// A thread's buffer grows and is used again; 64 and 65 are about the bits of a word.
constexpr std::uint32_t kSizes[] = {1, 300, 4, 12, 64, 65, 41};

TopicId topic_of(std::uint32_t judged) { return TopicId("t" + std::to_string(1000 + judged)); }

/// Each topic's documents, of 1000, are every third.
Qrels judge() {
  std::vector<Qrels::Line> lines;
  for (const std::uint32_t judged : kSizes) {
    for (std::uint32_t i = 0; i < judged; ++i) {
      lines.push_back({topic_of(judged), Docno("d" + std::to_string(3 * i))});
    }
  }
  return Qrels::from_lines(lines);
}

class Observing : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  struct Seen {
    std::uint32_t num_ret = 0, duplicates = 0;
    std::vector<JudgedHit> hits;
  };

  Observing()
      : experiment_(judge(),
                    {.arms = {"a"},
                     .recording = {.capture_depth = GetParam()},
                     .on_observation =
                         [this](const Observation& one) {
                           seen_.push_back(
                               {one.num_ret, one.duplicates, {one.hits.begin(), one.hits.end()}});
                         }}),
        resolved_(resolve(experiment_)) {}

  /// The first hit of each judged document, looked for one by one.
  Seen expected(std::uint32_t judged, const std::vector<DocId>& docids) const {
    const TopicQrels& topic =
        experiment_.qrels().topic(*experiment_.qrels().find(topic_of(judged).text()));
    Seen seen;
    seen.num_ret = static_cast<std::uint32_t>(docids.size());
    for (Rank rank = 1; rank <= docids.size(); ++rank) {
      const auto judgement = topic.find("d" + std::to_string(docids[rank - 1].value()));
      if (!judgement) continue;
      const bool is_repeat =
          std::ranges::find(seen.hits, *judgement, &JudgedHit::judgement) != seen.hits.end();
      if (is_repeat) {
        ++seen.duplicates;
      } else {
        seen.hits.push_back({rank, *judgement});
      }
    }
    return seen;
  }

  std::vector<Seen> seen_;
  Experiment experiment_;
  std::shared_ptr<const ResolvedQrels> resolved_;
};

TEST_P(Observing, KeepsEveryHitOfTopicsOfAnySize) {
  std::mt19937 random(20101019);
  std::vector<Seen> all;
  for (const std::uint32_t judged : kSizes) {
    std::vector<DocId> docids;
    for (int i = 0; i < 700; ++i) docids.emplace_back(static_cast<std::uint32_t>(random() % 1000));
    all.push_back(expected(judged, docids));
    const QueryScope scope(experiment_, topic_of(judged));
    experiment_.observe(served(ArmIndex(0), resolved_, docids));
  }
  const Health health = experiment_.summary()->health;
  EXPECT_EQ(health.pushed, std::size(kSizes));
  EXPECT_EQ(health.recorded, std::size(kSizes));
  ASSERT_EQ(seen_.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(seen_[i].hits, all[i].hits) << kSizes[i] << " judged";
    EXPECT_EQ(seen_[i].duplicates, all[i].duplicates) << kSizes[i] << " judged";
    EXPECT_EQ(seen_[i].num_ret, 700U);
  }
}

TEST_P(Observing, AbandonedRankingsLeaveNothing) {
  const std::vector<DocId> docids = {DocId(0), DocId(3)};
  for (const std::uint32_t judged : kSizes) {
    const QueryScope scope(experiment_, topic_of(judged));
    RankingObserver observer(experiment_, served(ArmIndex(0), resolved_, docids));
    observer.abandon();
    EXPECT_FALSE(observer.wants_hits());
    observer.add(docids);
  }
  const Health health = experiment_.summary()->health;
  EXPECT_EQ(health.adapter_failures, std::size(kSizes));
  EXPECT_EQ(health.pushed, 0U);
  EXPECT_EQ(health.recorded, 0U);
  EXPECT_TRUE(seen_.empty());
}

TEST_P(Observing, RankingWithImpossibleRanksIsAnAdapterFailure) {
  constexpr Rank kLast = std::numeric_limits<Rank>::max();
  struct Case {
    Rank first_rank;
    std::size_t added;
    std::uint32_t skipped;
    bool is_possible;
  };
  constexpr Case kCases[] = {
      {0, 0, 0, false},        {0, 2, 0, false},         {1, 0, kLast, true},
      {2, 1, kLast - 2, true}, {2, 2, kLast - 2, false}, {kLast, 0, 0, true},
      {kLast, 1, 0, true},     {kLast, 2, 0, false},     {kLast, 1, 1, false},
      {kLast - 1, 2, 0, true},
  };
  const std::vector<DocId> docids = {DocId(0), DocId(3)};
  std::uint64_t impossible = 0;
  for (const Case& one : kCases) {
    const QueryScope scope(experiment_, topic_of(300));
    Ranking ranking = served(ArmIndex(0), resolved_, {});
    ranking.first_rank = one.first_rank;
    {
      RankingObserver observer(experiment_, ranking);
      observer.add(std::span(docids).first(one.added));
      observer.skip(one.skipped);
    }
    impossible += one.is_possible ? 0U : 1U;
    const Health health = experiment_.summary()->health;
    EXPECT_EQ(health.adapter_failures, impossible) << one.first_rank << " and " << one.added;
    EXPECT_EQ(health.adapter_failures + health.recorded,
              static_cast<std::uint64_t>(&one - kCases) + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(WithoutAndWithCapture, Observing, ::testing::Values(0U, 500U));

TEST(RankingObserver, RecordsForTheScopeOfItsThread) {
  std::vector<TopicIndex> seen;
  Experiment experiment(judge(), {.arms = {"a"}, .on_observation = [&](const Observation& one) {
                                    seen.push_back(one.topic);
                                  }});
  const auto resolved = resolve(experiment);
  const TopicIndex mine = *experiment.qrels().find(topic_of(4).text());
  const TopicIndex other = *experiment.qrels().find(topic_of(12).text());
  const std::vector<DocId> docids = {DocId(3)};
  const QueryScope scope(experiment, mine);
  const Ranking ranking = served(ArmIndex(0), resolved, docids);  // started here
  std::jthread([&] {
    const QueryScope inner(experiment, other);
    experiment.observe(ranking);
  }).join();
  experiment.observe(ranking);
  std::jthread([&] { experiment.observe(ranking); }).join();  // no scope there
  const Health health = experiment.summary()->health;
  EXPECT_THAT(seen, ::testing::ElementsAre(other, mine));
  EXPECT_EQ(health.queries_without_scope, 1U);
}

TEST(RankingObserver, OpenObserverDoesNotBlockOtherThreads) {
  std::vector<TopicIndex> seen;
  Experiment experiment(judge(), {.arms = {"a"}, .on_observation = [&](const Observation& one) {
                                    seen.push_back(one.topic);
                                  }});
  const auto resolved = resolve(experiment);
  const TopicIndex mine = *experiment.qrels().find(topic_of(4).text());
  const TopicIndex other = *experiment.qrels().find(topic_of(12).text());
  const std::vector<DocId> docids = {DocId(3)};
  {
    const QueryScope scope(experiment, mine);
    const RankingObserver slow(experiment, served(ArmIndex(0), resolved, docids));
    std::jthread([&] {
      const QueryScope inner(experiment, other);
      experiment.observe(served(ArmIndex(0), resolved, docids));
    }).join();
    experiment.flush();
    EXPECT_THAT(seen, ::testing::ElementsAre(other));
  }
  experiment.flush();
  EXPECT_THAT(seen, ::testing::ElementsAre(other, mine));
}

TEST(RankingObserver, SlowAdapterDelaysNobody) {
  constexpr int kQueries = 20'000;  // the queue holds a few hundred
  Experiment experiment(judge(), {.arms = {"a"}, .recording = {.queue_bytes = 65536}});
  const auto resolved = resolve(experiment);
  const std::vector<DocId> docids = {DocId(3)};
  {
    const QueryScope scope(experiment, topic_of(4));
    const RankingObserver slow(experiment, served(ArmIndex(0), resolved, docids));
    std::jthread([&] {
      for (int i = 0; i < kQueries; ++i) {
        const QueryScope inner(experiment, topic_of(12));
        experiment.observe(served(ArmIndex(0), resolved, docids));
        if (i % 100 == 0) experiment.flush();
      }
    }).join();
    const Health health = experiment.summary()->health;
    EXPECT_EQ(health.recorded, std::uint64_t{kQueries});
    EXPECT_EQ(health.dropped_queue_full, 0U);
  }
  EXPECT_EQ(experiment.summary()->health.recorded, std::uint64_t{kQueries} + 1);
}

TEST(RankingObserver, FourOnOneThreadHaveBuffersAndAFifthIsCounted) {
  std::vector<std::size_t> hits;
  Experiment experiment(judge(), {.arms = {"a"}, .on_observation = [&](const Observation& one) {
                                    hits.push_back(one.hits.size());
                                  }});
  const auto resolved = resolve(experiment);
  const std::vector<DocId> docids = {DocId(0), DocId(3), DocId(6), DocId(9)};
  const QueryScope scope(experiment, topic_of(4));
  const Ranking none = served(ArmIndex(0), resolved, {});
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<RankingObserver>> observers;
    for (int i = 0; i < 5; ++i) {
      observers.push_back(std::make_unique<RankingObserver>(experiment, none));
      EXPECT_EQ(observers.back()->wants_hits(), i < 4) << i;
    }
    for (std::size_t i = 0; i < 4; ++i) observers[i]->add(std::span(docids).first(i + 1));
    for (auto& observer : observers) observer.reset();
  }
  EXPECT_EQ(experiment.summary()->health.dropped_queue_full, 2U);
  EXPECT_THAT(hits, ::testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
}

}  // namespace
}  // namespace prescope
