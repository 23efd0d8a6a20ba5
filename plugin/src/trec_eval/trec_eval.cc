#include "trec_eval/trec_eval.h"

#include <charconv>
#include <cmath>

#include "base/errors.h"
#include "base/text_file.h"
#include "measures/scorer.h"
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
constexpr std::string_view kAll = "all";

std::string label_of(std::string_view name) { return fmt::format("{:<22}", name); }

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

/// Returns whether its value is a text, of which there is no sum.
bool is_text(const Family& family) {
  return std::holds_alternative<OfText>(family.score) ||
         std::holds_alternative<OfRun>(family.score);
}

bool only_of_all(Summary summary) {
  return summary == Summary::kTopics || summary == Summary::kGeometricMean;
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
  /// Says whether the run has the topic. There are ranks for it in either case.
  enum class Topic { kRetrieved, kMissing };

  /// All must outlive this. Throws as `parse_requests`.
  Report(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink);

  void add(TopicIndex topic, const JudgedRanks& ranks, Topic kind);
  /// Writes the summary, if it is wanted, and passes on the rest.
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
    std::size_t num_columns = 0;
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

Report::Report(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink)
    : qrels_(&qrels), facts_(&facts), options_(&options), sink_(&sink), own_({}) {
  Requests requests = parse_requests(options.measures);
  for (Request& request : requests.families) {
    Part& part = parts_.emplace_back(Part{RequestScorer(std::move(request))});
    const Family& family = part.scorer.family();
    if (is_text(family)) continue;
    part.num_columns = part.scorer.names().size();
    for (const std::string& name : part.scorer.names()) add_column(name, family.summary);
  }
  for (const Measure& measure : requests.own) {
    const bool geometric = measure.definition().mean == MeasureDefinition::Mean::kGeometric;
    add_column(own_name(measure), geometric ? Summary::kGeometricMean : Summary::kMean);
  }
  own_ = Scorer(std::move(requests.own));
  own_values_.resize(own_.measures().size());
  values_.resize(columns_.size());
}

void Report::add_column(const std::string& name, Summary summary) {
  const bool in_deviations = options_->z_scores != nullptr;
  columns_.push_back({.name = name,
                      .label = in_deviations ? "Z" + label_of(name) : label_of(name),
                      .summary = summary});
}

void Report::add(TopicIndex topic, const JudgedRanks& ranks, Topic kind) {
  const TopicId& id = qrels_->topic(topic).id();
  score(ranks, kind);
  sum_up(id);
  ++topics_;
  if (options_->per_topic) write_topic(id, ranks, kind);
}

void Report::score(const JudgedRanks& ranks, Topic kind) {
  std::span<double> left = values_;
  for (Part& part : parts_) {
    const auto values = left.first(part.num_columns);
    part.scorer.score(ranks, values);
    if (kind == Topic::kMissing && part.scorer.zero_if_missing()) std::ranges::fill(values, 0.0);
    left = left.subspan(part.num_columns);
  }
  own_.score(ranks, own_values_);
  std::ranges::transform(own_values_, left.begin(),
                         [](const std::optional<double>& value) { return value.value_or(0.0); });
}

void Report::sum_up(const TopicId& topic) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    double& value = values_[i];
    if (column.summary == Summary::kGeometricMean) {
      value = std::log(std::max(value, kLeastOfGeometricMean));
    }
    if (options_->z_scores != nullptr) {
      value = options_->z_scores->convert(topic, column.name, value);
    }
    column.sum += value;
  }
}

void Report::write_topic(const TopicId& topic, const JudgedRanks& ranks, Topic kind) {
  std::size_t i = 0;
  const auto write_until = [&](std::size_t end) {
    for (; i < end; ++i) {
      if (!only_of_all(columns_[i].summary)) write_value(columns_[i], topic.text(), values_[i]);
    }
  };
  for (const Part& part : parts_) {
    if (std::holds_alternative<OfText>(part.scorer.family().score)) {
      const bool absent = kind == Topic::kMissing && part.scorer.zero_if_missing();
      write_line(label_of(part.scorer.names().front()), topic.text(),
                 absent ? "''" : part.scorer.text(ranks));
    }
    write_until(i + part.num_columns);
  }
  write_until(columns_.size());
}

void Report::finish() {
  if (options_->summary) write_summary();
  if (!lines_.empty()) (*sink_)(lines_);
}

void Report::write_summary() {
  std::size_t i = 0;
  const auto write_until = [&](std::size_t end) {
    for (; i < end; ++i) write_value(columns_[i], kAll, summary_of(columns_[i]));
  };
  for (const Part& part : parts_) {
    if (std::holds_alternative<OfRun>(part.scorer.family().score)) {
      write_line(label_of(part.scorer.family().name), kAll, facts_->tag);
    }
    write_until(i + part.num_columns);
  }
  write_until(columns_.size());
}

void Report::write_value(const Column& column, std::string_view topic, double value) {
  const bool is_count = options_->z_scores == nullptr && Family::is_count(column.summary);
  write_line(column.label, topic,
             is_count ? std::to_string(static_cast<std::int64_t>(value)) : value_text(value));
}

void Report::write_line(std::string_view label, std::string_view topic, std::string_view value) {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  lines_.append(label).append(1, '\t').append(topic).append(1, '\t').append(value).append(1, '\n');
  if (lines_.size() < kPiece) return;
  (*sink_)(lines_);
  lines_.clear();
}

double Report::summary_of(const Column& column) const {
  switch (column.summary) {
    case Summary::kMean:
      return column.sum / topics_;
    case Summary::kGeometricMean:
      return std::exp(column.sum / topics_);
    case Summary::kTopics:
      return topics_;
    case Summary::kSumOverQrels:
      return options_->complete ? positive_judgements(*qrels_) : column.sum;
    case Summary::kSum:
      break;
  }
  return column.sum;
}

void refuse_repeats(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  for (const RunFacts::Repeat& repeat : facts.repeats) {
    if (repeat.rank > options.ranks.depth) continue;
    throw bad_input_error(
        "{}: docno '{}' stands twice in topic '{}', again at rank {}; keep one of the two lines, "
        "or use 'prescope evaluate --format table', which counts the better",
        facts.path, repeat.docno.text(), qrels.topic(repeat.topic).id().text(), repeat.rank);
  }
}

void refuse_no_topics(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  if (!facts.topics.empty() || options.complete) return;
  throw bad_input_error(
      "{}: none of its {} topics is judged{}; the qrels judge {} topics, such as '{}'", facts.path,
      facts.unjudged_topics,
      facts.unjudged.empty() ? "" : fmt::format(", such as '{}'", facts.unjudged[0].text()),
      qrels.topics().size(), qrels.topics().front().id().text());
}

}  // namespace

void refuse_run(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  refuse_repeats(qrels, facts, options);
  refuse_no_topics(qrels, facts, options);
}

void write(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink) {
  Report report(qrels, facts, options, sink);
  refuse_run(qrels, facts, options);
  TopicRanks topic_ranks(qrels, options.ranks);
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const TopicIndex topic(i);
    const bool retrieved = facts.find(topic) != nullptr;
    if (!retrieved && !options.complete) continue;
    JudgedRanks ranks = topic_ranks.of(facts, topic);
    // trec_eval replaces a missing topic by a ranking of one unjudged document.
    if (!retrieved && !options.ranks.judged_only) ranks.num_ret = 1;
    ranks.collection_size = options.collection_size;
    report.add(topic, ranks, retrieved ? Report::Topic::kRetrieved : Report::Topic::kMissing);
  }
  report.finish();
}

}  // namespace prescope::trec_eval
