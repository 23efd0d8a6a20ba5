#pragma once

#include "prescope/slices.h"
#include "report/document/document.h"
#include "runs/docno_hint.h"
#include "runs/input_checks.h"
#include "runs/run_oddities.h"

namespace prescope {

/// One run as it is reported.
struct EvaluatedRun {
  std::string name;
  Evaluation evaluation{};
  RunOddities oddities{};
  OrderEffect order{};
  std::optional<DocnoHint> docno_hint{};
  std::vector<InputFinding> input{};
  std::optional<TieRange> ties{};  ///< if it is asked for, or all scores of a topic tie

  [[nodiscard]] const RunFacts& facts() const noexcept { return *evaluation.facts; }
};

/// The result of `prescope evaluate`: some runs under the same judgements.
struct EvaluationReport {
  enum class Detail { kMeans, kTopics };

  std::string qrels_path;
  const Qrels* qrels = nullptr;
  CitationCategories categories{};  ///< that the judgements were read with
  QrelsOddities qrels_oddities{};
  EvaluateOptions options{};
  ScorePrecision score = ScorePrecision::kDouble;
  Detail detail = Detail::kMeans;
  bool ties =
      false;  ///< shows the range of each score over all orders of ties, which all runs have
  TopicSlices slices{};  ///< for which means are given, too
  std::vector<Measure> measures;
  std::vector<EvaluatedRun> runs;  ///< at least one; all with the same measures
};

/// The means of a run over the topics of a slice.
struct SliceMeans {
  std::string dimension{}, name{};
  std::uint32_t topics = 0;                    ///< of the run that have a relevant document
  std::vector<std::optional<double>> means{};  ///< by measure, over the topics with a value
};
/// Returns the means in each slice of the report, and over the topics that are in none.
[[nodiscard]] std::vector<SliceMeans> slice_means(const EvaluationReport& report,
                                                  const EvaluatedRun& run);

/// Scores a run, with all that a reader ought to know about it, under the judgements and options of
/// the report. `scorer` has the measures of the report; `facts` must outlive the answer. Reads the
/// run's file again if docnos that were not found may match under another policy.
[[nodiscard]] EvaluatedRun evaluated_run(const EvaluationReport& report, std::string name,
                                         const RunFacts& facts, const Scorer& scorer,
                                         const ReadRunOptions& read = {});

/// The counts of a run or topic in the order in which machine formats have them: "num_ret", 30000.
using RunCounts = std::vector<std::pair<std::string, std::uint64_t>>;
[[nodiscard]] RunCounts counts_of(const EvaluationReport& report, const EvaluatedRun& run);

/// Everything that the reader of the scores ought to know about how they came about, a sentence
/// each; empty for healthy runs.
[[nodiscard]] std::vector<std::string> evaluation_notes(const EvaluationReport& report);

/// The report for people. It has the sections of one format, because the topics of many runs are
/// too many to be kept twice. If the look has no columns, means in text keep to kTableWidth.
[[nodiscard]] ReportDocument evaluation_document(const EvaluationReport& report,
                                                 ReportSection::Formats format,
                                                 const TextLook& look = {});
/// `docs/evaluate.md` describes each format. All of them are the same bytes in every locale.
[[nodiscard]] std::string evaluation_tsv(const EvaluationReport& report);
[[nodiscard]] std::string evaluation_csv(const EvaluationReport& report);
[[nodiscard]] std::string evaluation_json(const EvaluationReport& report);

/// The range of each mean over all orders of documents with the same score; no table if nobody
/// asked for it.
[[nodiscard]] std::vector<ReportTable> tie_tables(const EvaluationReport& report);

/// "qrels.txt, docno policy raw, relevant from grade 1".
[[nodiscard]] std::string qrels_words(const EvaluationReport& report);

/// Measures whose mean over topics has another name.
inline constexpr std::pair<std::string_view, std::string_view> kMeanNames[] = {{"AP", "MAP"},
                                                                               {"RR", "MRR"}};

/// Returns one past the last measure that a table has room for if `first` is its first measure and
/// its topics and names take `names` columns; at least one. A mark may stand beside each score.
[[nodiscard]] std::size_t end_of_block(std::span<const Measure> measures, std::size_t first,
                                       std::size_t names, std::size_t mark = 0);

/// The title of a measure's mean over topics: `MAP@100` for AP@100, `R@100` for R@100.
[[nodiscard]] std::string mean_name(const Measure& measure);

}  // namespace prescope
