#include "report/nightly/gate_report.h"

#include "base/utc_time.h"
#include "report/nightly/history_report.h"
#include "report/text/moved_citations.h"
#include "report/text/visible_text.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// "night 13" if it was stored.
std::string tonights_name(const GateReport& report) {
  if (report.compares_nights) return gate_names(report).after;
  return report.evaluation ? fmt::format("night {}", *report.evaluation) : "tonight";
}

std::string evaluation_words(const EvaluationRecord& record) {
  std::string words = fmt::format("{}, {}", record.arm, record.source);
  if (!record.index.path.empty()) words += fmt::format(" on {}", record.index.path);
  return fmt::format("{}, {} UTC, depth {}", words, utc_minute_text(record.time), record.depth);
}

std::string qrels_words(const EvaluationRecord& record) {
  std::string words = fmt::format("{}, {}, docno policy {}, relevant from grade {}",
                                  count_text(record.qrels.topics, "topic"),
                                  count_text(record.qrels.relevant, "relevant document"),
                                  to_string(record.qrels.docno), record.qrels.min_grade);
  for (const Condition& condition : record.conditions) {
    if (condition.name == kRuleCondition) words += fmt::format(", rule {}", condition.value);
  }
  return words;
}

std::string index_words(const EvaluationRecord& record) {
  std::vector<std::string> parts;
  if (!record.index.engine.empty()) {
    parts.push_back(fmt::format("{} {}", record.index.engine, record.index.engine_version));
  }
  if (record.index.documents) parts.push_back(count_text(*record.index.documents, "document"));
  if (record.index.judged_found) {
    parts.push_back(fmt::format("{} of {} relevant judgements found in it",
                                grouped_text(*record.index.judged_found),
                                grouped_text(record.qrels.relevant)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_indexes(LabelledLines& lines, const GateReport& report) {
  const std::string before = index_words(report.verdict.baseline.evaluation);
  const std::string now = index_words(report.verdict.tonight);
  if (before.empty() && now.empty()) return;
  const auto [first, second] = report.compares_nights
                                   ? gate_names(report)
                                   : GateNames{.before = "before", .after = "tonight"};
  lines.push_back({"index " + first, before.empty() ? "unknown" : before});
  lines.push_back({"index " + second, now.empty() ? "unknown" : now});
}

std::string store_words(const GateReport& report) {
  return report.evaluation ? fmt::format("{}, night {}", report.store, *report.evaluation)
         : report.not_stored.empty()
             ? fmt::format("{}, nothing stored", report.store)
             : fmt::format("{}, nothing stored: {}", report.store, report.not_stored);
}

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
  ReportTable table =
      table_of(fmt::format("Measures, {} minus {}", after, before), {"measure", "verdict"},
               {std::string(units_word(report.verdict.measures.front().by_family)), before, after,
                "difference", "bounds", "margin", "p worse", "p differs", "wins/ties/losses"});
  for (const GateVerdict::MeasureResult& it : report.verdict.measures) {
    table.rows.push_back({it.measure.name(), status_cell(it.status), grouped_text(it.topics),
                          score_text(it.baseline), score_text(it.tonight),
                          difference_text(it.difference), interval_text(it.low, it.high),
                          fmt::format("{}", it.margin), p_value_text(it.p_non_inferior),
                          p_value_text(it.p_different), outcomes_text(it)});
  }
  return {table};
}

/// A table for each dimension, of the slices that are large enough to be shown.
std::vector<ReportTable> gate_slice_tables(const GateReport& report) {
  const auto [before, after] = gate_names(report);
  std::vector<ReportTable> tables;
  std::string_view dimension;
  for (const GateVerdict::SliceResult& slice : report.verdict.slices) {
    if (slice.topics < kUnitsShown) continue;
    if (tables.empty() || dimension != slice.dimension) {
      dimension = slice.dimension;
      tables.push_back({.title = fmt::format("{} by {}, {} minus {}", slice.measure.name(),
                                             dimension, after, before)});
    }
    tables.back()
        .add_row()
        .left(slice.dimension, slice.name)
        .left("verdict", {std::string(gate_slice_words(slice)),
                          slice.may_speak ? style_of(slice.status) : Style::kFaint})
        .right(std::string(units_word(slice.by_family)), grouped_text(slice.topics))
        .right(before, score_text(slice.baseline))
        .right(after, score_text(slice.tonight))
        .right("difference", difference_text(slice.difference))
        .right("bounds", interval_text(slice.low, slice.high))
        .right("p beyond", p_value_text(slice.p_beyond))
        .right("p worse", p_value_text(slice.p_worse))
        .right("wins/ties/losses", outcomes_text(slice));
  }
  return tables;
}

std::vector<ReportTable> latency_tables(const GateReport& report) {
  const GateVerdict::Latency& latency = report.verdict.latency;
  if (!latency.baseline_p95_ms && !latency.tonight_p95_ms) return {};
  const auto [before, after] = gate_names(report);
  const auto text = [](const std::optional<double>& ratio) { return fixed_text(ratio, 3); };
  ReportTable table{.title = "Latency of the topics' queries"};
  table.add_row()
      .right(before + " p95 ms", milliseconds_text(latency.baseline_p95_ms))
      .right(after + " p95 ms", milliseconds_text(latency.tonight_p95_ms))
      .right("their ratio", text(ratio_of_p95(latency)));
  if (latency.ratio) {
    const std::string interval =
        latency.ratio_low || latency.ratio_high
            ? fmt::format("[{}, {}]", text(latency.ratio_low), text(latency.ratio_high))
            : "-";
    table.left("judged by", latency_basis(latency))
        .right("ratio", text(latency.ratio))
        .right("interval", interval);
  }
  table.right("at most", text(report.verdict.applied.latency.ratio));
  return {table};
}

/// Returns a table of the rules that need attention, or of the `quiet` ones, which hold or were
/// skipped; no table without rules.
std::vector<ReportTable> rules_tables(const GateVerdict& verdict, bool quiet) {
  const std::string title =
      quiet ? "" : fmt::format("Rules to look at, of {}", verdict.rules.size());
  ReportTable table = table_of(title, {"rule", "verdict", "why"});
  for (const GateVerdict::Rule& rule : verdict.rules) {
    const bool is_quiet = rule.status == Status::kPass || rule.status == Status::kSkipped;
    if (is_quiet != quiet) continue;
    table.rows.push_back({rule.id, status_cell(rule.status),
                          Cell(rule.reason, quiet ? Style::kFaint : Style::kPlain)});
  }
  if (table.rows.empty()) return {};
  return {table};
}

std::vector<ReportTable> topic_tables(const GateVerdict& verdict, std::size_t topics) {
  return list_of(verdict.topics | std::views::take(topics), [&](const auto& topic) {
    return gate_topic_table(verdict, topic, kCitationsShown);
  });
}

std::string topics_title(const GateReport& report, std::size_t shown) {
  return fmt::format("{} of {} that changed: {}", count_text(shown, "topic"),
                     report.verdict.topics.size(), gate_topics_words(report));
}

}  // namespace

int exit_code(const GateReport& report) noexcept {
  const int code = exit_code(report.verdict.outcome);
  const bool has_failed = !report.not_stored.empty() || !report.not_written.empty();
  return code == 0 && has_failed ? exit_code(GateOutcome::kBadInput) : code;
}

std::string_view status_words(Status status) noexcept {
  return word_of(status, {"holds", "skipped", "warning", "not shown", "FAILS", "BAD INPUT"});
}

GateNames gate_names(const GateReport& report) {
  if (!report.compares_nights) return {.before = "baseline", .after = "tonight"};
  return {.before = report.verdict.baseline.name,
          .after = fmt::format("night {}", report.evaluation.value_or(0))};
}

std::string rules_tally(const GateVerdict& verdict) {
  std::vector<std::string> parts;
  for (const Status status : {Status::kBadInput, Status::kFail, Status::kInconclusive,
                              Status::kWarning, Status::kPass, Status::kSkipped}) {
    const auto rules = std::ranges::count(verdict.rules, status, &GateVerdict::Rule::status);
    if (rules == 0) continue;
    parts.push_back(fmt::format(
        "{} {}", rules,
        word_of(status, {"held", "skipped", "warned", "not shown", "failed", "bad input"})));
  }
  return fmt::format("{}: {}", count_text(verdict.rules.size(), "rule"), fmt::join(parts, ", "));
}

std::string outcome_words(const GateReport& report) {
  const std::string tonight = tonights_name(report);
  const std::string& name = report.verdict.baseline.name;
  const std::string baseline = report.compares_nights ? name : fmt::format("baseline '{}'", name);
  const std::string_view words =
      word_of(report.verdict.outcome,
              {report.verdict.identical ? "{} found the same documents at the same ranks as {}"
                                        : "{} holds against {}",
               report.compares_nights ? "{} is worse than {} by more than the default rules accept"
                                      : "{} is worse than {} allows",
               "{} is not shown to hold against {}, nor to be worse",
               "{} cannot be compared with {}; nothing is said about the ranking"});
  return fmt::format(fmt::runtime(words), tonight, baseline);
}

std::string gate_title(const GateReport& report) {
  return fmt::format("{}: {}", to_string(report.verdict.outcome), report.verdict.baseline.name);
}

std::string gate_headline(const GateReport& report) {
  return one_line(fmt::format("{}: {} ({})", to_string(report.verdict.outcome),
                              outcome_words(report), rules_tally(report.verdict)));
}

LabelledLines gate_subject(const GateReport& report) {
  const Baseline& baseline = report.verdict.baseline;
  const std::string before = evaluation_words(baseline.evaluation);
  const std::string now = evaluation_words(report.verdict.tonight);
  const GateNames names = gate_names(report);
  LabelledLines lines;
  if (report.compares_nights) {
    lines = {{names.before, before}, {names.after, now}};
  } else {
    lines = {{names.before, fmt::format("{}: {}", baseline.name, before)},
             {"pinned", fmt::format("{} UTC by {}: {}", utc_minute_text(baseline.pinned),
                                    baseline.pinned_by, baseline.why)},
             {names.after, now}};
  }
  lines.push_back({"qrels", qrels_words(report.verdict.tonight)});
  if (!baseline.must_find.empty()) {
    lines.push_back({"must find", count_text(baseline.must_find.size(), "pinned citation")});
  }
  add_indexes(lines, report);
  if (!report.compares_nights) lines.push_back({"store", store_words(report)});
  for (LabelledLine& line : lines) line.words = one_line(line.words);
  return lines;
}

std::vector<std::string> about_gate_measures(const GateReport& report) {
  if (report.verdict.measures.empty()) return {};
  const auto [before, after] = gate_names(report);
  return {
      fmt::format("Differences are {} minus {} over the topics that the earlier evaluation "
                  "served and that have a value in both. bounds: the true mean difference is above "
                  "the lower and below the upper one, each at {:.6g} %.",
                  after, before, report.verdict.applied.confidence * 100.0),
      "margin: the largest mean loss that is accepted; p worse: of a loss as large or larger, "
      "small if it is ruled out; p differs: paired t, two-sided."};
}

std::string_view gate_slice_words(const GateVerdict::SliceResult& slice) noexcept {
  if (slice.may_speak) return status_words(slice.status);
  return slice.topics < kUnitsThatSpeak ? "too few" : "too few differ";
}

std::vector<std::string> about_gate_slices(const GateReport& report) {
  const GateVerdict& verdict = report.verdict;
  if (verdict.slices.empty()) return {};
  const auto tally = std::ranges::find(verdict.rules, kSlicesRule, &GateVerdict::Rule::id);
  std::vector<std::string> sentences;
  if (tally != verdict.rules.end()) sentences.push_back(tally->reason);
  sentences.push_back(fmt::format(
      "bounds: of the slice alone, each at {:.6g} %. p beyond: of a loss of no more than the "
      "margin, {}, small if it is larger; p worse: of no loss, small if there is one; both of a "
      "one-sided t test, corrected by Holm over the slices that have a rule.",
      verdict.applied.confidence * 100.0, verdict.slices.front().margin));
  sentences.push_back(
      "A verdict also needs bets on the differences that won tenfold, so that rare large gains do "
      "not turn it.");
  return sentences;
}

std::optional<double> ratio_of_p95(const GateVerdict::Latency& latency) noexcept {
  const auto &before = latency.baseline_p95_ms, &after = latency.tonight_p95_ms;
  return before && after && *before > 0.0 ? std::optional(*after / *before) : std::nullopt;
}

std::string latency_basis(const GateVerdict::Latency& latency) {
  if (latency.pairs > 0) {
    return count_text(latency.pairs, "query", "queries") + " searched in turn";
  }
  return latency.nights > 0 ? "p95 over the mean of " + count_text(latency.nights, "night") : "";
}

std::vector<std::string> failure_words(const GateVerdict::Topic& topic) {
  static const std::map<std::string_view, std::string_view> kWords = {
      {"catastrophe.must_find", "lost a citation that must be found"},
      {"catastrophe.emptied", "finds nothing any more"},
      {"catastrophe.hard_loss", "lost a citation from the first ranks"},
      {"catastrophe.fall", "fell far"}};
  return list_of(topic.fails, [](const std::string& rule) {
    const auto known = kWords.find(rule);
    return known == kWords.end() ? rule : std::string(known->second);
  });
}

std::string gate_topics_words(const GateReport& report) {
  const std::string name = report.verdict.moving ? report.verdict.moving->name() : "found";
  const auto [before, after] = gate_names(report);
  return fmt::format("{}, {} → {}, and each citation's share", name, before, after);
}

std::string gate_topic_title(const GateVerdict::Topic& topic) {
  std::string title = fmt::format("{}  {} → {}  {}  {}", topic.topic.text(), score_text(topic.a),
                                  score_text(topic.b), difference_text(topic.difference),
                                  count_text(topic.num_rel, "relevant document"));
  if (!topic.fails.empty()) title += fmt::format("  {}", fmt::join(failure_words(topic), ", "));
  return one_line(title);
}

ReportTable gate_topic_table(const GateVerdict& verdict, const GateVerdict::Topic& topic,
                             std::size_t most) {
  const auto cutoff = verdict.moving ? verdict.moving->cutoff() : std::nullopt;
  ReportTable table = table_of(gate_topic_title(topic), {"citation", "what"}, {"rank before"},
                               {"", "rank tonight"});
  table.columns.insert(table.columns.end(), {{"share"}, {"", Align::kLeft}});
  for (const GateVerdict::Citation& it : topic.citations | std::views::take(most)) {
    table.rows.push_back({it.docno.text(), moved_words(it), rank_text(it.rank_a, cutoff), "→",
                          rank_text(it.rank_b, cutoff), change_cell(it.share),
                          Cell(it.must_find ? "must find" : "", Style::kStrong)});
  }
  add_other_shares(table, topic.citations, 5);
  return table;
}

ReportDocument gate_document(const GateReport& report, std::size_t topics_shown) {
  using Section = ReportSection;
  const GateVerdict& verdict = report.verdict;
  Section telling{.tables = rules_tables(verdict, false), .layout = Section::Layout::kEntries};
  if (telling.tables.empty()) {
    telling.words = {fmt::format("All {} rules hold or were skipped.", verdict.rules.size())};
    telling.formats = Section::Formats::kMarkdown;
  }
  // Folded, because readers of a merge request look for the verdict first.
  Section topics{.tables = topic_tables(verdict, topics_shown), .layout = Section::Layout::kFolded};
  topics.heading = topics_title(report, topics.tables.size());
  return {.headline = {gate_headline(report), style_of(verdict.outcome)},
          .sections = {std::move(telling),
                       {.facts = gate_subject(report)},
                       {.tables = measure_tables(report), .about = about_gate_measures(report)},
                       {.tables = gate_slice_tables(report), .about = about_gate_slices(report)},
                       {.tables = latency_tables(report)},
                       std::move(topics),
                       {.heading = "Rules that hold, or were skipped",
                        .tables = rules_tables(verdict, true),
                        .layout = Section::Layout::kEntries,
                        .formats = Section::Formats::kText}},
          .markdown_level = 2};
}

ReportDocument refusal_document(const GateRefusal& refusal) {
  return {.headline = "NOT JUDGED: " + attempt_words(refusal.attempt), .markdown_level = 2};
}

std::string refusal_html(const GateRefusal& refusal) {
  const std::string title = escaped_markup("NOT JUDGED: " + refusal.attempt.baseline);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title></head>\n"
      "<body><h1>{0}</h1><p>{1}</p></body></html>\n",
      title, escaped_markup(attempt_words(refusal.attempt)));
}

std::string pin_table(const std::vector<Pin>& pins, const TextLook& look) {
  if (pins.empty()) return "No baseline has been pinned.\n";
  std::map<std::string, const Pin*> newest;
  for (const Pin& pin : pins) newest[pin.name] = &pin;
  ReportTable table = table_of("Baselines, oldest first; * stands now", {"time (UTC)", "name"},
                               {"night", "replaced", "must find"}, {"by", "why"});
  for (const Pin& pin : pins) {
    const Cell name = newest[pin.name] == &pin ? Cell(pin.name + " *", Style::kStrong) : pin.name;
    table.rows.push_back({utc_minute_text(pin.time), name, std::to_string(pin.evaluation),
                          pin.replaced ? std::to_string(*pin.replaced) : "-",
                          grouped_text(pin.must_find.size()), pin.by, pin.why});
  }
  return table_text(table, look);
}

std::string pin_look(const EvaluationRecord& record, const std::vector<GateVerdict::Rule>& checks,
                     const TextLook& look) {
  LabelledLines lines = {{"night", evaluation_words(record)}, {"qrels", qrels_words(record)}};
  if (const std::string index = index_words(record); !index.empty()) {
    lines.push_back({"index", index});
  }
  const auto mean_words = [&](const Measure& measure) {
    return fmt::format("{} {}", measure.name(), score_text(mean_of(record, measure).mean));
  };
  const auto means = record.measures | std::views::transform(mean_words);
  lines.push_back({"means", fmt::format("{}", fmt::join(means, ", "))});
  for (const GateVerdict::Rule& check : checks) {
    if (check.status == Status::kSkipped) continue;
    const bool holds = check.status == Status::kPass;
    lines.push_back(
        {check.id.substr(check.id.find('.') + 1),
         holds ? check.reason : fmt::format("{}: {}", status_words(check.status), check.reason)});
  }
  return labelled_text(lines, look);
}

std::string pin_sentence(const Pin& pin) {
  std::string text = fmt::format("{}: night {} pinned by {}", pin.name, pin.evaluation, pin.by);
  if (!pin.must_find.empty()) {
    text += fmt::format(", with {}", count_text(pin.must_find.size(), "citation that must be found",
                                                "citations that must be found"));
  }
  if (pin.replaced) text += fmt::format("; it replaces night {}", *pin.replaced);
  if (pin.must_find.empty() && pin.replaced_must_find > 0) {
    text += fmt::format(", whose {} that had to be found may be lost now; repeat --must-find",
                        count_text(pin.replaced_must_find, "citation"));
  }
  return one_line(text) + '\n';
}

}  // namespace prescope
