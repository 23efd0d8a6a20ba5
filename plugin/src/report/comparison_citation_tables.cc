#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/comparison_tables.h"
#include "report/number_text.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;
using Row = std::vector<TextGrid::Cell>;

Style style_of(double difference) {
  return difference > 0.0 ? Style::kGood : difference < 0.0 ? Style::kBad : Style::kPlain;
}

std::string number(std::uint64_t count) { return grouped_text(count); }

Row totals_row(std::string name, const CitationTotals& totals) {
  return {{std::move(name)},
          {fmt::format("{} → {}", number(totals.found_a), number(totals.found_b))},
          {number(totals.gained)},
          {fmt::format("{} ({})", number(totals.lost), number(totals.lost_from_far))},
          {number(totals.moved_up)},
          {number(totals.moved_down)},
          {number(totals.same_rank)},
          {number(totals.emptied)},
          {number(totals.filled)},
          {p_value_text(totals.emptied_p)},
          {number(totals.fell_far)},
          {number(totals.rose_far)}};
}

std::string_view what_happened(const CitationChange& change) {
  if (change.is_gained()) return "gained";
  if (change.is_lost()) return "lost";
  if (!change.is_moved()) return "same rank";
  return *change.rank_b < *change.rank_a ? "up" : "down";
}

std::string rank_text(const std::optional<Rank>& rank, const Measure& measure) {
  return rank ? fmt::format("{}", *rank)
              : fmt::format("not in {}", measure.cutoff().value_or(Cutoff()).value());
}

Row citation_row(const Measure& measure, const TopicQrels& judged, const TopicChange& topic,
                 const CitationChange& change) {
  const Judgement& judgement = judged.judgements()[change.judgement.value()];
  const double share = static_cast<double>(change.credit) / static_cast<double>(topic.whole);
  return {{judgement.docno.text()},
          {fmt::format("grade {}", judgement.grade)},
          {std::string(what_happened(change))},
          {rank_text(change.rank_a, measure)},
          {"→"},
          {rank_text(change.rank_b, measure)},
          {difference_text(share), style_of(share)}};
}

/// Of the citations that are not shown.
Row rest_row(const TopicChange& topic, std::size_t shown) {
  const auto rest = std::accumulate(
      topic.citations.begin() + static_cast<std::ptrdiff_t>(shown), topic.citations.end(),
      std::int64_t{0},
      [](std::int64_t sum, const CitationChange& change) { return sum + change.credit; });
  const double share = static_cast<double>(rest) / static_cast<double>(topic.whole);
  return {{fmt::format("{} more", topic.citations.size() - shown), Style::kFaint},
          {},
          {},
          {},
          {},
          {},
          {difference_text(share), style_of(share)}};
}

ReportTable moved_table(const ComparisonReport& report, const RunComparison& run,
                        const TopicChange& topic, std::size_t citations) {
  const TopicQrels& judged = report.evaluation.qrels->topic(topic.scores.topic);
  ReportTable table{
      .title = fmt::format("{}  {} → {}  {}  {}", judged.id().text(), score_text(topic.scores.a),
                           score_text(topic.scores.b), difference_text(topic.scores.difference),
                           count_text(judged.num_rel(), "relevant document")),
      .columns = {{"citation", Align::kLeft},
                  {"grade"},
                  {"what", Align::kLeft},
                  {"rank in " + short_name(report, 0)},
                  {"", Align::kLeft},
                  {"rank in " + short_name(report, run.run), Align::kLeft},
                  {"share"}}};
  const Measure& measure = report.comparison.measures[*report.comparison.moving_measure];
  const std::size_t shown = std::min(citations, topic.citations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back(citation_row(measure, judged, topic, topic.citations[i]));
  }
  if (shown < topic.citations.size()) table.rows.push_back(rest_row(topic, shown));
  return table;
}

}  // namespace

std::vector<ReportTable> citation_tables(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  if (!comparison.moving_measure) return {};
  ReportTable table{
      .title = fmt::format("Citations within rank {}, over all topics",
                           comparison.measures[*comparison.moving_measure].cutoff()->value()),
      .columns = {{"run", Align::kLeft},
                  {"found"},
                  {"gained"},
                  {"lost (far)"},
                  {"up"},
                  {"down"},
                  {"same rank"},
                  {"emptied"},
                  {"filled"},
                  {"p"},
                  {"fell"},
                  {"rose"}}};
  for (const RunComparison& run : comparison.runs) {
    table.rows.push_back(totals_row(short_name(report, run.run), *run.citations));
  }
  return {table};
}

std::vector<ReportTable> moved_tables(const ComparisonReport& report, const RunComparison& run,
                                      const MovedLimits& limits) {
  std::vector<ReportTable> result;
  for (std::size_t i = 0; i < std::min(limits.topics, run.moved.size()); ++i) {
    result.push_back(moved_table(report, run, run.moved[i], limits.citations));
  }
  return result;
}

}  // namespace prescope
