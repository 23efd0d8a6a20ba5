#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nightly/evaluation_record.h"
#include "prescope/experiment.h"
#include "prescope/experiment_options.h"
#include "prescope/observation.h"
#include "prescope/observation_log.h"
#include "store/sessions/log_queue.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sqlite/database.h"

namespace prescope {

/// A row of `observations`, with the numbers that its names have in the store.
struct ObservationRow {
  std::int64_t seq = 0;
  UtcTime time{};
  std::int64_t arm = 0;
  std::optional<std::int64_t> topic{};
  std::optional<std::int64_t> generation{};
  const Observation* observation = nullptr;
  std::span<const std::optional<double>> scores{};  ///< PRES, R, AP; or empty
};

/// Appends rows, in the caller's transaction.
class ObservationWriter {
 public:
  /// `captured_hits`: of what was captured, how many are stored.
  ObservationWriter(Database& database, std::uint32_t captured_hits);

  void write(const ObservationRow& row);

 private:
  void write_capture(const ObservationRow& row);

  std::uint32_t captured_hits_;
  Statement insert_, insert_capture_;
  std::string bytes_;
};

/// Adds what was observed since the last time to the sums by topic, in the caller's transaction.
void roll_up_topics(Database& database);

/// The numbers that stand in a store for what a session's observations name: its arms, judgements
/// and generations of the index. A copy undoes what a transaction did that failed.
class SessionNumbers {
 public:
  /// Adds the session, in the caller's transaction.
  SessionNumbers(Database& database, const Experiment& experiment,
                 StoreLogOptions::Unjudged unjudged, Cutoff cutoff);

  /// Takes note of a change that came behind the observation numbered `after`.
  void change(Database& database, const LogBatch::Change& change, std::int64_t after);

  /// In `session_arms`.
  [[nodiscard]] std::int64_t arm(ArmIndex arm) const { return arms_[arm.value()]; }
  /// In `judged_topics`; nothing for an unjudged query.
  [[nodiscard]] std::optional<std::int64_t> topic(const Observation& observation) const;
  /// In `generations`, where it is added; nothing where the engine does not tell.
  [[nodiscard]] std::optional<std::int64_t> generation(Database& database,
                                                       const Observation& observation,
                                                       UtcTime time);

 private:
  using Generation = std::pair<std::uint64_t, std::uint64_t>;  // and live documents

  void add_session(Database& database, StoreLogOptions::Unjudged unjudged, Cutoff cutoff);
  void add_arm(Database& database, ArmIndex arm, const ArmDescription& description);
  void add_judgements(Database& database, std::uint32_t version);

  const Experiment* experiment_;
  std::int64_t session_ = 0;
  std::vector<std::int64_t> arms_;
  std::vector<std::shared_ptr<const StoredJudgements>> judgements_;  // by version
  std::map<Generation, std::int64_t> generations_;
};

}  // namespace prescope
