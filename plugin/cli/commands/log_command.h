#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prescope/measure.h"
#include "store/sessions/observation_line.h"

namespace prescope::cli {

/// How `prescope log` prints observations.
enum class LogFormat { kJsonLines, kCsv, kTable };

/// Observations as lines of one format.
class LogPrinter {
 public:
  virtual ~LogPrinter() = default;
  /// What stands before the first; ends with a line feed, or is empty.
  [[nodiscard]] virtual std::string head() const = 0;
  /// `scores` are those of this observation, null for an unjudged query.
  virtual void append(std::string& out, const StoredObservation& one,
                      const ObservationScores* scores) const = 0;
};

/// `measures`: the columns of CSV and of the table.
[[nodiscard]] std::unique_ptr<LogPrinter> log_printer(LogFormat format,
                                                      std::vector<Measure> measures);

}  // namespace prescope::cli
