#pragma once

#include <deque>
#include <limits>
#include <mutex>

#include "judgements/topics.h"
#include "nightly/gate/gate.h"
#include "prescope/report.h"
#include "replay/engines.h"
#include "report/runs/comparison_report.h"
#include "runs/run_file.h"

namespace prescope {

/// A query to run, and the documents that its ranking leaves out.
struct ReplayTopic {
  Topic topic;
  std::vector<Docno> exclude;
  std::uint64_t hash = 0;  ///< of the text, and of the family that the index says to leave out
};

/// A topic of the qrels that cannot be run.
struct SkippedTopic {
  TopicId id;
  std::string reason;
};

struct ReplayTopics {
  std::vector<ReplayTopic> run;  ///< in qrels order
  std::vector<SkippedTopic> not_run;
  /// Topics of the topics file that the qrels do not judge.
  std::uint64_t without_judgements = 0;
  /// Relevant documents that their own topic's ranking leaves out; they count as not found.
  std::uint64_t relevant_excluded = 0;
};

/// The files of queries and exclusions, read before the index is opened.
struct TopicFiles {
  std::map<TopicId, std::string> texts;                  ///< empty for TopicSource::kDocuments
  std::map<TopicId, std::vector<Docno>> excluded_pairs;  ///< by topic
};

/// Throws as `load_topics`; Error(kBadInput) with `file:line` for a pair that has not two columns.
[[nodiscard]] TopicFiles load_topic_files(const ReplayOptions& options);

/// Returns the topics that the qrels and the topic source share. Throws Error(kBadInput) if there
/// is none, with an id of either side; exceptions of the indexes pass through.
[[nodiscard]] ReplayTopics choose_topics(const ReplayOptions& options, TopicFiles files,
                                         const Qrels& qrels, const ReplayIndexes& indexes);

/// Returns the conditions of a replay that its arm's configuration does not state, ascending.
[[nodiscard]] std::vector<Condition> replay_conditions(const ReplayOptions& options,
                                                       const Qrels& qrels);

/// The topics that were not run, the first few by name; empty if all were.
[[nodiscard]] std::string skipped_topics_note(const ReplayTopics& topics);

/// A TREC run for each arm, `ARM.run`, in topic order although threads finish topics in any order.
/// The files appear under their names with `finish`. Thread-safe.
class OrderedRuns {
 public:
  /// Creates `folder` if it is missing. Throws Error(kIo).
  OrderedRuns(std::filesystem::path folder, std::span<const ReplayArm> arms);
  /// Removes the unfinished files.
  ~OrderedRuns();
  OrderedRuns(const OrderedRuns&) = delete;
  OrderedRuns& operator=(const OrderedRuns&) = delete;

  /// Adds all arms' hits of the `position`-th topic, each position once, from 0. Topics that come
  /// too early wait for their turn. Throws as RunWriter::add.
  void add(std::size_t position, const TopicId& topic, std::vector<std::vector<Hit>> hits_by_arm);
  /// Throws Error(kIo).
  void finish();

 private:
  std::filesystem::path folder_;
  bool created_folder_ = false;
  std::mutex mutex_;
  std::vector<std::filesystem::path> files_;  // by arm
  std::deque<RunWriter> writers_;             // by arm
  std::map<std::size_t, std::pair<TopicId, std::vector<std::vector<Hit>>>> waiting_;
  std::size_t next_ = 0;
};

/// Compares two arms by the latencies of the same topics.
struct TopicLatency {
  std::uint32_t topics = 0;  ///< timed in both arms; with a family map families
  /// The geometric mean of B's latency over A's, and its 95 % paired t interval on the log scale.
  /// None for fewer than 2 topics.
  std::optional<double> ratio{}, ci_low{}, ci_high{};
};

/// The arms of a finished replay, compared topic by topic. The report refers to the other members.
struct ArmComparison {
  explicit ArmComparison(Qrels judgements) : qrels(std::move(judgements)) {}
  ArmComparison(const ArmComparison&) = delete;
  ArmComparison& operator=(const ArmComparison&) = delete;

