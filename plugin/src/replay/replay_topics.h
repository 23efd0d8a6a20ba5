#pragma once

#include "judgements/topics.h"
#include "replay/engines.h"
#include "replay/replay_options.h"

namespace prescope {

/// A query to run, and the documents that its ranking leaves out.
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

/// The files of queries and exclusions, read before the index is opened.
struct TopicFiles {
  std::vector<Topic> topics;                             ///< empty for TopicSource::kDocuments
  std::map<TopicId, std::vector<Docno>> excluded_pairs;  ///< by topic
};

/// Throws as `load_topics`; Error(kBadInput) with `file:line` for a pair that has not two columns.
[[nodiscard]] TopicFiles load_topic_files(const ReplayOptions& options);

/// Returns the topics that the qrels and the topic source share. Throws Error(kBadInput) if there
/// is none, with an id of either side; exceptions of the indexes pass through.
[[nodiscard]] ReplayTopics choose_topics(const ReplayOptions& options, TopicFiles files,
                                         const Qrels& qrels, const ReplayIndexes& indexes);

/// The topics that were not run, the first few by name; empty if all were.
[[nodiscard]] std::string skipped_topics_note(const ReplayTopics& topics);

}  // namespace prescope
