#include "report/nightly/gate_report.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/utc_time.h"
#include "report/text/clean_text.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;
using SubjectLines = std::vector<std::pair<std::string, std::string>>;

std::uint64_t rules_with(const GateVerdict& verdict, Status status) {
  return static_cast<std::uint64_t>(
      std::ranges::count(verdict.rules, status, &GateVerdict::Rule::status));
}

/// Of some rules: "3 failed".
std::string_view tally_words(Status status) {
  switch (status) {
    case Status::kPass:
      return "held";
    case Status::kSkipped:
      return "skipped";
    case Status::kWarning:
      return "warned";
    case Status::kInconclusive:
      return "not shown";
    case Status::kFail:
      return "failed";
    case Status::kBadInput:
      return "bad input";
  }
  return "";
}

std::string tally(const GateVerdict& verdict) {
  std::vector<std::string> parts;
  for (const Status status : {Status::kBadInput, Status::kFail, Status::kInconclusive,
                              Status::kWarning, Status::kPass, Status::kSkipped}) {
    const std::uint64_t rules = rules_with(verdict, status);
    if (rules > 0) parts.push_back(fmt::format("{} {}", rules, tally_words(status)));
  }
  return fmt::format("{}: {}", count_text(verdict.rules.size(), "rule"), fmt::join(parts, ", "));
}

/// "evaluation 13" where it was stored.
std::string tonights_name(const GateReport& report) {
  return report.evaluation ? fmt::format("evaluation {}", *report.evaluation)
                           : std::string("tonight's evaluation");
}

std::string outcome_words(const GateReport& report) {
  const std::string tonight = tonights_name(report);
  const std::string baseline = fmt::format("baseline '{}'", report.verdict.baseline.name);
  switch (report.verdict.outcome) {
    case GateOutcome::kPass:
      if (report.verdict.identical) {
        return fmt::format("{} found the same documents at the same ranks as {}", tonight,
                           baseline);
      }
      return fmt::format("{} holds against {}", tonight, baseline);
    case GateOutcome::kRegression:
      return fmt::format("{} is worse than {} allows", tonight, baseline);
    case GateOutcome::kInconclusive:
      return fmt::format("{} is not shown to hold against {}, nor to be worse", tonight, baseline);
    case GateOutcome::kBadInput:
      return fmt::format("{} cannot be compared with {}; nothing is said about the ranking",
                         tonight, baseline);
  }
  return {};
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

/// Nothing where nothing is known of it.
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

void add_indexes(SubjectLines& lines, const GateVerdict& verdict) {
  const std::string before = index_words(verdict.baseline.evaluation);
  const std::string now = index_words(verdict.tonight);
  if (before.empty() && now.empty()) return;
  lines.emplace_back("index before", before.empty() ? "unknown" : before);
  lines.emplace_back("index tonight", now.empty() ? "unknown" : now);
}

}  // namespace

std::string_view status_words(Status status) noexcept {
  switch (status) {
    case Status::kPass:
      return "holds";
    case Status::kSkipped:
      return "skipped";
    case Status::kWarning:
      return "warning";
    case Status::kInconclusive:
      return "not shown";
    case Status::kFail:
      return "FAILS";
    case Status::kBadInput:
      return "BAD INPUT";
  }
  return "";
}

bool is_worth_telling(Status status) noexcept {
  return status != Status::kPass && status != Status::kSkipped;
}

std::string gate_title(const GateReport& report) {
  return fmt::format("{}: {}", to_string(report.verdict.outcome), report.verdict.baseline.name);
}

std::string gate_headline(const GateReport& report) {
  return one_line(fmt::format("{}: {} ({})", to_string(report.verdict.outcome),
                              outcome_words(report), tally(report.verdict)));
}

SubjectLines gate_subject(const GateReport& report) {
  const GateVerdict& verdict = report.verdict;
  const Baseline& baseline = verdict.baseline;
  SubjectLines lines = {
      {"baseline", fmt::format("{}: {}", baseline.name, evaluation_words(baseline.evaluation))},
      {"pinned", fmt::format("{} UTC by {}: {}", utc_minute_text(baseline.pinned),
                             baseline.pinned_by, baseline.why)},
      {"tonight", evaluation_words(verdict.tonight)},
      {"qrels", qrels_words(verdict.tonight)}};
  if (!baseline.must_find.empty()) {
    lines.emplace_back("must find", count_text(baseline.must_find.size(), "pinned citation"));
  }
  add_indexes(lines, verdict);
  lines.emplace_back("store", report.evaluation ? fmt::format("{}, evaluation {}", report.store,
                                                              *report.evaluation)
                                                : fmt::format("{}, nothing stored", report.store));
  for (auto& [label, words] : lines) words = one_line(words);
  return lines;
}

std::vector<std::string> about_gate_measures(const GateVerdict& verdict) {
  if (verdict.measures.empty()) return {};
  return {
      fmt::format("Differences are tonight minus baseline over the topics with a value in both. "
                  "bounds: the true mean difference is above the lower and below the upper one, "
                  "each at {:.6g} %.",
                  verdict.applied.confidence * 100.0),
      "margin: the largest mean loss that is accepted; p worse: of a loss as large or larger, "
      "small where it is ruled out; p differs: paired t, two-sided."};
}

std::string gate_topics_title(const GateVerdict& verdict, std::size_t shown) {
  const std::string name = verdict.moving ? verdict.moving->name() : std::string("found");
  return fmt::format("{} of {} that changed: {}, baseline → tonight, and each citation's share",
                     count_text(shown, "topic"), verdict.topics.size(), name);
}

std::string gate_topic_title(const GateVerdict::Topic& topic) {
  std::string title =
      fmt::format("{}  {} → {}  {}  {}", topic.id.text(), score_text(topic.baseline),
                  score_text(topic.tonight), difference_text(topic.tonight - topic.baseline),
                  count_text(topic.num_rel, "relevant document"));
  if (!topic.fails.empty()) title += fmt::format("  fails {}", fmt::join(topic.fails, ", "));
  return one_line(title);
}

std::string_view citation_words(const GateVerdict::Citation& citation) noexcept {
  if (!citation.baseline) return citation.tonight ? "gained" : "not found";
  if (!citation.tonight) return "lost";
  if (*citation.tonight == *citation.baseline) return "same rank";
  return *citation.tonight < *citation.baseline ? "up" : "down";
}

}  // namespace prescope
