#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nightly/history.h"
#include "prescope/report.h"
#include "report/nightly/gate_report.h"
#include "report/text/tables.h"

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

/// Who pinned what, when and why, oldest first; what a name stands for now is marked. UTF-8, ends
/// with a newline.
[[nodiscard]] std::string pin_table(const std::vector<Pin>& pins, TableOptions::Color color);

/// "main: evaluation 3 pinned by ada, 12 citations must be found; it replaces evaluation 1".
[[nodiscard]] std::string pin_sentence(const Pin& pin);

}  // namespace prescope
