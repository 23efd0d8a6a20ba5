#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "measures/cutoff_sweep.h"
#include "prescope/qrels.h"
#include "runs/evaluation.h"
#include "runs/run_facts.h"

namespace prescope {

/// A topic that has relevant documents, the only ones that PRES, R and AP have a value for.
struct StudyTopic {
  TopicIndex topic{};
  std::uint32_t num_rel = 0;  ///< n, at least 1
};

/// Where the relevant documents of the same topics stand in each of several runs: all that a study
/// needs of runs that were read once. Runs and topics are named by their positions, from 0.
/// Immutable, thread-safe, independent of what it was made of.
class StudyRuns {
 public:
  /// Reads the facts on up to `threads` threads (at least 1), whose number changes nothing.
  StudyRuns(const Qrels& qrels, std::span<const RunFacts> runs, const EvaluateOptions& options,
            unsigned threads);

  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }
  /// In the order of the qrels, the same for all runs.
  [[nodiscard]] std::span<const StudyTopic> topics() const noexcept { return topics_; }

  /// Ranks of the topic's relevant documents that the run retrieved, ascending.
  [[nodiscard]] std::span<const Rank> ranks(std::size_t run, std::size_t topic) const noexcept;
  /// Which documents these are, in the same order.
  [[nodiscard]] std::span<const JudgementIndex> judgements(std::size_t run,
                                                           std::size_t topic) const noexcept;
  [[nodiscard]] std::uint32_t num_ret(std::size_t run, std::size_t topic) const noexcept {
    return runs_[run].places[topic].num_ret;
  }
  /// False where the run has not the topic and the options leave it out.
  [[nodiscard]] bool counts(std::size_t run, std::size_t topic) const noexcept {
    return runs_[run].places[topic].counts;
  }
  /// Documents that the run retrieved for the topic for which it retrieved most.
  [[nodiscard]] std::uint32_t depth(std::size_t run) const noexcept { return runs_[run].depth; }

  /// What cutoff_sweep takes; topics that do not count have no relevant documents there. Views
  /// into this object.
  [[nodiscard]] std::vector<SweepTopic> sweep_topics(std::size_t run) const;

 private:
  struct Place {
    std::size_t first = 0;  ///< a part of the run's ranks
    std::uint32_t found = 0, num_ret = 0;
    bool counts = true;
  };
  struct Run {
    std::vector<Place> places;  ///< one for each topic
    std::vector<Rank> ranks;
    std::vector<JudgementIndex> judgements;
    std::uint32_t depth = 0;
  };
  [[nodiscard]] Run placed(const Qrels& qrels, const RunFacts& facts,
                           const EvaluateOptions& options) const;

  std::vector<StudyTopic> topics_;
  std::vector<Run> runs_;
};

/// Scores of several systems by several measures; the higher the better.
struct ScoreTable {
  std::vector<std::string> systems;
  std::vector<std::string> measures;
  std::vector<std::vector<double>> scores;  ///< for each measure, one of each system
};

/// Reads tab-separated lines: a header, whose first column names the systems and the others the
/// measures, then a line for each system. Blank lines are skipped; plain or gzip, `-` is standard
/// input. Throws Error(kIo), and Error(kBadInput) with `file:line: found, expected`: no header, no
/// measure, other columns than the header has, what is no finite number, a system or a measure that
/// is there twice, fewer than two systems.
[[nodiscard]] ScoreTable load_score_table(const std::filesystem::path& path);

/// The table with these measures only, in this order. Throws Error(kUsage) for one that is not
/// there, with the nearest.
[[nodiscard]] ScoreTable with_measures(const ScoreTable& table,
                                       const std::vector<std::string>& names);

}  // namespace prescope
