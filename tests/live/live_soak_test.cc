// All operations at once for a while: every loss is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "support/served_rankings.h"

namespace prescope {
namespace {

constexpr std::uint64_t kThreads = 8;
constexpr std::uint32_t kTopics = 50;
constexpr std::uint32_t kSeed = 20261122;

/// The least number of changes while queries are served; a soak with fewer proves nothing.
constexpr std::uint64_t kLeastChanges = 12;

/// Least number of rankings and failures to observe; PRESCOPE_SOAK_OBSERVATIONS overrides it.
std::uint64_t observations() {
  if (const char* wanted = std::getenv("PRESCOPE_SOAK_OBSERVATIONS")) {
    return std::strtoull(wanted, nullptr, 10);
  }
  return 200'000;
}

/// Numbers of 32 bits, the same for the same seed.
struct Random {
  explicit Random(std::uint32_t seed) : engine(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
  std::mt19937 engine;
};

std::string topic_name(std::uint32_t t) { return "t" + std::to_string(t); }

Qrels many_topics() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < 1 + t % 5; ++j) {
      lines.push_back(
          {TopicId(topic_name(t)), Docno("d" + std::to_string((t * 7 + j * 11) % 100))});
    }
  }
  return Qrels::from_lines(lines);
}

/// An experiment under traffic whose tables, judgements and arms change.
class Soak {
 public:
  Soak()
      : experiment_(many_topics(),
                    {.arms = {"a", "b"},
                     .cutoffs = {10, 100},
                     .recording = {.queue_bytes = std::size_t{1} << 20U,
                                   .drain_interval = std::chrono::milliseconds(1),
                                   .sampling = 0.9,
                                   .capture_depth = 20,
                                   .publish_interval = std::chrono::milliseconds(10)},
                     .on_observation = [this](const Observation& one) { listen(one); }}),
        table_(resolve(experiment_)) {
    for (std::uint32_t t = 0; t < kTopics + 10; ++t) topics_.emplace_back(topic_name(t));
  }

  void run() {
    {
      std::vector<std::jthread> threads;
      for (std::uint64_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([this, i] { search(static_cast<std::uint32_t>(i)); });
      }
      threads.emplace_back([this] { change(); });
      threads.emplace_back([this] {
        while (busy_ > 0) read();
      });
    }
    read();
  }

  void expect_counts_add_up() {
    const auto summary = experiment_.summary();
    const Health& health = summary->health;
    EXPECT_EQ(health.pushed + health.dropped_queue_full + health.sampled_out + health.inactive_arm,
              observed_);
    EXPECT_EQ(health.recorded + health.recorder_failures, health.pushed);
    EXPECT_EQ(health.recorder_failures, 0U);
    EXPECT_EQ(health.publish_failures, 0U);
    EXPECT_EQ(health.unmatched_rankings, 0U);
    EXPECT_EQ(health.unknown_arm, 0U);
    EXPECT_EQ(health.listener_failures, thrown_);
    EXPECT_GE(changes_, kLeastChanges);
    EXPECT_GE(summary->epoch.number, changes_) << "each change begins one, and so do tables";
    std::cout << "observed " << observed_ << ", recorded " << health.recorded << ", dropped "
              << health.dropped_queue_full << ", sampled out " << health.sampled_out
              << ", of an inactive arm " << health.inactive_arm << ", late "
              << health.late_observations << ", changes " << changes_ << ", read " << reads_
              << " times\n";
  }

 private:
  void listen(const Observation& one) {
    Rank before = 0;
    for (const JudgedHit& hit : one.hits) {
      EXPECT_GT(hit.rank, before);
      before = hit.rank;
    }
    EXPECT_LE(one.captured_docids.size() + one.captured_keys.size(), 20U);
    if (one.topic == TopicIndex(7) && one.num_ret == 33) {
      ++thrown_;
      throw std::runtime_error("a listener's own trouble");
    }
  }

  std::shared_ptr<const ResolvedQrels> table() {
    const std::lock_guard lock(table_mutex_);
    return table_;
  }

  void search(std::uint32_t thread) {
    Random random(kSeed + thread);
    std::vector<DocId> docids;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < 100; ++i) docids.emplace_back((i * 37 + thread) % 100);
    for (const DocId docid : docids) names.push_back("d" + std::to_string(docid.value()));
    const std::vector<std::string_view> docnos(names.begin(), names.end());
    const std::uint64_t share = observations() / kThreads;
    for (std::uint64_t i = 0; i < share || changes_ < kLeastChanges || reads_ == 0; ++i) {
      const auto arm = ArmIndex(random() % static_cast<std::uint32_t>(experiment_.arms().size()));
      const std::uint32_t hits = random() % 100;
      const auto resolved = table();
      const QueryScope scope(experiment_, topics_[random() % topics_.size()]);
      switch (random() % 20) {
        case 0:
          experiment_.observe_failure(arm, Experiment::SearchFailure::kTimedOut);
          break;
        case 1:
          experiment_.observe({.arm = arm,
                               .kind = HitKind::kDocnos,
                               .docnos = std::span(docnos).first(hits),
                               .requested_depth = 100});
          break;
        default:
          experiment_.observe({.arm = arm,
                               .resolved = resolved.get(),
                               .docids = std::span(docids).first(hits),
                               .requested_depth = 100});
      }
      ++observed_;
    }
    --busy_;
  }

  /// Judgements, tables and arms, one change of each kind after the other.
  void change() {
    Random random(kSeed);
    for (std::uint32_t i = 0; busy_ > 0; ++i) {
      const TopicId topic(topic_name(random() % kTopics));
      (void)experiment_.rejudge({.judged = {{topic, Docno("d" + std::to_string(random() % 100)),
                                             static_cast<Grade>(random() % 3)}}});
      const auto fresh = resolve(experiment_);
      {
        const std::lock_guard lock(table_mutex_);
        table_ = fresh;
      }
      const ArmIndex c = experiment_.add_arm("c");
      experiment_.pause_arm(ArmIndex(1));
      experiment_.restart_arm(c);
      experiment_.resume_arm(ArmIndex(1));
      experiment_.remove_arm(c);
      changes_ += 6;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void read() {
    ++reads_;
    const auto summary = experiment_.summary(SummaryDetail::kEveryTopic);
    EXPECT_LE(summary->health.recorded, summary->health.pushed);
    const auto latest = experiment_.latest();
    ASSERT_NE(latest, nullptr);
    EXPECT_LE(latest->health.recorded, experiment_.summary()->health.recorded);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  std::vector<TopicId> topics_;
  std::uint64_t thrown_ = 0;  // under the ledger's mutex, as listeners are called
  std::atomic<std::uint64_t> observed_{0}, busy_{kThreads}, changes_{0}, reads_{0};
  Experiment experiment_;
  std::mutex table_mutex_;
  std::shared_ptr<const ResolvedQrels> table_;
};

TEST(LiveSoak, PushedIsRecordedAndLossesAreCountedExactly) {
  SCOPED_TRACE(kSeed);
  Soak soak;
  soak.run();
  soak.expect_counts_add_up();
}

}  // namespace
}  // namespace prescope
