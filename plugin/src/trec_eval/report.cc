#include "trec_eval/report.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace prescope::trec_eval {

namespace {

constexpr int kDecimals = 4;

char* write_four_digits(char* to, std::uint32_t number) noexcept {
  for (const std::uint32_t unit : {1000U, 100U, 10U, 1U}) {
    *to++ = static_cast<char>('0' + number / unit % 10);
  }
  return to;
}

char* write_exactly(char* to, double value) noexcept {
  constexpr std::ptrdiff_t kWidth = 6;
  char* end =
      std::to_chars(to, to + kDecimalTextSize, value, std::chars_format::fixed, kDecimals).ptr;
  if (end - to >= kWidth) return end;
  char* const wide = to + kWidth;
  std::fill(to, std::copy_backward(to, end, wide), ' ');
  return wide;
}

}  // namespace

char* write_decimal(char* to, double value) noexcept {
  // Below 1e6 the product is off by less than 1e-6, so that only what is as near to a tie as that
  // needs the exact value.
  constexpr double kLargest = 1e6, kNearATie = 1e-5;
  const double scaled = std::abs(value) * 1e4;
  if (!(scaled < kLargest * 1e4)) return write_exactly(to, value);
  auto digits = static_cast<std::uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(digits);
  if (std::abs(rest - 0.5) < kNearATie) return write_exactly(to, value);
  if (rest > 0.5) ++digits;
  if (std::signbit(value)) *to++ = '-';
  const std::uint64_t whole = digits / 10'000;
  if (whole < 10) {
    *to++ = static_cast<char>('0' + whole);
  } else {
    to = std::to_chars(to, to + kDecimalTextSize, whole).ptr;
  }
  *to++ = '.';
  return write_four_digits(to, static_cast<std::uint32_t>(digits - whole * 10'000));
}

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;
constexpr std::size_t kCountSize = 20;

}  // namespace

void LineWriter::write_value(std::string_view label, std::string_view topic, double value) {
  end_line(write_decimal(begin_line(label, topic, kDecimalTextSize), value));
}

void LineWriter::write_count(std::string_view label, std::string_view topic, std::int64_t count) {
  char* const at = begin_line(label, topic, kCountSize);
  end_line(std::to_chars(at, at + kCountSize, count).ptr);
}

void LineWriter::write_text(std::string_view label, std::string_view topic, std::string_view text) {
  end_line(std::copy(text.begin(), text.end(), begin_line(label, topic, text.size())));
}

void LineWriter::flush() {
  if (used_ > 0) (*sink_)(std::string_view(buffer_.data(), used_));
  used_ = 0;
}

char* LineWriter::begin_line(std::string_view label, std::string_view topic,
                             std::size_t value_size) {
  const std::size_t needed = label.size() + topic.size() + value_size + 2;
  if (used_ + needed > kPiece) flush();
  if (buffer_.size() < used_ + needed) buffer_.resize(std::max(kPiece, needed));
  char* at = std::copy(label.begin(), label.end(), buffer_.data() + used_);
  at = std::copy(topic.begin(), topic.end(), at);
  *at++ = '\t';
  return at;
}

void LineWriter::end_line(char* end) {
  *end++ = '\n';
  used_ = static_cast<std::size_t>(end - buffer_.data());
}

namespace {

using Summary = Family::Summary;

constexpr double kLeastOfGeometricMean = 1e-5;
constexpr std::string_view kAll = "all";

std::string label_of(std::string_view name) { return fmt::format("{:<22}\t", name); }

/// PRES@100 as trec_eval would write it: PRES_100.
std::string own_name(const Measure& measure) {
  std::string name = measure.name();
  std::ranges::replace(name, '@', '_');
  return name;
}

bool only_of_all(Summary summary) {
  return summary == Summary::kTopics || summary == Summary::kGeometricMean;
}

/// Judgements with a grade above 0: what trec_eval -c calls the relevant ones, whatever -l says.
double positive_judgements(const Qrels& qrels) {
  std::size_t count = 0;
  for (const TopicQrels& topic : qrels.topics()) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        topic.judgements(), [](const Judgement& judgement) { return judgement.grade > 0; }));
  }
  return static_cast<double>(count);
}

}  // namespace

