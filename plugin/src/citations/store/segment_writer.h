#pragma once

#include "citations/store/packed_document.h"
#include "citations/store/segment.h"
#include "citations/store/store_file.h"

namespace prescope {

/// Writes a segment, document by document. Keeps the block index in memory, about 1.5 bytes a
/// document.
class SegmentWriter {
 public:
  /// Begins the segment at this byte of the file.
  SegmentWriter(OpenFile& file, std::uint64_t offset, RecordEncoder& encoder)
      : sink_(file, offset), encoder_(&encoder), info_{} {
    info_.offset = offset;
  }

  /// Documents must come in rising order of (series, number). Throws Error(kIo).
  void add(const PackedDocument& document);
  [[nodiscard]] SegmentInfo finish();

 private:
  void end_block();
  void end_series();

  FileSink sink_;
  RecordEncoder* encoder_;
  SegmentInfo info_;
  std::uint32_t series_ = kNoSeries;
  std::uint64_t documents_ = 0;                // of the series
  std::vector<std::uint64_t> numbers_, ends_;  // of the block
  std::string records_;
  std::vector<BlockEntry> blocks_;
  std::size_t first_block_ = 0;  // of the series
  std::vector<std::uint32_t> buckets_;
  std::vector<SeriesEntry> series_entries_;
};

}  // namespace prescope
