#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <span>

#include "base/utc_time.h"
#include "report/nightly/gate_report.h"
#include "report/study/page.h"
#include "report/text/clean_text.h"
#include "report/text/moved_citations.h"

namespace prescope {

namespace {

using Color = TableOptions::Color;
using Status = GateVerdict::Status;
using MeasureResult = GateVerdict::MeasureResult;

Style style_of(Status status) {
  constexpr Style kStyles[] = {Style::kGood,   Style::kFaint, Style::kStrong,
                               Style::kStrong, Style::kBad,   Style::kBad};
  return kStyles[static_cast<std::size_t>(status)];
}

Style style_of(GateOutcome outcome) {
  if (outcome == GateOutcome::kPass) return Style::kGood;
  return outcome == GateOutcome::kInconclusive ? Style::kStrong : Style::kBad;
}

Cell status_cell(Status status) { return {std::string(status_words(status)), style_of(status)}; }

std::vector<ReportTable> measure_tables(const GateReport& report) {
  if (report.verdict.measures.empty()) return {};
  const auto [before, after] = gate_names(report);
  ColumnsOf<MeasureResult> columns;
  columns.left("measure", [](auto& it) { return it.measure.name(); })
      .left("verdict", [](auto& it) { return status_cell(it.status); })
      .right("topics", [](auto& it) { return grouped_text(it.topics); })
      .right(before, [](auto& it) { return score_text(it.baseline); })
      .right(after, [](auto& it) { return score_text(it.tonight); })
      .right("difference", [](auto& it) { return difference_text(it.difference); })
      .right("bounds", [](auto& it) { return interval_text(it.low, it.high); })
      .right("margin", [](auto& it) { return fmt::format("{}", it.margin); })
      .right("p worse", [](auto& it) { return p_value_text(it.p_non_inferior); })
      .right("p differs", [](auto& it) { return p_value_text(it.p_different); })
      .right("wins/ties/losses",
             [](auto& it) { return fmt::format("{}/{}/{}", it.wins, it.ties, it.losses); });
  return {
      columns.table(fmt::format("Measures, {} minus {}", after, before), report.verdict.measures)};
}

std::vector<ReportTable> latency_tables(const GateReport& report) {
  const GateVerdict::Latency& latency = report.verdict.latency;
  if (!latency.baseline_p95_ms && !latency.tonight_p95_ms) return {};
  const auto [before, after] = gate_names(report);
  const auto text = [](const std::optional<double>& ratio) { return fixed_text(ratio, 3); };
  const std::string interval = latency.low || latency.high
                                   ? fmt::format("[{}, {}]", text(latency.low), text(latency.high))
                                   : "-";
  return {{.title = "Latency of the topics' queries, 95 % quantile",
           .columns = {{before + " ms"}, {after + " ms"}, {"ratio"}, {"interval"}, {"at most"}},
           .rows = {{milliseconds_text(latency.baseline_p95_ms),
                     milliseconds_text(latency.tonight_p95_ms), text(latency.ratio), interval,
                     text(report.verdict.applied.latency.p95_ratio)}}}};
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
  const auto cutoff = verdict.moving ? verdict.moving->cutoff() : std::nullopt;
  ColumnsOf<GateVerdict::Citation> columns;
  columns.left("citation", [](auto& it) { return one_line(it.docno.text()); })
      .left("what", moved_words)
      .right("rank before", [=](auto& it) { return rank_text(it.rank_a, cutoff); })
      .left("", [](auto&) { return "→"; })
      .left("rank tonight", [=](auto& it) { return rank_text(it.rank_b, cutoff); })
      .right("share", [](auto& it) { return change_cell(it.share); })
      .left("", [](auto& it) {
        return Cell{it.must_find ? "must find" : "", Style::kStrong};
      });
  return moved_table(gate_topic_title(topic), columns, topic.citations, {.most = most, .share = 5});
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
  return ended(std::move(out));
}

namespace {

/// The rules that people must hear of; the others in one line.
std::string rules_markdown(const GateVerdict& verdict) {
  const Rules rules = rules_of(verdict, true);
  const std::size_t all = verdict.rules.size();
  if (rules.empty()) return fmt::format("All {} rules hold or were skipped.\n\n", all);
  ColumnsOf<GateVerdict::Rule> columns;
  columns.left("rule", [](auto& rule) { return one_line(rule.id); })
      .left("verdict", [](auto& rule) { return status_cell(rule.status); })
      .left("why", [](auto& rule) { return one_line(rule.reason); });
  return markdown_table(columns.table(fmt::format("Rules to look at, of {}", all), rules), "###");
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
  return ended(std::move(out));
}

std::string pin_table(const std::vector<Pin>& pins, TableOptions::Color color) {
  if (pins.empty()) return "No baseline has been pinned.\n";
  std::map<std::string, const Pin*> newest;
  for (const Pin& pin : pins) newest[pin.name] = &pin;
  ColumnsOf<Pin> columns;
  columns.left("time (UTC)", [](auto& pin) { return utc_minute_text(pin.time); })
      .left("name",
            [&](auto& pin) {
              return newest[pin.name] == &pin ? Cell{one_line(pin.name) + " *", Style::kStrong}
                                              : Cell{one_line(pin.name)};
            })
      .right("evaluation", [](auto& pin) { return std::to_string(pin.evaluation); })
      .right("replaced",
             [](auto& pin) { return pin.replaced ? std::to_string(*pin.replaced) : "-"; })
      .right("must find", [](auto& pin) { return grouped_text(pin.must_find.size()); })
      .left("by", [](auto& pin) { return one_line(pin.by); })
      .left("why", [](auto& pin) { return one_line(pin.why); });
  return table_text(columns.table("Baselines, oldest first; * stands now", pins), color);
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
