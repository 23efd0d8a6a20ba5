#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measures/scorer.h"
#include "trec_eval/requests.h"
#include "trec_eval/trec_eval.h"

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
    std::string label;  // as printed
    Family::Summary summary = Family::Summary::kMean;
    double sum = 0.0;
  };
  /// A request and the columns that it fills.
  struct Part {
    RequestScorer scorer;
    std::size_t first_column = 0, num_columns = 0;
  };

  void add_column(const std::string& name, Family::Summary summary);
  void score(const JudgedRanks& ranks, Topic kind);
  void sum_up(const TopicId& topic);
  void write_topic(const TopicId& topic, const JudgedRanks& ranks, Topic kind);
  void write_summary();
  void write_value(const Column& column, std::string_view topic, double value);
  /// The line `LABEL\tTOPIC\tVALUE`; handed to the sink in large pieces.
  void write_line(std::string_view label, std::string_view topic, std::string_view value);
  [[nodiscard]] double summary_of(const Column& column) const;

  const Qrels* qrels_;
  const RunFacts* facts_;
  const Options* options_;
  const Sink* sink_;
  std::string lines_;  // not yet handed over
  std::vector<Part> parts_;
  Scorer own_;
  std::vector<std::optional<double>> own_values_;
  std::vector<Column> columns_;  // of the parts, then of prescope's own measures
  std::vector<double> values_;   // for each column, of the topic at hand
  std::uint32_t topics_ = 0;
};

}  // namespace prescope::trec_eval
