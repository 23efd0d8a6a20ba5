#pragma once

#include <string>
#include <vector>

#include "core/evaluation.h"
#include "prescope/report.h"
#include "report/sections.h"

namespace prescope {

/// A topic of a run whose scores are to be explained.
struct TopicExplanation {
  const Qrels* qrels = nullptr;
  const RunFacts* facts = nullptr;
  std::string run;  ///< its name
  TopicIndex topic{};
  RankOptions ranks{};
  std::vector<Measure> measures;
  TableOptions::Color color = TableOptions::Color::kNever;
  std::size_t width = kTableWidth;  ///< columns of the drawing
};

/// The arithmetic of each measure: for PRES the credit of every relevant document found and the
/// curve between best and worst case; then the relevant documents that were not found, by name.
[[nodiscard]] std::string explain_topic(const TopicExplanation& explanation);

}  // namespace prescope
