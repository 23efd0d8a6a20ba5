#pragma once

#include "report/document/document.h"
#include "studies/test_plan.h"

namespace prescope {

/// Where a plan's facts come from.
struct PlanSubject {
  LabelledLines lines{};  ///< judgements and runs of the pilot, or what was assumed
  std::string measure{};  ///< empty if it was not said
};

/// The result of `prescope plan`; docs/plan.md.
[[nodiscard]] ReportDocument plan_report(const TestPlan& plan, const PlanSubject& subject);

}  // namespace prescope
