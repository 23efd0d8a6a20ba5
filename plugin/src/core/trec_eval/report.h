#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/scorer.h"
#include "core/trec_eval/line_writer.h"
#include "core/trec_eval/request_scorer.h"

namespace prescope::trec_eval {

/// Scores topics, prints them as they come, and sums them up.
class Report {
 public:
  /// Whether the run has the topic. Ranks stand for it in either case.
  enum class Topic { kRetrieved, kMissing };

  /// All must outlive this. Throws as `parse_requests`.
  Report(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink);

  void add(TopicIndex topic, const JudgedRanks& ranks, Topic kind);
  /// Writes the summary, where it is wanted, and hands over all that is left.
  void finish();

 private:
  /// One printed value.
  struct Column {
    std::string name;
    std::string label;  // padded, with its tab
    Family::Summary summary = Family::Summary::kMean;
    bool is_count = false;
    double sum = 0.0;
  };
  /// A request and the columns that it fills.
  struct Part {
    RequestScorer scorer;
    std::size_t first_column = 0, num_columns = 0;
  };

  void add_part(Request request);
  void add_column(std::string name, Family::Summary summary, bool is_count);
  void score(const JudgedRanks& ranks, Topic kind);
  void score_own(const JudgedRanks& ranks);
  void sum_up(const TopicId& topic);
  void write_topic(const TopicId& topic, const JudgedRanks& ranks, Topic kind);
  void write_summary();
  void write_value(const Column& column, std::string_view topic, double value);
  [[nodiscard]] double summary_of(const Column& column) const;

  const Qrels* qrels_;
  const RunFacts* facts_;
  const Options* options_;
  LineWriter lines_;
  std::vector<Part> parts_;
  Scorer own_;
  std::vector<std::optional<double>> own_values_;
  std::vector<Column> columns_;  // of the parts, then of prescope's own measures
  std::vector<double> values_;   // for each column, of the topic at hand
  GainScale by_grade_;
  bool wants_gains_ = false;
  std::uint32_t topics_ = 0;
};

}  // namespace prescope::trec_eval
