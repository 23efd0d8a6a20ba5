#pragma once

#include <cstdint>
#include <optional>

#include "core/evaluation_record.h"
#include "store/database.h"

namespace prescope {

/// What a store is to keep. Pins, pinned evaluations with their verdicts, and the sums over
/// observations by hour and by topic are always kept.
struct Retention {
  /// Observations and captured rankings of before are removed, once they are in the sums.
  std::optional<UtcTime> observations_since{};
  /// Evaluations of before are removed with their verdicts, unless they are or were pinned.
  std::optional<UtcTime> evaluations_since{};
  /// The size of the file beyond which more is removed, the oldest first: captured rankings, then
  /// observations, then evaluations.
  std::optional<std::uint64_t> bytes{};
};

/// What was removed.
struct Pruned {
  std::uint64_t captures = 0, observations = 0, evaluations = 0;
  /// Size of the file; what is kept in any case may be more than was asked for.
  std::uint64_t bytes_before = 0, bytes_after = 0;
};

/// Removes in several transactions, each of which leaves a sound store, then gives what became free
/// back to the file system; a reader that is at work meanwhile puts that off to the next time.
Pruned prune_store(Database& database, const Retention& retention);

}  // namespace prescope
