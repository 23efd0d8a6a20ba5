#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nightly/evaluation_record.h"
#include "prescope/experiment.h"
#include "prescope/observation.h"
#include "prescope/observation_log.h"
#include "prescope/qrels.h"
#include "prescope/summary.h"
#include "replay/engines.h"
#include "replay/ordered_runs.h"
#include "replay/replay_options.h"
#include "replay/replay_topics.h"

namespace prescope {

/// What came out of a replay, beside the options that went in.
struct ReplayResult {
  std::vector<IndexDescription> indexes;  ///< in the order of the arms, each once
  ReplayTopics topics;
  Qrels qrels;  ///< as they were replayed
  std::shared_ptr<const Summary> summary;
};

/// What else comes of a replay while it runs.
struct ReplayWatch {
  OrderedRuns* runs = nullptr;  ///< null: no run files
  /// Called for every observation, one at a time.
  std::function<void(const Observation&)> on_observation{};
  /// Where observations are written to.
  std::vector<std::shared_ptr<ObservationLog>> logs{};
  /// What runs beside it.
  std::vector<AttachService> services{};
  /// Called before the first topic, and after each, one at a time: how many of all are done.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress{};
  /// Called with what came out, while the experiment, and what runs beside it, is still there.
  std::function<void(Experiment&, const ReplayResult&)> on_end{};
};

/// Runs every topic under every arm, in an order of the arms that seed and topic decide, and
/// watches through the engine's observed searchers. The rankings do not depend on the number of
/// threads. Throws Error for input that cannot be used, for a query that failed
/// (naming topic and arm), and where some query was not observed.
[[nodiscard]] ReplayResult replay(const ReplayOptions& options, const ReplayWatch& watch = {});

/// Replays the one arm of `options` and keeps the facts. `file` names the experiment in the record;
/// `watch` must not ask for observations. Throws as `replay`.
[[nodiscard]] EvaluationRecord record_of_replay(const ReplayOptions& options,
                                                const std::string& file, ReplayWatch watch = {});

}  // namespace prescope
