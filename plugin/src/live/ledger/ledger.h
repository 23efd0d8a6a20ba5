#pragma once

#include "measures/scorer.h"
#include "prescope/experiment.h"
#include "statistics/evidence.h"
#include "statistics/latency_sketch.h"

namespace prescope {

/// Returns whether the engine answered.
[[nodiscard]] inline bool has_ranking(const Observation& observation) noexcept {
  return !has(observation.flags, RankingFlags::kFailed) &&
         !has(observation.flags, RankingFlags::kTimedOut);
}

/// Returns whether the latency is the arm's own.
[[nodiscard]] inline bool is_timed(const Observation& observation) noexcept {
  return has_ranking(observation) && !has(observation.flags, RankingFlags::kRetried) &&
         !has(observation.flags, RankingFlags::kUntimed) && observation.latency.count() >= 0;
}

/// Returns true if the engine had no hits after those that were served.
[[nodiscard]] inline bool ends_ranking(const Observation& observation) noexcept {
  return observation.num_ret < observation.requested_depth &&
         !has(observation.flags, RankingFlags::kPartial);
}

/// Mode::kSplit: the expected score of each topic, so that arms which serve different topics can be
/// compared by their distance from it. An expectation is fixed before the topic's first value is
/// known, and stays.
class SplitExpectation {
 public:
  /// Scores of other topics and measures are left out. Throws as Measure::parse.
  SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                   std::span<const BaselineScore> baseline);

  /// Fixes the expectation, before the topic's first visit is scored; no effect later. No
  /// allocation.
  void fix(TopicIndex topic) noexcept;
  /// Returns the baseline's score, else the mean of the first values of the topics before it, 0.5
  /// if there were none. Returns std::nullopt for a topic whose expectation is not fixed yet.
  [[nodiscard]] std::optional<double> of(TopicIndex topic, std::size_t measure) const noexcept {
    return topics_[topic.value() * means_.size() + measure].expected;
  }
  /// Adds a value of the topic, of any arm; only its first is kept.
  void saw(TopicIndex topic, std::size_t measure, double value) noexcept;
  /// Forgets everything except the baseline.
  void begin_epoch() noexcept;

 private:
  struct One {
    std::optional<double> expected{}, baseline{};
    bool has_value = false;
  };
  struct RunningMean {
    CompensatedSum sum;
    std::uint64_t n = 0;
  };

  std::vector<RunningMean> means_;  // by measure
  std::vector<One> topics_;         // topics x measures
};

struct LedgerOptions {
  Mode mode = Mode::kObserve;
  EpochRule epochs = EpochRule::kGeneration;
  ShadowOptions::Latency shadow_latency = ShadowOptions::Latency::kBothArms;
  std::vector<BaselineScore> baseline{};  ///< see SplitOptions
};

/// The state of all observations, kept up to date: per (arm, topic) scores averaged over visits,
/// per arm counts and latency. Sums over topics are made on demand. Single-threaded; the owner
/// locks.
///
/// A visit of an (arm, topic) is a ranking from rank 1 on. It counts if it is at least as deep as
/// the known ranking of this epoch; each measure whose cutoff it reaches gets its value into the
/// mean. A later page extends the visit before it.
///
/// A generation of 0 is unknown and matches any. With EpochRule::kGeneration a generation newer
/// than its arm's begins an epoch; an older one is late: counted, but not scored. With
/// EpochRule::kConfiguration a visit of a newer generation counts at any depth.
class Ledger {
 public:
  /// One measure of one (arm, topic), over the visits of this epoch that reached its cutoff.
  struct Score {
    double mean = 0.0, last = 0.0;
    std::uint32_t visits = 0;    ///< 0: no value
    bool of_last_visit = false;  ///< true if `last` does; a later page revises it then
  };

  /// The first hits of a ranking, from rank 1 without gaps, to find documents that are judged
  /// later.
  struct Capture {
    std::uint64_t generation = 0;  ///< of `docids`
    std::vector<DocId> docids;     ///< at most one of the two is not empty
    std::vector<std::uint64_t> keys;
    /// Judgements with an unknown rank, because the documents were judged after the query.
    std::vector<JudgementIndex> unlocated;

    [[nodiscard]] std::uint32_t depth() const noexcept {
      return static_cast<std::uint32_t>(docids.size() + keys.size());
    }
  };

