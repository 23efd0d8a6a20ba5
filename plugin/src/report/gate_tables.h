#pragma once

#include <cstddef>
#include <vector>

#include "report/gate_report.h"
#include "report/report_table.h"

/// The tables of a verdict, apart from how they are printed. Names in them are lines without
/// control characters.
namespace prescope {

/// A row for each decision measure. Nothing where none was compared.
[[nodiscard]] std::vector<ReportTable> gate_measure_tables(const GateVerdict& verdict);
/// p95 of both, and their ratio. Nothing where neither was timed.
[[nodiscard]] std::vector<ReportTable> gate_latency_tables(const GateVerdict& verdict);
/// A row for each rule with what it found.
[[nodiscard]] ReportTable gate_rule_table(const GateVerdict& verdict);

struct GateTopicLimits {
  std::size_t topics = 10, citations = 5;
};
/// A table for each of the topics that changed, as far as `limits` say, with its citations and the
/// sum of those left out.
[[nodiscard]] std::vector<ReportTable> gate_topic_tables(const GateVerdict& verdict,
                                                         const GateTopicLimits& limits);

}  // namespace prescope
