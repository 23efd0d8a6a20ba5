#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runs/scan/topic_lines.h"

namespace prescope {

/// A regular line: bytes from its beginning.
struct RegularLine {
  std::uint32_t topic_size = 0;
  std::uint32_t docno = 0, docno_size = 0;
  std::uint32_t score = 0, score_size = 0;
  std::uint32_t size = 0;  ///< to the beginning of the next line
};

/// How lines are read that look as nearly all lines of nearly all runs do: six or more columns with
/// one blank between any two (or one tab between any two), at most 128 bytes, ASCII, the score an
/// optional minus, up to 31 digits and at most one point among them. What is anything else is left
/// to `parse_run_line`. kPadding bytes behind `end` can be read.
struct LineScan {
  const char* name;
  /// Adds regular lines to `topic`, which has at least one line, as long as they are the topic's
  /// own. Gives the beginning of the first line that is not, or `end`. `at` and `end` are
  /// beginnings of lines, in the topic's text.
  const char* (*add_lines)(TopicLines& topic, const char* at, const char* end);
  /// Regular lines of any topics, one behind the other from `at` on, as many as there are and there
  /// is room for. Gives how many.
  std::size_t (*split)(const char* at, const char* end, std::span<RegularLine> lines);
  TopicLines::CountGreater count_greater;
};

/// Plain C++.
extern const LineScan kPortableLineScan;
/// With AVX2 and BMI; null on a machine that has not both.
[[nodiscard]] const LineScan* avx2_line_scan() noexcept;
/// The fastest that this machine has.
[[nodiscard]] const LineScan& best_line_scan() noexcept;

}  // namespace prescope
