#include "serve/stored_history.h"

#include <algorithm>
#include <optional>

#include "serve/version.h"

namespace prescope::serve {
namespace {

/// The newest night shown of each arm, unless its input was bad.
std::vector<const History::Line*> newest_lines(const History& history) {
  std::vector<const History::Line*> newest;
  for (const std::string& arm : history.arms) {
    const auto line = std::find_if(history.lines.rbegin(), history.lines.rend(),
                                   [&](const auto& each) { return each.night.arm == arm; });
    if (line->night.outcome != GateOutcome::kBadInput) newest.push_back(&*line);
  }
  return newest;
}

HistoryReport::Drift drift_of(const Store& store, std::span<const std::string> measures,
                              const Night& night, std::int64_t against) {
  HistoryReport::Drift drift{
      .arm = night.arm, .night = night.number, .against = against, .tests = {}};
  const EvaluationRecord a = store.evaluation(against), b = store.evaluation(night.number);
  for (const std::string& measure : measures) {
    drift.tests.push_back(paired_t_of(a, b, Measure::parse(measure)));
  }
  return drift;
}

std::vector<HistoryReport::Drift> drifts_of(const Store& store, std::span<const Night> nights,
                                            const History& history) {
  using Against = HistoryReport::Drift::Against;
  std::vector<HistoryReport::Drift> drifts;
  for (const History::Line* line : newest_lines(history)) {
    const auto add = [&](std::int64_t against, Against what) {
      drifts.push_back(drift_of(store, history.measures, line->night, against));
      drifts.back().what = what;
    };
    if (line->baseline) add(*line->baseline, Against::kBaseline);
    const auto accepted = last_accepted(nights, line->night);
    if (accepted && accepted != line->baseline) add(*accepted, Against::kAccepted);
  }
  return drifts;
}

}  // namespace

void add_means(const Store& store, std::span<const Measure> measures, std::vector<Night>& nights) {
  for (Night& night : nights) {
    std::optional<EvaluationRecord> record;
    for (const Measure& measure : measures) {
      const std::string name = measure.name();
      if (std::ranges::count(night.means, name, &Night::Mean::measure) > 0) continue;
      if (!record) record = store.evaluation(night.number);
      const auto [mean, topics] = mean_of(*record, measure);
      night.means.push_back({.measure = name, .mean = mean, .topics = topics});
    }
  }
}

HistoryReport history_report(const Store& store, const std::string& path,
                             std::span<const Night> nights, std::span<const std::string> measures,
                             const HistoryFilter& filter) {
  HistoryReport report{.program = std::string(kVersion),
                       .store = path,
                       .history = {},
                       .pins = store.pins(),
                       .drifts = {}};
  report.history = history_of(nights, report.pins, measures, filter);
  report.drifts = drifts_of(store, nights, report.history);
  return report;
}

}  // namespace prescope::serve
