#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runs/run_facts.h"
#include "runs/scan/run_input.h"
#include "runs/scan/run_part.h"
#include "runs/scan/scattered_lines.h"
#include "runs/scan/scattered_topic.h"
#include "runs/scan/topic_lines.h"

namespace prescope {

/// The facts of topics whose lines are scattered over a file, when all of them are known: reads
/// once more, for many topics at a time, the docnos that make a difference, or where a topic
/// repeats a document all of its docnos.
class ScatteredFacts {
 public:
  /// All of them must outlive this.
  ScatteredFacts(const LineReading& reading, const RunInput& input, const ScatteredLines& lines,
                 RunFacts& facts);

  /// A topic that has lines.
  void add(TopicIndex topic);
  /// After the last topic.
  void finish();

 private:
  void read_topics();
  void read_repeating();
  void add_repeating(const ScatteredTopic& topic);

  const LineReading& reading_;
  const RunInput& input_;
  const ScatteredLines& lines_;
  RunFacts& facts_;

  TopicSurvey survey_;
  std::vector<ScatteredLine> of_topic_;
  std::vector<ScatteredTopic> topics_;     // of which docnos are to be read
  std::vector<ScatteredTopic> repeating_;  // of which all docnos are to be read
  std::size_t wanted_ = 0, repeating_lines_ = 0;
  TopicLines topic_lines_;
  std::string docnos_;
};

}  // namespace prescope
