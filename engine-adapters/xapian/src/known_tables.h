#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prescope/experiment.h"

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

class NamedDocuments;

/// One state that databases of an index have been found in. Thread-safe.
class Generation {
 public:
  using TablePtr = std::shared_ptr<const ResolvedQrels>;
  using NamesPtr = std::shared_ptr<const NamedDocuments>;

  explicit Generation(std::uint64_t number) : number_(number) {}

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Returns the newest table; null if there is none yet. Never waits for one that is being made.
  [[nodiscard]] TablePtr table() const;
  /// Returns the table of this version of the judgements, or a newer one, that all threads share.
  /// The first caller makes it, while others wait. Exceptions of `make` pass through, and the next
  /// caller tries again.
  [[nodiscard]] TablePtr table_made_by(std::uint32_t version,
                                       const std::function<TablePtr()>& make);
  /// Returns the names of the documents, which the first caller makes, while others wait.
  /// Exceptions of `make` pass through, and the next caller tries again.
  [[nodiscard]] NamesPtr names_made_by(const std::function<NamesPtr()>& make);

 private:
  const std::uint64_t number_;
  std::mutex making_;  // over names_, too
  NamesPtr names_;
  mutable std::mutex mutex_;  // over table_
  TablePtr table_;
};

/// The states of one index that its open databases are in, or were in last. Thread-safe.
class KnownTables {
 public:
  explicit KnownTables(Experiment& experiment) : experiment_(experiment) {}

  /// Returns the same object for equal states, as long as it is in use. A lock and a short list.
  [[nodiscard]] std::shared_ptr<Generation> generation_of(const DatabaseState& state);
  /// Keeps this one, whose table was just made, also while it is unused: a host may open its
  /// database for each request.
  void keep(std::shared_ptr<Generation> generation);

 private:
  Experiment& experiment_;
  std::mutex mutex_;
  std::vector<std::pair<DatabaseState, std::weak_ptr<Generation>>> generations_;
  std::shared_ptr<Generation> kept_;
  std::uint64_t latest_ = 0;  // the generation that the next one replaces; 0 if there is none
};

}  // namespace prescope::xapian
