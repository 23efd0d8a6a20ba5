#include <fmt/format.h>

#include "nightly/gate/checks.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// Returns true if the run's scores are looked at by the rule about them.
bool is_about_scores(const InputFinding& finding) {
  return finding.check->name == kTiedCheck || finding.check->name == kRisingCheck;
}

}  // namespace

Finding check_clock(const GateSubject& subject) {
  const UtcTime tonight = subject.tonight.time;
  const UtcTime baseline = subject.baseline.evaluation.time;
  const UtcTime latest = std::max(baseline, subject.evidence.latest_night.value_or(baseline));
  if (tonight + kClockTolerance >= latest) {
    return {Status::kPass, "No earlier night has a later time."};
  }
  return {
      Status::kWarning,
      fmt::format("Tonight's time, {} UTC, is before {}'s, {} UTC: a clock was wrong then or is "
                  "wrong now. Nights are in the order of their numbers.",
                  utc_minute_text(tonight), latest == baseline ? "the baseline" : "a stored night",
                  utc_minute_text(latest))};
}

Finding check_run_file(const EvaluationRecord& record) {
  if (!record.input) {
    return {Status::kSkipped, "The lines of a run are known of one that was just read."};
  }
  Finding result{.status = Status::kPass};
  for (const InputFinding& finding : *record.input) {
    if (is_about_scores(finding)) continue;
    const bool is_fault = finding.check->result == InputCheck::Result::kFault;
    result.status = std::max(result.status, is_fault ? Status::kBadInput : Status::kWarning);
    if (!result.reason.empty()) result.reason += ' ';
    result.reason += finding.words;
    if (!result.reason.ends_with('?')) result.reason += '.';
  }
  if (!result.reason.empty()) return result;
  result.reason =
      is_run(record)
          ? "All lines have one tag and ids that can be seen."
          : "Judged documents of each series are in the index, or none is expected there.";
  return result;
}

}  // namespace prescope
