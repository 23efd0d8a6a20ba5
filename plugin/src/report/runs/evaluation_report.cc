#include "report/runs/evaluation_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "report/text/tables.h"

namespace prescope {

std::span<const std::pair<std::string_view, std::string_view>> mean_names() noexcept {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{{
      {"AP", "MAP"},
      {"R", "Recall"},
      {"RR", "MRR"},
  }};
  return kNames;
}

std::string mean_name(const Measure& measure) {
  const std::string name = measure.name();
  for (const auto& [own, of_mean] : mean_names()) {
    if (measure.definition().name == own) return std::string(of_mean) + name.substr(own.size());
  }
  return name;
}

std::size_t end_of_block(std::span<const Measure> measures, std::size_t first, std::size_t names,
                         std::size_t mark) {
  constexpr std::size_t kGap = 2, kScore = 6;  // 0.1234
  std::size_t width = names + kGap + text_width("topics");
  std::size_t last = first;
  while (last < measures.size()) {
    width += kGap + mark + std::max(kScore, text_width(mean_name(measures[last])));
    if (width > kTableWidth && last > first) break;
    ++last;
  }
  return last;
}

bool is_best(const EvaluationReport& report, std::size_t run, std::size_t measure) {
  const std::optional<double> mean = report.runs[run].evaluation.means[measure];
  if (!mean || report.runs.size() == 1) return false;
  for (const EvaluatedRun& other : report.runs) {
    if (other.evaluation.means[measure].value_or(*mean) > *mean) return false;
  }
  return true;
}

std::vector<std::pair<std::string, std::uint64_t>> counts_of(const EvaluationReport& report,
                                                             const EvaluatedRun& run) {
  const RunOddities& found = run.oddities;
  std::vector<std::pair<std::string, std::uint64_t>> counts = {
      {"num_q", found.topics},
      {"num_ret", found.num_ret},
      {"num_rel", found.num_rel},
      {"num_rel_ret", found.num_rel_ret},
      {"lines", run.facts->lines},
      {"topics_without_relevant", found.topics_without_relevant},
      {"topics_missing", found.missing.size()},
      {"topics_unjudged", run.facts->unjudged_topics},
      {"topics_order_differs", run.order.topics},
      {"duplicates", found.duplicates},
      {"topics_with_duplicates", found.topics_with_duplicates},
      {"judgements", report.qrels_oddities.judgements},
      {"judgements_repeated", report.qrels_oddities.repeated},
      {"judgements_merged", report.qrels_oddities.merged}};
  for (const RunOddities::AtCutoff& at : found.at_cutoffs) {
    counts.emplace_back(fmt::format("num_ret@{}", at.cutoff), at.num_ret);
    counts.emplace_back(fmt::format("unjudged@{}", at.cutoff), at.unjudged);
    counts.emplace_back(fmt::format("tied@{}", at.cutoff), at.tied);
  }
  if (run.docno_hint) {
    counts.emplace_back("docnos_judged", run.docno_hint->judged);
    counts.emplace_back("docnos_matched", run.docno_hint->matched);
    counts.emplace_back(fmt::format("docnos_matched_{}", to_string(run.docno_hint->policy)),
                        run.docno_hint->would_match);
  }
  return counts;
}

// Formats for programs, a line for each value (TSV) or each topic (CSV), with all digits.

namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// Counts and scores of a run for one topic, or for all.
struct EvaluationRow {
  const std::string& run;
  std::string topic;
  Counts counts;
  std::span<const std::optional<double>> scores;
};

/// Calls `use` for each topic of each run, if they are asked for, and for all topics of the run.
template <class Use>
void for_each_row(const EvaluationReport& report, const Use& use) {
  for (const EvaluatedRun& run : report.runs) {
    const Evaluation& evaluation = run.evaluation;
    const std::size_t width = report.measures.size();
    const bool has_topics = report.detail == EvaluationReport::Detail::kTopics;
    for (std::size_t t = 0; has_topics && t < evaluation.topics.size(); ++t) {
      const Evaluation::Topic& topic = evaluation.topics[t];
      const TopicQrels& judged = report.qrels->topic(topic.topic);
      use(EvaluationRow{run.name,
                        judged.id().text(),
                        {{"num_ret", topic.num_ret},
                         {"num_rel", judged.num_rel()},
                         {"num_rel_ret", topic.num_rel_ret},
                         {"duplicates", topic.facts == nullptr ? 0U : topic.facts->duplicates}},
                        std::span(evaluation.scores).subspan(t * width, width)});
    }
    use(EvaluationRow{run.name, "all", counts_of(report, run), evaluation.means});
  }
}

/// Names of all runs' counts, as the first run that has them orders them.
std::vector<std::string> count_columns(const EvaluationReport& report) {
  std::vector<std::string> columns;
  for (const EvaluatedRun& run : report.runs) {
    for (const auto& [name, count] : counts_of(report, run)) {
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  return columns;
}

}  // namespace

void write_tsv(const EvaluationReport& report, const TextSink& sink) {
  TextPieces out(sink);
  out << "run\ttopic\tmeasure\tvalue\n";
  for_each_row(report, [&](const EvaluationRow& row) {
    const std::string place = tsv_cell(row.run) + '\t' + row.topic + '\t';
    for (const auto& [name, count] : row.counts) {
      out << place << name << '\t' << count << '\n';
    }
    for (std::size_t m = 0; m < row.scores.size(); ++m) {
      if (!row.scores[m]) continue;
      out << place << report.measures[m].name() << '\t' << *row.scores[m] << '\n';
    }
  });
  out.finish();
}

void write_csv(const EvaluationReport& report, const TextSink& sink) {
  const std::vector<std::string> columns = count_columns(report);
  TextPieces out(sink);
  out << "run,topic";
  for (const std::string& column : columns) out << ',' << column;
  for (const Measure& measure : report.measures) out << ',' << csv_cell(measure.name());
  out << '\n';
  for_each_row(report, [&](const EvaluationRow& row) {
    out << csv_cell(row.run) << ',' << csv_cell(row.topic);
    // A count that the topic does not have is empty, as is a score without value.
    for (const std::string& column : columns) {
      out << ',';
      const auto at = std::ranges::find(row.counts, column, &Counts::value_type::first);
      if (at != row.counts.end()) out << at->second;
    }
    for (const std::optional<double> score : row.scores) {
      out << ',';
      if (score) out << *score;
    }
    out << '\n';
  });
  out.finish();
}

}  // namespace prescope
