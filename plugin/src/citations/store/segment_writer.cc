#include "citations/store/segment_writer.h"

#include <bit>

namespace prescope {
namespace {

/// Returns the width, as a head has it, of numbers up to `largest`.
unsigned width_of(std::uint64_t largest) noexcept {
  if (largest <= UINT8_MAX) return 0;
  if (largest <= UINT16_MAX) return 1;
  return largest <= UINT32_MAX ? 2 : 3;
}

void append_width(std::string& bytes, std::uint64_t number, unsigned width) {
  bytes.append(reinterpret_cast<const char*>(&number), std::size_t{1} << width);
}

template <class T>
std::string_view bytes_of_all(const std::vector<T>& values) noexcept {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

void SegmentWriter::add(const PackedDocument& document) {
  if (document.series != series_) {
    end_series();
    series_ = document.series;
  }
  numbers_.push_back(document.number);
  encoder_->append(document, records_);
  ends_.push_back(records_.size());
  info_.links += document.links.size();
  ++documents_;
  if (numbers_.size() == kBlockDocuments) end_block();
}

void SegmentWriter::end_block() {
  if (numbers_.empty()) return;
  blocks_.push_back({.first_number = numbers_.front(), .offset = sink_.size()});
  const unsigned number_width = width_of(numbers_.back() - numbers_.front());
  const unsigned end_width = width_of(ends_.back());
  std::string head(1,
                   static_cast<char>((numbers_.size() - 1) | number_width << 4U | end_width << 6U));
  for (std::size_t i = 1; i < numbers_.size(); ++i) {
    append_width(head, numbers_[i] - numbers_.front(), number_width);
  }
  for (const std::uint64_t end : ends_) append_width(head, end, end_width);
  sink_.append(head);
  sink_.append(records_);
  numbers_.clear();
  ends_.clear();
  records_.clear();
}

void SegmentWriter::end_series() {
  end_block();
  if (documents_ == 0) return;
  const std::size_t blocks = blocks_.size() - first_block_;
  const std::uint64_t first = blocks_[first_block_].first_number;
  const std::uint64_t range = blocks_.back().first_number - first;
  // One bucket to two for each block, so that few have several blocks unless numbers are skewed.
  std::uint32_t shift = 0;
  while (range >> shift >= 2 * blocks) ++shift;
  const std::uint64_t buckets = (range >> shift) + 1;
  SeriesEntry entry{.first_block = first_block_,
                    .blocks = blocks,
                    .first_bucket = buckets_.size(),
                    .buckets = buckets + 1,
                    .documents = documents_,
                    .series = series_,
                    .shift = shift};
  std::uint32_t block = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    const std::uint64_t begin = first + (bucket << shift);
    while (block + 1 < blocks && blocks_[first_block_ + block + 1].first_number <= begin) ++block;
    buckets_.push_back(block);
  }
  buckets_.push_back(static_cast<std::uint32_t>(blocks - 1));
  series_entries_.push_back(entry);
  first_block_ = blocks_.size();
  documents_ = 0;
}

SegmentInfo SegmentWriter::finish() {
  end_series();
  info_.blocks = blocks_.size();
  info_.buckets = buckets_.size();
  info_.series = series_entries_.size();
  info_.block_index = sink_.size();
  sink_.append(bytes_of_all(blocks_));
  info_.bucket_index = sink_.size();
  sink_.append(bytes_of_all(buckets_));
  info_.series_index = sink_.size();
  sink_.append(bytes_of_all(series_entries_));
  info_.size = sink_.size();
  info_.short_codes = encoder_->short_codes();
  info_.checksum = sink_.finish();
  return info_;
}

}  // namespace prescope
