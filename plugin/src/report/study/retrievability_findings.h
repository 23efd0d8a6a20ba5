#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/study/retrievability_study.h"

/// What the outputs of `prescope study retrievability` have in common.
namespace prescope {

/// Everything that follows from what was counted.
struct RetrievabilityFindings {
  std::uint64_t population = 0;
  std::uint64_t unlisted = 0;  ///< documents retrieved that the list of documents has not
  std::vector<std::string> names{};
  std::vector<RetrievabilitySummary> summaries{};
  /// With the first source; nothing for it, and for those that have no documents in common with it.
  std::vector<std::optional<RetrievabilityComparison>> comparisons{};
};

[[nodiscard]] RetrievabilityFindings retrievability_findings(const RetrievabilityStudy& study);

/// As many as `study.top`, by the first source, the most retrievable first, then by name.
[[nodiscard]] std::vector<std::uint32_t> most_found(const RetrievabilityStudy& study);
/// Listed documents that no source has, in the order of the list; none without a list.
[[nodiscard]] std::vector<std::uint32_t> never_found(const RetrievabilityStudy& study);

/// The Lorenz curves, and documents by the topics that find them.
[[nodiscard]] std::vector<StudyFigure> retrievability_figures(
    const std::shared_ptr<const RetrievabilityFindings>& findings);
/// What `docs/studies-json.md` has under `retrievability`.
[[nodiscard]] Json retrievability_json(const RetrievabilityStudy& study,
                                       const RetrievabilityFindings& findings);
/// A row for each document, where the study asks for them.
[[nodiscard]] StudyCsv retrievability_csv(const RetrievabilityStudy& study);

}  // namespace prescope
