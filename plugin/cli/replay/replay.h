#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/evaluation_flags.h"
#include "judgements/topics.h"
#include "prescope/engine.h"
#include "prescope/experiment.h"
#include "prescope/observation.h"
#include "prescope/observation_log.h"
#include "prescope/qrels.h"
#include "prescope/summary.h"
#include "replay/replay_options.h"

namespace prescope::cli {

/// What an index is, for reports.
struct IndexDescription {
  std::string engine, engine_version;
  std::filesystem::path path;
  std::uint64_t documents = 0;  ///< 0: the engine does not know
};

/// The engines of the arms, loaded once each, in the order of the arms. Throws as `load_engine`.
[[nodiscard]] std::vector<Engine*> load_engines(std::span<const ReplayArm> arms);

/// The indexes that the arms search, each opened once for one experiment.
class ReplayIndexes {
 public:
  /// `engines` as `load_engines` gives them. Throws what opening throws.
  ReplayIndexes(std::span<const ReplayArm> arms, std::span<Engine* const> engines,
                Experiment& experiment);

  /// Of each arm, in their order. Throws Error(kUsage) with what is wrong with any of them.
  [[nodiscard]] std::vector<std::unique_ptr<ArmSearcher>> searchers() const;
  /// From the first index that has it, in the order of the arms.
  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const;
  /// Each index once, in the order of the arms.
  [[nodiscard]] std::vector<IndexDescription> describe() const;

 private:
  struct Opened {
    std::filesystem::path path;
    Engine* engine;
    std::unique_ptr<SearchIndex> index;
  };
  std::size_t position(const ReplayArm& arm, Engine* engine, Experiment& experiment);

  std::span<const ReplayArm> arms_;
  std::vector<Opened> opened_;
  std::vector<std::size_t> of_arm_;  // positions in opened_
};

/// A query to run, and what its ranking leaves out.
struct ReplayTopic {
  Topic topic;
  std::vector<Docno> exclude;
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

/// What came out of a replay, beside the options that went in.
struct ReplayResult {
  std::vector<IndexDescription> indexes;  ///< in the order of the arms, each once
  ReplayTopics topics;
  Qrels qrels;  ///< as they were replayed
  std::shared_ptr<const Summary> summary;
};

/// What else comes of a replay while it runs.
struct ReplayWatch {
  OrderedRuns* runs = nullptr;  ///< null: no run files
  /// Called for every observation, one at a time.
  std::function<void(const Observation&)> on_observation{};
  /// Where observations are written to.
  std::vector<std::shared_ptr<ObservationLog>> logs{};
  /// What runs beside it.
  std::vector<AttachService> services{};
  /// Called with what came out, while the experiment, and what runs beside it, is still there.
  std::function<void(Experiment&, const ReplayResult&)> on_end{};
};

/// Runs every topic under every arm, in an order of the arms that seed and topic decide, and
/// watches through the engine's observed searchers. The rankings do not depend on the number of
/// threads. Throws Error for input that cannot be used, for a query that failed
/// (naming topic and arm), and where some query was not observed.
[[nodiscard]] ReplayResult replay(const ReplayOptions& options, const ReplayWatch& watch = {});

/// The order in which a topic's arms are run: a permutation of 0..arms-1 that depends on nothing
/// but seed and topic.
[[nodiscard]] std::vector<std::size_t> arm_order(std::uint64_t seed, const TopicId& topic,
                                                 std::size_t arms);

/// The files that say what to run, read before the index is opened.
struct TopicFiles {
  std::vector<Topic> topics;                             ///< empty for TopicSource::kDocuments
  std::map<TopicId, std::vector<Docno>> excluded_pairs;  ///< by topic
};

/// Throws as `load_topics`; Error(kBadInput) with `file:line` for a pair that has not two columns.
[[nodiscard]] TopicFiles load_topic_files(const ReplayOptions& options);

/// The topics that the qrels and the topic source share. Throws Error(kBadInput) where there is
/// none, showing an id of either side, and what the indexes throw.
[[nodiscard]] ReplayTopics choose_topics(const ReplayOptions& options, TopicFiles files,
                                         const Qrels& qrels, const ReplayIndexes& indexes);

}  // namespace prescope::cli
