#pragma once

#include "report/text/tables.h"

namespace prescope {

/// "gained", "lost", "up", "down", "same rank"; "not found" if neither ranking has the citation.
[[nodiscard]] inline std::string_view moved_words(const CitationMove& citation) noexcept {
  const auto& a = citation.rank_a;
  const auto& b = citation.rank_b;
  if (!a || !b) return a ? "lost" : b ? "gained" : "not found";
  return *b == *a ? "same rank" : *b < *a ? "up" : "down";
}

/// "17", or "not in 100".
[[nodiscard]] inline std::string rank_text(const std::optional<Rank>& rank,
                                           const std::optional<Cutoff>& cutoff) {
  return rank     ? fmt::format("{}", *rank)
         : cutoff ? fmt::format("not in {}", cutoff->value())
                  : "not found";
}

/// "EP0971326A1", or "EP0971326A1 (X, search)" if it is known how it came to be judged.
[[nodiscard]] inline std::string citation_name(const CitationMove& citation) {
  return citation.about.empty() ? citation.docno.text()
                                : fmt::format("{} ({})", citation.docno.text(), citation.about);
}

/// Citations of a topic that have a row of their own.
inline constexpr std::size_t kCitationsShown = 5;

/// Adds a row with the sum of the shares of the citations without a row, if there are any, in the
/// column `share`. The table has a row for each of the first citations.
template <class Citation>
void add_other_shares(ReportTable& table, const std::vector<Citation>& citations,
                      std::size_t share) {
  const auto others = std::span(citations).subspan(table.rows.size());
  if (others.empty()) return;
  double sum = 0.0;
  for (const Citation& citation : others) sum += citation.share;
  auto& row = table.rows.emplace_back(share + 1);
  row.front() = {fmt::format("{} more", others.size()), Style::kFaint};
  row.back() = change_cell(sum);
}

}  // namespace prescope
