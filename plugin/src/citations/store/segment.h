#pragma once

#include <optional>
#include <vector>

#include "citations/store/record_decoder.h"
#include "citations/store/store_bytes.h"

namespace prescope {

// A segment is a part of a store that one commit wrote: records in order of (series, number).
//
//     segment = record* padding line* bucket* series_entry*
//     line    = first number: 8 bytes
//               place of the first record in the segment: 6 bytes
//               count - 1: one byte; width of numbers + 4 * width of ends: one byte
//               number less the first one {count - 1}, end of record {count}, zeros: 48 bytes
//
// A line is a cache line, and describes as many documents of one series as it has room for, 16 as a
// rule: looking one up touches a bucket, a line and the record. Widths 0 to 3 stand for 1, 2, 4 and
// 8 bytes; ends count from the place of the first record. For each series, the buckets divide the
// range of its numbers into equal parts, and say in which line each part begins. The store's
// directory has the SegmentInfo.

inline constexpr std::size_t kLineBytes = 64, kLineHead = 16;

/// The lines of a series. `buckets` is one more than there are; the last one ends the others.
struct SeriesEntry {
  std::uint64_t first_line, lines, first_bucket, buckets, documents;
  std::uint32_t series;
  std::uint32_t shift;  ///< a bucket has 2^shift numbers
};

struct SegmentInfo {
  std::uint64_t offset, size;  ///< in the file
  std::uint64_t checksum;
  std::uint64_t links;
  std::uint64_t line_index, bucket_index, series_index;  ///< offsets in the segment
  std::uint64_t lines, buckets, series;                  ///< how many of each
  ShortCodes short_codes;
  std::uint32_t reserved;
};

/// A line of a segment. Its widths and count were checked; its numbers and ends are not trusted.
struct SegmentLine {
  std::uint64_t first_number = 0, place = 0;
  std::size_t count = 0;
  unsigned number_width = 0, end_width = 0;
  const unsigned char *numbers = nullptr, *ends = nullptr;

  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept;
  /// Returns the place of this number among the line's; `count` if it has no such document.
  [[nodiscard]] std::size_t find(std::uint64_t number) const noexcept;
};

/// Returns the bytes behind a line's head that documents need.
[[nodiscard]] constexpr std::size_t line_body(std::size_t count, unsigned number_width,
                                              unsigned end_width) noexcept {
  return ((count - 1) << number_width) + (count << end_width);
}

/// Finds and lists the records of a segment in mapped memory. Immutable.
class Segment {
 public:
  /// At least 8 bytes behind the segment must be readable. Throws Error(kBadInput) if its parts are
  /// not within it. `name`: of the file, for messages.
  Segment(const SegmentInfo& info, const unsigned char* file_begin, const std::string& name);

  [[nodiscard]] const SegmentInfo& info() const noexcept { return info_; }
  /// Returns the record of a document; std::nullopt if there is none.
  [[nodiscard]] std::optional<Bytes> find(std::uint32_t series, std::uint64_t number) const;
  [[nodiscard]] SeriesEntry series_entry(std::uint64_t i) const;
  [[nodiscard]] std::optional<SeriesEntry> find_series(std::uint32_t series) const;
  [[nodiscard]] SegmentLine line(std::uint64_t i) const;
  [[nodiscard]] Bytes record(const SegmentLine& line, std::size_t i) const;
  /// Returns whether the bytes of the segment have its checksum.
  [[nodiscard]] bool has_checksum() const noexcept;
  [[noreturn]] void damaged() const;

 private:
  [[nodiscard]] std::uint64_t find_line(const SeriesEntry& series, std::uint64_t number) const;
  [[nodiscard]] std::uint64_t first_number(std::uint64_t line) const noexcept {
    return load<std::uint64_t>(line_index_ + line * kLineBytes);
  }

  SegmentInfo info_;
  const unsigned char *begin_, *line_index_, *bucket_index_, *series_index_;
  const std::string* name_;
};

/// Goes through the documents of a series of a segment, in order of number.
class SeriesCursor {
 public:
  SeriesCursor(const Segment& segment, const SeriesEntry& series)
      : segment_(&segment), line_(series.first_line), end_(line_ + series.lines) {}

  /// Goes to the next document. Returns false at the end. Throws Error(kBadInput) if numbers do not
  /// rise.
  bool next();
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] Bytes record() const noexcept { return record_; }

 private:
  const Segment* segment_;
  std::uint64_t line_, end_;
  SegmentLine current_{};
  std::size_t in_line_ = 0;
  std::uint64_t number_ = 0;
  bool has_number_ = false;
  Bytes record_{};
};

}  // namespace prescope
