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
#include "store/sqlite/database.h"

namespace prescope {

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
  /// A version of the judgements.
  struct Judgements {
    std::int64_t qrels = 0;              // its number
    std::vector<std::int64_t> topics{};  // numbers of its judged topics, by TopicIndex
  };

  [[nodiscard]] static Judgements store_judgements(Database& database, const Qrels& qrels);

  void add_session(Database& database, StoreLogOptions::Unjudged unjudged, Cutoff cutoff);
  void add_arm(Database& database, ArmIndex arm, const ArmDescription& description);
  void add_judgements(Database& database, std::uint32_t version);

  const Experiment* experiment_;
  std::int64_t session_ = 0;
  std::vector<std::int64_t> arms_;
  std::vector<std::shared_ptr<const Judgements>> judgements_;  // by version
  std::map<Generation, std::int64_t> generations_;
};

}  // namespace prescope
