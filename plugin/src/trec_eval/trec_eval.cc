#include "trec_eval/trec_eval.h"

#include "base/errors.h"
#include "base/text_file.h"
#include "trec_eval/requests.h"

namespace prescope::trec_eval {

void refuse_repeated_judgement(const Qrels& qrels, std::string_view path) {
  if (!qrels.first_repeat()) return;
  const auto& [topic, docno, line] = *qrels.first_repeat();
  throw bad_input_error(
      "{}:{}: docno '{}' is judged twice in topic '{}'; remove one of the two lines, or use "
      "'prescope evaluate', which counts it once",
      path, line, docno.text(), topic.text());
}

namespace {

constexpr std::size_t kColumns = 4;
constexpr std::string_view kExpectedMean = "expected \"topic measure mean deviation\"";

double parse_number(std::string_view text, const TextFile& file) {
  if (const auto value = finite_number(text)) return *value;
  throw file.bad_line(fmt::format("'{}' is not a number; {}", text, kExpectedMean));
}

}  // namespace

ZScores ZScores::load(const std::filesystem::path& path) {
  ZScores scores;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty()) continue;
    const Columns columns = split_at_blanks(line);
    if (columns.count != kColumns) {
      throw file.bad_line(fmt::format("{} columns; {}", columns.count, kExpectedMean));
    }
    scores.spreads_[{TopicId(columns.text[0]), std::string(columns.text[1])}] = {
        parse_number(columns.text[2], file), parse_number(columns.text[3], file)};
  }
  if (scores.spreads_.empty()) {
    throw bad_input_error("{}: no means; {} lines", path.string(), kExpectedMean);
  }
  return scores;
}

double ZScores::convert(const TopicId& topic, std::string_view measure, double value) const {
  const auto found = spreads_.find({topic, std::string(measure)});
  if (found == spreads_.end()) return kUnknown;
  const auto& [mean, deviation] = found->second;
  if (deviation != 0.0) return (value - mean) / deviation;
  return value == mean ? 0.0 : kUnknown;
}

namespace {

using Summary = Family::Summary;

constexpr double kLeastOfGeometricMean = 1e-5;

/// Returns `%6.4f` of the value. A format string takes three times as long, which counts in a
/// report of a hundred thousand values.
std::string value_text(double value) {
  if (!std::isfinite(value)) return fmt::format("{:6.4f}", value);
  char digits[std::numeric_limits<double>::max_exponent10 + 8];
  return {digits, std::to_chars(digits, std::end(digits), value, std::chars_format::fixed, 4).ptr};
}

/// PRES@100 as trec_eval would write it: PRES_100.
std::string own_name(const Measure& measure) {
  std::string name = measure.name();
  std::ranges::replace(name, '@', '_');
  return name;
}

bool is_text(Summary summary) { return summary == Summary::kTag || summary == Summary::kNone; }

/// Sums and numbers of topics are printed without decimals.
bool is_count(Summary summary) {
  return summary != Summary::kMean && summary != Summary::kGeometricMean;
}

bool only_of_all(Summary summary) {
  return summary == Summary::kTopics || summary == Summary::kGeometricMean ||
         summary == Summary::kTag;
}

/// Returns the judgements with a grade above 0, which trec_eval -c calls relevant regardless of -l.
double positive_judgements(const Qrels& qrels) {
  std::size_t count = 0;
  for (const TopicQrels& topic : qrels.topics()) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        topic.judgements(), [](const Judgement& judgement) { return judgement.grade > 0; }));
  }
  return static_cast<double>(count);
}

/// Scores topics, prints them as they come, and sums them up.
class Report {
 public:
  /// All must outlive this. Throws as `parse_requests`.
  Report(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink)
      : qrels_(qrels),
        facts_(facts),
        options_(options),
        sink_(sink),
        requests_(parse_requests(options.measures)),
        topic_ranks_(qrels, options.ranks) {
    for (const Request& request : requests_.families) {
      for (const std::string& name : request.names) add_column(name, request.family->summary);
    }
    for (const Measure& measure : requests_.own.measures()) {
      const bool geometric = measure.definition().mean == MeasureDefinition::Mean::kGeometric;
      add_column(own_name(measure), geometric ? Summary::kGeometricMean : Summary::kMean);
    }
    own_values_.resize(requests_.own.measures().size());
    values_.resize(columns_.size());
  }

