#pragma once

#include "nightly/gate/gate.h"
#include "nightly/record/evaluation_record.h"
#include "statistics/paired_tests.h"

namespace prescope {

/// A stored evaluation as one line of a history.
struct Night {
  std::int64_t number = 0;
  UtcTime time{};
  std::string arm{}, source{};
  QrelsVersion qrels{};                 ///< its judgements; means under others are not comparable
  std::vector<Condition> conditions{};  ///< as of `conditions_of`
  std::uint32_t topics = 0;
  std::vector<std::pair<std::string, Mean>> means{};  ///< by the measure's name
  std::optional<double> p95_ms{};
  std::optional<GateOutcome> outcome{};  ///< of the last gate it went through
  std::string reason{};                  ///< of the first rule that did not hold
  /// The baseline that the last gate compared it with: its name, and the evaluation that the name
  /// stood for then. Empty if it was not gated.
  std::string baseline{};
  std::optional<std::int64_t> baseline_number{};
  std::vector<std::string> decided_by{};  ///< measures of the margin rules of that gate
  std::vector<std::string> pinned_as{};   ///< baselines that it is or was
};

/// A pinned evaluation: by whom, when and why.
struct Pin {
  std::string name{};
  std::int64_t evaluation = 0;
  std::optional<std::int64_t> replaced{};  ///< the evaluation that the name stood for before
  std::string by{}, why{};
  UtcTime time{};
  /// The newest night when it was pinned; a store fills it in. Clocks may be wrong, numbers are
  /// not.
  std::int64_t newest = 0;
  std::vector<MustFind> must_find{};
  std::size_t replaced_must_find = 0;  ///< of the replaced pin; known of a pin just made
};

/// A gate that gave no verdict, because it was refused or killed.
struct Attempt {
  UtcTime time{};
  std::string baseline{}, source{}, reason{};
  std::int64_t newest = 0;  ///< the newest night when it began; a store fills it in
};

/// A night whose time cannot be right, because a clock was wrong.
struct ClockFault {
  std::int64_t night = 0;
  UtcTime time{};
  /// The earlier night that has a later time; std::nullopt: the time is still to come.
  std::optional<std::int64_t> after{};
};

/// The nights to show: those in [since, until). Changes may refer to nights that are not shown.
struct HistoryFilter {
  std::optional<std::string> arm{};
  std::optional<UtcTime> since{}, until{};
  std::optional<std::size_t> last{};  ///< the newest of the remaining nights
};

/// Nights with their changes: against the pinned baseline, which shows a slow decline, and against
/// the night before, which shows a step.
struct History {
  struct Value {
    std::optional<double> mean{};
    std::optional<double> from_baseline{}, from_before{};  ///< mean less theirs
    friend bool operator==(const Value&, const Value&) = default;
  };
  struct Line {
    Night night{};
    std::optional<std::int64_t> baseline{}, before{};  ///< nights that `values` refer to
    std::vector<Value> values{};                       ///< in the order of the measures
    std::string changed{};  ///< conditions that differ from the night before; empty: none
  };

  std::vector<std::string> measures{};
  std::vector<Line> lines{};        ///< oldest first
  std::size_t stored = 0;           ///< nights there are, shown or not
  std::vector<std::string> arms{};  ///< of the lines, in the order in which they first occur
};

/// The mean of one measure in slices of the topics, night by night.
struct SliceHistory {
  struct Slice {
    std::string dimension{}, name{};
    std::uint32_t slices = 1;  ///< above 1 for small slices taken together
  };
  struct Value {
    std::uint32_t topics = 0;  ///< of the night, with a value
    std::optional<double> mean{};
    std::optional<double> from_baseline{};  ///< mean less the baseline's mean
    friend bool operator==(const Value&, const Value&) = default;
  };

  std::string measure{};
  std::vector<Slice> slices{};
  std::vector<std::vector<Value>> values{};  ///< of each line of the history, by slice
  /// Number of topics of the file that no listed night judges, and an example.
  std::uint64_t unjudged = 0;
  std::string unjudged_example{};
};

/// Reads the slices of the topics that the listed nights judge. Each of these nights and each of
/// their baselines is read once; `evaluation` gives a night by its number. The newest listed night
/// that judges a topic decides which slices the topic is in. The slices are folded as by
/// `folded_slices`. Throws as `read_slices` and `evaluation`.
[[nodiscard]] SliceHistory slice_history(
    const History& history, const SliceSource& source, const Measure& measure,
    const std::function<EvaluationRecord(std::int64_t)>& evaluation);

/// The baseline of a night is the one that its gate used; if it was not gated, the evaluation of
/// its arm that was pinned last before it was stored. The night before is the last one of the arm
/// without bad input. Both have the same version of the judgements and were evaluated alike,
/// because other means are not comparable. `nights` and `pins` in the order of their numbers.
[[nodiscard]] History history_of(std::span<const Night> nights, std::span<const Pin> pins,
                                 std::span<const std::string> measures,
                                 const HistoryFilter& filter);

/// Returns the nights whose time is after `now`, or before the time of an earlier night that is
/// not. `nights` in the order of their numbers.
[[nodiscard]] std::vector<ClockFault> clock_faults(std::span<const Night> nights, UtcTime now);
/// "night 2 has a time that is still to come, 2036-01-01 00:00 UTC".
[[nodiscard]] std::string clock_words(const ClockFault& fault);

/// Returns the measures that decided in the gate of a night and have no mean in `night.means`.
[[nodiscard]] std::vector<std::string> missing_means(const Night& night);
/// Names them for all nights, a sentence for each measure.
[[nodiscard]] std::vector<std::string> missing_means_words(const History& history);

/// Names of all stored means, in the order in which they first occur.
[[nodiscard]] std::vector<std::string> measures_of(std::span<const Night> nights);
/// The measures that a line has room for: the first PRES and R at its cutoff, else the first two.
[[nodiscard]] std::vector<std::string> main_measures(std::span<const std::string> measures);

/// The last night before `night`, of its arm and judgements and evaluated alike, that passed its
/// gate or was pinned.
[[nodiscard]] std::optional<std::int64_t> last_accepted(std::span<const Night> nights,
                                                        const Night& night);

/// Returns the 95 % quantiles in ms of the timed nights from the baseline on, in the order of their
/// numbers, that were accepted and have the arm and judgements of tonight. `number`: tonight's, if
/// it is stored already; nights from it on do not count. The baseline itself is the first.
[[nodiscard]] std::vector<double> accepted_p95_ms(std::span<const Night> nights,
                                                  const Baseline& baseline,
                                                  const EvaluationRecord& tonight,
                                                  std::optional<std::int64_t> number);

/// Returns the paired t test of one measure, `b` less `a`, over the topics that `a` served and that
/// have a value in both, as the gate does. Returns std::nullopt for fewer than two topics.
[[nodiscard]] std::optional<PairedT> paired_t_of(const EvaluationRecord& a,
                                                 const EvaluationRecord& b, const Measure& measure);

}  // namespace prescope
