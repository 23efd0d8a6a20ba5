#pragma once

#include <limits>

#include "measures/scorer.h"
#include "prescope/run.h"
#include "runs/scan/run_facts.h"

namespace prescope {

/// Returns the rank at which a run was cut off: at least 10 and round, the end of one topic in five
/// and of none later; nothing if its rankings end as they like.
[[nodiscard]] std::optional<Rank> end_of_run(const RunFacts& facts) noexcept;
/// Returns the end of the run if the measure reads ranks behind it, which count as not found.
[[nodiscard]] std::optional<Rank> end_before(const Measure& measure,
                                             const RunFacts& facts) noexcept;

/// How documents with the same score are ranked under RunOrder::kTrec. By grade, no order of them
/// gives any measure a higher or a lower value; infAP is an exception if documents were pooled and
/// not judged.
enum class TieOrder : std::uint8_t {
  kDocno,       ///< by docno descending
  kBestFirst,   ///< by grade descending, documents without a judgement last
  kWorstFirst,  ///< the reverse
};

/// The part of a run that counts, and its order.
struct RankOptions {
  RunOrder order = RunOrder::kTrec;
  TieOrder ties = TieOrder::kDocno;
  /// Documents behind this rank count as not retrieved (trec_eval -M). At least 1.
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
  /// If set, documents without a judgement, or with a negative grade, are removed, and those behind
  /// them move up (trec_eval -J).
  bool judged_only = false;
};

/// A judged document that a run retrieved, at its rank as RankOptions have it.
struct RankedJudgement : JudgedHit {
  /// First and last rank of the documents with the same score; `rank` under RunOrder::kFile.
  Rank first_tied = 0, last_tied = 0;
};

/// The judged part of one topic's ranking.
struct TopicRanking {
  std::uint32_t num_ret = 0;
  std::vector<RankedJudgement> judged{};  ///< ascending by rank
};

/// Returns the ranking of a topic of the run under `options`.
[[nodiscard]] TopicRanking rank_topic(const Qrels& qrels, const RunFacts& facts,
                                      const RunFacts::Topic& topic, const RankOptions& options);
/// Returns the same without ties.
[[nodiscard]] JudgedRanking judged_ranking(const Qrels& qrels, const RunFacts& facts,
                                           const RunFacts::Topic& topic,
                                           const RankOptions& options);

/// Turns facts of a run into the ranks that measures read. Keeps buffers: one for each thread.
class TopicRanks {
 public:
  /// `qrels` must outlive this.
  TopicRanks(const Qrels& qrels, const RankOptions& options) : qrels_(&qrels), options_(options) {}

  /// Returns the ranks of a topic; none if the run lacks it. The views live until the next call.
  [[nodiscard]] JudgedRanks of(const RunFacts& facts, TopicIndex topic);

 private:
  const Qrels* qrels_;
  RankOptions options_;
  RankBuffer buffer_;
};

struct EvaluateOptions {
  /// Topics of the qrels that the run lacks count as retrieving nothing, or are left out.
  enum class Topics { kAll, kRun };

  RankOptions ranks{};
  Topics topics = Topics::kAll;
};

/// The scores of one run.
struct Evaluation {
  struct Topic {
    TopicIndex topic{};
    const RunFacts::Topic* facts = nullptr;  ///< null if the run has not the topic
    std::uint32_t num_ret = 0;               ///< under the options, like all members below
    std::uint32_t num_rel_ret = 0;
    FamilyIndex family{};  ///< see Qrels::family
  };

  const RunFacts* facts = nullptr;  ///< of the run; set by `evaluate` only
  std::vector<Measure> measures;
  std::vector<Topic> topics;                  ///< in qrels order
  std::vector<std::optional<double>> scores;  ///< a row for each topic, a column for each measure
  std::vector<std::optional<double>> means;   ///< for each measure, over the topics with a value
  std::vector<std::uint32_t> topics_in_mean;  ///< for each measure

  [[nodiscard]] std::optional<double> score(std::size_t topic, std::size_t measure) const {
    return scores[topic * measures.size() + measure];
  }
  /// Adds a topic, and returns its scores, which have no value yet.
  std::span<std::optional<double>> add(const Topic& topic) {
    topics.push_back(topic);
    scores.resize(topics.size() * measures.size());
    return std::span(scores).last(measures.size());
  }
};

/// `facts` must outlive the answer.
[[nodiscard]] Evaluation evaluate(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                                  const EvaluateOptions& options = {});

/// A run's scores over all orders of the documents that tie. A repeated document is taken to be
/// anywhere among the lines of its score, so that the lowest score may be below every order's.
struct TieRange {
  Evaluation lowest{}, highest{};
};

/// Returns the range; both ends are the same under RunOrder::kFile, which has no ties. `facts` must
/// outlive the answer.
[[nodiscard]] TieRange tie_range(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                                 EvaluateOptions options);

/// Runs reduced to the ranks of each topic's judged documents, from which they can be scored under
/// fewer judgements without reading a file again.
struct RankedRuns {
  /// A ranking for each topic of the qrels; std::nullopt if the topic is in no mean of the run.
  using Run = std::vector<std::optional<JudgedRanking>>;

  Qrels qrels{};
  std::vector<Run> runs{};
  bool judged_only = false;  ///< as in RankOptions
};

[[nodiscard]] RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts> runs,
                                     const EvaluateOptions& options = {});

/// Derives means and their topics from the scores.
void add_means(Evaluation& evaluation);

/// Returns a topic's score on the scale of the measure's mean: for a geometric mean its natural
/// logarithm, of at least 1e-5 as in trec_eval.
[[nodiscard]] double on_scale_of_mean(const Measure& measure, double score) noexcept;
/// Back from a mean on that scale.
[[nodiscard]] double mean_from_scale(const Measure& measure, double mean) noexcept;

/// Returns the measure's mean of topic scores by its definition; std::nullopt without scores.
[[nodiscard]] std::optional<double> mean_over_topics(const Measure& measure,
                                                     std::span<const double> scores);

}  // namespace prescope
