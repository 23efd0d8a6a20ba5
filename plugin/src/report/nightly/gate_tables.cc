#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <span>

#include "base/utc_time.h"
#include "report/nightly/gate_report.h"
#include "report/study/page.h"
#include "report/text/clean_text.h"

namespace prescope {

namespace {

using Align = TextGrid::Align;
using Cell = TextGrid::Cell;
using Color = TableOptions::Color;
using Status = GateVerdict::Status;
using MeasureResult = GateVerdict::MeasureResult;

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

Style style_of(GateOutcome outcome) {
  if (outcome == GateOutcome::kPass) return Style::kGood;
  return outcome == GateOutcome::kInconclusive ? Style::kStrong : Style::kBad;
}

Cell status_cell(Status status) { return {std::string(status_words(status)), style_of(status)}; }

Cell change_cell(double change) {
  return {difference_text(change), change > 0.0   ? Style::kGood
                                   : change < 0.0 ? Style::kBad
                                                  : Style::kPlain};
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "-";
}

/// A row for each decision measure; no table if none was compared.
std::vector<ReportTable> measure_tables(const GateReport& report) {
  if (report.verdict.measures.empty()) return {};
  const auto [before, after] = gate_names(report);
  ColumnsOf<MeasureResult> columns = {
      {"measure", Align::kLeft, [](auto& it) { return Cell{it.measure.name()}; }},
      {"verdict", Align::kLeft, [](auto& it) { return status_cell(it.status); }}};
  const auto add = [&](const std::string& title, auto text) {
    columns.push_back({title, Align::kRight, [text](auto& it) { return Cell{text(it)}; }});
  };
  add("topics", [](auto& it) { return grouped_text(it.topics); });
  add(before, [](auto& it) { return score_text(it.baseline); });
  add(after, [](auto& it) { return score_text(it.tonight); });
  add("difference", [](auto& it) { return difference_text(it.difference); });
  add("bounds", [](auto& it) -> std::string {
    if (!it.low || !it.high) return "-";
    return fmt::format("[{}, {}]", difference_text(it.low), difference_text(it.high));
  });
  add("margin", [](auto& it) { return fmt::format("{}", it.margin); });
  add("p worse", [](auto& it) { return p_value_text(it.p_non_inferior); });
  add("p differs", [](auto& it) { return p_value_text(it.p_different); });
  add("wins/ties/losses",
      [](auto& it) { return fmt::format("{}/{}/{}", it.wins, it.ties, it.losses); });
  return {table_of(fmt::format("Measures, {} minus {}", after, before), columns,
                   report.verdict.measures)};
}

/// p95 of both, and their ratio; no table if neither was timed.
std::vector<ReportTable> latency_tables(const GateReport& report) {
  const GateVerdict::Latency& latency = report.verdict.latency;
  if (!latency.baseline_p95_ms && !latency.tonight_p95_ms) return {};
  const auto [before, after] = gate_names(report);
  const std::string interval =
      latency.low || latency.high
          ? fmt::format("[{}, {}]", ratio_text(latency.low), ratio_text(latency.high))
          : "-";
  return {{.title = "Latency of the topics' queries, 95 % quantile",
           .columns = {{before + " ms"}, {after + " ms"}, {"ratio"}, {"interval"}, {"at most"}},
           .rows = {{{milliseconds_text(latency.baseline_p95_ms)},
                     {milliseconds_text(latency.tonight_p95_ms)},
                     {ratio_text(latency.ratio)},
                     {interval},
                     {ratio_text(report.verdict.applied.latency.p95_ratio)}}}}};
}

using Rules = std::vector<GateVerdict::Rule>;

/// The rules that people must hear of, or else those that hold or were skipped.
Rules rules_of(const GateVerdict& verdict, bool worth_telling) {
  Rules rules;
  for (const GateVerdict::Rule& rule : verdict.rules) {
    const bool is_quiet = rule.status == Status::kPass || rule.status == Status::kSkipped;
    if (is_quiet != worth_telling) rules.push_back(rule);
  }
  return rules;
}

/// A line for each rule, its reason below.
std::string rules_text(const Rules& rules, Style reasons, Color color) {
  std::string out;
  for (const GateVerdict::Rule& rule : rules) {
    const Cell status = status_cell(rule.status);
    out += fmt::format("  {}  {}\n{}", paint(status.text, status.style, color), one_line(rule.id),
                       paint(wrapped(one_line(rule.reason), 4), reasons, color));
  }
  return out;
}

std::vector<ReportTable> topic_tables(const GateVerdict& verdict, std::size_t topics) {
  constexpr std::size_t kCitations = 5;
  std::vector<ReportTable> tables;
  for (std::size_t i = 0; i < std::min(topics, verdict.topics.size()); ++i) {
    tables.push_back(gate_topic_table(verdict, verdict.topics[i], kCitations));
  }
  return tables;
}

std::string topics_title(const GateReport& report, std::size_t shown) {
  return fmt::format("{} of {} that changed: {}", count_text(shown, "topic"),
                     report.verdict.topics.size(), gate_topics_words(report));
}

}  // namespace

ReportTable gate_topic_table(const GateVerdict& verdict, const GateVerdict::Topic& topic,
                             std::size_t most) {
  const auto rank = [&](const std::optional<Rank>& at) -> Cell {
    if (at) return {fmt::format("{}", *at)};
    const auto cutoff = verdict.moving ? verdict.moving->cutoff() : std::nullopt;
    return {cutoff ? fmt::format("not in {}", cutoff->value()) : "not found"};
  };
  const ColumnsOf<GateVerdict::Citation> columns = {
      {"citation", Align::kLeft, [](auto& it) { return Cell{one_line(it.docno.text())}; }},
      {"what", Align::kLeft, [](auto& it) { return Cell{std::string(citation_words(it))}; }},
      {"rank before", Align::kRight, [&](auto& it) { return rank(it.rank_a); }},
      {"", Align::kLeft, [](auto&) { return Cell{"→"}; }},
      {"rank tonight", Align::kLeft, [&](auto& it) { return rank(it.rank_b); }},
      {"share", Align::kRight, [](auto& it) { return change_cell(it.share); }},
      {"", Align::kLeft, [](auto& it) {
         return Cell{it.must_find ? "must find" : "", Style::kStrong};
       }}};
  const std::size_t shown = std::min(most, topic.citations.size());
  ReportTable table =
      table_of(gate_topic_title(topic), columns, std::span(topic.citations).first(shown));
  if (shown == topic.citations.size()) return table;
  double rest = 0.0;
  for (std::size_t i = shown; i < topic.citations.size(); ++i) rest += topic.citations[i].share;
  auto& row = table.rows.emplace_back(6);
  row.front() = {fmt::format("{} more", topic.citations.size() - shown), Style::kFaint};
  row.back() = change_cell(rest);
  return table;
}

std::string gate_table(const GateReport& report, const GateTableOptions& options) {
  const GateVerdict& verdict = report.verdict;
  const Color color = options.color;
  std::string out = paint(gate_headline(report), style_of(verdict.outcome), color) + "\n\n";
  const Rules telling = rules_of(verdict, true), quiet = rules_of(verdict, false);
  if (!telling.empty()) out += rules_text(telling, Style::kPlain, color) + '\n';
  out += labelled_text(gate_subject(report), color) + '\n';
  const auto measures = measure_tables(report);
  out += tables_text(measures, color);
  for (const std::string& sentence : about_gate_measures(report)) {
    out += small_print({sentence}, color);
  }
  if (!measures.empty()) out += '\n';
  out += tables_text(latency_tables(report), color);
  const auto topics = topic_tables(verdict, options.topics);
  out += nested_tables_text(topics_title(report, topics.size()), topics, color);
  if (!quiet.empty()) {
    out += paint("Rules that hold, or were skipped", Style::kStrong, color) + '\n' +
           rules_text(quiet, Style::kFaint, color);
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

namespace {

/// The rules that people must hear of; the others in one line.
std::string rules_markdown(const GateVerdict& verdict) {
  const Rules rules = rules_of(verdict, true);
  const std::size_t all = verdict.rules.size();
  if (rules.empty()) return fmt::format("All {} rules hold or were skipped.\n\n", all);
  const ColumnsOf<GateVerdict::Rule> columns = {
      {"rule", Align::kLeft, [](auto& rule) { return Cell{one_line(rule.id)}; }},
      {"verdict", Align::kLeft, [](auto& rule) { return status_cell(rule.status); }},
      {"why", Align::kLeft, [](auto& rule) { return Cell{one_line(rule.reason)}; }}};
  return markdown_table(table_of(fmt::format("Rules to look at, of {}", all), columns, rules),
                        "###");
}

}  // namespace

std::string gate_markdown(const GateReport& report, const GateTableOptions& options) {
  std::string out = fmt::format("## {}\n\n", escaped_markdown(gate_headline(report)));
  out += rules_markdown(report.verdict) + labelled_markdown(gate_subject(report));
  out += markdown_tables(measure_tables(report), "###");
  out += markdown_list(about_gate_measures(report));
  out += markdown_tables(latency_tables(report), "###");
  const auto topics = topic_tables(report.verdict, options.topics);
  if (!topics.empty()) {
    // Folded, because readers of a merge request look for the verdict first.
    out += fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n",
                       page::escaped(topics_title(report, topics.size())),
                       markdown_tables(topics, "####"));
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out + '\n';
}

std::string pin_table(const std::vector<Pin>& pins, TableOptions::Color color) {
  if (pins.empty()) return "No baseline has been pinned.\n";
  std::map<std::string, const Pin*> newest;
  for (const Pin& pin : pins) newest[pin.name] = &pin;
  const ColumnsOf<Pin> columns = {
      {"time (UTC)", Align::kLeft, [](auto& pin) { return Cell{utc_minute_text(pin.time)}; }},
      {"name", Align::kLeft,
       [&](auto& pin) {
         return newest[pin.name] == &pin ? Cell{one_line(pin.name) + " *", Style::kStrong}
                                         : Cell{one_line(pin.name)};
       }},
      {"evaluation", Align::kRight, [](auto& pin) { return Cell{std::to_string(pin.evaluation)}; }},
      {"replaced", Align::kRight,
       [](auto& pin) { return Cell{pin.replaced ? std::to_string(*pin.replaced) : "-"}; }},
      {"must find", Align::kRight,
       [](auto& pin) { return Cell{grouped_text(pin.must_find.size())}; }},
      {"by", Align::kLeft, [](auto& pin) { return Cell{one_line(pin.by)}; }},
      {"why", Align::kLeft, [](auto& pin) { return Cell{one_line(pin.why)}; }}};
  return titled_grid_text(table_of("Baselines, oldest first; * stands now", columns, pins), color);
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
