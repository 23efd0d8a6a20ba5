#include <fmt/format.h>

#include "report/live_words.h"
#include "report/number_text.h"
#include "report/sections.h"
#include "report/text_grid.h"

namespace prescope {
namespace {

std::string_view beginning(EpochReason reason) {
  switch (reason) {
    case EpochReason::kStart:
      return "since the start";
    case EpochReason::kGeneration:
      return "since a new generation of the index";
    case EpochReason::kArms:
      return "since a change of the arms";
    case EpochReason::kJudgements:
      return "since a change of the judgements";
  }
  return "";
}

/// The first measure of each pair, which the experiment names first because it matters most.
std::string past_states(const Summary& summary, const PastEpoch& past) {
  std::string out;
  for (const PastEpoch::Difference& difference : past.differences) {
    if (!(difference.measure == past.differences.front().measure)) continue;
    const ArmNames names{.a = summary.arms.front().id.text(),
                         .b = summary.arms[difference.b.value()].id.text()};
    out += fmt::format("  {}, {} minus {}: {}, {}\n", difference.measure.name(), names.b, names.a,
                       difference_text(difference.mean),
                       live_state_text(difference.live, difference.topics, difference.mean, names));
  }
  return out;
}

}  // namespace

std::string epoch_section(const Summary& summary) {
  std::string out =
      fmt::format("Epoch {}, {}: {} in it\n", summary.epoch.number, beginning(summary.epoch.reason),
                  count_text(summary.epoch.observations, "observation"));
  if (summary.past_epochs.empty()) return out;
  const PastEpoch& last = summary.past_epochs.back();
  const std::string states = past_states(summary, last);
  return out +
         fmt::format("Epoch {} ended after {}{}\n", last.epoch.number,
                     count_text(last.epoch.observations, "observation"),
                     states.empty() ? "" : ":") +
         states;
}

std::string drift_section(const Summary& summary, TableOptions::Color color) {
  std::string lines;
  for (const ArmSummary& arm : summary.arms) {
    for (const MeasureMean& mean : arm.means) {
      const Drift& drift = mean.drift;
      if (drift.changed == 0) continue;
      lines +=
          fmt::format("  {} {}: {} of {} served again moved, by {:.4f} on average, {} by {:.4f}\n",
                      arm.id.text(), mean.measure.name(), grouped_text(drift.changed),
                      count_text(drift.revisited, "topic"), drift.mean_change, drift.topic.text(),
                      drift.largest);
    }
  }
  if (lines.empty()) return {};
  return '\n' +
         paint("Drift: topics whose score moved since their earlier visits of this epoch",
               Style::kStrong, color) +
         '\n' + lines;
}

}  // namespace prescope
