#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

using Align = TextGrid::Align;

constexpr std::size_t kCitationsShown = 5;
constexpr std::size_t kMovesIndent = 4;

Style style_of_move(double difference) { return difference > 0.0 ? Style::kGood : Style::kBad; }

std::string rank_or_absence(const std::optional<Rank>& rank, const Measure& measure) {
  if (rank) return fmt::format("rank {}", *rank);
  return fmt::format("not in {}", measure.cutoff().value_or(Cutoff()).value());
}

std::string citations_grid(const TopicMove& move, TableOptions::Color color) {
  TextGrid grid(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight});
  const std::size_t shown = std::min(kCitationsShown, move.citations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CitationMove& citation = move.citations[i];
    grid.add({{citation.docno.text()},
              {fmt::format("grade {}", citation.grade)},
              {rank_or_absence(citation.rank_a, move.measure)},
              {"→"},
              {rank_or_absence(citation.rank_b, move.measure)},
              {difference_text(citation.share), style_of_move(citation.share)}});
  }
  double rest = 0.0;
  for (std::size_t i = shown; i < move.citations.size(); ++i) rest += move.citations[i].share;
  if (shown < move.citations.size()) {
    grid.add({{fmt::format("{} more", move.citations.size() - shown), Style::kFaint},
              {},
              {},
              {},
              {},
              {difference_text(rest), style_of_move(rest)}});
  }
  return grid.to_string(color, kMovesIndent);
}

std::string topic_lines(const TopicMove& move, TableOptions::Color color) {
  return fmt::format("  {}  {} → {}  {}  {}\n", paint(move.topic.text(), Style::kStrong, color),
                     score_text(move.a), score_text(move.b),
                     paint(difference_text(move.difference), style_of_move(move.difference), color),
                     count_text(move.num_rel, "relevant document")) +
         citations_grid(move, color);
}

}  // namespace

std::string moves_section(const Summary& summary, const ArmPair& pair,
                          const TableOptions& options) {
  const std::size_t shown = std::min(options.moves, pair.moves.size());
  if (shown == 0) return {};
  std::string out = paint(
      fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                  count_text(shown, "topic"), pair.moves.size(), pair.moves.front().measure.name(),
                  summary.arms[pair.a.value()].id.text(), summary.arms[pair.b.value()].id.text()),
      Style::kStrong, options.color);
  out += '\n';
  for (std::size_t i = 0; i < shown; ++i) out += topic_lines(pair.moves[i], options.color);
  return out;
}

}  // namespace prescope
