#include "collect/collect_answer.h"

#include <fmt/format.h>

#include "collect/posted_visits.h"
#include "report/text/tables.h"

namespace prescope {

std::vector<std::string> collect_sentences(const CollectCounts& counts) {
  std::vector<std::string> sentences = {
      fmt::format("{} accepted, {}, {} refused", count_text(counts.accepted, "line"),
                  count_text(counts.duplicates, "duplicate"), grouped_text(counts.refused))};
  if (counts.not_stored > 0) {
    sentences.push_back(
        fmt::format("{} could not be stored", count_text(counts.not_stored, "line")));
  }
  const auto say = [&](std::uint64_t lines, std::string_view what) {
    if (lines == 0) return;
    const std::string who = lines == counts.accepted
                                ? "no line says"
                                : count_text(lines, "line does not say", "lines do not say");
    sentences.push_back(fmt::format("{} {}", who, what));
  };
  say(counts.without_time, "when it was served: the time of reading stands for it");
  say(counts.without_latency, "how long the user waited: that latency is unknown");
  say(counts.without_depth,
      "how many hits were asked for (depth): a list that ended early may go on");
  say(counts.without_total, "how many documents matched");
  if (counts.accepted > 0 && counts.failed == 0) {
    sentences.emplace_back(
        "no line is of a search that failed: a log that leaves them out hides failures");
  }
  if (counts.unjudged > 0) {
    sentences.push_back(fmt::format("{} of topics without judgements: only counted",
                                    count_text(counts.unjudged, "line is", "lines are")));
  }
  if (counts.crowded_out > 0) {
    sentences.push_back(
        fmt::format("{} given up, and compared by nobody, because {} others waited: the rankings "
                    "of a visit should not be far from each other",
                    count_text(counts.crowded_out, "visit was", "visits were"),
                    grouped_text(PostedVisits::kMostOpen)));
  }
  return sentences;
}

}  // namespace prescope
