#include "report/nightly/gate_tables.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "base/utc_time.h"
#include "report/nightly/gate_report.h"
#include "report/study/page.h"
#include "report/text/clean_text.h"
#include "report/text/tables.h"

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

namespace {

using Color = TableOptions::Color;

Style style_of_outcome(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass:
      return Style::kGood;
    case GateOutcome::kRegression:
    case GateOutcome::kBadInput:
      return Style::kBad;
    case GateOutcome::kInconclusive:
      break;
  }
  return Style::kStrong;
}

/// The rules that people must hear of, a sentence each.
std::string telling_rules_text(const GateVerdict& verdict, Color color) {
  std::string out;
  const ReportTable rules = gate_rule_table(verdict);
  for (std::size_t i = 0; i < verdict.rules.size(); ++i) {
    if (!is_worth_telling(verdict.rules[i].status)) continue;
    const auto& row = rules.rows[i];
    out += fmt::format("  {}  {}\n{}", paint(row[1].text, row[1].style, color), row[0].text,
                       wrapped(row[2].text, 4));
  }
  return out.empty() ? out : out + '\n';
}

std::string subject_text_of(const GateReport& report, Color color) {
  TextGrid grid({TextGrid::Align::kLeft, TextGrid::Align::kLeft});
  for (auto& [label, words] : gate_subject(report)) {
    grid.add({{std::move(label), Style::kFaint}, {std::move(words)}});
  }
  return grid.to_string(color) + '\n';
}

std::string topics_text(const GateVerdict& verdict, const GateTableOptions& options) {
  const auto tables = gate_topic_tables(verdict, {.topics = options.topics});
  if (tables.empty()) return {};
  constexpr std::size_t kIndent = 4;
  std::string out =
      paint(gate_topics_title(verdict, tables.size()), Style::kStrong, options.color) + '\n';
  for (const ReportTable& table : tables) {
    out += fmt::format("  {}\n{}", paint(table.title, Style::kStrong, options.color),
                       grid_of(table).to_string(options.color, kIndent));
  }
  return out + '\n';
}

/// Rules that hold or were skipped.
std::string quiet_rules_text(const GateVerdict& verdict, Color color) {
  std::string out;
  const ReportTable rules = gate_rule_table(verdict);
  for (std::size_t i = 0; i < verdict.rules.size(); ++i) {
    if (is_worth_telling(verdict.rules[i].status)) continue;
    const auto& row = rules.rows[i];
    out += fmt::format("  {}  {}\n{}", paint(row[1].text, row[1].style, color), row[0].text,
                       paint(wrapped(row[2].text, 4), Style::kFaint, color));
  }
  return out.empty()
             ? out
             : paint("Rules that hold, or were skipped", Style::kStrong, color) + '\n' + out;
}

}  // namespace

std::string gate_table(const GateReport& report, const GateTableOptions& options) {
  const GateVerdict& verdict = report.verdict;
  const Color color = options.color;
  std::string out = paint(gate_headline(report), style_of_outcome(verdict.outcome), color) + "\n\n";
  out += telling_rules_text(verdict, color);
  out += subject_text_of(report, color);
  const auto measures = gate_measure_tables(verdict);
  out += tables_text(measures, color);
  for (const std::string& sentence : about_gate_measures(verdict)) {
    out += paint(wrapped(sentence, 0), Style::kFaint, color);
  }
  if (!measures.empty()) out += '\n';
  out += tables_text(gate_latency_tables(verdict), color);
  out += topics_text(verdict, options);
  out += quiet_rules_text(verdict, color);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

namespace {

/// The rules with a word to say, the others in one line.
std::string rules_markdown(const GateVerdict& verdict) {
  ReportTable table = gate_rule_table(verdict);
  const std::size_t all = table.rows.size();
  std::vector<std::vector<TextGrid::Cell>> telling;
  for (std::size_t i = 0; i < all; ++i) {
    if (is_worth_telling(verdict.rules[i].status)) telling.push_back(std::move(table.rows[i]));
  }
  table.rows = std::move(telling);
  if (table.rows.empty()) return fmt::format("All {} rules hold or were skipped.\n\n", all);
  table.title = fmt::format("Rules to look at, of {}", all);
  return markdown_table(table, "###");
}

std::string subject_list(const GateReport& report) {
  std::string out;
  for (const auto& [label, words] : gate_subject(report)) {
    out += fmt::format("- **{}**: {}\n", escaped_markdown(label), escaped_markdown(words));
  }
  return out + '\n';
}

/// Folded, for a merge request is read by people who look for one word first.
std::string topics_markdown(const GateVerdict& verdict, const GateTableOptions& options) {
  const auto tables = gate_topic_tables(verdict, {.topics = options.topics});
  if (tables.empty()) return {};
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n",
                     page::escaped(gate_topics_title(verdict, tables.size())),
                     markdown_tables(tables, "####"));
}

}  // namespace

std::string gate_markdown(const GateReport& report, const GateTableOptions& options) {
  const GateVerdict& verdict = report.verdict;
  std::string out = fmt::format("## {}\n\n", escaped_markdown(gate_headline(report)));
  out += rules_markdown(verdict);
  out += subject_list(report);
  out += markdown_tables(gate_measure_tables(verdict), "###") +
         markdown_list(about_gate_measures(verdict));
  out += markdown_tables(gate_latency_tables(verdict), "###");
  out += topics_markdown(verdict, options);
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

namespace {

using Align = TextGrid::Align;

}  // namespace

std::string pin_table(const std::vector<Pin>& pins, TableOptions::Color color) {
  if (pins.empty()) return "No baseline has been pinned.\n";
  std::map<std::string, const Pin*> newest;
  for (const Pin& pin : pins) newest[pin.name] = &pin;
  ReportTable table{.title = "Baselines, oldest first; * stands now",
                    .columns = {{"time (UTC)", Align::kLeft},
                                {"name", Align::kLeft},
                                {"evaluation"},
                                {"replaced"},
                                {"must find"},
                                {"by", Align::kLeft},
                                {"why", Align::kLeft}}};
  for (const Pin& pin : pins) {
    const bool stands = newest[pin.name] == &pin;
    const std::string name = one_line(pin.name) + (stands ? " *" : "");
    table.rows.push_back({{utc_minute_text(pin.time)},
                          {name, stands ? Style::kStrong : Style::kPlain},
                          {fmt::format("{}", pin.evaluation)},
                          {pin.replaced ? fmt::format("{}", *pin.replaced) : "-"},
                          {grouped_text(pin.must_find.size())},
                          {one_line(pin.by)},
                          {one_line(pin.why)}});
  }
  std::string text = table_text(table, color);
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

std::string pin_sentence(const Pin& pin) {
  std::string text =
      fmt::format("{}: evaluation {} pinned by {}", pin.name, pin.evaluation, pin.by);
  if (!pin.must_find.empty()) {
    text += fmt::format(", with {}", count_text(pin.must_find.size(), "citation that must be found",
                                                "citations that must be found"));
  }
  if (pin.replaced) text += fmt::format("; it replaces evaluation {}", *pin.replaced);
  return one_line(text) + '\n';
}

}  // namespace prescope
