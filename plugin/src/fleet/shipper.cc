#include "prescope/shipper.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <mutex>

#include "base/file_identity.h"
#include "base/threads.h"
#include "fleet/decisions.h"
#include "fleet/receipt.h"
#include "fleet/row_binary.h"
#include "fleet/shipment.h"
#include "live/option_checks.h"
#include "prescope/experiment.h"

namespace prescope {

namespace {

using std::chrono::milliseconds;

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Returns the options with the machine's name as the default `server` and a function for warnings.
/// Throws Error(kUsage) naming every option that is out of range.
ShipOptions checked(ShipOptions options) {
  OptionChecks problems;
  problems.check_range("batch", options.batch, std::size_t{1}, std::size_t{500'000});
  problems.check_milliseconds("interval", options.interval, 100, 600'000);
  problems.check_milliseconds("decision_interval", options.decision_interval, 50, 60'000);
  problems.refuse_any("options of shipping");
  if (options.server.empty()) options.server = machine_name();
  if (!options.on_warning) options.on_warning = [](const std::string&) {};
  return options;
}

}  // namespace

ShipProgress ship_all(const std::filesystem::path& store, const ShipOptions& given) {
  const ShipOptions options = checked(given);
  Shipment shipment(store, parse_fleet_url(options.to), options);
  ShipProgress progress;
  shipment.drop();
  const auto warn = [&](const FleetUnavailable& error) {
    shipment.note_failure(error.what());
    if (++progress.failures == 1) options.on_warning(error.what());
  };
  bool is_done = false;
  const auto send = [&] {
    is_done = !shipment.send();
    if (is_done) shipment.beat();
  };
  while (!is_done) patiently(options.patience, send, warn);
  progress.shipped = shipment.shipped();
  progress.waiting = shipment.waiting();
  progress.dropped = shipment.dropped();
  progress.complete = shipment.complete();
  progress.is_connected = true;
  return progress;
}

class Shipper::Work {
 public:
  Work(std::filesystem::path store, ShipOptions options)
      : store_(std::move(store)),
        options_(checked(std::move(options))),
        address_(parse_fleet_url(options_.to)) {
    constexpr int kNiceness = 10;  // searches of the host go first
    thread_ = start_steps("prescope-ship", kNiceness, [this] { return step(); });
  }

  [[nodiscard]] ShipProgress progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
  }

 private:
  /// Returns the time until the next step.
  milliseconds step() {
    try {
      if (!shipment_) {
        identity_ = FileIdentity::of(store_);
        shipment_.emplace(store_, address_, options_);
      }
      const std::uint64_t dropped = shipment_->drop();
      if (dropped > 0) {
        options_.on_warning(fmt::format(
            "{} observations were given up: they exceed the limits of the outbox", dropped));
      }
      count();  // also if sending fails
      const bool is_more = shipment_->send();
      if (!is_more) shipment_->beat();
      note({});
      count();
      if (!is_more && leave_moved_file()) return milliseconds(0);
      return is_more && is_behind(shipment_->waiting()) ? milliseconds(0) : options_.interval;
    } catch (const std::exception& error) {
      if (shipment_) shipment_->note_failure(error.what());
      note(error.what());
      static_cast<void>(leave_moved_file());
      return back_off_.next();
    }
  }

  /// Returns whether the next rows are sent at once: a full batch waits, or the last one was only a
  /// part of a batch.
  [[nodiscard]] bool is_behind(std::uint64_t waiting) {
    const bool is_part = shipment_->has_in_flight();
    return waiting >= options_.batch || is_part;
  }

  /// Closes a file that was removed, moved or replaced. Returns whether it did.
  bool leave_moved_file() {
    if (!shipment_ || FileIdentity::of(store_) == identity_) return false;
    shipped_before_ += shipment_->shipped();
    shipment_.reset();
    options_.on_warning(fmt::format(
        "{}: the file was removed, moved or replaced, and the shipper has left it; 'prescope ship' "
        "sends what it still has",
        store_.string()));
    return true;
  }

  /// Counts what was shipped, and what the store still has.
  void count() {
    const std::uint64_t waiting = shipment_->waiting();
    const std::uint64_t dropped = shipment_->dropped();
    const std::lock_guard lock(mutex_);
    progress_.complete = shipment_->complete();
    progress_.clock_ahead = shipment_->ahead();
    progress_.shipped = shipped_before_ + shipment_->shipped();
    progress_.waiting = waiting;
    progress_.dropped = dropped;
  }

  /// Takes note of a success, or of a failure, of which only the first of several is told.
  void note(const std::string& failure) {
    const bool was_failing = is_failing_;
    is_failing_ = !failure.empty();
    if (!is_failing_) back_off_ = {};
    {
      const std::lock_guard lock(mutex_);
      progress_.is_connected = !is_failing_;
      progress_.failures += is_failing_ ? 1U : 0U;
      if (is_failing_) progress_.last_error = failure;
    }
    if (is_failing_ && !was_failing) options_.on_warning(failure);
    if (!is_failing_ && was_failing) options_.on_warning("shipping goes on");
  }

  const std::filesystem::path store_;
  const ShipOptions options_;
  const FleetAddress address_;
  std::optional<Shipment> shipment_;      // once the store is there
  std::optional<FileIdentity> identity_;  // of its file
  std::uint64_t shipped_before_ = 0;      // of earlier files
  BackOff back_off_;
  bool is_failing_ = false;
  mutable std::mutex mutex_;
  ShipProgress progress_;  // guarded by `mutex_`
  std::jthread thread_;    // stops before the members that it uses are destroyed
};

Shipper::Shipper(std::filesystem::path store, ShipOptions options)
    : work_(std::make_unique<Work>(std::move(store), std::move(options))) {}
Shipper::~Shipper() = default;
ShipProgress Shipper::progress() const { return work_->progress(); }

namespace {

/// The store keeps decisions, so that an experiment begins with them if the fleet is away.
class DecisionFollower : public ExperimentService {
 public:
  DecisionFollower(Experiment& experiment, std::filesystem::path store, const ShipOptions& options)
      : experiment_(experiment),
        store_(std::move(store)),
        options_(checked(options)),
        fleet_(parse_fleet_url(options_.to)) {
    take_kept();
    apply();
    thread_ = start_steps("prescope-decide", 0, [this] {
      step();
      return options_.decision_interval;
    });
  }

 private:
  /// The result of a decision in this process.
  struct Outcome {
    std::uint64_t at_ms = 0;  // 0: not tried
    std::string refusal{};    // empty: applied
  };

  [[nodiscard]] const std::string& name() const { return experiment_.options().name; }

  void step() {
    try {
      for (const Decision& one : read_decisions(fleet_, name())) outcomes_.try_emplace(one);
      apply();
      keep();
      report();
      if (std::exchange(is_failing_, false))
        options_.on_warning("the fleet's decisions are followed again");
    } catch (const std::exception& error) {
      if (!std::exchange(is_failing_, true)) options_.on_warning(error.what());
    }
  }

  void apply() {
    for (auto& [decision, outcome] : outcomes_) {
      if (outcome.at_ms != 0 && outcome.refusal.empty()) continue;
      std::string refusal = is_undone(decision) ? "" : refusal_of(decision);
      if (outcome.at_ms != 0 && outcome.refusal == refusal) continue;
      outcome = {utc_now_ms(), std::move(refusal)};
      is_kept_ = is_reported_ = false;
      options_.on_warning(fmt::format("decision {} of {}, {} {}: {}", decision.number,
                                      decision.person, decision.kind, decision.arm,
                                      outcome.refusal.empty() ? "applied" : outcome.refusal));
    }
  }

  [[nodiscard]] bool is_undone(const Decision& decision) const {
    return std::ranges::any_of(outcomes_,
                               [&](const auto& one) { return one.first.undoes(decision); });
  }

  /// Applies the decision. Returns why it could not, or an empty text.
  std::string refusal_of(const Decision& decision) {
    try {
      const ArmIndex arm = experiment_.arm(decision.arm);
      if (decision.kind == "pause") {
        experiment_.pause_arm(arm);
      } else if (decision.kind == "resume") {
        experiment_.resume_arm(arm);
      } else if (decision.kind == "restart") {
        experiment_.restart_arm(arm, decision.number);
      } else {
        return fmt::format("this prescope knows no decision '{}'", decision.kind);
      }
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

  void take_kept() {
    const Database database = open_store_file(store_, Database::Access::kWrite);
    Statement rows(database,
                   "SELECT number, made_ms, id, kind, arm, person FROM decisions"
                   " WHERE experiment = ?");
    for (rows.bind(name()); rows.next();) {
      Decision one;
      rows.read(one.number, one.made_ms, one.id, one.kind, one.arm, one.person);
      outcomes_.try_emplace(one);
    }
  }

  /// Writes the decisions to the store, again if another file has taken its place.
  void keep() {
    if (is_kept_ && FileIdentity::of(store_) == identity_) return;
    Database database = open_store_file(store_, Database::Access::kWrite);
    Transaction transaction(database);
    Statement add(database, "INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const auto& [one, outcome] : outcomes_) {
      add.bind(name(), one.number, one.made_ms, one.id, one.kind, one.arm, one.person,
               outcome.at_ms, outcome.refusal)
          .run();
    }
    transaction.commit();
    identity_ = FileIdentity::of(store_);
    is_kept_ = true;
  }

  /// Tells the fleet the results of its decisions.
  void report() {
    if (is_reported_ || outcomes_.empty()) return;
    std::string rows;
    std::vector<std::string> keys;
    for (const auto& [decision, outcome] : outcomes_) {
      keys.push_back(fmt::format("({}, {}, {})", decision.number, decision.id, outcome.at_ms));
      append_row(rows, name(), decision.number, decision.id, options_.server, outcome.refusal,
                 outcome.at_ms);
    }
    insert_rows(fleet_, kAppliedTable, rows,
                fmt::format("experiment = {} AND server = {} AND (number, id, made_ms) IN ({})",
                            sql_text(name()), sql_text(options_.server), fmt::join(keys, ", ")));
    is_reported_ = true;
  }

  Experiment& experiment_;
  const std::filesystem::path store_;
  const ShipOptions options_;
  ClickHouse fleet_;
  std::map<Decision, Outcome> outcomes_;
  bool is_kept_ = true, is_reported_ = true, is_failing_ = false;
  std::optional<FileIdentity> identity_;  // of the store that has them
  std::jthread thread_;                   // stops before the members that it uses are destroyed
};

}  // namespace

AttachService follow_decisions(std::filesystem::path store, ShipOptions options) {
  return [store = std::move(store), options = std::move(options)](Experiment& experiment) {
    return std::make_unique<DecisionFollower>(experiment, store, options);
  };
}

}  // namespace prescope
