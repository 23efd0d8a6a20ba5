#include "nightly/gate/applied_rules.h"

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "measures/definitions.h"
#include "nightly/gate/gate_rules.h"
#include "prescope/error.h"

namespace prescope {

namespace {

std::string measure_names(const std::vector<Measure>& measures) {
  std::vector<std::string> names;
  for (const Measure& measure : measures) names.push_back(measure.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// PRES and R at the first cutoff that the baseline has PRES of.
std::vector<GateRules::Decision> default_decisions(const Baseline& baseline, double margin) {
  for (const Measure& measure : baseline.evaluation.measures) {
    if (measure.definition().name != kPres.name) continue;
    const Measure recall =
        Measure::parse(fmt::format("{}@{}", kRecall.name, measure.cutoff()->value()));
    return {{measure, margin}, {recall, margin}};
  }
  return {};
}

void add_unknown_measures(const Baseline& baseline, const GateRules& rules,
                          std::vector<std::string>& problems) {
  const std::vector<Measure>& known = baseline.evaluation.measures;
  for (const GateRules::Decision& decision : rules.decisions) {
    if (std::ranges::find(known, decision.measure) != known.end()) continue;
    problems.push_back(fmt::format(
        "baseline '{}' was not made for {}; it has {}: name one of these, or pin a baseline for "
        "{}",
        baseline.name, decision.measure.name(), measure_names(known), decision.measure.name()));
  }
}

/// The first measure of the family that has credits.
std::optional<Measure> first_of(const MeasureDefinition& family, const GateRules& rules) {
  for (const GateRules::Decision& decision : rules.decisions) {
    const Measure& measure = decision.measure;
    if (measure.definition().name == family.name && measure.cutoff()) return measure;
  }
  return std::nullopt;
}

}  // namespace

GateRules applied_rules(const Baseline& baseline, const GateRules& rules) {
  std::vector<std::string> problems = problems_of(rules);
  GateRules applied = rules;
  if (rules.decisions.empty()) {
    applied.decisions = default_decisions(baseline, rules.margin);
    if (applied.decisions.empty()) {
      problems.push_back(fmt::format(
          "baseline '{}' has no PRES, only {}; name the measures that decide in the rules",
          baseline.name, measure_names(baseline.evaluation.measures)));
    }
  } else {
    add_unknown_measures(baseline, rules, problems);
  }
  if (!problems.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("{}", fmt::join(problems, "\n")));
  }
  return applied;
}

std::optional<Measure> moving_measure(const GateRules& applied) {
  if (const std::optional<Measure> pres = first_of(kPres, applied)) return pres;
  return first_of(kRecall, applied);
}

}  // namespace prescope
