#pragma once

#include "report/nightly/gate_report.h"

namespace prescope::testing {

/// T1 (2 relevant documents, PRES@10): A fell from rank 1 to 3, B, which must be found, from 5 out
/// of the first 10. Credits before 10 + 6 - ... by hand: A 10 + 1 - 1 = 10, B 10 + 2 - 5 = 7 of 20;
/// tonight A 10 + 1 - 3 = 8. So 0.85 to 0.40, shares -2/20 and -7/20. T2: C gained at rank 2,
/// (10 + 1 - 2) / 10.
[[nodiscard]] GateReport regression_report();
/// The same report with three slices: section A fails, B is too small for a verdict, and topics
/// without a section hold. B has fewer topics than tables show.
[[nodiscard]] GateReport sliced_report();
/// The same report, but nothing was compared because the judged documents are not in the index; not
/// stored.
[[nodiscard]] GateReport bad_input_report();
/// The same with names that mean something to terminals, JSON, XML, HTML and Markdown, and bytes
/// that are no UTF-8.
[[nodiscard]] GateReport hostile_report();

inline constexpr const char* kHostileTopic = "T<1>&\"'|`*_$~#\x1b[31m\x9b";
inline constexpr const char* kHostileDocno = "</td><script>alert(1)</script>|D]]>\r\n| x";
inline constexpr const char* kHostileArm = "a\nb\x01\xff";

}  // namespace prescope::testing
