#include "runs/scan/rankings.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <vector>

#include "prescope/error.h"
#include "runs/scan/topics_of_run.h"

namespace prescope {

namespace {

std::vector<std::uint32_t> ranked(const TopicLines& lines, RunOrder order) {
  std::vector<std::uint32_t> ranked(lines.size());
  std::iota(ranked.begin(), ranked.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return lines.ranks_before(a, b); };
  if (order == RunOrder::kFile || std::ranges::is_sorted(ranked, before)) return ranked;
  return lines.trec_order();
}

}  // namespace

void read_rankings(const std::filesystem::path& path, const ReadRankingsOptions& options,
                   const std::function<void()>& begin_again,
                   const std::function<void(const ReadRanking&)>& use) {
  ByteSource file(path);
  std::vector<std::string_view> docnos;
  TopicReading reading{.precision = options.score, .scattered = !file.is_regular()};
  reading.is_wanted = [](std::string_view) { return true; };
  reading.take = [&](const TopicLines& lines) {
    docnos.clear();
    for (const std::uint32_t line : ranked(lines, options.order)) {
      if (docnos.size() == options.depth) break;
      docnos.push_back(lines.docno(line));
    }
    use({.topic = lines.topic, .docnos = docnos});
  };
  RunTotals totals = read_topics(file, reading);
  if (totals.came_again) {
    begin_again();
    reading.scattered = true;
    totals = read_topics(*file.reopened(), reading);
  }
  file.check_unchanged();
  totals.bad_lines.throw_if_any(file.name());
  if (totals.hits != 0) return;
  throw Error(ErrorCode::kBadInput,
              fmt::format("{}: no rankings; {} lines", file.name(), kExpectedRunLine));
}

}  // namespace prescope