  /// Adds a topic, unless the run lacks it and only the run's topics count.
  void add(TopicIndex topic) {
    const bool is_missing = facts_.find(topic) == nullptr;
    if (is_missing && !options_.complete) return;
    JudgedRanks ranks = topic_ranks_.of(facts_, topic);
    // trec_eval replaces a missing topic by a ranking of one unjudged document.
    if (is_missing && !options_.ranks.judged_only) ranks.num_ret = 1;
    ranks.collection_size = options_.collection_size;
    const TopicId& id = qrels_.topic(topic).id();
    score(ranks, is_missing);
    sum_up(id);
    ++topics_;
    if (!options_.per_topic) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!only_of_all(columns_[i].summary)) write_value(columns_[i], id.text(), values_[i]);
    }
  }
  /// Writes the summary, if it is wanted, and passes on the rest.
  void finish() {
    for (Column& column : columns_) {
      if (!options_.summary || column.summary == Summary::kNone) continue;
      if (column.summary == Summary::kTag) column.text = facts_.tag;
      write_value(column, "all", summary_of(column));
    }
    if (!lines_.empty()) sink_(lines_);
  }

 private:
  /// One printed value.
  struct Column {
    std::string name;
    std::string label;  // as printed
    Summary summary = Summary::kMean;
    std::string text{};  // instead of a value
    double sum = 0.0;
  };

  void add_column(const std::string& name, Summary summary) {
    const bool in_deviations = options_.z_scores != nullptr && !is_text(summary);
    columns_.push_back({.name = name,
                        .label = fmt::format("{}{:<22}", in_deviations ? "Z" : "", name),
                        .summary = summary});
  }

  void score(const JudgedRanks& ranks, bool is_missing) {
    std::size_t first = 0;  // column of the request
    for (const Request& request : requests_.families) {
      const auto values = std::span(values_).subspan(first, request.names.size());
      const bool is_zero = is_missing && request.zero_if_missing();
      request.score(ranks, values);
      if (is_zero) std::ranges::fill(values, 0.0);
      Column& column = columns_[first];
      if (column.summary == Summary::kNone) column.text = is_zero ? "''" : request.text(ranks);
      first += values.size();
    }
    requests_.own.score(ranks, own_values_);
    std::ranges::transform(own_values_, values_.begin() + static_cast<std::ptrdiff_t>(first),
                           [](const std::optional<double>& value) { return value.value_or(0.0); });
  }

  void sum_up(const TopicId& topic) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      double& value = values_[i];
      if (column.summary == Summary::kGeometricMean) {
        value = std::log(std::max(value, kLeastOfGeometricMean));
      }
      if (options_.z_scores != nullptr) {
        value = options_.z_scores->convert(topic, column.name, value);
      }
      column.sum += value;
    }
  }

  [[nodiscard]] double summary_of(const Column& column) const {
    switch (column.summary) {
      case Summary::kMean:
        return column.sum / topics_;
      case Summary::kGeometricMean:
        return std::exp(column.sum / topics_);
      case Summary::kTopics:
        return topics_;
      case Summary::kSumOverQrels:
        return options_.complete ? positive_judgements(qrels_) : column.sum;
      default:
        return column.sum;
    }
  }

  void write_value(const Column& column, std::string_view topic, double value) {
    if (is_text(column.summary)) return write_line(column.label, topic, column.text);
    const bool rounds = options_.z_scores == nullptr && is_count(column.summary);
    write_line(column.label, topic,
               rounds ? std::to_string(static_cast<std::int64_t>(value)) : value_text(value));
  }
  /// The line `LABEL\tTOPIC\tVALUE`; handed to the sink in large pieces.
  void write_line(std::string_view label, std::string_view topic, std::string_view value) {
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    lines_.append(label).append(1, '\t').append(topic).append(1, '\t').append(value) += '\n';
    if (lines_.size() < kPiece) return;
    sink_(lines_);
    lines_.clear();
  }

  const Qrels& qrels_;
  const RunFacts& facts_;
  const Options& options_;
  const Sink& sink_;
  std::string lines_;  // not yet handed over
  Requests requests_;
  TopicRanks topic_ranks_;
  std::vector<std::optional<double>> own_values_;
  std::vector<Column> columns_;  // of the families, then of prescope's own measures
  std::vector<double> values_;   // for each column, of the topic at hand
  std::uint32_t topics_ = 0;
};

}  // namespace

void refuse_run(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  for (const RunFacts::Repeat& repeat : facts.repeats) {
    if (repeat.rank > options.ranks.depth) continue;
    throw bad_input_error(
        "{}: docno '{}' stands twice in topic '{}', again at rank {}; keep one of the two lines, "
        "or use 'prescope evaluate --format table', which counts the better",
        facts.path, repeat.docno.text(), qrels.topic(repeat.topic).id().text(), repeat.rank);
  }
  if (!facts.topics.empty() || options.complete) return;
  throw bad_input_error(
      "{}: none of its {} topics is judged{}; the qrels judge {} topics, such as '{}'", facts.path,
      facts.unjudged_topics,
      facts.unjudged.empty() ? "" : fmt::format(", such as '{}'", facts.unjudged[0].text()),
      qrels.topics().size(), qrels.topics().front().id().text());
}

void write(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink) {
  Report report(qrels, facts, options, sink);
  refuse_run(qrels, facts, options);
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) report.add(TopicIndex(i));
  report.finish();
}

}  // namespace prescope::trec_eval
