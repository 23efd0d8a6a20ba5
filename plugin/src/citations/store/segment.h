#pragma once

#include <optional>
#include <vector>

#include "citations/store/record_decoder.h"
#include "citations/store/store_bytes.h"

namespace prescope {

// A segment is a part of a store that one commit wrote: records in order of (series, number).
//
//     segment = block* block_index buckets series_index
//     block   = head record{count}
//     head    = count - 1 + 16 * width of numbers + 64 * width of ends: one byte
//               number less the block's first one {count - 1}, end of record {count}
//
// A block has up to 16 documents of one series. Widths 0 to 3 stand for 1, 2, 4 and 8 bytes. The
// block index has the first number and the place of each block. For each series, the buckets divide
// the range of its numbers into equal parts, and say in which block each part begins. The store's
// directory has the SegmentInfo.

inline constexpr std::size_t kBlockDocuments = 16;

struct BlockEntry {
  std::uint64_t first_number, offset;  ///< offset: in the segment
};

/// The blocks of a series. `buckets` is one more than there are; the last one ends the others.
struct SeriesEntry {
  std::uint64_t first_block, blocks, first_bucket, buckets, documents;
  std::uint32_t series;
  std::uint32_t shift;  ///< a bucket has 2^shift numbers
};

struct SegmentInfo {
  std::uint64_t offset, size;  ///< in the file
  std::uint64_t checksum;
  std::uint64_t blocks, buckets, series;                  ///< how many of each
  std::uint64_t block_index, bucket_index, series_index;  ///< offsets in the segment
  std::uint64_t links;
  ShortCodes short_codes;
  std::uint32_t reserved;
};

/// A block of records in memory. Nothing of it is trusted.
struct Block {
  std::size_t count = 0;
  std::uint64_t first_number = 0;
  const unsigned char *numbers = nullptr, *ends = nullptr, *records = nullptr;
  std::size_t room = 0;                          ///< bytes from `records` to the end of all blocks
  std::uint8_t number_width = 0, end_width = 0;  ///< as in the head

  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept;
};

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
  [[nodiscard]] Block block(std::uint64_t i) const;
  [[nodiscard]] Bytes record(const Block& block, std::size_t i) const;
  /// Returns whether the bytes of the segment have its checksum.
  [[nodiscard]] bool has_checksum() const noexcept;
  [[noreturn]] void damaged() const;

 private:
  [[nodiscard]] std::uint64_t find_block(const SeriesEntry& series, std::uint64_t number) const;
  [[nodiscard]] std::uint64_t first_number(std::uint64_t block) const noexcept {
    return load<std::uint64_t>(block_index_ + block * sizeof(BlockEntry));
  }

  SegmentInfo info_;
  const unsigned char *begin_, *block_index_, *bucket_index_, *series_index_;
  const std::string* name_;
};

/// Goes through the documents of a series of a segment, in order of number.
class SeriesCursor {
 public:
  SeriesCursor(const Segment& segment, const SeriesEntry& series)
      : segment_(&segment), block_(series.first_block), end_(block_ + series.blocks) {}

  /// Goes to the next document. Returns false at the end. Throws Error(kBadInput) if numbers do not
  /// rise.
  bool next();
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] Bytes record() const noexcept { return record_; }

 private:
  const Segment* segment_;
  std::uint64_t block_, end_;
  Block current_{};
  std::size_t in_block_ = 0;
  std::uint64_t number_ = 0;
  bool has_number_ = false;
  Bytes record_{};
};

}  // namespace prescope
