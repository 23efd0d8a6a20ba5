#include "report/summary_json.h"
#include "serve/metric_groups.h"

namespace prescope::serve {
namespace {

using prometheus::MetricFamily;

MetricFamily build_info() {
  MetricFamily family = gauge("prescope_build_info", "Always 1; the version of prescope.");
  add(family, {Label{"version", PRESCOPE_VERSION}}, 1.0);
  return family;
}

MetricFamily experiment_info(const Summary& summary, const MetricLabels& labels) {
  MetricFamily family =
      gauge("prescope_experiment_info", "Always 1; how the queries of the arms come about.");
  add(family, with(labels.experiment(), "mode", name_of(summary.mode)), 1.0);
  return family;
}

MetricFamily of_experiment(const MetricLabels& labels, std::string_view name, std::string_view help,
                           double value) {
  MetricFamily family = gauge(name, help);
  add(family, labels.experiment(), value);
  return family;
}

MetricFamily epoch_reason(const Epoch& epoch, const MetricLabels& labels) {
  MetricFamily family =
      gauge("prescope_epoch_reason", "1 for the reason why the current epoch began, 0 for others.");
  for (const EpochReason reason : {EpochReason::kStart, EpochReason::kGeneration,
                                   EpochReason::kArms, EpochReason::kJudgements}) {
    add(family, with(labels.experiment(), "reason", to_string(reason)),
        epoch.reason == reason ? 1.0 : 0.0);
  }
  return family;
}

}  // namespace

MetricFamilies experiment_metrics(const Summary& summary, const MetricLabels& labels) {
  const auto of = [&labels](std::string_view name, std::string_view help, std::uint64_t value) {
    return of_experiment(labels, name, help, static_cast<double>(value));
  };
  return {build_info(),
          experiment_info(summary, labels),
          of("prescope_epoch", "Number of the current epoch, from 1.", summary.epoch.number),
          epoch_reason(summary.epoch, labels),
          of("prescope_epoch_observations", "Observations recorded in the current epoch.",
             summary.epoch.observations),
          of("prescope_judged_topics", "Topics of the judgements that have a relevant document.",
             summary.topics - summary.topics_without_relevant),
          of("prescope_judgements", "Judgements of all topics.", summary.judgements)};
}

}  // namespace prescope::serve
