#pragma once

#include <map>
#include <set>

#include "fleet/schema.h"
#include "fleet/sink.h"
#include "store/sessions/observation_reader.h"

namespace prescope {

/// The part of a store that a fleet has not acknowledged yet. What was sent and acknowledged is in
/// the store (`sinks`, `sink_epochs`), so that a batch whose answer was lost is sent again with the
/// same bytes, by this process or a later one. Not thread-safe; one process for each sink.
class Outbox {
 public:
  /// Rows that are sent and acknowledged as a whole.
  struct Batch {
    std::int64_t after = 0, up_to = 0;             ///< numbers are in (after, up_to]
    std::string rows{};                            ///< RowBinary of `kObservationsTable`
    std::size_t count = 0;                         ///< of rows
    std::int64_t order_ms = 0;                     ///< of the last row
    std::int64_t latest_ms = 0;                    ///< no row may have a later `order_ms`
    std::uint64_t ahead_rows = 0;                  ///< with a later time, by more than a minute
    std::map<std::int64_t, std::size_t> epochs{};  ///< keys, with the number of rows
    std::string condition{};                       ///< selects these rows in the fleet
  };
  using Limits = FleetSink::Limits;
  static constexpr std::uint64_t kBytesOfRow = FleetSink::kBytesOfRow;

  /// `url`: of the fleet, `server`: the store's name in the fleet. Throws as open_store_file.
  Outbox(const std::filesystem::path& store, std::string url, std::string server);

  /// Returns the first `most` rows of those in flight or, without any, of those that wait; they are
  /// in flight from now on, so that they are sent with the same bytes until the fleet has them.
  /// std::nullopt if nothing waits. `clock` is ClickHouse's: a time behind it is the future.
  std::optional<Batch> next(std::size_t most, std::optional<UtcTime> clock = {});
  /// Says that the fleet has the batch.
  void acknowledge(const Batch& batch);
  /// Returns the sessions that were met and are not shipped, because they find their topics as they
  /// come: a fleet compares the topics of a list.
  [[nodiscard]] std::uint64_t sessions_left_out() const noexcept { return left_out_.size(); }
  [[nodiscard]] std::uint64_t spool() const noexcept { return static_cast<std::uint64_t>(spool_); }
  // As `FleetSink`.
  bool identify(std::uint64_t id) { return sink_.identify(id); }
  std::uint64_t drop(const Limits& limits, UtcTime now) { return sink_.drop(limits, now); }
  void promise(UtcTime time) { sink_.promise(time); }
  [[nodiscard]] std::uint64_t waiting() const { return sink_.waiting(); }
  [[nodiscard]] std::uint64_t dropped() const { return sink_.state().dropped; }
  /// No later row has an `order_ms` before it.
  [[nodiscard]] UtcTime complete() const {
    return UtcTime(std::chrono::milliseconds(sink_.state().order_ms));
  }
  [[nodiscard]] bool has_in_flight() const { return sink_.state().in_flight.has_value(); }
  [[nodiscard]] std::uint64_t next_version() { return sink_.next_version(); }
  void note_told() { sink_.note_told(); }
  /// Takes note of how many rows the fleet knows of this store. If it knew more before, the store
  /// goes back; returns the number of rows that it still has and sends again. Throws as
  /// FleetSink::compare.
  std::uint64_t compare(std::uint64_t known);

  /// Returns a row of RowBinary for the table of epochs, up to the column `made_ms`.
  [[nodiscard]] std::string epoch_row(std::int64_t epoch) const;
  struct Judgements {
    std::vector<std::string> rows{};  ///< RowBinary of `kJudgementsTable`
    std::string condition{};  ///< selects them; the same for epochs with the same judgements
  };
  [[nodiscard]] Judgements judgements(std::int64_t epoch) const;
  /// Returns rows about the newest epochs and those that have `grown`.
  [[nodiscard]] std::string shipped_rows(const std::set<std::int64_t>& grown,
                                         std::uint64_t made_ms) const;
  /// What the shipper says about itself.
  struct ShipperWords {
    std::uint64_t writer = 0;           ///< a random number of the process
    std::chrono::milliseconds ahead{};  ///< its clock, of ClickHouse's
    std::string error{};                ///< the last failure
  };
  [[nodiscard]] std::string spool_row(const ShipperWords& words, std::uint64_t made_ms) const;
  // Conditions of SQL that select the rows with a version.
  [[nodiscard]] std::string epoch_condition(std::int64_t epoch, std::uint64_t made_ms) const;
  [[nodiscard]] std::string spool_condition(std::uint64_t made_ms) const;

  /// As FleetSink::forget.
  static void forget(const std::filesystem::path& store, std::string_view url);

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
  [[nodiscard]] Batch read(const FleetSink::State& from, std::int64_t up_to, std::size_t most);
  void count_rows(const Batch& batch, const char* sign);
  const std::vector<Stretch>& stretches(std::int64_t session);
  const std::set<std::int64_t>& topics_of(std::int64_t qrels);
  void append(Batch& batch, const StoredObservation& one);
  void add_change(std::string_view experiment, std::int64_t epoch, std::int64_t began_ms);
  void note(const Change& change);

  ObservationReader reader_;
  Database& database_ = reader_.database();
  FleetSink sink_;
  std::string server_;
  std::int64_t spool_ = 0;
  std::set<std::int64_t> left_out_;                         // sessions
  std::map<std::int64_t, std::vector<Stretch>> stretches_;  // by session; of the present batch
  std::vector<Change> changes_;  // in the present batch; noted when its rows were read
  struct {
    std::int64_t qrels = 0;  // version of the judgements; neighbouring rows share it
    std::set<std::int64_t> numbers{};
  } topics_;
};

}  // namespace prescope
