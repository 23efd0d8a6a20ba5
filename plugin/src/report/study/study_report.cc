#include "report/study/study_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.h"

namespace prescope {
namespace {

/// What the rankings are ordered by, and where they end.
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

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

StudyReport study_report(std::string_view name, std::string_view title,
                         const EvaluationReport& evaluation) {
  StudyReport report{
      .name = std::string(name), .title = std::string(title), .version = evaluation.program};
  report.subject = {
      {"qrels",
       fmt::format("{}, docno policy {}, relevant from grade {}", evaluation.qrels_path,
                   to_string(evaluation.qrels->docnos().policy()), evaluation.qrels->min_grade())},
      {"runs", grouped_text(evaluation.runs.size())},
      {"ranks by", order_words(evaluation)},
      {"topics", topic_words(evaluation)}};
  report.notes = evaluation_notes(evaluation);
  std::string text;
  write_json(evaluation, [&](std::string_view piece) { text += piece; });
  report.result["evaluation"] = Json::parse(text);
  return report;
}

std::string figure_name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name, [](char c) { return !is_of_a_name(c); }, '-');
  return name;
}

std::string exact_text(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : std::string();
}

}  // namespace prescope
