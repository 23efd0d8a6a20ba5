#include "prescope/shipper.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>

#include "base/threads.h"
#include "fleet/outbox.h"
#include "fleet/patience.h"
#include "fleet/ship_options.h"
#include "live/option_checks.h"
#include "base/file_identity.h"

namespace prescope {

namespace {

using std::chrono::milliseconds;

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// One store and one fleet.
class Shipment {
 public:
  Shipment(const std::filesystem::path& store, const FleetAddress& address,
           const ShipOptions& options)
      : options_(options), fleet_(address), outbox_(store, address.text, options.server) {
    made_ms_ = utc_now_ms();
  }

  /// Sends the next batch; returns false if nothing waits. Throws as ClickHouse does; the batch
  /// then stays in flight.
  bool send() {
    if (!is_checked_) check_fleet(fleet_);
    is_checked_ = true;
    if (!batch_) batch_ = outbox_.next(options_.batch);
    if (!batch_) return false;
    for (const auto& [epoch, rows] : batch_->epochs) announce(epoch);
    insert(kObservationsTable, batch_->rows);
    outbox_.acknowledge(*batch_);
    shipped_ += batch_->count;
    batch_.reset();
    publish();
    return true;
  }

  /// Says how far the store was shipped, also if nothing is new.
  void beat() {
    constexpr std::chrono::seconds kUnwritten{1};  // what a log may still have in its queue
    outbox_.promise(utc_now() - kUnwritten);
    publish();
  }

  /// Gives up what exceeds the limits; returns its number.
  std::uint64_t drop() {
    const std::uint64_t dropped =
        outbox_.drop({.age = options_.most_age, .bytes = options_.most_bytes}, utc_now());
    if (dropped > 0) batch_.reset();
    return dropped;
  }

  [[nodiscard]] std::uint64_t shipped() const noexcept { return shipped_; }
  [[nodiscard]] const Outbox& outbox() const noexcept { return outbox_; }

 private:
  void insert(const FleetTable& table, const std::string& rows) {
    if (!rows.empty()) insert_rows(fleet_, table, rows);
  }

  /// Sends what an epoch stands for before its first observation.
  void announce(std::int64_t epoch) {
    if (announced_.contains(epoch)) return;
    if (!judgements_.contains(epoch)) judgements_[epoch] = outbox_.judgement_rows(epoch);
    insert(kJudgementsTable, judgements_[epoch]);
    insert(kEpochsTable, outbox_.epoch_rows(epoch, next_version()));
    judgements_[epoch].clear();
    announced_.insert(epoch);
  }

  void publish() {
    insert(kShippedTable, outbox_.shipped_rows(next_version()));
    insert(kSpoolsTable, outbox_.spool_row(next_version()));
  }

  /// Ascends, also if the clock steps back while this runs.
  std::uint64_t next_version() { return made_ms_ = std::max(made_ms_ + 1, utc_now_ms()); }

