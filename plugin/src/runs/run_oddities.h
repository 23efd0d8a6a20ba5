#pragma once

#include "runs/evaluation.h"

namespace prescope {

/// Sums over an evaluation's topics, and facts that qualify its scores. Topics without relevant
/// documents count here, though no score has them.
struct RunOddities {
  struct AtCutoff {
    Rank cutoff = 0;
    std::uint64_t num_ret = 0;  ///< lines at ranks up to the cutoff
    /// Retrieved lines that are no judged document's best rank.
    std::uint64_t unjudged = 0;
    /// Relevant documents that tie across the cutoff: only their docnos place them on one side.
    std::uint32_t tied = 0;
    std::uint32_t tied_topics = 0;
  };

  std::uint32_t topics = 0;
  std::uint32_t topics_without_relevant = 0;
  std::uint64_t num_ret = 0, num_rel = 0, num_rel_ret = 0;
  std::uint64_t duplicates = 0;  ///< lines whose document stands at a better rank already
  std::uint32_t topics_with_duplicates = 0;
  std::vector<TopicIndex> missing{};   ///< topics of the qrels that the run lacks
  std::vector<AtCutoff> at_cutoffs{};  ///< one for each cutoff of the measures, ascending
};

[[nodiscard]] RunOddities run_oddities(const Qrels& qrels, const RankOptions& options,
                                       const Evaluation& evaluation);

/// Facts about judgements that qualify any score under them.
struct QrelsOddities {
  std::uint64_t judgements = 0, relevant = 0;
  std::vector<TopicIndex> without_relevant{};
  /// Returns true if no document is judged not relevant, so that unjudged documents count as such.
  [[nodiscard]] bool only_relevant() const noexcept { return relevant == judgements; }
};

[[nodiscard]] QrelsOddities qrels_oddities(const Qrels& qrels);

/// The effect of ranking by the other order: by lines instead of by score and docno, or the
/// reverse.
struct OrderEffect {
  RunOrder other = RunOrder::kFile;
  std::uint32_t topics = 0;  ///< evaluated ones that the two orders rank otherwise
  /// Means under the other order, for each measure.
  std::vector<std::optional<double>> means{};
};

/// `evaluation` has the same scorer and options. Scores only the topics that differ again.
[[nodiscard]] OrderEffect order_effect(const Qrels& qrels, const Scorer& scorer,
                                       const RankOptions& options, const Evaluation& evaluation);

/// Returns true if PRESeval has the measure, and counts documents again at each of their lines.
[[nodiscard]] bool counts_lines(const Measure& measure) noexcept;

/// Returns means over topics if every line of a relevant document counts as another document found,
/// as in PRESeval, the script of Magdy & Jones. Recall can exceed 1. One value for each measure,
/// std::nullopt for those that do not count lines. Reads the file again; `options` must not ask for
/// judged documents only. Throws as read_run_facts.
[[nodiscard]] std::vector<std::optional<double>> means_of_every_line(
    const Qrels& qrels, const std::filesystem::path& path, const std::vector<Measure>& measures,
    const EvaluateOptions& options, ScorePrecision precision);

}  // namespace prescope