  /// One topic of an arm.
  struct TopicState {
    std::uint64_t visits = 0;        ///< rankings from rank 1 on, also those that do not count
    std::uint64_t timed_visits = 0;  ///< queries with a latency that arms are compared by
    /// The following members describe the last visit that counted.
    std::uint64_t generation = 0;
    std::uint64_t collection_size = 0;
    JudgedRanking ranking;   ///< in the ledger's judgements; duplicates are left out
    bool seen = false;       ///< false until a ranking counts: later pages alone have no scores
    bool exhausted = false;  ///< the engine had no further hits
    /// The rank of a newly judged document is unknown, but is behind `judged_depth`: only measures
    /// with a cutoff up to there have a value.
    bool awaiting = false;
    std::uint32_t judged_depth = 0;     ///< of a topic that is awaiting
    std::unique_ptr<Capture> captured;  ///< null if there never was one
    std::optional<double> last_latency_ms;
    double sum_log_latency = 0.0;  ///< natural logarithms of milliseconds, over `timed_visits`

    /// Returns true if a measure with this cutoff is known exactly, not only bounded from below.
    [[nodiscard]] bool reaches(Cutoff cutoff) const noexcept {
      if (awaiting) return judged_depth >= cutoff.value();
      return exhausted || ranking.num_ret >= cutoff.value();
    }
  };

  struct ArmState {
    std::vector<TopicState> topics;  ///< by TopicIndex; empty for a removed arm
    std::vector<Score> scores;       ///< topics x measures
    std::uint64_t generation = 0;    ///< the current one; unused in EpochRule::kConfiguration

    // Counts since the arm was added, across epochs:
    std::uint64_t judged_queries = 0, unjudged_queries = 0;
    std::uint64_t retried_queries = 0;  ///< of both
    std::uint64_t failed_queries = 0, timed_out_queries = 0;
    std::uint64_t duplicate_hits = 0;
    LatencySketch latency;  ///< of searches that users waited for, except retried and untimed ones
    LatencySketch shadow_latency;      ///< of searches for comparison
    LatencySketch self_time;           ///< of judged queries except retried ones
    LatencySketch unjudged_self_time;  ///< likewise

    [[nodiscard]] bool is_removed() const noexcept { return topics.empty(); }
  };

  /// An arm over its topics.
  struct Sums {
    struct Measure {
      TopicSums values;               ///< topics' means, `on_scale_of_mean`
      std::uint32_t too_shallow = 0;  ///< topics seen, but not down to the cutoff
    };
    std::uint32_t topics_seen = 0, topics_awaiting = 0;
    std::vector<Measure> measures{};  ///< in the scorer's order
  };

  /// An arm less arm 0, in each topic that has a difference, in the order of the topics.
  struct Differences {
    std::vector<TopicIndex> topics{};
    std::vector<double> values{};
    TopicSums sums{};
    std::uint32_t wins = 0, ties = 0, losses = 0;

    void add(TopicIndex topic, double value);
  };

  /// `judged`, its qrels and `scorer` must outlive the ledger. Throws as Measure::parse for a
  /// baseline's measure.
  Ledger(const JudgedDocnos& judged, const Scorer& scorer, std::size_t num_arms,
         LedgerOptions options = {});

  /// Records an observation. Amortised O(judged hits x measures); no allocation once the topic has
  /// room. The observation that begins an epoch costs O(arms x topics x measures). Throws
  /// std::bad_alloc only; the observation is then in no score.
  void record(const Observation& observation);

  /// Drops all state of an epoch.
  void begin_epoch(EpochReason reason);
  // Each begins an epoch (EpochReason::kArms):
  void add_arm();
  /// Removes all data of an arm except its index. Its later observations are late. Not for arm 0.
  void remove_arm(ArmIndex arm);
  /// Activates a removed arm again, as a new one.
  void restore_arm(ArmIndex arm);

  /// Begins an epoch with changed judgements of the same topics. Topics whose judgements are
  /// unchanged keep all their data. For the others the last visit is scored again and is the first
  /// of the epoch. `now` must outlive the ledger and have a version above all earlier ones.
  Rejudged rejudge(const JudgedDocnos& now);
  /// Finds newly judged documents in the captured docids of the table's generation. Does nothing
  /// for a table of other judgements.
  Rejudged locate(ArmIndex arm, const ResolvedQrels& table);

  /// Called before the state of an epoch is dropped. Must not throw.
  std::function<void(const Ledger&)> on_epoch_end;

