#pragma once

#include <algorithm>
#include <memory>

#include "prescope/qrels.h"

namespace prescope {

/// How the scores of a topic go from line to line, if it has several lines.
enum class ScoreOrder : std::uint8_t {
  kOther,
  kTied,    ///< all are the same
  kRising,  ///< none is below the one before, and some are above
};

/// The tags of a run, in the last of six columns.
struct RunTags {
  std::string first{};            ///< of the first line
  std::uint64_t other_lines = 0;  ///< lines that have another tag
  std::string other{};            ///< of the first of these lines
  std::uint64_t first_other = 0;  ///< its number in the file

  friend bool operator==(const RunTags&, const RunTags&) = default;
};

/// A judged document that a run retrieved, and its ranks: under each order its best.
struct Retrieved {
  JudgementIndex judgement{};
  Rank trec_rank = 0;  ///< under RunOrder::kTrec
  Rank file_rank = 0;  ///< under RunOrder::kFile
  /// First and last rank under RunOrder::kTrec of the documents with the same score. If a cutoff
  /// separates them, only their docnos decide which of them count.
  Rank first_tied = 0, last_tied = 0;

  friend bool operator==(const Retrieved&, const Retrieved&) = default;
};

class KeptLines;

/// The facts that a run's file has about the topics of the qrels, from which every measure at every
/// depth and under both orders follows. Topics ascend by index.
struct RunFacts {
  struct Topic {
    TopicIndex topic{};
    std::uint32_t num_ret = 0;     ///< lines; documents, if the qrels collapse rankings
    std::uint32_t duplicates = 0;  ///< lines whose document stands at a better rank already
    /// True if score and docno (RunOrder::kTrec) rank these lines otherwise than the file does.
    bool orders_differ = false;
    ScoreOrder scores = ScoreOrder::kOther;
    std::uint32_t first_retrieved = 0, num_retrieved = 0;  ///< a part of `retrieved`

    friend bool operator==(const Topic&, const Topic&) = default;
  };
  /// A topic's first line, under RunOrder::kTrec, whose document has a better rank already.
  struct Repeat {
    TopicIndex topic{};
    Docno docno{};
    Rank rank = 0;

    friend bool operator==(const Repeat&, const Repeat&) = default;
  };

  std::string path;                       ///< as given; "-" for standard input
  std::shared_ptr<const KeptLines> kept;  ///< the lines of a run that was in memory; null: a file
  std::string tag;                        ///< last column of the last line
  RunTags tags;
  /// True if some line may have quotation marks, or characters that are not ASCII.
  bool has_unusual_bytes = false;
  std::vector<Topic> topics;
  std::vector<Retrieved> retrieved;  ///< of a topic ascending by trec_rank
  std::vector<Repeat> repeats;       ///< one for each topic with duplicates, in topic order
  std::uint64_t lines = 0;
  std::uint64_t unjudged_topics = 0;  ///< topics of the run that the qrels do not have
  std::vector<TopicId> unjudged;      ///< the first few of them, ascending

  [[nodiscard]] std::span<const Retrieved> of(const Topic& topic) const noexcept {
    return std::span(retrieved).subspan(topic.first_retrieved, topic.num_retrieved);
  }
  /// Null if the run does not have it.
  [[nodiscard]] const Topic* find(TopicIndex topic) const noexcept {
    const auto at = std::ranges::lower_bound(topics, topic, {}, &Topic::topic);
    return at != topics.end() && at->topic == topic ? &*at : nullptr;
  }
};

/// The type in which scores are compared. trec_eval up to 9 reads floats, trec_eval 10 doubles.
enum class ScorePrecision { kDouble, kFloat };

}  // namespace prescope
