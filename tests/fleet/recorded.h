#pragma once

#include <atomic>
#include <memory>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "store/sqlite/database.h"
#include "support/ledger_traffic.h"

namespace prescope {

inline constexpr std::uint32_t kFleetTopics = 12;

inline Qrels fleet_qrels() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kFleetTopics; ++t) {
    for (std::uint32_t j = 0; j <= t % 5; ++j) {
      lines.push_back({TopicId(fmt::format("EP'{}\\", t)), Docno(fmt::format("D{}", 3 * t + j)),
                       static_cast<Grade>(j % 3)});
    }
  }
  return Qrels::from_lines(lines);
}

inline ExperimentOptions fleet_options(const std::filesystem::path& store) {
  return {.name = "autumn",
          .arms = {"bm25", "tf'idf"},
          .measures = {"PRES@10", "R@10", "AP@20", "PRES@20"},
          .mode = Mode::kPaired,
          .slices = read_slices({.by = {"relevant"}}, fleet_qrels()),
          .logs = {log_to_store(store, {.durability = StoreLogOptions::Durability::kNormal,
                                        .unjudged = StoreLogOptions::Unjudged::kEachRow})}};
}

/// Serves visits of all kinds to two arms: first and later pages, failures, filtered and unjudged
/// searches, with the other arm in the shadow of most.
class RecordedVisits {
 public:
  /// `all_answered`: no visit ends with a search that failed.
  RecordedVisits(Experiment& experiment, std::uint64_t seed, bool all_answered = false)
      : experiment_(experiment), dice_(seed), all_answered_(all_answered) {}

  void serve(std::uint32_t visits) {
    for (std::uint32_t i = 0; i < visits; ++i) serve_one();
  }

 private:
  void serve_one() {
    const std::uint32_t topic = dice_.below(kFleetTopics + 1);
    const std::string key = fmt::format("search {}", ++keys_);
    const Visit visit = experiment_.visit(TopicId(fmt::format("EP'{}\\", topic)),
                                          {.key = dice_.one_in(3) ? key : std::string()});
    const ArmIndex served(dice_.below(2));
    if (dice_.one_in(25)) {
      experiment_.observe_failure(visit, served, Experiment::SearchFailure::kTimedOut);
      if (dice_.one_in(2) && !all_answered_) return;
    }
    std::uint32_t hits = observe(experiment_, dice_, &visit, served, 1);
    if (dice_.one_in(4)) hits = observe(experiment_, dice_, &visit, served, 1);
    if (dice_.one_in(3)) {
      observe(experiment_, dice_, &visit, served, hits + (dice_.one_in(5) ? 6 : 1));
    }
    if (dice_.one_in(10) || !experiment_.wants_shadow(visit)) return;
    const auto searched = std::make_shared<std::atomic<int>>(0);
    // The search of a third arm may outlive this object. The experiment waits for all searches.
    const auto search = [&experiment = experiment_, searched, seed = keys_](ArmIndex arm) {
      Dice dice(seed * 7 + arm.value());
      if (dice.one_in(6)) observe(experiment, dice, nullptr, arm, 1);
      if (!dice.one_in(20)) observe(experiment, dice, nullptr, arm, 1);
      ++*searched;
      searched->notify_one();
    };
    experiment_.shadow(visit, served, search);
    const bool is_served_again =
        experiment_.options().shadow.latency == ShadowOptions::Latency::kBothArms;
    const int searches = is_served_again ? 2 : 1;
    for (int now = *searched; now < searches; now = *searched) searched->wait(now);
  }

  static std::uint32_t observe(Experiment& experiment, Dice& dice, const Visit* visit, ArmIndex arm,
                               Rank first_rank) {
    std::vector<std::string> names;
    const std::uint32_t hits = dice.of({5U, 10U, 20U, 20U});
    for (std::uint32_t i = 0; i < hits; ++i) names.push_back(fmt::format("D{}", dice.below(40)));
    const std::vector<std::string_view> docnos(names.begin(), names.end());
    const Ranking ranking{
        .arm = arm,
        .kind = HitKind::kDocnos,
        .generation = 3,
        .collection_size = 1000,
        .docnos = docnos,
        .first_rank = first_rank,
        .requested_depth = dice.of({hits, 20U}),
        .total_hits = dice.below(1000),
        .search_started = std::chrono::steady_clock::now(),
        .flags = dice.of({RankingFlags::kFiltered, RankingFlags::kPartial, RankingFlags::kNone,
                          RankingFlags::kNone, RankingFlags::kNone, RankingFlags::kNone,
                          RankingFlags::kNone, RankingFlags::kNone, RankingFlags::kNone,
                          RankingFlags::kNone})};
    visit != nullptr ? experiment.observe(*visit, ranking) : experiment.observe(ranking);
    return hits;
  }

  Experiment& experiment_;
  Dice dice_;
  bool all_answered_;
  std::uint64_t keys_ = 0;
};

/// Time of the observation numbered 0.
inline constexpr UtcTime kRecordedFrom{std::chrono::milliseconds(1'780'000'000'000)};

/// Adds a session that has ended to a store. Observations are 20 ms apart.
inline void record_store(const std::filesystem::path& path, std::uint32_t visits,
                         std::uint64_t seed = 1) {
  {
    Experiment experiment(fleet_qrels(), fleet_options(path));
    RecordedVisits(experiment, seed).serve(visits);
  }
  Database(path, Database::Access::kUpdate)
      .run(fmt::format("UPDATE observations SET time_ms = {} + 20 * seq",
                       kRecordedFrom.time_since_epoch().count()));
}

}  // namespace prescope
