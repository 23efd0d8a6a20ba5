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

/// Returns whether one more document has room in the line.
bool SegmentWriter::fits_in_line(std::uint64_t number, std::uint64_t end) const noexcept {
  return line_body(numbers_.size() + 1, width_of(number - numbers_.front()), width_of(end)) <=
         kLineBytes - kLineHead;
}

void SegmentWriter::add(const PackedDocument& document) {
  if (document.series != series_) {
    end_series();
    series_ = document.series;
  }
  record_.clear();
  encoder_->append(document, record_);
  const std::uint64_t end = sink_.size() + record_.size();
  if (!numbers_.empty() && !fits_in_line(document.number, end - place_)) end_line();
  if (numbers_.empty()) place_ = sink_.size();
  numbers_.push_back(document.number);
  ends_.push_back(end - place_);
  sink_.append(record_);
  info_.links += document.links.size();
  ++documents_;
}

void SegmentWriter::end_line() {
  if (numbers_.empty()) return;
  const unsigned number_width = width_of(numbers_.back() - numbers_.front());
  const unsigned end_width = width_of(ends_.back());
  const std::uint64_t widths = number_width | end_width << 2U;
  const std::size_t end = lines_.size() + kLineBytes;
  append_raw(lines_, numbers_.front());
  append_raw(lines_, place_ | (numbers_.size() - 1) << 48U | widths << 56U);
  for (std::size_t i = 1; i < numbers_.size(); ++i) {
    append_width(lines_, numbers_[i] - numbers_.front(), number_width);
  }
  for (const std::uint64_t record_end : ends_) append_width(lines_, record_end, end_width);
  lines_.resize(end);
  numbers_.clear();
  ends_.clear();
}

void SegmentWriter::end_series() {
  end_line();
  if (documents_ == 0) return;
  const std::size_t lines = lines_.size() / kLineBytes - first_line_;
  const std::uint64_t first = first_number_of_line(first_line_);
  const std::uint64_t range = first_number_of_line(first_line_ + lines - 1) - first;
  // One bucket to two for each line, so that few have several lines unless numbers are skewed.
  std::uint32_t shift = 0;
  while (range >> shift >= 2 * lines) ++shift;
  const std::uint64_t buckets = (range >> shift) + 1;
  SeriesEntry entry{.first_line = first_line_,
                    .lines = lines,
                    .first_bucket = buckets_.size(),
                    .buckets = buckets + 1,
                    .documents = documents_,
                    .series = series_,
                    .shift = shift};
  std::uint32_t line = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    const std::uint64_t begin = first + (bucket << shift);
    while (line + 1 < lines && first_number_of_line(first_line_ + line + 1) <= begin) ++line;
    buckets_.push_back(line);
  }
  buckets_.push_back(static_cast<std::uint32_t>(lines - 1));
  series_entries_.push_back(entry);
  first_line_ = lines_.size() / kLineBytes;
  documents_ = 0;
}

SegmentInfo SegmentWriter::finish() {
  end_series();
  info_.lines = lines_.size() / kLineBytes;
  info_.buckets = buckets_.size();
  info_.series = series_entries_.size();
  const std::uint64_t in_line = (info_.offset + sink_.size()) % kLineBytes;
  if (in_line != 0) sink_.append(std::string(kLineBytes - in_line, '\0'));
  info_.line_index = sink_.size();
  sink_.append(lines_);
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
