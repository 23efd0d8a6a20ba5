#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/study/study_report.h"
#include "studies/retrievability.h"

/// What the outputs of `prescope study retrievability` have in common.
namespace prescope {

/// A run, or what an arm served: what is asked for its retrievability.
struct RetrievabilitySource {
  std::string name;   ///< of the run, or of the arm with its session
  std::string path;   ///< of the file
  std::string group;  ///< sources of different groups have no documents in common
  RetrievabilityScores scores{};
  std::vector<std::string> notes{};
};

struct RetrievabilityStudy {
  std::string version;
  std::uint32_t cutoff = 100;
  std::string order;  ///< how runs are ranked, in words
  DocumentNumbers documents{};
  std::vector<RetrievabilitySource> sources{};  ///< at least one; the first is the baseline

  /// How many documents there are, and how that is known; nothing: those that some source has.
  std::optional<std::uint64_t> population{};
  std::string population_source{};
  /// Of a list of all documents: those numbered below this are in it.
  std::optional<std::uint32_t> listed{};

  std::size_t top = 10;  ///< documents listed in each table
  enum class Csv { kNone, kEveryDocument };
  Csv csv = Csv::kNone;
};

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

/// `prescope study retrievability`.
[[nodiscard]] StudyReport retrievability_study(const RetrievabilityStudy& study);

}  // namespace prescope
