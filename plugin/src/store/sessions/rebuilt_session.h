#pragma once

#include <deque>

#include "live/summary/summarize.h"
#include "store/sessions/observation_reader.h"

namespace prescope {

/// A session's options in the words of a store or a fleet.
struct SessionWords {
  std::string experiment{}, mode{}, epochs{}, shadow_latency{}, measures{};
  std::string primary{}, salt{}, shares{}, baseline{}, families{}, stages{}, limits{}, slices{};
  std::string test{};
  std::string overlap{};  ///< empty for a fleet, to which overlaps are not shipped
  double alpha = 0.05;
  RankingFlags scored_flags = RankingFlags::kNone;
  bool collapses = false;
  std::string rule{};
};
/// Reads the options of a session of the store, which must have it. Throws Error(kBadInput).
[[nodiscard]] SessionWords read_session_words(const Database& database, std::int64_t session);

struct SessionSetUp {
  SummaryFacts facts{};     ///< without arms, past epochs and health
  LedgerOptions options{};  ///< without `slices` and `assigned`
  Scorer scorer;
};
/// Throws Error for measures or a baseline of another form.
[[nodiscard]] SessionSetUp session_set_up(const SessionWords& words);

/// Sets how arms were given topics in Mode::kSplit, by the salt and the shares of the facts;
/// nothing without a salt. The other arguments must outlive the options; the arms may change their
/// states meanwhile.
void set_assignment(const SummaryFacts& facts, const std::vector<ArmFacts>& arms,
                    const Qrels& qrels, LedgerOptions& options);

/// Returns the judgements of stored topics with the topics' families. Docnos are given as keys if
/// the policy alone cannot make the keys again.
[[nodiscard]] Qrels stored_qrels(const std::vector<TopicQrels>& topics, DocnoPolicy policy,
                                 Grade min_grade, std::shared_ptr<const FamilyMap> families);

/// Says that unjudged queries are in `hourly` only, and not in a summary.
[[nodiscard]] std::string only_counted(std::uint64_t unjudged);

/// An experiment's state, rebuilt from one of its sessions in a store, with the counters of the
/// process. Equal to the live state to 1e-12, except for `missing`, TopicRow::Arm::missing and
/// Place::in_index.
class RebuiltSession {
 public:
  /// Called after each observation, with the state at that time.
  using OnObservation =
      std::function<void(const RebuiltSession& so_far, const StoredObservation& last)>;

  /// Throws as ObservationReader does; Error(kUsage) for a session that is not there.
  RebuiltSession(const std::filesystem::path& path, std::int64_t session,
                 const OnObservation& on_observation = {});
  RebuiltSession(const RebuiltSession&) = delete;  // its parts refer to each other
  RebuiltSession& operator=(const RebuiltSession&) = delete;

  [[nodiscard]] const Ledger& ledger() const noexcept { return *ledger_; }
  /// Returns `Summary::missing`.
  [[nodiscard]] const std::vector<std::string>& missing() const noexcept { return missing_; }
  [[nodiscard]] Summary summary(SummaryDetail detail = SummaryDetail::kEveryTopic) const;
  /// Like `Experiment::topic`, without the indexes' part.
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) const;

 private:
  /// The judgements of a row of `judged_topics`.
  struct Place {
    std::uint32_t version = 0;
    TopicIndex topic{};
  };
  struct Change;

  const JudgedDocnos& add_version(std::int64_t qrels);
  void read_session(std::int64_t session);
  [[nodiscard]] LedgerOptions read_options(std::int64_t session);
  void read_counters(std::int64_t session);
  void read_relevant_missing(std::int64_t session);
  [[nodiscard]] std::vector<Change> read_changes(std::int64_t session) const;
  void read_missing(std::int64_t session);
  void read_overlaps(std::int64_t session);
  [[noreturn]] void refuse_arm(std::int64_t position) const;
  void apply(const Change& change);
  void record(const StoredObservation& one);

  ObservationReader reader_;
  SummaryFacts facts_;
  std::optional<Scorer> scorer_;
  std::deque<JudgedDocnos> versions_;
  std::vector<TopicIndex> changed_;       // by the last version
  std::map<std::int64_t, Place> places_;  // by number of a judged topic; the latest version
  mutable std::optional<Ledger> ledger_;  // a summary settles it
  Health counters_{};                     // as last stored
  std::int64_t session_ = 0;
  std::string families_{}, slices_{};  // see SessionWords
  /// Facts of arms and judgements that cannot be computed from observations.
  std::vector<std::optional<std::uint64_t>> relevant_missing_;  // by arm
  std::vector<std::vector<std::string>> missing_series_;        // likewise
  std::uint64_t repeated_ = 0, merged_ = 0;
  std::vector<std::string> missing_;
  bool has_captured_docids_ = false;
  bool are_topics_found_ = false;  // as they came, so that the session has topics of its own
};

}  // namespace prescope
