#pragma once

#include <bitset>

#include "prescope/key_slots.h"
#include "prescope/qrels.h"
#include "runs/run_facts.h"
#include "runs/scan/topics_of_run.h"

namespace prescope {

/// Finds the judged documents of a topic among its lines, and their ranks. A hash table finds
/// judged and repeated documents at once. Only docnos whose fingerprint occurs more than once enter
/// it, which are few. Lines are sorted only if documents repeat; otherwise the few needed ranks are
/// counted. Single-threaded; keeps its memory from topic to topic.
class TopicFacts {
 public:
  /// `qrels` must outlive this.
  explicit TopicFacts(const Qrels& qrels)
      : qrels_(qrels), raw_(qrels.docnos().policy() == DocnoPolicy::kRaw) {}

  /// Adds the topic of the qrels to `facts`.
  void add(TopicIndex index, const TopicLines& lines, RunFacts& facts);

 private:
  [[nodiscard]] std::string_view key_of(const TopicLines& lines, std::uint32_t line,
                                        DocnoBuffer& buffer) const noexcept {
    return raw_ ? lines.docno(line) : qrels_.docnos().key(lines.docno(line), buffer);
  }
  bool find_documents(const TopicQrels& judged, const TopicLines& lines);
  void add_retrieved(const TopicLines& lines, bool falls, RunFacts& facts) const;
  void add_repeating(const TopicLines& lines, RunFacts::Topic& topic, RunFacts& facts) const;

  const Qrels& qrels_;
  const bool raw_;
  // Sets of fingerprints; those of judged documents are inserted first.
  std::bitset<std::size_t{1} << 16U> seen_, came_again_;
  std::vector<std::uint16_t> fingerprints_;  // by line
  KeySlots slots_;
  std::uint32_t judged_ = 0;
  /// A document is the position of a judgement, or `judged_` and the first line that has it.
  struct KnownDocument {
    std::uint32_t line = 0, document = 0;
  };
  std::vector<KnownDocument> known_;  // lines of judged documents, and of repeated ones
};

}  // namespace prescope
