#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "database_state.h"
#include "prescope/experiment.h"

namespace prescope::xapian {

/// One state that databases of an index have been found in. Thread-safe.
class Generation {
 public:
  using TablePtr = std::shared_ptr<const ResolvedQrels>;

  explicit Generation(std::uint64_t number) : number_(number) {}

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// The newest; null if nobody has made one yet. Never waits for the making.
  [[nodiscard]] TablePtr table() const;
  /// The table of this version of the judgements, or a newer one, that all threads share: made by
  /// the first that asks, while others wait. What `make` throws passes through, and the next one
  /// makes it.
  [[nodiscard]] TablePtr table_made_by(std::uint32_t version,
                                       const std::function<TablePtr()>& make);

 private:
  const std::uint64_t number_;
  std::mutex making_;
  mutable std::mutex mutex_;  // over table_
  TablePtr table_;
};

/// The states of one index that some database of it is in, or was in last. Thread-safe.
class KnownTables {
 public:
  explicit KnownTables(Experiment& experiment) : experiment_(experiment) {}

  /// The same for equal states, for as long as somebody holds it. A lock and a short list.
  [[nodiscard]] std::shared_ptr<Generation> generation_of(const DatabaseState& state);
  /// Keeps this one, whose table was just made, also while nobody holds it: a host may open its
  /// database for each request.
  void keep(std::shared_ptr<Generation> generation);

 private:
  Experiment& experiment_;
  std::mutex mutex_;
  std::vector<std::pair<DatabaseState, std::weak_ptr<Generation>>> generations_;
  std::shared_ptr<Generation> kept_;
};

}  // namespace prescope::xapian
