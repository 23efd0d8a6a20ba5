#pragma once

#include <filesystem>
#include <limits>
#include <memory>

#include "prescope/measure.h"
#include "prescope/qrels.h"
#include "prescope/run.h"

// A private type. It is outside of the pragma, so the library does not export it.
namespace prescope {
class OfflineRuns;
}  // namespace prescope

#pragma GCC visibility push(default)
/// Scores and compares runs in memory, without a search engine. The results equal those of the
/// program's `evaluate` and `compare` to the last bit.
namespace prescope {

/// A run, reduced to the ranks of its judged documents. Immutable; copies share the ranks. Any
/// thread.
class JudgedRun {
 public:
  /// Reads a TREC run file, plain or gzip; `-` is standard input. Throws Error(kIo), and
  /// Error(kBadInput) with `file:line: found, expected`, also for a run that has no topic of the
  /// qrels.
  [[nodiscard]] static JudgedRun load(const Qrels& qrels, const std::filesystem::path& path);
  /// Takes columns of equal length: the n-th line of a run is topics[n], docnos[n], scores[n].
  /// Lines may come in any order. Throws Error(kUsage) for columns of different lengths, and
  /// Error(kBadInput), naming the first line, for a name that is empty or has white space in it, a
  /// topic that begins with '#', a score that is no number, and columns that have no topic of the
  /// qrels.
  [[nodiscard]] static JudgedRun from_columns(const Qrels& qrels,
                                              std::span<const std::string_view> topics,
                                              std::span<const std::string_view> docnos,
                                              std::span<const double> scores);

  [[nodiscard]] const Qrels& qrels() const noexcept;
  /// Returns the number of lines, also of topics without judgements.
  [[nodiscard]] std::uint64_t lines() const noexcept;
  /// Returns the number of topics of the run that the qrels do not judge.
  [[nodiscard]] std::uint64_t unjudged_topics() const noexcept;

 private:
  struct [[gnu::visibility("hidden")]] Read;
  friend class OfflineRuns;
  explicit JudgedRun(std::shared_ptr<const Read> read) : read_(std::move(read)) {}
  std::shared_ptr<const Read> read_;
};

/// The part of a run that counts.
struct ScoringOptions {
  RunOrder order = RunOrder::kTrec;
  /// Documents behind this rank count as not retrieved. At least 1.
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
  bool judged_only = false;  ///< documents without a judgement are removed, and others move up
  /// Topics of the qrels that the run lacks are left out, instead of retrieving nothing.
  bool only_topics_of_run = false;
};

/// The scores of one run.
struct RunScores {
  struct Topic {
    TopicIndex topic{};
    std::uint32_t num_ret = 0;                    ///< documents retrieved, judged or not
    std::uint32_t num_rel_ret = 0;                ///< relevant ones
    std::vector<std::optional<double>> scores{};  ///< by measure; no value: undefined
  };
  std::vector<Measure> measures{};  ///< as asked for, each once
  std::vector<Topic> topics{};      ///< in qrels order
  std::vector<Mean> means{};        ///< by measure, over the topics with a value
  /// By measure: the rank at which the run was cut off, if the measure reads further. What the run
  /// may have found behind that rank counts as not found.
  std::vector<std::optional<Rank>> ends_at{};
};

/// Throws Error(kUsage) for a depth of 0. O(judged documents x measures).
[[nodiscard]] RunScores evaluate(const JudgedRun& run, std::span<const Measure> measures,
                                 const ScoringOptions& options = {});

/// The outcome of a paired test over topics, or over families.
enum class Verdict {
  kTooFewTopics,  ///< fewer than 2 have both values
  kIdentical,     ///< each has the same value in both runs
  kNoDifference,  ///< the p-value is above alpha
  kBetter,        ///< the second run is better
  kWorse,
};
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// One measure of two runs, over the topics with a value in both: B - A. The unit of all statistics
/// is the topic, or with a family map the family.
struct RunDifference {
  struct Topic {
    TopicIndex topic{};
    double a = 0.0, b = 0.0, difference = 0.0;
  };

  Measure measure;
  std::vector<Topic> topics{};  ///< in qrels order
  std::optional<double> mean_a{}, mean_b{};
  std::uint32_t wins = 0, ties = 0, losses = 0;  ///< units; wins are B's
  // None for fewer than two units:
  std::optional<double> difference{};         ///< the mean
  std::optional<double> ci_low{}, ci_high{};  ///< its interval, by Student's paired t
  /// Two-sided: of the paired t test, or of the sign-flip test if there are fewer than 30 units, or
  /// fewer than 20 that differ.
  std::optional<double> p_value{};
  /// The same, over all measures compared (Holm). None if `ends_at` is set.
  std::optional<double> corrected{};
  Verdict verdict = Verdict::kTooFewTopics;
  /// The rank at which the shorter run was cut off, if the measure reads further: no verdict then.
  std::optional<Rank> ends_at{};
};

struct ComparisonOptions {
  ScoringOptions scoring{};
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  double alpha = 0.05;       ///< of the verdicts, in (0, 1)
};

/// Compares run B with run A by a paired test, corrected over the measures. Throws Error(kUsage)
/// for runs that were read under different judgements, a geometric mean, and options out of their
/// range.
[[nodiscard]] std::vector<RunDifference> compare(const JudgedRun& a, const JudgedRun& b,
                                                 std::span<const Measure> measures,
                                                 const ComparisonOptions& options = {});

}  // namespace prescope
#pragma GCC visibility pop