  const ShipOptions& options_;
  ClickHouse fleet_;
  Outbox outbox_;
  bool is_checked_ = false;
  std::optional<Outbox::Batch> batch_;              // in flight
  std::set<std::int64_t> announced_;                // epochs
  std::map<std::int64_t, std::string> judgements_;  // rows, by epoch; empty if they were sent
  std::uint64_t made_ms_ = 0;
  std::uint64_t shipped_ = 0;
};

}  // namespace

ShipOptions checked(ShipOptions options) {
  OptionChecks problems;
  problems.check_range("batch", options.batch, std::size_t{1}, std::size_t{500'000});
  problems.check_milliseconds("interval", options.interval, 100, 600'000);
  problems.check_milliseconds("decision_interval", options.decision_interval, 50, 60'000);
  problems.refuse_any("options of shipping");
  if (options.server.empty()) options.server = machine_name();
  return options;
}

ShipProgress ship_all(const std::filesystem::path& store, const ShipOptions& given) {
  const ShipOptions options = checked(given);
  Shipment shipment(store, parse_fleet_url(options.to), options);
  ShipProgress progress;
  shipment.drop();
  const auto warn = [&](const FleetUnavailable& error) {
    if (++progress.failures == 1 && options.on_warning) options.on_warning(error.what());
  };
  bool is_done = false;
  const auto send = [&] {
    is_done = !shipment.send();
    if (is_done) shipment.beat();
  };
  while (!is_done) patiently(options.patience, send, warn);
  progress.shipped = shipment.shipped();
  progress.waiting = shipment.outbox().waiting();
  progress.dropped = shipment.outbox().dropped();
  progress.is_connected = true;
  return progress;
}

class Shipper::Work {
 public:
  Work(std::filesystem::path store, ShipOptions options)
      : store_(std::move(store)),
        options_(checked(std::move(options))),
        address_(parse_fleet_url(options_.to)) {
    thread_ = start_thread("prescope-ship", [this](const std::stop_token& stop) { run(stop); });
  }

  [[nodiscard]] ShipProgress progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
  }

 private:
  void run(const std::stop_token& stop) {
    give_way(kNiceness);
    while (!stop.stop_requested()) {
      const milliseconds wait = step();
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, wait, [] { return false; });
    }
  }

  /// Returns the time until the next step.
  milliseconds step() {
    try {
      if (!shipment_) {
        identity_ = FileIdentity::of(store_);
        shipment_.emplace(store_, address_, options_);
      }
      const std::uint64_t dropped = shipment_->drop();
      if (dropped > 0) {
        warn(fmt::format("{} observations were given up: they exceed the limits of the outbox",
                         dropped));
      }
      const bool is_more = shipment_->send();
      if (!is_more) shipment_->beat();
      note({});
      if (!is_more && leave_moved_file()) return milliseconds(0);
      return is_more && shipment_->outbox().waiting() >= options_.batch ? milliseconds(0)
                                                                        : options_.interval;
    } catch (const std::exception& error) {
      note(error.what());
      static_cast<void>(leave_moved_file());
      return back_off_.next();
    }
  }

  /// Closes a file that was removed, moved or replaced. Returns whether it did.
  bool leave_moved_file() {
    if (!shipment_ || FileIdentity::of(store_) == identity_) return false;
    shipped_before_ += shipment_->shipped();
    shipment_.reset();
    warn(fmt::format(
        "{}: the file was removed, moved or replaced, and the shipper has left it; 'prescope ship' "
        "sends what it still has",
        store_.string()));
    return true;
  }

  /// Takes note of a success, or of a failure, of which only the first of several is told.
  void note(const std::string& failure) {
    ShipProgress now = progress();
    const bool was_failing = is_failing_;
    is_failing_ = !failure.empty();
    now.is_connected = !is_failing_;
    now.failures += is_failing_ ? 1U : 0U;
    if (!is_failing_) {
      back_off_.reset();
      now.shipped = shipped_before_ + shipment_->shipped();
      now.waiting = shipment_->outbox().waiting();
      now.dropped = shipment_->outbox().dropped();
    }
    {
      const std::lock_guard lock(mutex_);
      progress_ = now;
    }
    if (is_failing_ && !was_failing) warn(failure);
    if (!is_failing_ && was_failing) warn("shipping goes on");
  }

  void warn(const std::string& sentence) const {
    if (options_.on_warning) options_.on_warning(sentence);
  }

  static constexpr int kNiceness = 10;  // searches of the host go first

  const std::filesystem::path store_;
  const ShipOptions options_;
  const FleetAddress address_;
  std::optional<Shipment> shipment_;      // once the store is there
  std::optional<FileIdentity> identity_;  // of its file
  std::uint64_t shipped_before_ = 0;      // of earlier files
  BackOff back_off_;
  bool is_failing_ = false;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  ShipProgress progress_;  // guarded by `mutex_`
  std::jthread thread_;    // stops before the members that it uses are destroyed
};

Shipper::Shipper(std::filesystem::path store, ShipOptions options)
    : work_(std::make_unique<Work>(std::move(store), std::move(options))) {}
Shipper::~Shipper() = default;
ShipProgress Shipper::progress() const { return work_->progress(); }

}  // namespace prescope
