#pragma once

#include <map>
#include <set>

#include "fleet/schema.h"
#include "store/sessions/observation_reader.h"

namespace prescope {

/// The part of a store that a fleet has not acknowledged yet. What was sent and acknowledged is in
/// the store (`sinks`, `sink_epochs`), so that a batch whose answer was lost is sent again with the
/// same bytes, by this process or a later one. Not thread-safe; one process for each sink.
class Outbox {
 public:
  /// Rows that are sent and acknowledged as a whole.
  struct Batch {
    std::int64_t up_to = 0;                        ///< the last number
    std::string rows{};                            ///< RowBinary of `kObservationsTable`
    std::size_t count = 0;                         ///< of rows
    std::int64_t order_ms = 0;                     ///< of the last row
    std::map<std::int64_t, std::size_t> epochs{};  ///< keys, with the number of rows
    std::string condition{};                       ///< selects these rows in the fleet
  };
  struct Limits {
    std::optional<std::chrono::milliseconds> age{};
    std::optional<std::uint64_t> bytes{};  ///< about: kBytesOfRow for each row
  };
  static constexpr std::uint64_t kBytesOfRow = 180;

  /// `sink`: the fleet's name in the store, `server`: the store's name in the fleet. Throws as
  /// open_store_file.
  Outbox(const std::filesystem::path& store, std::string sink, std::string server);

  /// Returns the batch that is in flight or, without one, the next one of at most `most` rows,
  /// which is in flight from now on; std::nullopt if nothing waits. The caller sends it until the
  /// fleet has it.
  std::optional<Batch> next(std::size_t most);
  /// Says that the fleet has the batch.
  void acknowledge(const Batch& batch);
  /// Gives up rows that exceed the limits, the oldest first. Returns their number; `dropped` of the
  /// spool counts them.
  std::uint64_t drop(const Limits& limits, UtcTime now);
  /// Promises that no later row will have an `order_ms` before `time`, if nothing waits.
  void promise(UtcTime time);

  /// Returns `made_ms` for the next rows: the time, or more after the clock was set back, because
  /// the fleet keeps the row with the highest.
  [[nodiscard]] std::uint64_t next_version();
  /// Returns a row of RowBinary for the table of epochs, up to the column `made_ms`.
  [[nodiscard]] std::string epoch_row(std::int64_t epoch) const;
  struct Judgements {
    std::string rows{};       ///< RowBinary of `kJudgementsTable`
    std::string condition{};  ///< selects them; the same for epochs with the same judgements
  };
  [[nodiscard]] Judgements judgements(std::int64_t epoch) const;
  /// Returns rows about the newest epochs and those that have `grown`.
  [[nodiscard]] std::string shipped_rows(const std::set<std::int64_t>& grown,
                                         std::uint64_t made_ms) const;
  [[nodiscard]] std::string spool_row(std::uint64_t made_ms) const;
  // Conditions of SQL that select the rows with a version.
  [[nodiscard]] std::string epoch_condition(std::int64_t epoch, std::uint64_t made_ms) const;
  [[nodiscard]] std::string spool_condition(std::uint64_t made_ms) const;

  /// Returns the number of rows that wait.
  [[nodiscard]] std::uint64_t waiting() const;
  [[nodiscard]] std::uint64_t dropped() const;

  /// Forgets a sink, which then keeps no rows from being pruned. Throws Error(kUsage), with the
  /// existing ones, for an unknown sink.
  static void forget(const std::filesystem::path& store, std::string_view sink);

 private:
  /// A part of a session in which its arms and judgements stayed the same.
  struct Stretch {
    std::int64_t after = 0;
    std::optional<std::int64_t> epoch{};
    std::int64_t qrels = 0;
    std::uint64_t newest_visit_before = 0;  // when the arms changed; these visits are late
  };
  /// A change of an experiment to an epoch.
  struct Change {
    std::string experiment{};
    std::int64_t epoch = 0;
    std::int64_t began_ms = 0;
  };
  struct State {
    std::int64_t acknowledged = 0;
    std::optional<std::int64_t> in_flight{};
    std::int64_t order_ms = 0;
    std::uint64_t dropped = 0;
    std::uint64_t made_ms = 0;
  };

  [[nodiscard]] State state() const;
  const std::vector<Stretch>& stretches(std::int64_t session);
  const std::set<std::int64_t>& topics_of(std::int64_t qrels);
  void append(Batch& batch, const StoredObservation& one);
  void add_change(std::string_view experiment, std::int64_t epoch, std::int64_t began_ms);
  void note(const Change& change);

  ObservationReader reader_;
  Database& database_ = reader_.database();
  std::string sink_, server_;
  std::int64_t spool_ = 0;
  std::map<std::int64_t, std::vector<Stretch>> stretches_;  // by session; of the present batch
  std::vector<Change> changes_;  // in the present batch; noted when its rows were read
  std::map<std::int64_t, std::set<std::int64_t>> qrels_;
};

}  // namespace prescope
