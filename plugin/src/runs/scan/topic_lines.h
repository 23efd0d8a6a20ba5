#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/qrels.h"
#include "runs/run_facts.h"
#include "runs/scan/docno_hash.h"

namespace prescope {

/// A docno of a topic: a judged one, or that of a line, with the places of both columns in bytes.
struct TopicEntry {
  static constexpr std::size_t kMaxDocnoSize = (std::size_t{1} << 24U) - 1;

  std::uint64_t hash = 0;            ///< of the docno under the qrels' policy
  std::uint64_t docno_and_size = 0;  ///< from the beginning of the text; the size in 24 bits
  std::uint32_t next = 0;       ///< the entry before this one in its chain, from 1; 0 at its end
  std::uint32_t score_gap = 0;  ///< from the docno's first byte to the score's

  [[nodiscard]] static TopicEntry of_line(std::size_t docno, std::size_t docno_size,
                                          std::size_t score) noexcept {
    return {.docno_and_size = docno << 24U | docno_size,
            .score_gap = static_cast<std::uint32_t>(score - docno)};
  }
  /// To a line so many bytes further on.
  void move_by(std::size_t bytes) noexcept { docno_and_size += bytes << 24U; }
  [[nodiscard]] std::size_t docno() const noexcept { return docno_and_size >> 24U; }
  [[nodiscard]] std::size_t docno_size() const noexcept { return docno_and_size & kMaxDocnoSize; }
};

/// The lines of one topic, as they come, and what follows from them when all have come: at which
/// ranks its judged documents stand, and whether a document is repeated.
///
/// Nothing is sorted. Lines whose scores fall have their ranks; for others, the rank of a judged
/// document is counted. One hash chain of all docnos, the judged ones first, tells judged documents
/// and repeated ones at once. Single-threaded; keeps its memory from topic to topic.
class TopicLines {
 public:
  /// How the scores of many lines are searched for those above one.
  using CountGreater = std::uint32_t (*)(const double* scores, std::size_t count, double than);

  /// `qrels` must outlive this.
  TopicLines(const Qrels& qrels, ScorePrecision precision, CountGreater count_greater);

  /// A new topic without lines. One that the qrels have not is only read.
  void begin(std::string_view topic, std::optional<TopicIndex> index);
  /// The topic's text, which may move as long as its bytes stay the same; kPadding bytes behind it
  /// can be read.
  void set_text(const char* text) noexcept { text_ = text; }

  [[nodiscard]] const std::string& topic() const noexcept { return topic_; }
  [[nodiscard]] const char* text() const noexcept { return text_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return count_ - judged_; }

  /// The next line. How its score stands to that of the line before is found out here.
  void add(TopicEntry line);
  /// A line whose hash and score are known already; the score is never looked at in the text. All
  /// lines of the topic, or none.
  void add_scored(TopicEntry line, double score);

  /// What a line scanner writes lines to: entries [count, room), and the chains' ends, found by
  /// `hash & slot_mask`. A copy: `commit` before anything else is asked of the topic.
  struct Cursor {
    TopicEntry* entries;
    std::uint32_t count, room;
    std::uint32_t* slots;
    std::uint64_t slot_mask;
  };
  /// With room for at least one line more.
  [[nodiscard]] Cursor cursor() {
    if (count_ == entries_.size()) grow();
    return {entries_.data(), count_, static_cast<std::uint32_t>(entries_.size()), slots_.data(),
            slots_.size() - 1};
  }
  void commit(std::uint32_t count) noexcept { count_ = count; }
  /// The entry last committed has the same hash as an earlier one.
  void meet(std::uint32_t earlier);
  /// The line last added has a higher score than the one before it.
  void note_rise() noexcept { rises_ = true; }
  /// Whether no score was higher than the one before it so far.
  [[nodiscard]] bool falls() const noexcept { return !rises_; }
  /// The line last added has the same score as the one before it.
  void note_tie() noexcept;
  /// Compares the scores of the last two lines.
  void compare_last() noexcept;

  /// Whether docnos are compared byte for byte, so that `hash_padded` of a docno is its hash.
  [[nodiscard]] bool is_raw() const noexcept { return raw_; }
  /// Of a docno under the qrels' policy. kPadding bytes behind it can be read.
  [[nodiscard]] std::uint64_t hash_of(std::string_view docno) const {
    return raw_ ? hash_padded(docno.data(), docno.size()) : hash_of_key(docno);
  }
  [[nodiscard]] ScorePrecision precision() const noexcept { return precision_; }
  /// The column behind the last line's score; there must be a line.
  [[nodiscard]] std::string_view last_tag() const noexcept;

  /// Adds the topic to `facts`, unless the qrels have it not.
  void finish(RunFacts& facts);

 private:
  struct Hit {
    std::uint32_t line;
    JudgementIndex judgement;
  };

  [[nodiscard]] const TopicEntry& line(std::uint32_t i) const noexcept {
    return entries_[judged_ + i];
  }
  [[nodiscard]] std::string_view docno_at(std::uint32_t i) const noexcept {
    return {text_ + line(i).docno(), line(i).docno_size()};
  }
  /// The text from its score on, of which the score is the first column.
  [[nodiscard]] const char* score_text(std::uint32_t i) const noexcept {
    return text_ + line(i).docno() + line(i).score_gap;
  }
  [[nodiscard]] double score_at(std::uint32_t i) const noexcept;
  [[nodiscard]] bool have_same_score(std::uint32_t i, std::uint32_t j) const noexcept;
  [[nodiscard]] std::uint64_t hash_of_key(std::string_view docno) const;
  [[nodiscard]] std::string key_of(std::string_view docno) const;

  void insert(TopicEntry entry);
  void grow();
  void read_scores();
  [[nodiscard]] Retrieved placed_in_falling(const Hit& hit) const;
  [[nodiscard]] Retrieved placed_by_counting(const Hit& hit) const;
  void add_without_repeats(RunFacts& facts);
  void add_with_repeats(RunFacts& facts, RunFacts::Topic& topic);
  [[nodiscard]] std::vector<std::uint32_t> trec_order() const;

  const Qrels* qrels_;
  const ScorePrecision precision_;
  const CountGreater count_greater_;
  const bool raw_;

  std::string topic_;
  std::optional<TopicIndex> index_;
  const char* text_ = nullptr;
  std::uint32_t judged_ = 0;
  bool rises_ = false, file_order_breaks_tie_ = false, repeats_ = false;
  std::vector<Hit> hits_;
  std::vector<double> scores_;       // where they are known
  std::vector<double> scores_read_;  // room for them
  // The judged documents, then the lines, `count_` in all. A slot leads to the last entry of its
  // chain, counted from 1. There are a power of two of them.
  std::vector<TopicEntry> entries_;
  std::vector<std::uint32_t> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace prescope