  [[nodiscard]] std::size_t num_arms() const noexcept { return arms_.size(); }
  [[nodiscard]] const Scorer& scorer() const noexcept { return *scorer_; }
  [[nodiscard]] const LedgerOptions& options() const noexcept { return options_; }
  /// The judgements to which hits and scores refer.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept { return *versions_.back(); }
  [[nodiscard]] const Qrels& qrels() const noexcept { return judged().qrels(); }

  /// `arm` must not be removed.
  [[nodiscard]] const Score& score(ArmIndex arm, TopicIndex topic,
                                   std::size_t measure) const noexcept {
    return arms_[arm.value()].scores[first_score(topic) + measure];
  }
  /// Returns the topic's mean in b less that in arm 0, cleaned of binary noise; std::nullopt if a
  /// value is missing. In Mode::kSplit (y - c) for a topic of b and -(y - c) for one of arm 0, with
  /// c the expected score, and half the difference of a topic that both have served.
  [[nodiscard]] std::optional<double> difference(ArmIndex b, TopicIndex topic,
                                                 std::size_t measure) const noexcept;
  /// Mode::kSplit: see SplitExpectation.
  [[nodiscard]] std::optional<double> expected(TopicIndex topic,
                                               std::size_t measure) const noexcept;

  [[nodiscard]] const ArmState& arm(ArmIndex i) const noexcept { return arms_[i.value()]; }
  // O(topics x measures), O(topics):
  [[nodiscard]] Sums sums(ArmIndex arm) const;
  [[nodiscard]] Differences differences(ArmIndex b, std::size_t measure) const;
  /// Returns the mean log latency of b less that of arm 0, in topics that were timed in both. None
  /// in Mode::kSplit.
  [[nodiscard]] Differences log_latency_ratios(ArmIndex b) const;
  [[nodiscard]] const Epoch& epoch() const noexcept { return epoch_; }
  /// Number of later pages that were left out because the pages before them had not been seen.
  [[nodiscard]] std::uint64_t page_gaps() const noexcept { return page_gaps_; }
  /// Number of judged observations of a generation, of judgements or of an arm that had been
  /// replaced.
  [[nodiscard]] std::uint64_t late_observations() const noexcept { return late_observations_; }
  /// Number of latencies below zero, from a clock that stepped back.
  [[nodiscard]] std::uint64_t clock_steps() const noexcept { return clock_steps_; }

 private:
  /// One index became another.
  struct Move {
    std::uint64_t from = 0, to = 0;
  };
  static constexpr std::size_t kMoves = 16;  // that late observations may be behind

  [[nodiscard]] std::size_t first_score(TopicIndex topic) const noexcept {
    return topic.value() * num_measures_;
  }

  // ledger.cc
  void add_topics(ArmState& arm) const;
  void push_arm();
  void count(ArmState& arm, const Observation& observation) noexcept;
  void add_topic_latency(const Observation& observation) noexcept;
  [[nodiscard]] bool is_late(ArmState& arm, std::uint64_t generation);
  [[nodiscard]] std::uint64_t moved_on(std::uint64_t generation) const noexcept;
  void move_on(std::uint64_t from, std::uint64_t to);
  void next_epoch(EpochReason reason);

  [[nodiscard]] bool is_reached(const TopicState& state, std::size_t measure) const noexcept;
  // ledger_visits.cc
  struct Visit;
  struct Rejudging;
  [[nodiscard]] bool take(const Observation& observation);
  [[nodiscard]] std::optional<Visit> in_current_judgements(const Observation& observation) const;
  void take_page(TopicState& state, const Visit& visit);
  void replace(TopicState& state, const Visit& visit);
  void extend(TopicState& state, const Visit& visit);
  void enter_values(ArmIndex arm, TopicIndex topic) noexcept;
  std::span<const std::optional<double>> values(ArmIndex arm, TopicIndex topic) noexcept;
  [[nodiscard]] std::vector<Rejudging> rejudging(const Qrels& now) const;
  void rescore(ArmIndex arm, TopicIndex topic) noexcept;

  LedgerOptions options_;
  std::vector<const JudgedDocnos*> versions_;  // the last is current
  const Scorer* scorer_;
  std::size_t num_measures_;
  std::vector<ArmState> arms_;
  std::optional<SplitExpectation> expectation_;
  Epoch epoch_;
  std::vector<Move> moves_;  // oldest first
  std::uint64_t page_gaps_ = 0, late_observations_ = 0, clock_steps_ = 0;

  // Buffers of the visit that is being scored:
  RankBuffer ranks_;
  std::vector<std::optional<double>> values_;
};

}  // namespace prescope
