#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

namespace prescope::xapian {

/// The readable state of one shard. Two databases that differ in it are in different states; with a
/// revision, two that do not are in the same one.
struct ShardState {
  std::string uuid;  ///< a new one for each database, also for one that a compaction made
  std::optional<std::uint64_t> revision;  ///< std::nullopt: the backend has none
  std::uint64_t documents = 0;
  std::uint64_t last_docid = 0;
  std::uint64_t total_length = 0;
  friend bool operator==(const ShardState&, const ShardState&) = default;
};
using DatabaseState = std::vector<ShardState>;

/// One handle for each shard. Exceptions of Xapian pass through.
[[nodiscard]] DatabaseState state_of(const std::vector<Xapian::Database>& shards);
/// Returns whether equal states mean equal docids.
[[nodiscard]] bool is_exact(const DatabaseState& state) noexcept;
[[nodiscard]] bool same_uuids(const DatabaseState& a, const DatabaseState& b) noexcept;
/// Returns true if the shards are still in this state, as far as the numbers show. About 12 ns a
/// shard, no allocation; exceptions of Xapian pass through.
[[nodiscard]] bool is_in(const std::vector<Xapian::Database>& shards, const DatabaseState& state);

}  // namespace prescope::xapian
