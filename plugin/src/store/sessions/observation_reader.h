#pragma once

#include "measures/scorer.h"
#include "store/sqlite/database.h"

namespace prescope {

/// Scores each observation by itself, independent of those before and after it. Keeps its buffers.
/// Not thread-safe.
class ObservationScores {
 public:
  explicit ObservationScores(std::vector<Measure> measures);

  [[nodiscard]] std::span<const Measure> measures() const noexcept { return scorer_.measures(); }
  /// Returns scores in the order of the measures, valid until the next call. `topic`: the
  /// judgements that its hits refer to. std::nullopt for a later page, a search without a ranking,
  /// a ranking that is left out by its flags (RecordingOptions::scored_flags), and a measure whose
  /// cutoff the ranking does not reach.
  std::span<const std::optional<double>> of(const Observation& observation, const TopicQrels& topic,
                                            RankingFlags scored_flags);
  // Results of the last `of`:
  [[nodiscard]] std::span<const std::optional<double>> values() const noexcept { return values_; }
  /// Ranks of the relevant documents, ascending.
  [[nodiscard]] std::span<const Rank> relevant() const noexcept { return relevant_; }

 private:
  Scorer scorer_;
  RankBuffer ranks_;
  JudgedRanking ranking_;
  std::span<const Rank> relevant_;
  std::vector<std::optional<double>> values_;
};

/// An observation with the names of its numbers, as it is written to a log or read from a store.
/// Valid during the call that it is passed to.
struct StoredObservation {
  std::int64_t seq = 0;      ///< in a store; among the lines of a session in a file
  std::int64_t session = 0;  ///< number in a store; the time at which it began in a file, ms
  std::string_view experiment{}, arm{};
  std::string_view config{};            ///< of the arm, as the host describes it
  std::string_view qrels{};             ///< hash of the judgements in force
  std::string_view stage{};             ///< name; empty for Stage::kUnnamed
  std::span<const Measure> measures{};  ///< of the experiment
  std::optional<std::int64_t> judged_topic{};
  const TopicQrels* topic = nullptr;                ///< null: an unjudged query
  RankingFlags scored_flags = RankingFlags::kNone;  ///< of the session
  /// Its arm is a position among the session's; its topic and its version of the judgements are
  /// not set.
  Observation observation{};
};

/// The observations to read.
struct ObservationFilter {
  std::optional<std::string> experiment{}, arm{}, topic{};
  std::optional<std::int64_t> session{};
  std::int64_t up_to = std::numeric_limits<std::int64_t>::max();  ///< number of the last one
  std::optional<UtcTime> since{}, until{};                        ///< [since, until)
  std::optional<std::size_t> last{};                              ///< only so many, the newest
  enum class Unjudged { kSkip, kRead } unjudged = Unjudged::kSkip;
};

/// Returns the judgements of a row of `judged_topics`, keys included. Throws Error(kBadInput).
[[nodiscard]] TopicQrels stored_topic(std::string_view name, DocnoPolicy policy, Grade min_grade,
                                      std::string_view judgements);

/// Reads observations while another process may write them. Not thread-safe.
class ObservationReader {
 public:
  explicit ObservationReader(Database database);
  /// Throws as `open_store_file`.
  explicit ObservationReader(const std::filesystem::path& path)
      : ObservationReader(open_store_file(path, Database::Access::kRead)) {}

  /// Throws Error(kUsage) for an experiment, an arm or a topic that the store does not have, with
  /// the nearest, and for a session that is not there or is another experiment's.
  void require_known(const ObservationFilter& filter) const;
  /// Calls `use` for each observation of the filter behind number `after`, in their order. Returns
  /// the number to go on from. Throws Error(kBadInput) for rows that make no sense.
  std::int64_t read(const ObservationFilter& filter, std::int64_t after,
                    const std::function<void(const StoredObservation&)>& use);

  /// Returns the newest session of the experiment, or of any; std::nullopt if there is none.
  [[nodiscard]] std::optional<std::int64_t> newest_session(
      const std::optional<std::string>& experiment = {}) const;
  /// Returns the measures of the session's experiment; empty for an unknown session.
  [[nodiscard]] std::vector<Measure> measures_of(std::int64_t session) const;
  [[nodiscard]] const Database& database() const noexcept { return database_; }
  [[nodiscard]] Database& database() noexcept { return database_; }

 private:
  struct Session {
    std::vector<Measure> measures;
    std::vector<std::string> stages;            ///< see ExperimentOptions
    std::map<std::int64_t, std::string> qrels;  ///< hashes of judgements, by the last number before
  };

  const Session& session(std::int64_t number);
  const TopicQrels& topic(std::int64_t number);
  void read_row(const Statement& row, StoredObservation& one);
  void read_capture(StoredObservation& one);
  [[noreturn]] void refuse(std::int64_t seq, std::string_view what) const;

  Database database_;
  Statement capture_;
  std::map<std::int64_t, Session> sessions_;
  std::map<std::int64_t, TopicQrels> topics_;

  // Buffers of the observation that is being read:
  std::vector<JudgedHit> hits_;
  std::vector<DocId> docids_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace prescope
