#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/run_facts.h"
#include "runs/scan/run_lines.h"

namespace prescope {

/// The lines of one topic of a run, in the order of the file. Keeps its memory when it is cleared.
class TopicLines {
 public:
  void clear(std::string_view topic) {
    topic_ = topic;
    lines_.clear();
    used_ = 0;
  }
  /// kPadding bytes behind the docno can be read.
  void add(std::string_view docno, double score) {
    constexpr std::size_t kStep = 16;
    static_assert(kStep <= kPadding);
    if (used_ + docno.size() + kPadding > docnos_.size()) {
      docnos_.resize(2 * (docnos_.size() + docno.size() + kPadding));
    }
    // A few whole steps are quicker than the bytes that there are.
    char* const to = docnos_.data() + used_;
    for (std::size_t i = 0; i < docno.size(); i += kStep) {
      std::memcpy(to + i, docno.data() + i, kStep);
    }
    used_ += docno.size();
    lines_.push_back({score, used_});
  }

  [[nodiscard]] const std::string& topic() const noexcept { return topic_; }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(lines_.size());
  }
  [[nodiscard]] double score(std::uint32_t line) const noexcept { return lines_[line].score; }
  [[nodiscard]] std::string_view docno(std::uint32_t line) const noexcept {
    const std::size_t begin = line == 0 ? 0 : lines_[line - 1].docno_end;
    return {docnos_.data() + begin, lines_[line].docno_end - begin};
  }
  /// Whether trec_eval ranks `a` before `b`; false if they have the same score and docno.
  [[nodiscard]] bool ranks_before(std::uint32_t a, std::uint32_t b) const noexcept {
    return score(a) != score(b) ? score(a) > score(b) : docno(a) > docno(b);
  }
  /// The lines in trec_eval's order.
  [[nodiscard]] std::vector<std::uint32_t> trec_order() const;

 private:
  struct Line {
    double score;
    std::size_t docno_end;  // in docnos_
  };

  std::string topic_;
  std::vector<Line> lines_;
  std::vector<char> docnos_;  // one behind the other, then room
  std::size_t used_ = 0;
};

struct TopicReading {
  ScorePrecision precision = ScorePrecision::kDouble;
  FindByteMasks find_masks = find_byte_masks;
  /// Whether the lines of a topic may be anywhere. Then all lines of the run are kept in memory to
  /// its end; otherwise those of one topic are.
  bool scattered = false;
  std::uint64_t size = UINT64_MAX;  ///< bytes to read, to the end of a line
  /// Asked at a topic's first line. The lines of a topic that is not wanted are counted only.
  std::function<bool(std::string_view topic)> is_wanted{};
  /// Receives each topic that is wanted, in the order of their first lines.
  std::function<void(const TopicLines&)> take{};
};

/// What a run holds beside its topics.
struct RunTotals {
  std::uint64_t hits = 0;
  std::uint64_t lines = 0;  ///< of any kind
  std::string tag;          ///< of the last hit
  BadLines bad_lines;
  /// A wanted topic came again after another one, though lines were not to be scattered. Reading
  /// ended there.
  bool came_again = false;
};

/// Throws Error(kIo).
[[nodiscard]] RunTotals read_topics(ByteSource& bytes, const TopicReading& reading);

}  // namespace prescope
