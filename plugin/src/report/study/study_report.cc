#include "report/study/study_report.h"

namespace prescope {

namespace {

/// Describes the order of the rankings and their depth.
std::string order_words(const EvaluationReport& evaluation) {
  std::string words = evaluation.options.ranks.order == RunOrder::kFile
                          ? "order of the lines"
                          : "score, then docno, both descending";
  if (evaluation.options.ranks.depth != RankOptions{}.depth) {
    words += fmt::format(", first {} only", grouped_text(evaluation.options.ranks.depth));
  }
  if (evaluation.options.ranks.judged_only) words += ", unjudged documents removed";
  return words;
}

std::string topic_words(const EvaluationReport& evaluation) {
  const std::size_t topics = evaluation.qrels->topics().size();
  const std::size_t without = evaluation.qrels_oddities.without_relevant.size();
  return fmt::format("{}, {} with relevant documents", count_text(topics, "topic"),
                     grouped_text(topics - without));
}

}  // namespace

ReportDocument study_report(std::string_view name, std::string_view title) {
  return {.title = std::string(title), .result = {{"study", name}}};
}

ReportDocument study_report(std::string_view name, std::string_view title,
                            const EvaluationReport& evaluation) {
  ReportDocument report = study_report(name, title);
  report.subject = {{"qrels", qrels_words(evaluation)},
                    {"runs", grouped_text(evaluation.runs.size())},
                    {"ranks by", order_words(evaluation)},
                    {"topics", topic_words(evaluation)}};
  report.notes = evaluation_notes(evaluation);
  report.result["evaluation"] = Json::parse(evaluation_json(evaluation));
  return report;
}

RunNames names_of(const EvaluationReport& evaluation) {
  return list_of(evaluation.runs, &EvaluatedRun::name);
}

std::string share_text(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "-";
  return fmt::format("{} ({:.1f} %)", grouped_text(count),
                     100.0 * static_cast<double>(count) / static_cast<double>(of));
}

}  // namespace prescope
