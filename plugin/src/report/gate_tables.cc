#include "report/gate_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/gate_words.h"
#include "report/number_text.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Row = std::vector<TextGrid::Cell>;
using Status = GateVerdict::Status;

Style style_of(Status status) {
  switch (status) {
    case Status::kPass:
      return Style::kGood;
    case Status::kSkipped:
      return Style::kFaint;
    case Status::kWarning:
    case Status::kInconclusive:
      return Style::kStrong;
    case Status::kFail:
    case Status::kBadInput:
      return Style::kBad;
  }
  return Style::kPlain;
}

Style style_of_change(double change) {
  return change > 0.0 ? Style::kGood : change < 0.0 ? Style::kBad : Style::kPlain;
}

std::string bounds_text(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? fmt::format("[{}, {}]", difference_text(low), difference_text(high)) : "-";
}

Row measure_row(const GateVerdict::MeasureResult& result) {
  return {{result.measure.name()},
          {std::string(status_words(result.status)), style_of(result.status)},
          {grouped_text(result.topics)},
          {score_text(result.baseline)},
          {score_text(result.tonight)},
          {difference_text(result.difference)},
          {bounds_text(result.low, result.high)},
          {fmt::format("{}", result.margin)},
          {p_value_text(result.p_non_inferior)},
          {p_value_text(result.p_different)},
          {fmt::format("{}/{}/{}", result.wins, result.ties, result.losses)}};
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "-";
}

std::string rank_text(const std::optional<Rank>& rank, const GateVerdict& verdict) {
  if (rank) return fmt::format("{}", *rank);
  const auto cutoff = verdict.moving ? verdict.moving->cutoff() : std::nullopt;
  return cutoff ? fmt::format("not in {}", cutoff->value()) : "not found";
}

Row citation_row(const GateVerdict& verdict, const GateVerdict::Citation& citation) {
  return {{one_line(citation.docno.text())},
          {std::string(citation_words(citation))},
          {rank_text(citation.baseline, verdict)},
          {"→"},
          {rank_text(citation.tonight, verdict)},
          {difference_text(citation.share), style_of_change(citation.share)},
          {citation.must_find ? "must find" : "", Style::kStrong}};
}

Row citations_left_out(const GateVerdict::Topic& topic, std::size_t shown) {
  double rest = 0.0;
  for (std::size_t i = shown; i < topic.citations.size(); ++i) rest += topic.citations[i].share;
  return {{fmt::format("{} more", topic.citations.size() - shown), Style::kFaint},
          {},
          {},
          {},
          {},
          {difference_text(rest), style_of_change(rest)}};
}

ReportTable topic_table(const GateVerdict& verdict, const GateVerdict::Topic& topic,
                        std::size_t most) {
  ReportTable table{.title = gate_topic_title(topic),
                    .columns = {{"citation", Align::kLeft},
                                {"what", Align::kLeft},
                                {"rank before"},
                                {"", Align::kLeft},
                                {"rank tonight", Align::kLeft},
                                {"share"},
                                {"", Align::kLeft}}};
  const std::size_t shown = std::min(most, topic.citations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back(citation_row(verdict, topic.citations[i]));
  }
  if (shown < topic.citations.size()) table.rows.push_back(citations_left_out(topic, shown));
  return table;
}

}  // namespace

std::vector<ReportTable> gate_measure_tables(const GateVerdict& verdict) {
  if (verdict.measures.empty()) return {};
  ReportTable table{.title = "Measures, tonight minus baseline",
                    .columns = {{"measure", Align::kLeft},
                                {"verdict", Align::kLeft},
                                {"topics"},
                                {"baseline"},
                                {"tonight"},
                                {"difference"},
                                {"bounds"},
                                {"margin"},
                                {"p worse"},
                                {"p differs"},
                                {"wins/ties/losses"}}};
  for (const auto& result : verdict.measures) table.rows.push_back(measure_row(result));
  return {table};
}

std::vector<ReportTable> gate_latency_tables(const GateVerdict& verdict) {
  const GateVerdict::Latency& latency = verdict.latency;
  if (!latency.baseline_p95_ms && !latency.tonight_p95_ms) return {};
  const std::optional<double>& allowed = verdict.applied.latency.p95_ratio;
  ReportTable table{
      .title = "Latency of the topics' queries, 95 % quantile",
      .columns = {{"baseline ms"}, {"tonight ms"}, {"ratio"}, {"interval"}, {"at most"}}};
  const std::string interval =
      latency.low || latency.high
          ? fmt::format("[{}, {}]", ratio_text(latency.low), ratio_text(latency.high))
          : "-";
  table.rows.push_back({{milliseconds_text(latency.baseline_p95_ms)},
                        {milliseconds_text(latency.tonight_p95_ms)},
                        {ratio_text(latency.ratio)},
                        {interval},
                        {ratio_text(allowed)}});
  return {table};
}

ReportTable gate_rule_table(const GateVerdict& verdict) {
  ReportTable table{
      .title = "Rules",
      .columns = {{"rule", Align::kLeft}, {"verdict", Align::kLeft}, {"why", Align::kLeft}}};
  for (const GateVerdict::Rule& rule : verdict.rules) {
    table.rows.push_back({{one_line(rule.id)},
                          {std::string(status_words(rule.status)), style_of(rule.status)},
                          {one_line(rule.reason)}});
  }
  return table;
}

std::vector<ReportTable> gate_topic_tables(const GateVerdict& verdict,
                                           const GateTopicLimits& limits) {
  std::vector<ReportTable> tables;
  for (std::size_t i = 0; i < std::min(limits.topics, verdict.topics.size()); ++i) {
    tables.push_back(topic_table(verdict, verdict.topics[i], limits.citations));
  }
  return tables;
}

}  // namespace prescope
