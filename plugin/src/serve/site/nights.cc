#include "serve/site/nights.h"

#include "report/nightly/gate_report.h"

namespace prescope::serve {

namespace {

/// Tests the newest listed night of each arm, unless its input was bad.
std::vector<HistoryReport::Drift> drifts_of(const Store& store, std::span<const Night> nights,
                                            const History& history) {
  using Against = HistoryReport::Drift::Against;
  std::vector<HistoryReport::Drift> drifts;
  for (const std::string& arm : history.arms) {
    const auto line = std::find_if(history.lines.rbegin(), history.lines.rend(),
                                   [&](const auto& each) { return each.night.arm == arm; });
    const Night& night = line->night;
    if (night.outcome == GateOutcome::kBadInput) continue;
    const auto add = [&](std::int64_t against, Against what) {
      auto& drift = drifts.emplace_back(HistoryReport::Drift{
          .arm = arm, .night = night.number, .against = against, .what = what, .tests = {}});
      const EvaluationRecord a = store.evaluation(against), b = store.evaluation(night.number);
      for (const std::string& measure : history.measures) {
        drift.tests.push_back(paired_t_of(a, b, Measure::parse(measure)));
      }
    };
    if (line->baseline) add(*line->baseline, Against::kBaseline);
    const auto accepted = last_accepted(nights, night);
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
      const auto has_name = [&](const auto& mean) { return mean.first == name; };
      if (std::ranges::any_of(night.means, has_name)) continue;
      if (!record) record = store.evaluation(night.number);
      night.means.emplace_back(name, mean_of(*record, measure));
    }
  }
}

HistoryReport history_report(const Store& store, const std::string& path,
                             std::span<const Night> nights, std::span<const std::string> measures,
                             const HistoryFilter& filter) {
  HistoryReport report{.store = path,
                       .history = {},
                       .pins = store.pins(),
                       .drifts = {},
                       .attempts = store.attempts(),
                       .clock = clock_faults(nights, utc_now())};
  report.history = history_of(nights, report.pins, measures, filter);
  report.drifts = drifts_of(store, nights, report.history);
  std::erase_if(report.attempts, [&](const Attempt& attempt) {
    return (filter.since && attempt.time < *filter.since) ||
           (filter.until && attempt.time >= *filter.until);
  });
  return report;
}

std::string history_document(const std::filesystem::path& store) {
  const Store opened = Store::open(store, Store::Access::kRead);
  const std::vector<Night> nights = opened.nights();
  return history_json(history_report(opened, store.string(), nights, measures_of(nights), {}));
}

std::string nights_compared(const std::filesystem::path& store, std::int64_t baseline,
                            std::int64_t night) {
  const Store opened = Store::open(store, Store::Access::kRead);
  return gate_json({.store = store.string(),
                    .evaluation = night,
                    .verdict = gate({.name = fmt::format("night {}", baseline),
                                     .number = baseline,
                                     .evaluation = opened.evaluation(baseline)},
                                    opened.evaluation(night), {}),
                    .compares_nights = true});
}

}  // namespace prescope::serve
