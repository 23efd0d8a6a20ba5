// A writer commits, deletes, replaces and compacts while others search: every match is compared
// with the docnos of the hits that were served.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "conformance/stress.h"
#include "conformance/xapian/churn.h"
#include "prescope/error.h"
#include "prescope/experiment.h"
#include "prescope/xapian/observed_index.h"
#include "xapian_engine.h"

namespace prescope::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using Ranks = std::vector<Rank>;

/// Makes a thread's queries distinguishable, so that unrecorded ones can be named.
std::uint32_t depth_of(std::uint32_t query) { return 20 + query % 200; }

constexpr std::array<const char*, 2> kArms{"a", "b"};

/// The observations of each arm, in order.
class Recorded {
 public:
  struct Query {
    std::uint32_t depth = 0;
    Ranks ranks;
    bool retried = false;
  };

  Recorded()
      : experiment_(judged_everywhere(Churn::kNumbers),
                    {.arms = {kArms.begin(), kArms.end()},
                     .cutoffs = {10},
                     .recording = {.queue_bytes = 64U << 20U},
                     .on_observation = [this](const Observation& observation) {
                       if (has(observation.flags, RankingFlags::kFailed)) return;  // served nothing
                       Query query;
                       query.depth = observation.depth;
                       for (const JudgedHit& hit : observation.hits)
                         query.ranks.push_back(hit.rank);
                       query.retried = has(observation.flags, RankingFlags::kRetried);
                       if (query.retried) ++retried_;
                       const std::lock_guard lock(mutex_);
                       queries_[observation.arm.value()].push_back(query);
                     }}) {}

  [[nodiscard]] Experiment& experiment() noexcept { return experiment_; }
  [[nodiscard]] std::uint64_t retried() const noexcept { return retried_; }
  [[nodiscard]] const std::vector<Query>& of(std::size_t arm) {
    experiment_.flush();
    return queries_[arm];
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<Query>, 2> queries_;
  std::atomic<std::uint64_t> retried_{0};
  Experiment experiment_;  // last, because its recorder writes to the members above
};

/// The definition: each judged patent counts at the first hit that is one of its publications.
Ranks ranks_in(const std::vector<std::string>& served, std::string_view topic, const Qrels& qrels) {
  const TopicQrels& judged = qrels.topic(qrels.find(topic).value());
  Ranks ranks;
  std::set<std::string> counted;
  for (std::size_t i = 0; i < served.size(); ++i) {
    const std::string key = qrels.docnos().key(Docno{served[i]});
    if (judged.find(key) && counted.insert(key).second) ranks.push_back(static_cast<Rank>(i + 1));
  }
  return ranks;
}

/// The answer to one query of a searching thread.
struct Served {
  std::uint32_t depth = 0;
  std::optional<Ranks> ranks;  // std::nullopt: the hits could no longer be read
};
using Expected = std::vector<Served>;

/// Returns true while searching should go on: for the time asked for, and after that, on a slow
/// machine, until at least one swap and one retry have happened.
class SearchTime {
 public:
  SearchTime(const Churn& churn, const Recorded& recorded) : churn_(churn), recorded_(recorded) {}

  bool operator()() const {
    const auto now = Clock::now();
    return now < end_ || (now < last_end_ && (churn_.swaps() == 0 || recorded_.retried() == 0));
  }

