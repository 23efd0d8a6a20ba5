// Threads search old and new searchers while a writer adds, deletes and merges, and while tables
// are resolved. Each observation must agree with the served docnos.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "conformance/lucenepp/lucene_churn.h"
#include "conformance/lucenepp/lucene_index.h"
#include "conformance/stress.h"
#include "conformance/suite.h"
#include "prescope/lucenepp/observed_index.h"

namespace prescope::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// One arm for each thread, so that its queries are recorded in the order of serving.
constexpr std::array<const char*, 4> kThreads{"a", "b", "c", "d"};
constexpr std::array<const char*, 2> kTopics{"T1", "T2"};

/// One query, as recorded or as expected from its served docnos.
struct Query {
  std::uint32_t depth = 0;  // tells a thread's queries apart
  std::uint64_t generation = 0;
  std::vector<JudgedHit> hits{};
  friend bool operator==(const Query&, const Query&) = default;
};

class Recorded {
 public:
  [[nodiscard]] Experiment& experiment() noexcept { return experiment_; }
  [[nodiscard]] const std::vector<Query>& of(std::size_t arm) {
    experiment_.flush();
    return queries_[arm];
  }

 private:
  void record(const Observation& observation) {
    queries_[observation.arm.value()].push_back(
        {observation.depth,
         observation.generation,
         {observation.hits.begin(), observation.hits.end()}});
  }

  std::array<std::vector<Query>, kThreads.size()> queries_;  // of the recorder, until it is flushed
  Experiment experiment_{judged_everywhere(LuceneChurn::kNumbers),
                         {.arms = {kThreads.begin(), kThreads.end()},
                          .cutoffs = {10},
                          .recording = {.queue_bytes = 64U << 20U},
                          .on_observation = [this](const Observation& one) { record(one); }}};
};

/// The searchers of the latest generations, one for each arm.
class Searchers {
 public:
  explicit Searchers(const lucenepp::ObservedIndex& index) : index_(index) { add(); }

  struct Chosen {
    lucenepp::ObservedSearcherPtr searcher;
    bool is_old = false;
  };
  [[nodiscard]] Chosen choose(std::size_t arm, std::uint64_t draw) const {
    const std::lock_guard lock(mutex_);
    const std::size_t age = draw % generations_.size();
    return {generations_[age][arm], age > 0};
  }
  void add() {
    std::vector<lucenepp::ObservedSearcherPtr> searchers;
    for (const char* arm : kThreads) searchers.push_back(index_.searcher(arm));
    const std::lock_guard lock(mutex_);
    generations_.push_front(std::move(searchers));
    if (generations_.size() <= kKept) return;
#if defined(__SANITIZE_THREAD__)
    // ThreadSanitizer does not see how Lucene++ counts references: destroying a searcher on a query
    // thread would look like a race with the queries of other threads.
    retired_.push_back(generations_.back());
#endif
    generations_.pop_back();
  }

 private:
  static constexpr std::size_t kKept = 4;
  const lucenepp::ObservedIndex& index_;
  mutable std::mutex mutex_;
  std::deque<std::vector<lucenepp::ObservedSearcherPtr>> generations_;  // newest first
#if defined(__SANITIZE_THREAD__)
  std::vector<std::vector<lucenepp::ObservedSearcherPtr>> retired_;
#endif
};

/// Queries that one thread was served.
struct Served {
  std::vector<Query> queries{};
  std::uint64_t from_old_searchers = 0;
};

std::vector<ServedHit> docnos_of(const Lucene::SearcherPtr& searcher,
                                 const Lucene::TopDocs& served) {
  std::vector<ServedHit> hits;
  for (const Lucene::ScoreDocPtr& hit : served.scoreDocs) {
    hits.push_back({Lucene::StringUtils::toUTF8(searcher->doc(hit->doc)->get(L"docno")), 0.0});
  }
  return hits;
}

void search_once(Experiment& experiment, const Searchers::Chosen& chosen, Served& served,
                 std::uint32_t number) {
  const std::uint32_t depth = 20 + number % 200;
  const char* const topic = kTopics[number % kTopics.size()];
  const QueryScope scope(experiment, TopicId(topic));
  const Lucene::TopDocsPtr answer =
      chosen.searcher->search(term_query(L"valve"), static_cast<std::int32_t>(depth));
  served.queries.push_back({depth, chosen.searcher->resolved()->generation(),
                            judged_among(experiment, topic, docnos_of(chosen.searcher, *answer))});
  served.from_old_searchers += chosen.is_old ? 1 : 0;
}

/// Runs for the time asked for and then, on a slow machine, until every kind of change has
/// happened.
class Stress {
 public:
  void run() {
    std::vector<std::thread> threads;
    for (std::size_t arm = 0; arm < kThreads.size(); ++arm) {
      threads.emplace_back([this, arm] { search(arm); });
    }
    while (goes_on()) {
      if (observed_.reopen()) searchers_.add();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    stop_ = true;
    for (std::thread& thread : threads) thread.join();
    churn_.finish();
  }

  void expect_no_wrong_match() {
    std::set<std::uint64_t> generations;
    std::uint64_t from_old_searchers = 0, hits = 0, queries = 0;
    for (std::size_t arm = 0; arm < kThreads.size(); ++arm) {
      expect_same(recorded_.of(arm), served_[arm].queries);
      from_old_searchers += served_[arm].from_old_searchers;
      queries += served_[arm].queries.size();
      for (const Query& query : served_[arm].queries) {
        generations.insert(query.generation);
        hits += query.hits.size();
      }
    }
    EXPECT_GT(generations.size(), 3U);
    EXPECT_GT(from_old_searchers, 0U);
    EXPECT_GT(hits, queries);  // the comparison was not an empty one
    const auto summary = recorded_.experiment().summary();
    EXPECT_EQ(summary->health.recorded, queries);
    EXPECT_EQ(summary->health.adapter_failures, 0U);
    EXPECT_EQ(summary->health.unmatched_rankings, 0U);
    testing::Test::RecordProperty("queries", std::to_string(queries));
    testing::Test::RecordProperty("generations", std::to_string(generations.size()));
    testing::Test::RecordProperty("old", std::to_string(from_old_searchers));
  }

 private:
  [[nodiscard]] bool goes_on() const {
    const auto now = Clock::now();
    return now < end_ || (now < last_end_ && (churn_.optimized() < 3 || churn_.commits() < 10));
  }
  void search(std::size_t arm) {
    std::mt19937 random(static_cast<std::uint32_t>(30 + arm));
    for (std::uint32_t number = 0; !stop_; ++number) {
      search_once(recorded_.experiment(), searchers_.choose(arm, random()), served_[arm], number);
    }
  }
  static void expect_same(const std::vector<Query>& recorded, const std::vector<Query>& served) {
    ASSERT_EQ(recorded.size(), served.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < served.size(); ++i) wrong += recorded[i] == served[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0U) << "of " << served.size() << " queries";
  }

  Recorded recorded_;
  LuceneIndex index_;
  LuceneChurn churn_{index_.directory()};
  lucenepp::ObservedIndex observed_{index_.open(), recorded_.experiment()};
  Searchers searchers_{observed_};
  std::array<Served, kThreads.size()> served_;
  std::atomic<bool> stop_ = false;
  Clock::time_point end_ = Clock::now() + stress_time();
  Clock::time_point last_end_ = end_ + std::chrono::minutes(1);
};

TEST(LuceneStress, SearchersAreMatchedCorrectlyDuringWritesAndMerges) {
  Stress stress;
  stress.run();
  stress.expect_no_wrong_match();
}

}  // namespace
}  // namespace prescope::conformance
