#pragma once

#include "base/utc_time.h"
#include "prescope/index_passport.h"
#include "runs/docno_hint.h"
#include "runs/evaluation.h"
#include "runs/input_checks.h"
#include "runs/read_runs.h"
#include "statistics/latency_sketch.h"

namespace prescope {

/// The judgements that an evaluation was made with.
struct QrelsVersion {
  std::string hash{};  ///< 16 hexadecimal digits, of topics, keys and grades
  std::uint64_t topics = 0, judgements = 0, relevant = 0;
  DocnoPolicy docno = DocnoPolicy::kRaw;
  Grade min_grade = 1;
  friend bool operator==(const QrelsVersion&, const QrelsVersion&) = default;
};

/// The index that a replay or an evaluation searched. Empty for a run file.
struct IndexVersion {
  std::string engine{}, engine_version{};
  std::string path{};                           ///< as given
  std::optional<std::uint64_t> documents{};     ///< live documents
  std::optional<std::uint64_t> judged_found{};  ///< relevant judged docnos that the index carries
  IndexPassport passport{};
  friend bool operator==(const IndexVersion&, const IndexVersion&) = default;
};

/// A fact beside the rankings that can change a number of an evaluation.
struct Condition {
  std::string name{};   ///< "run.order"; `kind_of` has the kinds
  std::string value{};  ///< as reports show it
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// The texts of a judged document in an index, as hashes.
struct DocumentSample {
  Docno docno{};  ///< as the qrels spell it
  std::optional<std::uint64_t>
      stored{};  ///< title and abstract; `kNothingStored` if both are empty
  std::optional<std::uint64_t> searched{};  ///< what ranking reads
  friend bool operator==(const DocumentSample&, const DocumentSample&) = default;
};
inline constexpr std::uint64_t kNothingStored = 0;

/// The rankings that one arm served for every topic of the qrels, and their conditions. It holds
/// facts, from which every rank-based measure of binary relevance follows, tonight or a year later.
/// A night is such a record; a baseline is one that was pinned.
struct EvaluationRecord {
  struct Found {
    Docno docno{};  ///< as the qrels spell it; relevant
    Rank rank = 0;
    friend bool operator==(const Found&, const Found&) = default;
  };
  struct Topic {
    TopicId id{};
    std::uint32_t num_rel = 0;
    std::uint32_t num_ret = 0;
    std::uint32_t duplicates = 0;  ///< hits of a document already served at a better rank
    bool served = true;  ///< false: nothing was served for it; it counts as retrieving nothing
    std::vector<Found> found{};  ///< ascending by rank, each document once
    std::optional<std::chrono::nanoseconds> latency{};
    /// Hash of the text searched for, and of the family left out; none for a run.
    std::optional<std::uint64_t> text{};
    std::optional<std::uint32_t> family{};  ///< number of Qrels::family; none without a family map
    friend bool operator==(const Topic&, const Topic&) = default;
  };
  /// How a run's scores order its lines, as its judged documents show it.
  struct LineOrder {
    std::uint32_t topics = 0;    ///< that have several lines and a judged document
    std::uint32_t tied = 0;      ///< all their scores are equal
    std::uint32_t reversed = 0;  ///< scores rise with the lines, and relevant ones come first
  };

