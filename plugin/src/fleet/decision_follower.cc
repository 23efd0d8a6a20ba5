#include <fmt/format.h>
#include <condition_variable>

#include "base/threads.h"
#include "fleet/decisions.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"
#include "fleet/ship_options.h"
#include "prescope/experiment.h"
#include "base/file_identity.h"
#include "store/sqlite/database.h"

namespace prescope {

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
    thread_ = start_thread("prescope-decide", [this](const std::stop_token& stop) { run(stop); });
  }

 private:
  /// The result of a decision in this process.
  struct Outcome {
    std::uint64_t at_ms = 0;  // 0: not tried
    std::string refusal{};    // empty: applied
  };

  [[nodiscard]] const std::string& name() const { return experiment_.options().name; }

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      step();
      wake_.wait_for(lock, stop, options_.decision_interval, [] { return false; });
    }
  }

  void step() {
    try {
      for (const Decision& one : read_decisions(fleet_, name())) outcomes_.try_emplace(one);
      apply();
      keep();
      report();
      if (std::exchange(is_failing_, false)) warn("the fleet's decisions are followed again");
    } catch (const std::exception& error) {
      if (!std::exchange(is_failing_, true)) warn(error.what());
    }
  }

  void apply() {
    for (auto& [decision, outcome] : outcomes_) {
      if (outcome.at_ms != 0 && outcome.refusal.empty()) continue;
      std::string refusal = is_undone(decision) ? "" : refusal_of(decision);
      if (outcome.at_ms != 0 && outcome.refusal == refusal) continue;
      outcome = {utc_now_ms(), std::move(refusal)};
      is_kept_ = is_reported_ = false;
      warn(fmt::format("decision {} of {}, {} {}: {}", decision.number, decision.person,
                       decision.kind, decision.arm,
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
    if (is_reported_) return;
    std::string rows;
    for (const auto& [decision, outcome] : outcomes_) {
      append_row(rows, name(), decision.number, decision.id, options_.server, outcome.refusal,
                 outcome.at_ms);
    }
    insert_rows(fleet_, kAppliedTable, rows);
    is_reported_ = true;
  }

  void warn(const std::string& sentence) const {
    if (options_.on_warning) options_.on_warning(sentence);
  }

  Experiment& experiment_;
  const std::filesystem::path store_;
  const ShipOptions options_;
  ClickHouse fleet_;
  std::map<Decision, Outcome> outcomes_;
  bool is_kept_ = true, is_reported_ = true, is_failing_ = false;
  std::optional<FileIdentity> identity_;  // of the store that has them
  std::mutex mutex_;                      // of `wake_` only
  std::condition_variable_any wake_;
  std::jthread thread_;  // stops before the members that it uses are destroyed
};

}  // namespace

AttachService follow_decisions(std::filesystem::path store, ShipOptions options) {
  return [store = std::move(store), options = std::move(options)](Experiment& experiment) {
    return std::make_unique<DecisionFollower>(experiment, store, options);
  };
}

}  // namespace prescope
