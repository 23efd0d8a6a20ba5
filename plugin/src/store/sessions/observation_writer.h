#pragma once

#include "prescope/experiment.h"
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
  SessionNumbers(const Database& database, const Experiment& experiment,
                 StoreLogOptions::Unjudged unjudged, Cutoff cutoff);

  /// Takes note of a change that came behind the observation numbered `after`.
  void change(const Database& database, const LogBatch::Change& noted, std::int64_t after);

  /// In `session_arms`.
  [[nodiscard]] std::int64_t arm(ArmIndex arm) const { return arms_[arm.value()]; }
  /// In `judged_topics`; nothing for an unjudged query.
  [[nodiscard]] std::optional<std::int64_t> topic(const Observation& observation) const;
  /// In `generations`, to which it is added; nothing if the engine does not tell.
  [[nodiscard]] std::optional<std::int64_t> generation(const Database& database,
                                                       const Observation& observation,
                                                       UtcTime time);

 private:
  using Generation = std::pair<std::uint64_t, std::uint64_t>;  // and live documents
  /// A version of the judgements.
  struct Judgements {
    std::int64_t qrels = 0;              // its number
    std::vector<std::int64_t> topics{};  // numbers of its judged topics, by TopicIndex
  };

  void add_arm(const Database& database, ArmIndex arm, const ArmDescription& description);
  void add_judgements(const Database& database, std::uint32_t version);

  const Experiment* experiment_;
  std::int64_t session_ = 0;
  std::vector<std::int64_t> arms_;
  std::vector<std::shared_ptr<const Judgements>> judgements_;  // by version
  std::map<Generation, std::int64_t> generations_;
};

}  // namespace prescope