  std::string arm{};     ///< arm, or tag of the run
  std::string source{};  ///< "run FILE", "replay FILE"
  std::string config{};  ///< the arm's full configuration as TOML; empty for a run
  UtcTime time{};
  QrelsVersion qrels{};
  IndexVersion index{};
  std::uint32_t depth = 0;          ///< hits asked for; of a run, its longest ranking
  std::vector<Measure> measures{};  ///< measures of later comparisons
  std::vector<Topic> topics{};      ///< all topics of the qrels, ascending by id
  LatencySketch latency{};          ///< one query a topic; empty if not timed
  /// If more judged documents would match under another docno policy.
  std::optional<DocnoHint> docno_hint{};
  std::vector<Docno> missing{};           ///< relevant documents that a replay's index lacks
  std::vector<Condition> conditions{};    ///< that no other member states
  std::vector<DocumentSample> samples{};  ///< the same judged documents every night
  // Known until the record is stored:
  std::optional<DocnoNormalizer> docnos{};  ///< which docnos are one document, by its family map
  std::optional<LineOrder> lines{};         ///< of a run that its scores rank
  std::vector<std::string> index_notes{};   ///< sentences of `ArmSearcher::notes`
  std::optional<std::vector<InputFinding>> input{};  ///< of a run, or of a replay's judgements
  std::vector<std::string> input_notes{};            ///< sentences about the input of a run
  /// Why the scores of a stored run do not order its lines: the reason that a gate gave when it
  /// read the run. Empty if there was none.
  std::string scores_fault{};

  /// Returns the topic's score; std::nullopt if it has no value.
  [[nodiscard]] static std::optional<double> score(const Topic& topic, const Measure& measure);
};

/// Nights may be out of order by this much without a wrong clock, because gates that run at the
/// same time may end in another order.
inline constexpr std::chrono::minutes kClockTolerance{10};

[[nodiscard]] Mean mean_of(const EvaluationRecord& record, const Measure& measure);

/// Returns the version of judgements as a session stores it. Its hash can be checked without the
/// family map, which no store keeps.
/// Pass the docno policy as `keys_are_of` if `stored_qrels` made the judgements from stored keys.
[[nodiscard]] QrelsVersion qrels_version(const Qrels& qrels,
                                         std::optional<DocnoPolicy> keys_are_of = {});
/// Returns the same, from the version of the judgements `before` that `Qrels::with` changed.
/// O(topics / 64 + judgements of the changed topics).
[[nodiscard]] QrelsVersion changed_qrels_version(const Qrels& qrels, const Qrels& before,
                                                 const QrelsVersion& version_before);
/// Returns 16 hexadecimal digits, a hash of the members of the judged families: each of them counts
/// as the judged document. Empty unless the docno policy is kFamily.
[[nodiscard]] std::string judged_families_hash(const Qrels& qrels);
/// Returns the version of an evaluation's judgements. Its hash also covers the judged families.
[[nodiscard]] QrelsVersion evaluation_qrels_version(const Qrels& qrels);

/// Returns the conditions of reading judgements that no other member of a record states.
[[nodiscard]] std::vector<Condition> qrels_conditions(const QrelsOptions& options);
/// The condition that says by which rule citations were judged.
inline constexpr std::string_view kRuleCondition = "qrels.rule";
/// Adds to the conditions of a record the rule that made the judgements, if one did, and that
/// rankings are collapsed, if they are.
void add_rule(const Qrels& qrels, EvaluationRecord& record);

/// Returns the grades of citation categories that an evaluation was made with, by its conditions.
[[nodiscard]] CitationCategories categories_of(const EvaluationRecord& record);

/// A run file, and how it is to be evaluated.
struct RunSource {
  std::string path, qrels;
  QrelsOptions qrels_options{};
  ReadRunOptions read{};
  RankOptions ranks{};
  std::vector<Measure> measures{};  ///< measures of later comparisons
};

/// Returns the record of a run that was read, without measures, conditions of reading and the time.
/// Throws as check_run_input.
[[nodiscard]] EvaluationRecord record_of_run(const Qrels& qrels, const RunFacts& facts,
                                             const RankOptions& ranks);
/// Reads the run: its record without the time. Throws as load_runs.
[[nodiscard]] EvaluationRecord evaluate_run(const RunSource& source);

/// Stores the ranks of the topic's relevant documents in the ranking.
void set_served(const TopicQrels& judged, const JudgedRanking& ranking,
                EvaluationRecord::Topic& topic);

/// Returns the topics of the qrels, ascending by id, all of them unserved.
[[nodiscard]] std::vector<EvaluationRecord::Topic> unserved_topics(const Qrels& qrels);

}  // namespace prescope
