#include "serve/metric_labels.h"

#include <fmt/format.h>

#include <set>

#include "report/clean_text.h"

namespace prescope::serve {
namespace {

/// As it is shown, by arm: with its number where an arm before it is shown alike.
std::vector<std::string> distinct_names(const std::vector<ArmSummary>& arms) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    std::string name = clean_text(arms[a].id.text());
    while (!taken.insert(name).second) name += fmt::format("#{}", a);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

MetricLabels::MetricLabels(const Summary& summary)
    : summary_(summary), experiment_{{"experiment", clean_text(summary.experiment)}} {
  const std::vector<std::string> names = distinct_names(summary.arms);
  for (std::size_t a = 0; a < names.size(); ++a) {
    arms_.push_back(with(experiment_, "arm", names[a]));
    if (summary.arms[a].status != ArmStatus::kRemoved) present_.push_back(a);
  }
}

Labels MetricLabels::arm_measure(std::size_t arm, std::size_t measure) const {
  return with(arms_[arm], "measure", summary_.measures[measure].name());
}

Labels MetricLabels::pair(const ArmPair& pair) const {
  const std::string& a = arms_[pair.a.value()].back().value;
  const std::string& b = arms_[pair.b.value()].back().value;
  return with(with(experiment_, "a", a), "b", b);
}

}  // namespace prescope::serve
