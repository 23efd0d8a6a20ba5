#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/runs/comparison_report.h"
#include "report/text/tables.h"

/// The tables of a comparison, apart from how they are printed.
namespace prescope {

/// Means, difference, interval, p-values, verdict. Of two runs one table with a row for each
/// measure; of more a table for each measure with a row for each run.
[[nodiscard]] std::vector<ReportTable> difference_tables(const ComparisonReport& report);
/// Wins, effect sizes, what the topics can show; rows as above.
[[nodiscard]] std::vector<ReportTable> effect_tables(const ComparisonReport& report);
/// Citations gained, lost and moved over all topics, and topics that changed a lot; a row for each
/// run. Nothing where no measure has credits.
[[nodiscard]] std::vector<ReportTable> citation_tables(const ComparisonReport& report);

/// How often verdicts stay, are lost, appear and turn round where a part of the citations is
/// unknown: a table for each share; nothing where nobody asked.
[[nodiscard]] std::vector<ReportTable> robustness_tables(const ComparisonReport& report);

struct MovedLimits {
  std::size_t topics = 10, citations = 5;
};
/// A table for each of the topics that moved most, as far as `limits` say, with its citations and
/// the sum of those left out.
[[nodiscard]] std::vector<ReportTable> moved_tables(const ComparisonReport& report,
                                                    const RunComparison& run,
                                                    const MovedLimits& limits);

/// What a run is called in a comparison: A and B where there are two, else its name.
[[nodiscard]] std::string short_name(const ComparisonReport& report, std::size_t run);

}  // namespace prescope
