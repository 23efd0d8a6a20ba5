#pragma once

#include "nightly/gate/gate.h"
#include "nightly/history.h"
#include "nightly/record/evaluation_record.h"
#include "store/sqlite/database.h"

namespace prescope {

/// The rows that a store should keep. Pins, pinned evaluations with their verdicts, and the sums
/// over observations by hour and by topic are always kept.
struct Retention {
  /// With captured rankings and numbers of requests; keeps observations that are not in the sums,
  /// or that a fleet has not got yet.
  std::optional<UtcTime> observations_since{};
  std::optional<UtcTime> evaluations_since{};  ///< with their verdicts
  /// Largest size of the file; above it more is removed, the oldest first: captured rankings, then
  /// observations with the numbers of requests as old as they, then evaluations.
  std::optional<std::uint64_t> bytes{};
};

/// Counts of removed rows.
struct Pruned {
  std::uint64_t captures = 0, observations = 0, evaluations = 0;
  /// Size of the file; the data that is always kept may exceed the limit.
  std::uint64_t bytes_before = 0, bytes_after = 0;
};

/// One change of the evaluations, pins and verdicts of a store, which is stored as a whole.
struct StoreChange {
  std::optional<EvaluationRecord> record{};  ///< an evaluation to add
  /// Its number, the next one unless given; without a record, the one that is pinned or judged.
  std::int64_t evaluation = 0;
  std::optional<Pin> pin{};
  std::optional<GateVerdict> verdict{};
  std::optional<Attempt> attempt{};  ///< that begins, or, if it has a number, was refused
  std::optional<std::int64_t> attempt_number{};  ///< with a verdict: the one that is forgotten
};

/// An SQLite file of observations, evaluations (nights), baselines and gate verdicts;
/// `docs/formats.md` documents it column by column. One process writes at a time, others may read
/// meanwhile. One file: a write-ahead log beside it is gone when the last connection is closed, if
/// that one may write. Not thread-safe: one object for each thread.
class Store {
 public:
  using Access = Database::Access;
  /// Throws as `open_store_file`.
  [[nodiscard]] static Store open(const std::filesystem::path& path, Access access);
  virtual ~Store() = default;
  Store(Store&&) = default;

  /// Makes the change, and fills in the numbers and the pin that it led to. Atomic; durable on
  /// return. All writing functions but `prune` call it.
  virtual void apply(StoreChange& change);

  /// Returns its number, from 1. Atomic; durable on return.
  std::int64_t add(const EvaluationRecord& record);
  /// Throws Error(kUsage) for an unknown number.
  [[nodiscard]] EvaluationRecord evaluation(std::int64_t number) const;

  /// Oldest first.
  [[nodiscard]] std::vector<Night> nights(const HistoryFilter& filter = {}) const;

  /// Adds the evaluation and pins it, atomically. Returns the pin with its numbers.
  Pin pin(const EvaluationRecord& record, const Pin& request);
  /// Pins an existing evaluation. No pin is ever deleted.
  Pin pin(const Pin& request);
  /// Oldest first.
  [[nodiscard]] std::vector<Pin> pins() const;
  /// Returns the baseline of this name. Throws Error(kUsage) that lists the existing names.
  [[nodiscard]] Baseline baseline(std::string_view name) const;

  /// Adds the evaluation and its verdict, atomically, and forgets the attempt that led to it.
  /// Returns the evaluation's number.
  std::int64_t add(const EvaluationRecord& record, const GateVerdict& verdict,
                   std::optional<std::int64_t> attempt = {});
  /// Does the same for an evaluation that is stored: adds outcome, rules and reasons.
  void add(std::int64_t evaluation, const GateVerdict& verdict,
           std::optional<std::int64_t> attempt = {});

  /// Stores a gate that has begun, which leaves this row if it is killed. Returns its number.
  std::int64_t begin(const Attempt& attempt);
  /// Says why a gate gave no verdict.
  void refuse(std::int64_t attempt, std::string_view reason);
  /// Gates that gave no verdict, oldest first.
  [[nodiscard]] std::vector<Attempt> attempts() const;

  /// Removes rows in several transactions, then returns free pages to the file system. If a reader
  /// is active, the pages are returned by the next call.
  Pruned prune(const Retention& retention);

 protected:
  explicit Store(Database database) : database_(std::move(database)) {}
  /// Calls `publish` when the change is made but not stored yet; it is not stored if that throws.
  void apply(StoreChange& change, const std::function<void()>& publish);

 private:
  StoreChange made(StoreChange change);

  mutable Database database_;  // reading begins transactions
};

}  // namespace prescope
