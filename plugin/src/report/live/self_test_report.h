#pragma once

#include "report/document/document.h"
#include "studies/self_test.h"

namespace prescope {

/// "Nothing found: ...", or the first finding and what to do about it.
[[nodiscard]] std::string self_test_headline(const SelfTest& test);
/// Returns what was seen about a question, and what to do if something was found.
[[nodiscard]] std::string self_test_words(const SelfTest& test, SelfTestQuestion question);

/// "0.612", "-"
[[nodiscard]] std::string ratio_text(const std::optional<double>& ratio);
/// "[0.590, 0.634]"; "-" without an interval.
[[nodiscard]] std::string ratio_interval_text(const LatencyEffect& effect);
/// "2.41 %"
[[nodiscard]] std::string share_of_cases(double share);
/// Returns the words of a verdict that was said: "an arm is better".
[[nodiscard]] std::string_view claim_words(SelfTestClaims::Kind kind);

/// The result of `prescope selftest`; docs/selftest.md. The CSV has a row for each number.
[[nodiscard]] ReportDocument self_test_report(const SelfTest& test);

}  // namespace prescope