 private:
  const Churn& churn_;
  const Recorded& recorded_;
  Clock::time_point end_ = Clock::now() + stress_time();
  Clock::time_point last_end_ = end_ + std::chrono::minutes(1);
};

/// Runs `search` over and over in one thread for each arm, while a writer is at work.
std::array<Expected, 2> search_during(
    const Churn& churn, const Recorded& recorded,
    const std::function<Expected(std::size_t arm, const SearchTime& goes_on)>& search) {
  std::array<Expected, 2> expected;
  const SearchTime goes_on(churn, recorded);
  std::thread second([&] { expected[1] = search(1, goes_on); });
  expected[0] = search(0, goes_on);
  second.join();
  return expected;
}

struct Tally {
  std::uint64_t queries = 0, wrong = 0, retried = 0, unrecorded = 0;
};

void compare(const std::vector<Recorded::Query>& recorded, const Expected& expected, Tally& tally) {
  auto query = recorded.begin();
  for (const Served& served : expected) {
    ++tally.queries;
    if (query == recorded.end() || query->depth != served.depth) {
      ++tally.unrecorded;
      continue;
    }
    if (served.ranks && query->ranks != *served.ranks) ++tally.wrong;
    if (query->retried) ++tally.retried;
    ++query;
  }
  EXPECT_EQ(query, recorded.end());
}

void expect_no_wrong_match(Recorded& recorded, const std::array<Expected, 2>& expected) {
  Tally tally;
  for (std::size_t arm = 0; arm < kArms.size(); ++arm) {
    compare(recorded.of(arm), expected[arm], tally);
  }
  const auto summary = recorded.experiment().summary();
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_GT(tally.retried, 0U);
  EXPECT_EQ(summary->arms[0].retried_queries + summary->arms[1].retried_queries, tally.retried);
  // A reopening that could not resolve is counted too.
  EXPECT_GE(summary->health.adapter_failures, tally.unrecorded);
  EXPECT_EQ(summary->health.unmatched_rankings, 0U);
  EXPECT_EQ(summary->health.dropped_queue_full, 0U);
  testing::Test::RecordProperty("queries", std::to_string(tally.queries));
  testing::Test::RecordProperty("retried", std::to_string(tally.retried));
  testing::Test::RecordProperty("unrecorded", std::to_string(tally.unrecorded));
}

TEST(XapianStress, ReplayBesideAWriterSucceedsAndMatchesCorrectly) {
  const ScratchFolder root;
  const auto folder = root.path() / "index";
  Churn::make(folder);
  Recorded recorded;
  xapian::XapianEngine engine;
  const auto index = engine.open(folder, recorded.experiment());
  const std::array searchers{index->searcher({ArmId{"a"}, {}}), index->searcher({ArmId{"b"}, {}})};
  Churn churn(folder);
  const auto expected =
      search_during(churn, recorded, [&](std::size_t arm, const SearchTime& goes_on) {
        Expected served;
        std::vector<Hit> hits;
        for (std::uint32_t i = 0; goes_on(); ++i) {
          const std::string topic = i % 2 == 0 ? "T1" : "T2";
          const Docno excluded{"EP" + std::to_string(i % Churn::kNumbers)};
          QueryScope scope(recorded.experiment(), TopicId(topic));
          const std::string text = "valve pump " + Churn::word(7 * i) + " " + Churn::word(11 * i);
          const std::array exclude{excluded};
          searchers[arm]->search(
              {.topic = topic, .text = text, .exclude = exclude, .depth = depth_of(i)}, &hits);
          std::vector<std::string> docnos;
          for (const Hit& hit : hits) {
            docnos.push_back(hit.docno.text());
            const std::string& docno = docnos.back();
            EXPECT_FALSE(docno == excluded.text() + "A1" || docno == excluded.text() + "B1");
          }
          served.push_back({depth_of(i), ranks_in(docnos, topic, recorded.experiment().qrels())});
        }
        return served;
      });
  EXPECT_GT(churn.swaps(), 0U);
  expect_no_wrong_match(recorded, expected);
  const auto summary = recorded.experiment().summary();
  EXPECT_EQ(summary->health.adapter_failures, 0U);
  EXPECT_EQ(summary->health.queries_without_ranking, 0U);
}

/// A host that opens its database again if Xapian fails, and reopens it now and then.
class Host {
 public:
  Host(const xapian::ObservedIndex& index, const char* arm) : index_(index), arm_(arm) { open(); }

  /// Returns the docnos served, or std::nullopt if they could no longer be read.
  std::optional<std::vector<std::string>> search(std::uint32_t number) {
    if (number % 64 == 63) open();
    if (number % 16 == 15) database_->reopen();
    xapian::ObservedEnquire enquire = database_->enquire(arm_);
    enquire.set_query(Xapian::Query("valve") | Xapian::Query(Churn::word(7 * number)));
    const Xapian::MSet served = enquire.get_mset(0, depth_of(number));
    std::vector<std::string> docnos;
    try {
      for (auto hit = served.begin(); hit != served.end(); ++hit) {
        // Neither its value nor its data: through a database that a writer has overtaken, Xapian
        // 1.4.22 gives none now and then, without an error. Terms come, or an exception does.
        auto term = database_->database().termlist_begin(*hit);
        term.skip_to("Q");
        docnos.push_back((*term).substr(1));
      }
    } catch (const Xapian::Error&) {
      return std::nullopt;
    }
    return docnos;
  }
  void open() { database_.emplace(index_.open()); }

 private:
  const xapian::ObservedIndex& index_;
  const char* arm_;
  std::optional<xapian::ObservedDatabase> database_;
};

/// Repeats `work` while Xapian fails because the database is away, as a host does.
template <class Work>
bool succeeds(Work work) {
  try {
    work();
    return true;
  } catch (const Xapian::Error&) {
  } catch (const Error&) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return false;
}

void run_hosts_beside_a_writer(const xapian::ObservedIndexOptions& place) {
  const ScratchFolder root;
  const auto folder = root.path() / "index";
  Churn::make(folder);
  Recorded recorded;
  const xapian::ObservedIndex index([&] { return std::vector{Xapian::Database(folder.string())}; },
                                    recorded.experiment(), place);
  std::array hosts{Host(index, "a"), Host(index, "b")};
  Churn churn(folder);
  const auto expected =
      search_during(churn, recorded, [&](std::size_t arm, const SearchTime& goes_on) {
        Expected served;
        for (std::uint32_t i = 0; goes_on(); ++i) {
          const std::string topic = i % 2 == 0 ? "T1" : "T2";
          QueryScope scope(recorded.experiment(), TopicId(topic));
          std::optional<std::vector<std::string>> docnos;
          if (succeeds([&] { docnos = hosts[arm].search(i); })) {
            served.push_back({depth_of(i), std::nullopt});
            if (docnos)
              served.back().ranks = ranks_in(*docnos, topic, recorded.experiment().qrels());
          } else {
            succeeds([&] { hosts[arm].open(); });
          }
        }
        return served;
      });
  EXPECT_GT(churn.swaps(), 0U);
  expect_no_wrong_match(recorded, expected);
}

TEST(XapianStress, HostBesideAWriterIsMatchedCorrectly) { run_hosts_beside_a_writer({}); }

TEST(XapianStress, HostWithDocnosInAValueSlotIsMatchedCorrectly) {
  run_hosts_beside_a_writer({.docno_prefix = "no such term", .docno_slot = 0});
}

}  // namespace
}  // namespace prescope::conformance
