#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measures/scorer.h"
#include "trec_eval/requests.h"
#include "trec_eval/trec_eval.h"

namespace prescope::trec_eval {

/// Room for any double with 4 decimals.
inline constexpr std::size_t kDecimalTextSize = 330;

/// Writes what C's "%6.4f" prints in the C locale, without a final NUL; `to` has room for
/// kDecimalTextSize. Returns the end. Rounds the exact value, a tie to the even digit.
char* write_decimal(char* to, double value) noexcept;

/// Lines `LABEL TOPIC\tVALUE\n`, handed to the sink in large pieces. A label ends with its tab.
class LineWriter {
 public:
  /// `sink` must outlive this.
  explicit LineWriter(const Sink& sink) : sink_(&sink) {}

  void write_value(std::string_view label, std::string_view topic, double value);
  void write_count(std::string_view label, std::string_view topic, std::int64_t count);
  void write_text(std::string_view label, std::string_view topic, std::string_view text);
  /// Hands over what is left. Throws what the sink throws, as the others do.
  void flush();

 private:
  /// Behind label and topic of a new line, with room for `value_size` more bytes and the line end.
  char* begin_line(std::string_view label, std::string_view topic, std::size_t value_size);
  void end_line(char* end);

  const Sink* sink_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

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
