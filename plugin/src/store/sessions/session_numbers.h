#pragma once

#include "nightly/record/evaluation_record.h"
#include "prescope/experiment.h"
#include "prescope/shared_list.h"
#include "store/sessions/log_queue.h"
#include "store/sqlite/database.h"

namespace prescope {

/// Facts of a session that are not the experiment's own.
struct SessionFacts {
  const StoreLogOptions& options;
  Cutoff cutoff{};  ///< of the stored scores
  /// Observations of the experiment that were acknowledged into earlier files of the path.
  std::uint64_t lost_before = 0;
};

/// The numbers by which a store names a session's arms and judgements. Restoring a copy undoes a
/// failed transaction.
class SessionNumbers {
  class TopicRows;
  class FoundTopicRows;

 public:
  /// Adds the session, in the caller's transaction, behind the observation numbered `after`.
  SessionNumbers(const Database& database, const Experiment& experiment, const SessionFacts& facts,
                 std::int64_t after);

  /// Takes note of a change that came behind the observation numbered `after`.
  void change(const Database& database, const LogBatch::Change& noted, std::int64_t after);

  /// Returns the number of the session.
  [[nodiscard]] std::int64_t session() const noexcept { return session_; }
  [[nodiscard]] std::size_t num_arms() const noexcept { return arms_.size(); }
  /// Returns its number in `session_arms`.
  [[nodiscard]] std::int64_t arm(ArmIndex arm) const { return arms_[arm.value()].number; }
  /// Returns its number in `judged_topics`; std::nullopt for an unjudged query. Stores a topic that
  /// was found as it came.
  [[nodiscard]] std::optional<std::int64_t> topic(const Database& database,
                                                  const Observation& observation) {
    if (observation.topic == kUnjudgedTopic) return std::nullopt;
    const SharedList<std::int64_t>& topics = judgements_[observation.judgements_version]->topics;
    const std::int64_t number = topics[observation.topic.value()];
    return number != 0 ? number : found_topic(database, observation);
  }

 private:
  /// A version of the judgements.
  struct Judgements {
    std::int64_t qrels = 0;  // its number
    QrelsVersion version{};
    /// Numbers of its judged topics, by TopicIndex; 0 for one that was not stored yet.
    SharedList<std::int64_t> topics{};
  };
  struct Arm {
    std::int64_t number = 0;  // in `session_arms`
    bool is_active = true;
    std::uint64_t restart = 0;  // number of the fleet's last decision to restart it
    std::shared_ptr<const ArmDescription> description{};
  };

  void add_arm(const Database& database, ArmIndex arm, const ArmDescription& description);
  void add_judgements(const Database& database);
  void change_judgements(const Database& database, std::uint32_t version);
  std::int64_t found_topic(const Database& database, const Observation& observation);
  [[nodiscard]] std::int64_t add_epoch(const Database& database) const;
  [[nodiscard]] std::string epoch_text(const Database& database) const;

  const Experiment* experiment_;
  std::int64_t session_ = 0;
  std::vector<Arm> arms_;
  std::vector<std::shared_ptr<const Judgements>> judgements_;  // by version
  std::shared_ptr<FoundTopicRows> found_rows_;                 // null before the first one
};

}  // namespace prescope
