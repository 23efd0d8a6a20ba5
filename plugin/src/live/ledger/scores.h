#pragma once

#include <algorithm>
#include <array>

#include "base/seen_list.h"
#include "measures/scorer.h"
#include "prescope/experiment_options.h"
#include "prescope/summary.h"
#include "statistics/evidence.h"

namespace prescope {

/// One measure of one topic of an arm, over the visits of this epoch.
struct Score {
  double mean = 0.0, last = 0.0;     ///< over `visits`; of the latest of them
  std::uint32_t visits = 0;          ///< visits with a value; 0: no value
  std::uint32_t shallow_visits = 0;  ///< visits that do not reach the cutoff
  std::uint32_t last_place = 0;      ///< of the visit that `last` is of, see VisitFacts::place
  bool has_last = false;             ///< that visit still has a value

  /// Adds the value of one more visit of the topic.
  void add(double value, std::uint32_t place) noexcept {
    mean += (value - mean) / ++visits;
    set_last(value, place);
  }
  /// Changes the value of a visit.
  void revise(double before, double now, std::uint32_t place) noexcept {
    mean += (now - before) / visits;
    set_last(now, place);
  }
  /// Takes out the value of a visit.
  void remove(double value, std::uint32_t place) noexcept {
    --visits;
    mean = visits == 0 ? 0.0 : mean + (mean - value) / visits;
    if (place == last_place) has_last = false;
  }
  [[nodiscard]] std::optional<double> value() const noexcept {
    return visits > 0 ? std::optional(mean) : std::nullopt;
  }
  /// Returns the change from the mean of the earlier visits to the last one, >= 0; 0 for topics
  /// without earlier visits, and if the last value was taken out.
  [[nodiscard]] double change() const noexcept;

 private:
  void set_last(double value, std::uint32_t place) noexcept {
    if (place < last_place) return;
    last = value;
    last_place = place;
    has_last = true;
  }
};

/// Says whether a topic is added to totals or taken out of them.
enum class Sign { kAdd = 1, kTakeOut = -1 };

/// One measure of an arm, summed over topics. A topic's score is taken out before it changes and
/// added again afterwards, so that a summary does not look at topics that did not change.
class ScoreTotals {
 public:
  explicit ScoreTotals(const Measure& measure) : counts_{{}, measure} {}

  void count(const Score& score, Sign sign) noexcept;
  /// Keeps the topic and its change if it is the largest so far.
  void saw_change(const Score& score, TopicIndex topic) noexcept;

  /// Returns the means: `mean_over_all` is over `with_relevant` topics. `Drift::largest` is since
  /// state was last dropped, also if its topic has changed back or begun anew since; that topic is
  /// `most_changed`, and `Drift::topic` is not set.
  [[nodiscard]] MeasureMean means(std::uint32_t with_relevant) const;
  [[nodiscard]] TopicIndex most_changed() const noexcept { return most_changed_; }

 private:
  MeasureMean counts_;               // without its means
  CompensatedSum values_, changes_;  // values on the scale of the mean
  TopicIndex most_changed_ = kUnjudgedTopic;
};

/// One measure of two arms, over the topics that have a difference.
class PairTotals {
 public:
  struct Topic {
    double a = 0.0, b = 0.0, difference = 0.0;
  };
  void count(const Topic& topic, Sign sign) noexcept;

  [[nodiscard]] std::uint32_t topics() const noexcept { return wins_ + ties_ + losses_; }
  [[nodiscard]] std::uint32_t wins() const noexcept { return wins_; }
  [[nodiscard]] std::uint32_t ties() const noexcept { return ties_; }
  [[nodiscard]] std::uint32_t losses() const noexcept { return losses_; }
  // 0 without topics:
  [[nodiscard]] double mean_a() const noexcept { return mean_of(a_); }
  [[nodiscard]] double mean_b() const noexcept { return mean_of(b_); }
  [[nodiscard]] double mean_difference() const noexcept { return mean_of(difference_); }

 private:
  [[nodiscard]] double mean_of(const CompensatedSum& sum) const noexcept {
    return topics() == 0 ? 0.0 : sum.value() / topics();
  }

  CompensatedSum a_, b_, difference_;
  std::uint32_t wins_ = 0, ties_ = 0, losses_ = 0;
};

/// The topics with the largest losses, so that a summary need not look at all topics. A topic's
/// difference is taken out before it changes and added again afterwards.
class WorstTopics {
 public:
  using Loss = std::pair<double, TopicIndex>;

  /// Only differences below 0 are losses.
  void add(double difference, TopicIndex topic) noexcept;
  /// Does nothing for a difference that was not added.
  void take_out(double difference, TopicIndex topic) noexcept;
  /// Returns the five largest losses, or all if there are fewer, in the order of loss and topic.
  /// Losses may be missing while `is_short`.
  [[nodiscard]] std::span<const Loss> losses() const noexcept {
    return std::span(kept_).first(std::min(kept_now_, kShown));
  }
  /// Returns true if losses that were not kept are needed: clear the list and add all topics again.
  [[nodiscard]] bool is_short() const noexcept { return kept_now_ < kShown && limit_ < kNoLimit; }
  void clear() noexcept { *this = WorstTopics(); }

 private:
  static constexpr std::size_t kShown = 5, kKept = 64;
  static constexpr Loss kNoLimit{0.0, TopicIndex(0)};

  std::array<Loss, kKept> kept_{};  // ascending
  std::size_t kept_now_ = 0;
  Loss limit_ = kNoLimit;  // all that were not kept are at least this
};

/// Mode::kSplit: the expected score of each topic, so that arms which serve different topics can be
/// compared by their distance from it. An expectation is fixed before the topic's first value is
/// known, and stays.
class SplitExpectation {
 public:
  /// Scores of other topics and measures are left out. Throws as Measure::parse.
  SplitExpectation(const Qrels& qrels, const Scorer& scorer,
                   std::span<const BaselineScore> baseline);
  SplitExpectation(const SplitExpectation&) = delete;
  SplitExpectation& operator=(const SplitExpectation&) = delete;

  /// Makes room for the topic, before `fix` and `saw`. Throws std::bad_alloc.
  void make_room(TopicIndex topic);
  /// Fixes the expectation, before the topic's first visit is scored; no effect later.
  void fix(TopicIndex topic) noexcept;
  /// Returns the baseline's score, else the mean of the first values of the topics before it, 0.5
  /// if there were none. Returns std::nullopt for a topic whose expectation is not fixed yet.
  [[nodiscard]] std::optional<double> of(TopicIndex topic, std::size_t measure) const noexcept {
    return topics_.row(topic.value())[measure].expected;
  }
  /// Returns the mean of the first values so far; 0.5 if there were none.
  [[nodiscard]] double so_far(std::size_t measure) const noexcept {
    const RunningMean& mean = means_[measure];
    return mean.n == 0 ? 0.5 : mean.sum.value() / static_cast<double>(mean.n);
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
  SeenOrder seen_;                  // topics, in any epoch or the baseline
  SeenList<One> topics_;            // topics x measures
};

}  // namespace prescope
