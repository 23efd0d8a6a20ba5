#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prescope/qrels.h"
#include "runs/run_facts.h"
#include "runs/scan/bits.h"
#include "runs/scan/lines_by_topic.h"
#include "runs/scan/topic_lines.h"

namespace prescope {

/// A line of a topic whose docno is to be read once more.
struct WantedLine {
  std::uint32_t line = 0;  ///< of the topic's, from 0
  ScatteredLine kept;
  std::string docno{};
};

/// A topic as far as scores and hashes tell, and the lines whose docnos tell the rest: those that
/// may be a judged document's, those that may repeat a document, and those that tie with the
/// former; where scores fall from line to line, also those that tie with the line before them.
struct ScatteredTopic {
  /// A line that may be a judged document's, and how many lines of its topic have a higher score,
  /// and the same one.
  struct Candidate {
    std::uint32_t line = 0;
    std::uint32_t above = 0, tied = 0;
  };

  TopicIndex index{};
  std::uint32_t num_ret = 0;
  bool rises = false;                ///< a line has a higher score than the one before it
  std::vector<WantedLine> wanted{};  ///< ascending by line
  std::vector<Candidate> candidates{};

  /// Adds the topic to `facts`, once its lines have their docnos; does not where it repeats a
  /// document, and gives false.
  bool add_to(RunFacts& facts, const Qrels& qrels) const;

 private:
  [[nodiscard]] bool repeats(const Qrels& qrels) const;
  [[nodiscard]] bool ties_stand_otherwise() const;
};

/// Finds out of topics, one after the other, what is to be read once more. Single-threaded; keeps
/// its memory from topic to topic.
class TopicSurvey {
 public:
  /// `qrels` must outlive this.
  TopicSurvey(const Qrels& qrels, TopicLines::CountGreater count_greater)
      : qrels_(&qrels), count_greater_(count_greater) {}

  /// Of a topic's lines in the order of the file.
  [[nodiscard]] ScatteredTopic survey(TopicIndex topic, std::span<const ScatteredLine> lines);

 private:
  struct Alarm {
    std::uint32_t hash, line;

    friend auto operator<=>(const Alarm&, const Alarm&) = default;
  };

  void read_scores(ScatteredTopic& topic, std::span<const ScatteredLine> lines);
  void find_alarms(TopicIndex topic, std::span<const ScatteredLine> lines);
  void want_alarms(ScatteredTopic& topic);
  void place(ScatteredTopic::Candidate& candidate);
  void want_tied_neighbours();

  const Qrels* qrels_;
  TopicLines::CountGreater count_greater_;
  std::vector<double> scores_;
  std::vector<std::uint32_t> judged_;  // hashes, ascending
  std::vector<Alarm> alarms_;
  Bits seen_, alarming_;  // of hashes
  Bits wanted_;           // of lines
};

}  // namespace prescope
