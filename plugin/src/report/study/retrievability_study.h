#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/retrievability.h"
#include "report/study/study_report.h"

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

/// `prescope study retrievability`.
[[nodiscard]] StudyReport retrievability_study(const RetrievabilityStudy& study);

}  // namespace prescope
