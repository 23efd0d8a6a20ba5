#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/comparison.h"
#include "prescope/qrels.h"
#include "report/page/drawing.h"

/// The plots of a comparison, each an SVG drawing.
namespace prescope::page {

/// A mean difference with its interval.
struct ForestRow {
  std::string label;
  std::optional<PairedT> test{};
  Verdict verdict = Verdict::kTooFewTopics;
  std::string verdict_words;
  std::optional<double> limit{};  ///< drawn as an upright line: the margin of a gate
};

struct ForestPlot {
  Drawing::Words words;
  std::string axis;  ///< what the differences are: "mean difference, B minus A"
  std::vector<ForestRow> rows;
};
[[nodiscard]] std::string draw(const ForestPlot& plot);

/// The topics of one comparison.
struct TopicPlot {
  Drawing::Words words;
  std::string a, b;  ///< names of the runs
  const MeasureComparison* comparison = nullptr;
  const Qrels* qrels = nullptr;
};
/// Differences of all topics, from the lowest to the highest.
[[nodiscard]] std::string draw_waterfall(const TopicPlot& plot);
/// Scores of B over those of A.
[[nodiscard]] std::string draw_scatter(const TopicPlot& plot);

}  // namespace prescope::page
