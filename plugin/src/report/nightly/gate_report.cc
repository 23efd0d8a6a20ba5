#include "report/nightly/gate_report.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/utc_time.h"
#include "report/text/clean_text.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// "evaluation 13" if it was stored.
std::string tonights_name(const GateReport& report) {
  if (report.compares_nights) return gate_names(report).after;
  return report.evaluation ? fmt::format("evaluation {}", *report.evaluation)
                           : std::string("tonight's evaluation");
}

std::string evaluation_words(const EvaluationRecord& record) {
  std::string words = fmt::format("{}, {}", record.arm, record.source);
  if (!record.index.place.empty()) words += fmt::format(" on {}", record.index.place);
  return fmt::format("{}, {} UTC, depth {}", words, utc_minute_text(record.time), record.depth);
}

std::string qrels_words(const EvaluationRecord& record) {
  return fmt::format("{}, {}, docno policy {}, relevant from grade {}",
                     count_text(record.qrels.topics, "topic"),
                     count_text(record.qrels.relevant, "relevant document"),
                     to_string(record.qrels.docno), record.qrels.min_grade);
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
  return report.evaluation ? fmt::format("{}, evaluation {}", report.store, *report.evaluation)
                           : fmt::format("{}, nothing stored", report.store);
}

}  // namespace

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
  switch (report.verdict.outcome) {
    case GateOutcome::kPass:
      return report.verdict.identical
                 ? fmt::format("{} found the same documents at the same ranks as {}", tonight,
                               baseline)
                 : fmt::format("{} holds against {}", tonight, baseline);
    case GateOutcome::kRegression:
      return report.compares_nights
                 ? fmt::format("{} is worse than {} by more than the default rules accept", tonight,
                               baseline)
                 : fmt::format("{} is worse than {} allows", tonight, baseline);
    case GateOutcome::kInconclusive:
      return fmt::format("{} is not shown to hold against {}, nor to be worse", tonight, baseline);
    case GateOutcome::kBadInput:
      return fmt::format("{} cannot be compared with {}; nothing is said about the ranking",
                         tonight, baseline);
  }
  return {};
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
  for (auto& [label, words] : lines) words = one_line(words);
  return lines;
}

std::vector<std::string> about_gate_measures(const GateReport& report) {
  if (report.verdict.measures.empty()) return {};
  const auto [before, after] = gate_names(report);
  return {
      fmt::format("Differences are {} minus {} over the topics with a value in both. "
                  "bounds: the true mean difference is above the lower and below the upper one, "
                  "each at {:.6g} %.",
                  after, before, report.verdict.applied.confidence * 100.0),
      "margin: the largest mean loss that is accepted; p worse: of a loss as large or larger, "
      "small where it is ruled out; p differs: paired t, two-sided."};
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
  if (!topic.fails.empty()) title += fmt::format("  fails {}", fmt::join(topic.fails, ", "));
  return one_line(title);
}

}  // namespace prescope
