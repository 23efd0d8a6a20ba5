#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment_options.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
/// Lets the verdicts of an experiment run a command, post to a URL or call the host;
/// docs/actions.md.
namespace prescope {

/// The kinds of news that actions answer. An event is about one arm compared with the first arm,
/// and about the primary measure if its kind names nothing else.
enum class EventKind {
  /// The arm is better than the first arm: confirmed, or by a planned test that has ended.
  kBetter,
  kWorse,            ///< the arm is worse than the first arm: confirmed, or by a planned test
  kVetoed,           ///< a check has become a reason to give no verdict about the pair
  kLatencyWorse,     ///< the arm is slower; see LatencyRatio
  kGuardrailBroken,  ///< the arm is worse in a guardrail by more than its margin
  kPlanEnded,        ///< the planned test about the arm has ended, whatever it says
};
/// "better", "worse", "vetoed", "latency_worse", "guardrail_broken", "plan_ended".
[[nodiscard]] std::string_view to_string(EventKind kind) noexcept;
/// Returns the kind of this name. Throws Error(kUsage), naming the nearest, if there is none.
[[nodiscard]] EventKind parse_event_kind(std::string_view name);

struct Event {
  /// The same for each process with the same journal, and no other event has it.
  std::string id{};
  EventKind kind = EventKind::kWorse;
  std::string experiment{};
  std::string salt{};                   ///< Mode::kSplit; see SplitOptions
  std::uint64_t epoch = 1;              ///< of the process that found it
  std::string arm{};                    ///< the arm that it is about
  std::string compared_with{};          ///< the first arm
  std::string measure{};                ///< the primary measure
  std::optional<double> mean{};         ///< difference, `arm` less `compared_with`; see LiveVerdict
  std::optional<double> low{}, high{};  ///< its interval
  std::uint32_t topics = 0;             ///< topics, or families, that the evidence is made of
  /// The latency of `arm` over the latency of `compared_with`, the ratio's interval, and the number
  /// of visits.
  std::optional<double> latency_ratio{}, latency_low{}, latency_high{};
  std::uint64_t latency_visits = 0;
  std::string sentence{};  ///< "tfidf is better than bm25 by 0.0210 PRES@100."
  UtcTime time{};          ///< when it was found
  /// The journal has it from another process, so that no command runs for it here.
  bool is_repeated = false;
};

/// Options of `actions`. At least one of `on_event`, `command` and `url` is needed.
struct ActionOptions {
  /// Kinds that are acted upon, at least one.
  std::vector<EventKind> on = {EventKind::kWorse, EventKind::kVetoed};
  /// Called once for each event in each process that finds it, on a thread of the actions. It may
  /// change the experiment: `experiment.pause_arm(experiment.arm(event.arm))`. What it throws
  /// becomes a warning. It is not called while the experiment ends.
  std::function<void(const Event& event, Experiment& experiment)> on_event{};
  /// A command for /bin/sh, run once for each event, also over restarts. It gets the event as JSON
  /// on its standard input, and PRESCOPE_EVENT, PRESCOPE_EVENT_ID, PRESCOPE_EXPERIMENT and
  /// PRESCOPE_ARM in its environment. It goes on if this process ends.
  std::string command{};
  std::chrono::seconds time_limit{60};  ///< of the command, [1, 86400]; then it is ended
  /// "http://..." or "https://...". The event is posted as JSON with its id in the field
  /// Idempotency-Key, again and again for 24 hours until the answer is 2xx.
  std::string url{};
  /// A folder that remembers events and what was done. It is made if it is missing; the folder
  /// around it must be there. Needed for `command` and `url`. Processes with one journal act once.
  std::filesystem::path journal{};
  /// Called with a sentence when an action fails, on threads of the actions, and possibly on two of
  /// them at once; empty: standard error.
  std::function<void(const std::string& sentence)> on_warning{};
};

/// Returns a service for ExperimentOptions::services. It looks at `Experiment::latest` as often as
/// a summary is published, on a thread of its own, and once more when the experiment ends.
/// Beginning it throws Error: kUsage naming every bad option at once, kIo if the journal cannot be
/// used or a thread not started.
[[nodiscard]] AttachService actions(ActionOptions options);

}  // namespace prescope
#pragma GCC visibility pop
