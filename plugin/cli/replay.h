#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cli/ordered_runs.h"
#include "cli/replay_indexes.h"
#include "cli/replay_options.h"
#include "cli/replay_topics.h"
#include "prescope/summary.h"

namespace prescope::cli {

/// What came out of a replay, beside the options that went in.
struct ReplayResult {
  std::vector<IndexDescription> indexes;  ///< in the order of the arms, each once
  ReplayTopics topics;
  std::shared_ptr<const Summary> summary;
};

/// Runs every topic under every arm, in an order of the arms that seed and topic decide, and
/// watches through the engine's observed searchers. The rankings do not depend on the number of
/// threads. `runs` may be null. Throws Error for input that cannot be used, for a query that failed
/// (naming topic and arm), and where some query was not observed.
[[nodiscard]] ReplayResult replay(const ReplayOptions& options, OrderedRuns* runs);

/// The order in which a topic's arms are run: a permutation of 0..arms-1 that depends on nothing
/// but seed and topic.
[[nodiscard]] std::vector<std::size_t> arm_order(std::uint64_t seed, const TopicId& topic,
                                                 std::size_t arms);

}  // namespace prescope::cli
