#include "report/live/live_report.h"
#include "runs/topic_units.h"

namespace prescope {

std::vector<std::string> unit_sentences(const Summary& summary) {
  std::vector<std::string> sentences;
  if (summary.mode == Mode::kObserve) return sentences;  // there is no evidence
  if (summary.families) {
    sentences.push_back(fmt::format("{} in {}: each family counts once, by its first topic",
                                    count_text(summary.topics, "topic"),
                                    units_text(*summary.families, true)));
  }
  for (const ArmPair& pair : summary.pairs) {
    const std::string words = near_duplicates_words(pair.told_topics, pair.alike_topics);
    if (words.empty()) continue;
    const ArmNames names = names_of(summary, pair);
    sentences.push_back(fmt::format("{} and {}: {}", names.a, names.b, words));
  }
  return sentences;
}

}  // namespace prescope