Report::Report(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink)
    : qrels_(&qrels), facts_(&facts), options_(&options), lines_(sink), own_({}) {
  Requests requests = parse_requests(options.measures);
  for (Request& request : requests.families) add_part(std::move(request));
  for (const Measure& measure : requests.own) {
    const bool geometric = measure.definition().mean == MeasureDefinition::Mean::kGeometric;
    add_column(own_name(measure), geometric ? Summary::kGeometricMean : Summary::kMean, false);
  }
  own_ = Scorer(std::move(requests.own));
  own_values_.resize(own_.measures().size());
  values_.resize(columns_.size());
}

void Report::add_part(Request request) {
  Part& part = parts_.emplace_back(Part{RequestScorer(std::move(request)), columns_.size()});
  if (!part.scorer.has_values()) return;
  wants_gains_ = wants_gains_ || part.scorer.reads_gains();
  const Family& family = part.scorer.family();
  part.num_columns = part.scorer.names().size();
  for (const std::string& name : part.scorer.names()) {
    add_column(name, family.summary, family.is_count);
  }
}

void Report::add_column(std::string name, Summary summary, bool is_count) {
  const bool in_deviations = options_->z_scores != nullptr;
  Column& column = columns_.emplace_back();
  column.label = in_deviations ? "Z" + label_of(name) : label_of(name);
  column.name = std::move(name);
  column.summary = summary;
  column.is_count = is_count && !in_deviations;
}

void Report::add(TopicIndex topic, const JudgedRanks& ranks, Topic kind) {
  const TopicId& id = qrels_->topic(topic).id();
  score(ranks, kind);
  score_own(ranks);
  sum_up(id);
  ++topics_;
  if (options_->per_topic) write_topic(id, ranks, kind);
}

void Report::score(const JudgedRanks& ranks, Topic kind) {
  if (wants_gains_) by_grade_.set(ranks);
  for (Part& part : parts_) {
    if (part.num_columns == 0) continue;
    const auto values = std::span(values_).subspan(part.first_column, part.num_columns);
    part.scorer.score(ranks, by_grade_, values);
    if (kind == Topic::kMissing && part.scorer.zero_where_missing()) {
      std::ranges::fill(values, 0.0);
    }
  }
}

void Report::score_own(const JudgedRanks& ranks) {
  own_.score(ranks, own_values_);
  std::ranges::transform(own_values_, std::span(values_).last(own_values_.size()).begin(),
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
  const auto write = [&](std::size_t i) {
    if (!only_of_all(columns_[i].summary)) write_value(columns_[i], topic.text(), values_[i]);
  };
  for (Part& part : parts_) {
    if (std::holds_alternative<OfText>(part.scorer.family().score)) {
      const bool absent = kind == Topic::kMissing && part.scorer.zero_where_missing();
      lines_.write_text(label_of(part.scorer.names().front()), topic.text(),
                        absent ? "''" : part.scorer.text(ranks));
      continue;
    }
    const std::size_t end = part.first_column + part.num_columns;
    for (std::size_t i = part.first_column; i < end; ++i) write(i);
  }
  for (std::size_t i = columns_.size() - own_values_.size(); i < columns_.size(); ++i) write(i);
}

void Report::finish() {
  if (options_->summary) write_summary();
  lines_.flush();
}

void Report::write_summary() {
  for (const Part& part : parts_) {
    if (std::holds_alternative<OfRun>(part.scorer.family().score)) {
      lines_.write_text(label_of(part.scorer.family().name), kAll, facts_->tag);
    }
    const std::size_t end = part.first_column + part.num_columns;
    for (std::size_t i = part.first_column; i < end; ++i) {
      write_value(columns_[i], kAll, summary_of(columns_[i]));
    }
  }
  for (std::size_t i = columns_.size() - own_values_.size(); i < columns_.size(); ++i) {
    write_value(columns_[i], kAll, summary_of(columns_[i]));
  }
}

void Report::write_value(const Column& column, std::string_view topic, double value) {
  if (column.is_count) {
    lines_.write_count(column.label, topic, static_cast<std::int64_t>(value));
  } else {
    lines_.write_value(column.label, topic, value);
  }
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

}  // namespace prescope::trec_eval
