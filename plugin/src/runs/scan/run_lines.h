#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/text_file.h"
#include "runs/scan/byte_masks.h"

namespace prescope {

/// Ends what is said of a malformed line.
inline constexpr std::string_view kExpectedRunLine = "expected \"topic Q0 docno rank score tag\"";

/// A line of a run that holds a hit: views into its text.
struct RunLine {
  std::string_view topic, docno;
  std::string_view rest;  ///< from the tag on
  double score = 0.0;     ///< finite

  [[nodiscard]] std::string_view tag() const noexcept {
    return rest.substr(0, rest.find_first_of(" \t"));
  }
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

/// The malformed lines of a file, or of a part of it: the first few with what is wrong, the rest
/// counted.
class BadLines {
 public:
  void add(std::uint64_t line, std::string problem);
  /// Adds those of the part that follows, whose line 1 is line `lines_before` + 1 of this.
  void append(const BadLines& part, std::uint64_t lines_before);
  /// Throws Error(kBadInput), a line for each problem that is listed, if there is any.
  void throw_if_any(const std::string& path) const;

 private:
  static constexpr std::size_t kListed = 5;

  std::vector<std::pair<std::uint64_t, std::string>> first_;
  std::uint64_t count_ = 0;
};

/// Reads the hits of a run, or of consecutive lines of it. Blank lines and comments are skipped,
/// malformed lines gathered.
class RunLines {
 public:
  /// Reads to the byte `end`, behind a line, or to the last one. `bytes` must outlive this.
  explicit RunLines(ByteSource& bytes, FindByteMasks find_masks = find_byte_masks,
                    std::uint64_t size = UINT64_MAX);

  /// The next hits, at least one; none at the end. The views live until the next call, and
  /// kPadding bytes behind each can be read. Throws Error(kIo).
  [[nodiscard]] std::span<const RunLine> next();

  /// Of any kind, so far.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] const BadLines& bad_lines() const noexcept { return bad_lines_; }

 private:
  /// Where the columns of a regular line stand. Lines with the same masks have the same layout.
  struct Layout {
    ByteMasks masks{~std::uint64_t{0}, ~std::uint64_t{0}};  // none has both
    std::uint64_t bits = ~std::uint64_t{0};                 // of the masks that tell
    std::uint32_t topic_size = 0, docno = 0, docno_size = 0, score = 0, score_size = 0, tag = 0;
    std::size_t size = 0, line_feed = 0;
  };

  bool read_on();
  void make_room(std::size_t room);
  std::size_t take_regular_lines(std::span<RunLine> lines) noexcept;
  bool set_layout(const ByteMasks& masks) noexcept;
  bool take_any_line(RunLine& line);

  ByteSource& bytes_;
  FindByteMasks find_masks_;
  std::uint64_t left_;  // bytes not yet read
  std::unique_ptr<char[]> text_;
  std::vector<ByteMasks> masks_;  // of the text
  std::size_t room_ = 0, used_ = 0;
  std::size_t at_ = 0, end_of_lines_ = 0;
  Layout layout_;
  std::array<RunLine, 256> lines_;
  std::uint64_t count_ = 0;
  BadLines bad_lines_;
};

}  // namespace prescope
