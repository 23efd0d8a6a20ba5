#include "report/study/cutoffs_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/number_text.h"

namespace prescope {
namespace {

std::string below_n_words(const CutoffStudy& study) {
  std::vector<std::string> places;
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    if (study.below_n[c] == 0) continue;
    places.push_back(
        fmt::format("{} in {}", study.cutoffs[c].value(), count_text(study.below_n[c], "topic")));
  }
  if (places.empty()) return {};
  return fmt::format(
      "N_max is below n, the number of relevant documents (at most {}): {}. Recall and PRES of "
      "such a topic cannot come above N_max / n; PRESest, of prescope evaluate, divides by that.",
      study.largest_n, fmt::join(places, ", "));
}

/// One sentence for all runs of the same depth.
std::string above_depth_words(const EvaluationReport& evaluation, const CutoffStudy& study,
                              std::uint32_t depth) {
  std::vector<std::string> names, cutoffs;
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    if (study.runs[run].depth == depth) names.push_back(evaluation.runs[run].name);
  }
  for (const Cutoff cutoff : study.cutoffs) {
    if (cutoff.value() > depth) cutoffs.push_back(fmt::format("{}", cutoff.value()));
  }
  if (cutoffs.empty()) return {};
  const std::string whose = names.size() == study.runs.size() && names.size() > 1
                                ? "every run"
                                : fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "N_max {} {} above the depth of {}, {}. Recall and MAP stay as they are there; PRES rises "
      "although nothing more was found, because what is missing counts as just behind N_max.",
      fmt::join(cutoffs, ", "), cutoffs.size() == 1 ? "is" : "are", whose,
      count_text(depth, "document"));
}

/// Of the highest cutoff that the runs reach, which topics end before it.
std::string shorter_words(const EvaluationReport& evaluation, const CutoffStudy& study) {
  std::vector<std::string> runs;
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    const auto& cutoffs = study.cutoffs;
    const auto above = std::ranges::upper_bound(cutoffs, Cutoff(study.runs[run].depth));
    if (above == cutoffs.begin()) continue;
    const auto at = static_cast<std::size_t>(above - cutoffs.begin()) - 1;
    if (study.runs[run].shorter[at] == 0) continue;
    runs.push_back(fmt::format("{} of {} in {} (N_max {})", study.runs[run].shorter[at],
                               study.runs[run].topics, evaluation.runs[run].name,
                               cutoffs[at].value()));
  }
  if (runs.empty()) return {};
  return fmt::format("topics with fewer than N_max documents: {}", fmt::join(runs, ", "));
}

}  // namespace

std::string_view title_of(SweepMeasure measure) noexcept {
  switch (measure) {
    case SweepMeasure::kAveragePrecision:
      return "MAP";
    case SweepMeasure::kRecall:
      return "Recall";
    case SweepMeasure::kPres:
      break;
  }
  return "PRES";
}

std::string_view key_of(SweepMeasure measure) noexcept {
  switch (measure) {
    case SweepMeasure::kAveragePrecision:
      return "map";
    case SweepMeasure::kRecall:
      return "recall";
    case SweepMeasure::kPres:
      break;
  }
  return "pres";
}

std::vector<std::string> cutoff_warnings(const EvaluationReport& evaluation,
                                         const CutoffStudy& study) {
  std::vector<std::string> warnings = {below_n_words(study)};
  std::vector<std::uint32_t> depths;
  for (const CutoffStudy::Run& run : study.runs) depths.push_back(run.depth);
  std::ranges::sort(depths);
  const auto repeated = std::ranges::unique(depths);
  depths.erase(repeated.begin(), repeated.end());
  for (const std::uint32_t depth : depths) {
    warnings.push_back(above_depth_words(evaluation, study, depth));
  }
  warnings.push_back(shorter_words(evaluation, study));
  std::erase(warnings, std::string());
  return warnings;
}

}  // namespace prescope
