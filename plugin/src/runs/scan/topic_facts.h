#pragma once

#include "runs/scan/topics_of_run.h"

namespace prescope {

/// Finds the judged documents of a topic among its lines, and their ranks. A hash table finds
/// judged and repeated documents at once. Lines are sorted only if documents repeat or very many
/// are judged; otherwise the few needed ranks are counted. Single-threaded; keeps its memory from
/// topic to topic.
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
  void begin(std::uint32_t documents);
  bool find_documents(std::span<const Judgement> judgements, const TopicLines& lines);
  void add_if_known(std::span<const Judgement> judgements, const TopicLines& lines,
                    std::uint32_t line, std::size_t slot);
  void add_retrieved(const TopicLines& lines, bool falls, RunFacts& facts) const;
  void add_sorted(const TopicLines& lines, RunFacts::Topic& topic, RunFacts& facts) const;
  void collapse(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> order,
                RunFacts::Topic& topic, RunFacts& facts) const;

  const Qrels& qrels_;
  const bool raw_;
  // A hash table with linear probing. A slot holds `first_` plus a document, or less if it is empty
  // or its document is that of an earlier topic.
  std::vector<std::uint32_t> slots_;
  std::uint32_t first_ = 1, judged_and_lines_ = 0;
  std::uint32_t judged_ = 0;
  /// A document is the position of a judgement, or `judged_` and the first line that has it.
  struct KnownDocument {
    std::uint32_t line = 0, document = 0;
  };
  std::vector<KnownDocument> known_;  // lines of judged documents, and of repeated ones
};

}  // namespace prescope
