#pragma once

#include "citations/store/packed_document.h"
#include "citations/store/segment.h"
#include "citations/store/store_file.h"

namespace prescope {

/// Writes a segment, document by document. Keeps the lines in memory, about 5 bytes a
/// document.
class SegmentWriter {
 public:
  /// Begins the segment at this byte of the file.
  SegmentWriter(StoreFile& file, std::uint64_t offset, RecordEncoder& encoder)
      : sink_(file, offset), encoder_(&encoder), info_{} {
    info_.offset = offset;
  }

  /// Documents must come in rising order of (series, number). Throws Error(kIo).
  void add(const PackedDocument& document);
  [[nodiscard]] SegmentInfo finish();

 private:
  [[nodiscard]] bool fits_in_line(std::uint64_t number, std::uint64_t end) const noexcept;
  void end_line();
  void end_series();
  [[nodiscard]] std::uint64_t first_number_of_line(std::size_t i) const noexcept {
    return load<std::uint64_t>(bytes_of(lines_).data() + i * kLineBytes);
  }

  FileSink sink_;
  RecordEncoder* encoder_;
  SegmentInfo info_;
  std::uint32_t series_ = kNoSeries;
  std::uint64_t documents_ = 0;                // of the series
  std::uint64_t place_ = 0;                    // of the line's first record
  std::vector<std::uint64_t> numbers_, ends_;  // of the line
  std::string record_;
  std::string lines_;
  std::size_t first_line_ = 0;  // of the series
  std::vector<std::uint32_t> buckets_;
  std::vector<SeriesEntry> series_entries_;
};

}  // namespace prescope
