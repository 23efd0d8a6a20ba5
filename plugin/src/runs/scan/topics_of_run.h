#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runs/run_facts.h"
#include "runs/scan/run_lines.h"

namespace prescope {

/// Copies of docnos, which stay in their places until they are cleared.
class DocnoCopies {
 public:
  /// Copies a docno. The caller must see to it that kPadding bytes behind `docno` can be read.
  [[nodiscard]] std::string_view add(std::string_view docno) {
    static_assert(kQuick <= kPadding);
    if (room_ < docno.size() + kQuick) take_block(docno.size() + kQuick);
    char* const to = next_;
    std::memcpy(to, docno.data(), kQuick);  // quicker than so many bytes as there are
    if (docno.size() > kQuick) std::memcpy(to, docno.data(), docno.size());
    next_ += docno.size();
    room_ -= docno.size();
    return {to, docno.size()};
  }
  void clear() noexcept {
    blocks_.clear();
    room_ = 0;
  }

 private:
  static constexpr std::size_t kQuick = 16, kBlock = std::size_t{1} << 15U;

  void take_block(std::size_t least) {
    room_ = std::max(least, kBlock);
    next_ = blocks_.emplace_back(new char[room_]).get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t room_ = 0;  // bytes from next_ on
};

/// The lines of one topic of a run, in the order of the file.
struct TopicLines {
  struct Line {
    std::string_view docno;
    double score = 0.0;
  };

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(lines.size());
  }
  [[nodiscard]] double score(std::uint32_t line) const noexcept { return lines[line].score; }
  [[nodiscard]] std::string_view docno(std::uint32_t line) const noexcept {
    return lines[line].docno;
  }
  /// Returns true if trec_eval ranks `a` before `b`; false if they have the same score and docno.
  [[nodiscard]] bool ranks_before(std::uint32_t a, std::uint32_t b) const noexcept {
    return score(a) != score(b) ? score(a) > score(b) : docno(a) > docno(b);
  }
  /// The lines in trec_eval's order.
  [[nodiscard]] std::vector<std::uint32_t> trec_order() const;

  std::string topic;
  std::vector<Line> lines;
};

struct TopicReading {
  ScorePrecision precision = ScorePrecision::kDouble;
  FindByteMasks find_masks = find_byte_masks;
  /// If true, the lines of a topic may be anywhere, and all lines of the run are kept in memory to
  /// its end; otherwise those of one topic are.
  bool scattered = false;
  std::uint64_t size = UINT64_MAX;  ///< bytes to read, to the end of a line
  /// Asked at a topic's first line. The lines of a topic that is not wanted are counted only.
  std::function<bool(std::string_view topic)> is_wanted{};
  /// Receives each topic that is wanted, in the order of their first lines.
  std::function<void(const TopicLines&)> take{};
};

/// Totals of a run beside its topics.
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
