#pragma once

#include "fleet/outbox.h"
#include "prescope/shipper.h"

namespace prescope {

/// One store and one fleet. Every step begins by asking the fleet which database it is, what time
/// it is there, and how many rows it knows, so that a database that was lost, restored or replaced
/// meanwhile needs no restart. Not thread-safe.
class Shipment {
 public:
  /// `options` must outlive it. Throws as Outbox.
  Shipment(const std::filesystem::path& store, const FleetAddress& address,
           const ShipOptions& options);

  /// Sends the first rows in flight, or else the next ones; returns false if nothing waits. Throws
  /// as ClickHouse does; the rows then stay in flight, and the next call sends half as many.
  bool send();
  /// Says how far the store was shipped, also if nothing is new.
  void beat();
  /// Gives up what exceeds the limits; returns its number.
  std::uint64_t drop();
  /// Takes note of a failure that somebody has caught: nothing that the fleet had is taken for
  /// granted any more.
  void note_failure(const std::string& reason);

  [[nodiscard]] std::uint64_t shipped() const noexcept { return shipped_; }
  [[nodiscard]] std::uint64_t waiting() const { return outbox_.waiting(); }
  [[nodiscard]] std::uint64_t dropped() const { return outbox_.dropped(); }
  [[nodiscard]] bool has_in_flight() const { return outbox_.has_in_flight(); }
  /// Returns the time up to which the fleet knows that it has everything.
  [[nodiscard]] UtcTime complete() const noexcept { return complete_; }
  [[nodiscard]] std::chrono::milliseconds ahead() const noexcept { return words_.ahead; }

 private:
  void look();
  void identify();
  void compare();
  bool send_observations(std::size_t most);
  void announce(std::int64_t epoch);
  void send_judgements(const Outbox::Judgements& judgements);
  void publish();

  const ShipOptions& options_;
  ClickHouse fleet_;
  Outbox outbox_;
  Outbox::ShipperWords words_{};
  UtcTime clock_{}, complete_{};  // ClickHouse's
  bool is_checked_ = false;
  std::uint64_t left_out_ = 0;                     // sessions, as far as they were said
  std::size_t at_once_;                            // rows of an insert
  std::size_t tried_ = 0;                          // rows of the last insert
  std::size_t most_at_once_;                       // smaller, once a proxy has found one too large
  std::optional<std::uint64_t> other_writer_{};    // that was seen last
  std::map<std::int64_t, std::string> announced_;  // rows without their versions, by epoch
  std::set<std::string> sent_judgements_;          // conditions of their rows
  std::set<std::int64_t> grown_;                   // epochs with more rows than the fleet was told
  std::uint64_t shipped_ = 0;
};

}  // namespace prescope