  Qrels qrels;
  std::vector<RunFacts> runs{};           ///< by arm
  ComparisonReport report{};              ///< each arm with the first
  std::vector<TopicLatency> latencies{};  ///< in the order of the report's comparisons
};

/// The results of a replay.
struct ReplayResult {
  std::vector<IndexVersion> indexes;  ///< in the order of the arms, each once
  ReplayTopics topics;
  Qrels qrels;           ///< as they were replayed
  TopicSlices slices{};  ///< of ReplayOptions::slices
  std::shared_ptr<const Summary> summary;
  /// What the first arm's index holds of relevant documents, if the watch asks for it.
  struct Relevant {
    std::optional<std::vector<Docno>> missing{};  ///< of each judgement; nothing if unknown
    std::vector<DocumentSample> samples{};        ///< of up to 200 documents that it has
  };
  Relevant relevant{};
  std::vector<std::string> notes{};  ///< sentences of `ArmSearcher::notes`, each once
  /// The `match_report` of each index, if the watch asks for it.
  std::vector<std::string> match_report{};
};

/// Returns the `match_report` of the judged documents of each index, with the index if there are
/// several. Opens an index once more if it lacks some that a coarser docno policy may find. Once
/// the arms have searchers.
[[nodiscard]] std::vector<std::string> match_reports(const ReplayOptions& options,
                                                     const Qrels& qrels,
                                                     const ReplayIndexes& indexes);
/// Returns all sentences about arms, indexes and judgements.
[[nodiscard]] std::vector<std::string> replay_notes(const ReplayResult& result);

/// Compares the rankings that the arms served last, as `prescope compare` compares runs. Returns
/// null for one arm, and if no measure can be compared. `summary` is the experiment's, with rows.
[[nodiscard]] std::unique_ptr<const ArmComparison> compare_replayed(const ReplayOptions& options,
                                                                    Experiment& experiment,
                                                                    const Summary& summary,
                                                                    const TopicSlices& slices = {});
/// "Latency, bm25 over tfidf in the same topic: 0.812 [0.800, 0.825]; bm25 is faster."; empty
/// without a ratio. `pair` counts from 0.
[[nodiscard]] std::string latency_words(const ArmComparison& arms, std::size_t pair);

/// Sinks and callbacks of a running replay.
struct ReplayWatch {
  OrderedRuns* runs = nullptr;  ///< null: no run files
  bool looks_at_index = false;  ///< fills in `ReplayResult::relevant`
  bool reports_matches = true;  ///< fills in `ReplayResult::match_report`
  std::size_t most_topics = std::numeric_limits<std::size_t>::max();  ///< the others are not run
  /// Called for every observation, one at a time.
  std::function<void(const Observation&)> on_observation{};
  /// Logs that receive the observations.
  std::vector<std::shared_ptr<ObservationLog>> logs{};
  /// Started with the experiment, stopped with it.
  std::vector<AttachService> services{};
  /// Called before the first topic, and after each, one call at a time, with the number of topics
  /// done.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress{};
  /// Called with the result, while the experiment and its services still exist.
  std::function<void(Experiment&, const ReplayResult&)> on_end{};
};

/// Returns the options of an experiment with the name, arms and measures of a replay. Throws as
/// `load_engine`.
[[nodiscard]] ExperimentOptions replay_experiment(const ReplayOptions& options);
/// Returns the judgements of a replay. Throws as `load_judgements`.
[[nodiscard]] Qrels replay_judgements(const ReplayOptions& options, const TopicFiles& files);
/// Throws Error(kIo) if the logs could not write all that was observed: then there is no result.
void check_logs(std::span<const std::shared_ptr<ObservationLog>> logs);

/// Runs every topic under every arm, in an order of the arms that depends on seed and topic, and
/// observes through the engine's observed searchers. The rankings do not depend on the number of
/// threads. Throws Error for input that cannot be used, for a query that failed (naming topic and
/// arm), and if some query was not observed.
[[nodiscard]] ReplayResult replay(const ReplayOptions& options, const ReplayWatch& watch = {});

/// Replays the one arm of `options` and keeps the facts. `file` names the experiment in the record;
/// `watch` must not ask for observations. Throws as `replay`.
[[nodiscard]] EvaluationRecord record_of_replay(const ReplayOptions& options,
                                                const std::string& file, ReplayWatch watch = {});

/// Compares the latency of the one arm of `options` with that of the baseline's arm on its own
/// index: both search the same texts, query by query, in random order. They do so twice, and the
/// first time warms up both. At most 400 topics, spread over all. `baseline_index` is a copy of the
/// baseline's index; if it is empty, the index is looked for where it was, and must not have
/// changed since. If the two cannot be compared, the answer says why. Does not throw Error.
[[nodiscard]] LatencyPairs compare_latency(ReplayOptions options, const EvaluationRecord& baseline,
                                           const std::filesystem::path& baseline_index);

/// Returns the options, the arms, then the comparison, which may be null.
[[nodiscard]] std::string replay_table(const ReplayOptions& options, const ReplayResult& result,
                                       const ArmComparison* arms, const TextLook& look);

/// Returns options, engine, index, topics, summary and comparison, which may be null, as one JSON
/// object; `docs/replay-json.md` names every key.
[[nodiscard]] std::string replay_json(const ReplayOptions& options, const ReplayResult& result,
                                      const ArmComparison* arms);

/// The documents of a replay's page beside `replay_json`: JSON as docs/http.md has it.
struct ReplayViews {
  std::string sweep;   ///< measures against the cutoff
  std::string topics;  ///< an array, a topic that was run each
};
/// While the experiment is still there.
[[nodiscard]] ReplayViews replay_views(Experiment& experiment);

}  // namespace prescope
