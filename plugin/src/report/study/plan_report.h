#pragma once

#include "report/document/document.h"
#include "studies/test_plan.h"

namespace prescope {

/// The source of a plan's facts.
struct PlanSubject {
  LabelledLines lines{};  ///< judgements and runs of the pilot, or what was assumed
  std::string measure{};  ///< empty without a pilot
};

/// The result of `prescope plan`; docs/plan.md.
[[nodiscard]] ReportDocument plan_report(const TestPlan& plan, const PlanSubject& subject);

}  // namespace prescope
