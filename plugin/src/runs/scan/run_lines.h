#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "runs/scan/byte_masks.h"
#include "runs/scan/score_format.h"

namespace prescope {

/// Ends the message about a malformed line.
inline constexpr std::string_view kExpectedRunLine = "expected \"topic Q0 docno rank score tag\"";

/// A line of a run that holds a hit: views into its text.
struct RunLine {
  std::string_view topic, docno;
  double score = 0.0;  ///< finite

  /// The third column behind the docno.
  [[nodiscard]] std::string_view tag() const noexcept;
};

/// Quicker than == for texts of more than seven bytes.
[[nodiscard]] inline bool same_text(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (a.size() < kWord || a.size() != b.size()) return a == b;
  const auto same_word = [&](std::size_t at) {
    std::uint64_t own = 0, other = 0;
    std::memcpy(&own, a.data() + at, kWord);
    std::memcpy(&other, b.data() + at, kWord);
    return own == other;
  };
  for (std::size_t at = 0; at + kWord < a.size(); at += kWord) {
    if (!same_word(at)) return false;
  }
  return same_word(a.size() - kWord);
}

/// The 64 bits from `bit` on.
[[nodiscard]] inline std::uint64_t bits_from(std::uint64_t low, std::uint64_t high,
                                             unsigned bit) noexcept {
  return low >> bit | high << 1U << (63U - bit);
}

/// The malformed lines of a file, or of a part of it: the first few with their problems, the rest
/// counted.
class BadLines {
 public:
  void add(std::uint64_t line, std::string problem);
  /// Adds the lines of the next part, whose line 1 is line `lines_before` + 1 of this.
  void append(const BadLines& part, std::uint64_t lines_before);
  /// Throws Error(kBadInput), with a line for each listed problem, if there are any.
  void throw_if_any(const std::string& path) const;

 private:
  static constexpr std::size_t kListed = 5;

  std::vector<std::pair<std::uint64_t, std::string>> first_;
  std::uint64_t count_ = 0;
};

/// Reads the hits of a run, or of consecutive lines of it, one after the other. Skips blank lines
/// and comments, collects malformed lines.
class RunLines {
 public:
  /// Reads to the byte `end`, behind a line, or to the last one. `bytes` must outlive this.
  explicit RunLines(ByteSource& bytes, FindByteMasks find_masks = find_byte_masks,
                    std::uint64_t size = UINT64_MAX);

  /// Reads the next hit into `line`, which holds the one before; returns false at the end. The
  /// views live until the next call, and kPadding bytes behind each can be read. Throws Error(kIo).
  [[nodiscard]] bool next(RunLine& line) { return take_regular_line(line) || take_any_line(line); }

  /// The tag of the last hit, when next() has returned false.
  [[nodiscard]] const std::string& last_tag() const noexcept { return last_tag_; }
  /// Lines of any kind so far.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] const BadLines& bad_lines() const noexcept { return bad_lines_; }

 private:
  /// The places of a regular line's columns. Lines that have the same blanks up to the tag have the
  /// same layout, and perhaps the same end.
  struct Layout {
    std::uint64_t bytes = 0;          // a bit for each byte up to the first one of the tag
    std::uint64_t blanks = 1;         // the blanks among these; no line has them until one is set
    std::uint64_t line = 0, end = 1;  // bits of all bytes and of the last one; likewise
    std::size_t size = 0;             // without CR and LF
    std::uint32_t topic_size = 0, docno = 0, docno_size = 0, score = 0, score_size = 0, tag = 0;
    ScoreFormat score_format;
  };

  /// Reads a line in the common layout: printable ASCII, six or more columns with one space between
  /// any two, of which the first five end within 63 bytes. Returns false if the next line differs.
  bool take_regular_line(RunLine& line) {
    if (at_ == end_of_lines_) return false;
    const ByteMasks* const block = &masks_[at_ / 64];
    const unsigned bit = at_ % 64;
    const std::uint64_t blanks = bits_from(block[0].blanks, block[1].blanks, bit);
    const std::uint64_t others = bits_from(block[0].others, block[1].others, bit);
    if ((blanks & layout_.bytes) != layout_.blanks && !set_layout(blanks)) return false;
    if ((others & layout_.line) != layout_.end && !set_end()) return false;
    const char* const text = text_.get() + at_;
    std::size_t size = layout_.size;
    if (text[size] != '\n' && (text[size] != '\r' || text[++size] != '\n')) return false;
    if (*text == '#') return false;
    if (!layout_.score_format.read(text + layout_.score, line.score) &&
        !read_other_score({text + layout_.score, layout_.score_size}, line.score)) {
      return false;
    }
    line.topic = {text, layout_.topic_size};
    line.docno = {text + layout_.docno, layout_.docno_size};
    at_ += size + 1;
    ++count_;
    return true;
  }
  bool set_layout(std::uint64_t blanks) noexcept;
  bool set_end() noexcept;
  bool read_other_score(std::string_view text, double& score) noexcept;
  bool take_any_line(RunLine& line);
  bool read_on();
  void make_room(std::size_t room);

  ByteSource& bytes_;
  FindByteMasks find_masks_;
  std::uint64_t left_;  // bytes not yet read
  std::unique_ptr<char[]> text_;
  std::vector<ByteMasks> masks_;  // of the text
  std::size_t room_ = 0, used_ = 0;
  std::size_t at_ = 0, end_of_lines_ = 0;
  Layout layout_;
  std::uint64_t count_ = 0;
  BadLines bad_lines_;
  std::string last_tag_;
};

}  // namespace prescope
