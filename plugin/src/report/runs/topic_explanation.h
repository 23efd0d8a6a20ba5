#pragma once

#include "measures/pres_curve.h"
#include "prescope/slices.h"
#include "report/text/tables.h"
#include "runs/evaluation.h"

namespace prescope {

/// Relevant documents found over rank, as in figure 3 of Magdy & Jones, SIGIR 2010: from the best
/// case, in which all n stand at the top, to the worst, in which they stand just behind N. The area
/// between the actual and the worst curve, in full blocks, is PRES times the area between best and
/// worst. Lines of at most `width` columns, at least 40, each ended; UTF-8.
[[nodiscard]] std::string draw_topic_curve(const PresCurve& curve, std::size_t width);

/// A topic of a run and the scores to explain.
struct TopicExplanation {
  const Qrels* qrels = nullptr;
  const RunFacts* facts = nullptr;
  std::string run;  ///< its name
  TopicIndex topic{};
  TopicSlices slices{};  ///< of the qrels; those that have the topic are named
  RankOptions ranks{};
  std::vector<Measure> measures;
  TextLook look{};
};

/// The slices that the topic is in, if there are any, and the arithmetic of each measure: for PRES
/// the credit of every relevant document found and the curve between best and worst case; then the
/// relevant documents that were not found, by name.
[[nodiscard]] std::string explain_topic(const TopicExplanation& explanation);

}  // namespace prescope
