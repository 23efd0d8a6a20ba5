#include <map>

#include "report/text/visible_text.h"
#include "serve/metrics/metric_families.h"
#include "serve/metrics/metrics.h"

namespace prescope::serve {

namespace {

using NightMean = std::pair<std::string, Mean>;

constexpr std::array<std::string_view, 5> kOutcomes = {"pass", "regression", "inconclusive",
                                                       "bad_input", "not_gated"};

std::optional<std::string_view> outcome_of(const Night& night) {
  return night.outcome ? kOutcomes[static_cast<std::size_t>(*night.outcome)] : kOutcomes.back();
}

double seconds_since_1970(UtcTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

std::string night_metrics_text(std::span<const Night> nights, UtcTime read,
                               std::span<const Attempt> attempts) {
  // By arm. Numbers say which night came last, even if the clock was wrong.
  std::map<std::string, const Night*> newest;
  for (const Night& night : nights) {
    const Night*& known = newest[visible_text(night.arm)];
    if (known == nullptr || known->number < night.number) known = &night;
  }
  Objects<Night> arms;
  Objects<NightMean> means;
  Objects<Night> missing;
  for (const auto& [arm, night] : newest) {
    arms.emplace_back(with({}, "arm", arm), night);
    for (const NightMean& mean : night->means) {
      means.emplace_back(with(arms.back().first, "measure", mean.first), &mean);
    }
    for (const std::string& measure : missing_means(*night)) {
      missing.emplace_back(with(arms.back().first, "measure", measure), night);
    }
  }
  Families families;
  add_sample(add_family(families, kGauge, "prescope_nights_read_time_seconds",
                        "When the store was read for these metrics, since 1970."),
             {}, seconds_since_1970(read));
  const std::int64_t last = nights.empty() ? 0 : nights.back().number;
  add_sample(add_family(families, kGauge, "prescope_gates_not_judged",
                        "Gates without a verdict that began after the newest night was stored: "
                        "refused, killed, or at work."),
             {}, static_cast<double>(std::ranges::count_if(attempts, [last](const Attempt& one) {
               return one.newest >= last;
             })));
  add_sample(add_family(families, kGauge, "prescope_night_clock_faults",
                        "Nights whose time is still to come, or before an earlier night's."),
             {}, static_cast<double>(clock_faults(nights, read).size()));
  const Group<Night> group{families, arms};
  group.add(kGauge, "prescope_night_time_seconds", "Time of the arm's newest night, since 1970.",
            [](const Night& of) { return seconds_since_1970(of.time); });
  group.add(kGauge, "prescope_night_number", "Number of the arm's newest night in the store.",
            &Night::number);
  group.add(kGauge, "prescope_night_outcome",
            "1 for the outcome of the gate for the newest night, else 0.", "outcome",
            states<Night>(kOutcomes, outcome_of));
  group.add(kGauge, "prescope_night_p95_seconds", "95 % quantile of the topics' latencies.",
            [](const Night& of) {
              constexpr double kMsPerSecond = 1e3;
              return of.p95_ms ? std::optional(*of.p95_ms / kMsPerSecond) : std::nullopt;
            });
  Group<NightMean>{families, means}.add(kGauge, "prescope_night_score",
                                        "Mean of a measure over the topics of the newest night.",
                                        [](const NightMean& of) { return of.second.mean; });
  Group<Night>{families, missing}.add(
      kGauge, "prescope_night_score_missing",
      "1 for a measure that decided in the gate of the newest night and has no stored mean.",
      [](const Night&) { return 1.0; });
  return text_of(std::move(families));
}

}  // namespace prescope::serve
