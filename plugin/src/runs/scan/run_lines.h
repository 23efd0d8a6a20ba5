#pragma once

#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "runs/scan/run_facts.h"
#include "runs/scan/score_format.h"
#include "runs/scan/separators.h"

namespace prescope {

struct Columns;

/// Columns of a run's line at least.
inline constexpr std::size_t kRunColumns = 6;
/// Ends the message about a malformed line.
inline constexpr std::string_view kExpectedRunLine = "expected \"topic Q0 docno rank score tag\"";

/// Says why the columns of `line` are not those of a run; returns an empty text if they are. Does
/// not look at the score.
[[nodiscard]] std::string problem_of_run_line(const Columns& columns, std::string_view line);

/// The number of columns of a file's lines. All lines have as many as the first, unless text
/// follows the tag.
class ColumnCount {
 public:
  /// Returns why a line may not have so many; an empty text if it may.
  [[nodiscard]] std::string problem_of(std::size_t columns);
  /// Returns the columns of the first line; 0 before it.
  [[nodiscard]] std::size_t value() const noexcept { return first_; }

 private:
  std::size_t first_ = 0;
};

/// A line of a run that holds a hit: views into its text.
struct RunLine {
  std::string_view topic, docno;
  double score = 0.0;  ///< not NaN
};

/// The malformed lines of a file or a part of it: the first few with their problems, all counted.
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

/// Compares the tag of each line with the first line's.
class TagCheck {
 public:
  /// Returns whether `tag` is the first tag, and a separator is behind it. kPadding bytes from the
  /// tag on are read.
  [[nodiscard]] bool is_first(const char* tag) const noexcept {
    return ((word_at(tag) ^ begin_) & mask_) == 0 && ((word_at(tag + last_) ^ end_) & mask_) == 0 &&
           (size_ <= 2 * kWord ? static_cast<unsigned char>(tag[size_]) <= ' ' : is_long(tag));
  }
  /// Takes the tag of a line that `is_first` is false for.
  void add_other(std::string_view tag, std::uint64_t line);
  [[nodiscard]] const RunTags& tags() const noexcept { return tags_; }

 private:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);

  [[nodiscard]] bool is_long(const char* tag) const noexcept;

  // Of the first tag's first 16 bytes the first and the last eight, or all of a shorter tag.
  std::uint64_t begin_ = 0, end_ = 0, mask_ = 0;
  std::size_t size_ = 0, last_ = 0;  // no tag has no bytes
  RunTags tags_;
};

/// Reads the hits of a run, or of consecutive lines of it, one after the other. Skips blank lines
/// and comments, collects malformed lines.
class RunLines {
 public:
  /// Reads `size` bytes, to the end of a line, or to the last one. `bytes` must outlive this.
  explicit RunLines(ByteSource& bytes, std::uint64_t size = UINT64_MAX);

  /// Reads the next hit into `line`, which holds the one before; returns false at the end. The
  /// views live until the next call, and kPadding bytes behind each can be read. Throws Error(kIo).
  [[nodiscard]] bool next(RunLine& line) { return take_regular_line(line) || take_any_line(line); }

  /// The tag of the last hit, when next() has returned false.
  [[nodiscard]] const std::string& last_tag() const noexcept { return last_tag_; }
  /// Lines of any kind so far.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] const BadLines& bad_lines() const noexcept { return bad_lines_; }
  /// Columns of the first hit; 0 before it.
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.value(); }
  [[nodiscard]] const RunTags& tags() const noexcept { return tags_.tags(); }
  [[nodiscard]] bool has_marks() const noexcept { return has_marks_; }

 private:
  /// The places of a regular line's columns. Lines with the same separators share them.
  struct Layout {
    std::uint64_t bytes = 0;  // a bit for each byte up to the end, or to the first one of the tag
    // A bit for each separator, and for each line feed. The first values match no line.
    std::uint64_t separators = 1, feeds = 0;
    std::uint32_t topic_size = 0, docno = 0, docno_size = 0, score = 0, score_size = 0, tag = 0;
    std::uint32_t size = 0;  // of the line without its end; 0 if that is behind the bits
  };

  /// Reads a line in the common layout: six columns with one space or tab between any two, of which
  /// the first five end within 56 bytes. Returns false if the next line differs.
  bool take_regular_line(RunLine& line) {
    if (at_ == end_of_lines_) return false;
    const std::uint64_t separators = bits_at(separators_), feeds = bits_at(feeds_);
    const bool has_layout = (separators & layout_.bytes) == layout_.separators &&
                            (feeds & layout_.bytes) == layout_.feeds;
    const char* const text = text_.get() + at_;
    if (!has_layout && !set_layout(text, separators, feeds)) return false;
    std::size_t feed = layout_.size != 0 ? layout_.size : size_of_long_line(text);
    if (has_other_separators_ && !has_common_separators(text, feed)) return false;
    if (text[feed] != '\n' || *text == '#') return false;
    const char* const score = text + layout_.score;
    if (!score_format_.read(score, line.score) && !read_other_score(score, line.score))
      return false;
    if (columns_.value() != kRunColumns && !columns_.problem_of(kRunColumns).empty()) return false;
    line.topic = {text, layout_.topic_size};
    line.docno = {text + layout_.docno, layout_.docno_size};
    at_ += feed + 1;
    ++count_;
    if (!tags_.is_first(text + layout_.tag)) add_other_tag(text + layout_.tag);
    return true;
  }
  /// Returns the marks of the bytes from the next line on: at least 57.
  [[nodiscard]] std::uint64_t bits_at(const std::vector<char>& bits) const noexcept {
    return word_at(bits.data() + at_ / 8) >> at_ % 8;
  }
  bool set_layout(const char* text, std::uint64_t separators, std::uint64_t feeds) noexcept;
  [[nodiscard]] std::size_t size_of_long_line(const char* text) const noexcept;
  bool has_common_separators(const char* text, std::size_t& feed) const noexcept;
  bool read_other_score(const char* text, double& score) noexcept;
  bool take_any_line(RunLine& line);
  void add_other_tag(const char* tag);
  [[nodiscard]] std::string_view tag_behind(std::string_view docno) const noexcept;
  bool read_on();
  void make_room(std::size_t room);

  ByteSource& bytes_;
  std::uint64_t left_;  // bytes not yet read
  std::unique_ptr<char[]> text_;
  std::vector<char> separators_, feeds_;  // marks of the text
  bool has_other_separators_ = false;     // than spaces and line feeds
  bool has_marks_ = false;                // in any line so far
  std::size_t room_ = 0, used_ = 0;
  std::size_t at_ = 0, end_of_lines_ = 0;
  Layout layout_;             // of the last regular line
  ScoreFormat score_format_;  // of the last score that had the size of the layout's
  std::uint64_t count_ = 0;
  ColumnCount columns_;
  TagCheck tags_;
  BadLines bad_lines_;
  std::string last_tag_;
};

}  // namespace prescope
