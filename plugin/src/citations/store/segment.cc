#include "citations/store/segment.h"

#include <algorithm>

namespace prescope {
namespace {

std::uint64_t load_width(const unsigned char* array, std::size_t i, unsigned width) noexcept {
  switch (width) {
    case 0:
      return array[i];
    case 1:
      return load<std::uint16_t>(array + 2 * i);
    case 2:
      return load<std::uint32_t>(array + 4 * i);
    default:
      return load<std::uint64_t>(array + 8 * i);
  }
}

/// Returns the place of `number` among the rising numbers of a line; `count` if it is not there.
/// Reads all numbers, because a branch on each would cost more.
template <class Number>
std::size_t place_in_line(const unsigned char* numbers, std::size_t count,
                          std::uint64_t number) noexcept {
  std::size_t smaller = 0;
  for (std::size_t i = 0; i < count; ++i) {
    smaller += load<Number>(numbers + i * sizeof(Number)) < number ? 1U : 0U;
  }
  const bool is_there =
      smaller < count && load<Number>(numbers + smaller * sizeof(Number)) == number;
  return is_there ? smaller : count;
}

}  // namespace

std::uint64_t SegmentLine::number(std::size_t i) const noexcept {
  return i == 0 ? first_number : first_number + load_width(numbers, i - 1, number_width);
}

std::size_t SegmentLine::find(std::uint64_t number) const noexcept {
  if (number == first_number) return 0;
  const std::uint64_t offset = number - first_number;
  switch (number_width) {
    case 0:
      return 1 + place_in_line<std::uint8_t>(numbers, count - 1, offset);
    case 1:
      return 1 + place_in_line<std::uint16_t>(numbers, count - 1, offset);
    case 2:
      return 1 + place_in_line<std::uint32_t>(numbers, count - 1, offset);
    default:
      return 1 + place_in_line<std::uint64_t>(numbers, count - 1, offset);
  }
}

Segment::Segment(const SegmentInfo& info, const unsigned char* file_begin, const std::string& name)
    : info_(info),
      begin_(file_begin + info.offset),
      line_index_(begin_ + info.line_index),
      bucket_index_(begin_ + info.bucket_index),
      series_index_(begin_ + info.series_index),
      name_(&name) {
  const auto fits = [](std::uint64_t begin, std::uint64_t count, std::size_t size,
                       std::uint64_t end) { return begin <= end && count <= (end - begin) / size; };
  if (!fits(info.line_index, info.lines, kLineBytes, info.bucket_index) ||
      !fits(info.bucket_index, info.buckets, sizeof(std::uint32_t), info.series_index) ||
      !fits(info.series_index, info.series, sizeof(SeriesEntry), info.size)) {
    damaged();
  }
}

void Segment::damaged() const {
  throw bad_input_error("{}: damaged segment at byte {}; import the files again into a new store",
                        *name_, info_.offset);
}

bool Segment::has_checksum() const noexcept {
  return checksum_of(text_of({begin_, info_.size})) == info_.checksum;
}

SeriesEntry Segment::series_entry(std::uint64_t i) const {
  const auto entry = load<SeriesEntry>(series_index_ + i * sizeof(SeriesEntry));
  const auto fits = [](std::uint64_t first, std::uint64_t count, std::uint64_t all) {
    return first <= all && count <= all - first;
  };
  if (!fits(entry.first_line, entry.lines, info_.lines) || entry.lines == 0 ||
      !fits(entry.first_bucket, entry.buckets, info_.buckets) || entry.buckets < 2 ||
      entry.shift > 63) {
    damaged();
  }
  return entry;
}

std::optional<SeriesEntry> Segment::find_series(std::uint32_t series) const {
  std::uint64_t begin = 0, end = info_.series;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    const SeriesEntry entry = series_entry(middle);
    if (entry.series == series) return entry;
    (entry.series < series ? begin : end) = entry.series < series ? middle + 1 : middle;
  }
  return std::nullopt;
}

/// Returns the last line of the series whose first number is at most `number`, which is at least
/// the first number of all.
std::uint64_t Segment::find_line(const SeriesEntry& series, std::uint64_t number) const {
  const std::uint64_t bucket =
      std::min((number - first_number(series.first_line)) >> series.shift, series.buckets - 2);
  const unsigned char* const at =
      bucket_index_ + (series.first_bucket + bucket) * sizeof(std::uint32_t);
  std::uint64_t begin = load<std::uint32_t>(at);
  std::uint64_t end = std::uint64_t{load<std::uint32_t>(at + sizeof(std::uint32_t))} + 1;
  if (begin >= end || end > series.lines) damaged();
  while (end - begin > 1) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    (first_number(series.first_line + middle) <= number ? begin : end) = middle;
  }
  return series.first_line + begin;
}

SegmentLine Segment::line(std::uint64_t i) const {
  const unsigned char* const at = line_index_ + i * kLineBytes;
  const auto place = load<std::uint64_t>(at + 8);
  SegmentLine line{.first_number = load<std::uint64_t>(at),
                   .place = place & 0xFFFF'FFFF'FFFFU,
                   .count = (place >> 48U & 0xFFU) + 1,
                   .number_width = static_cast<unsigned>(place >> 56U & 3U),
                   .end_width = static_cast<unsigned>(place >> 58U & 3U),
                   .numbers = at + kLineHead};
  if (line_body(line.count, line.number_width, line.end_width) > kLineBytes - kLineHead ||
      line.place > info_.line_index) {
    damaged();
  }
  line.ends = line.numbers + ((line.count - 1) << line.number_width);
  return line;
}

Bytes Segment::record(const SegmentLine& line, std::size_t i) const {
  const std::uint64_t begin = i == 0 ? 0 : load_width(line.ends, i - 1, line.end_width);
  const std::uint64_t end = load_width(line.ends, i, line.end_width);
  if (begin > end || end > info_.line_index - line.place || end - begin > UINT32_MAX) damaged();
  return {begin_ + line.place + begin, end - begin};
}

std::optional<Bytes> Segment::find(std::uint32_t series, std::uint64_t number) const {
  const auto entry = find_series(series);
  if (!entry || number < first_number(entry->first_line)) return std::nullopt;
  const SegmentLine found = line(find_line(*entry, number));
  if (number < found.first_number) damaged();
  const std::size_t i = found.find(number);
  if (i >= found.count) return std::nullopt;
  return record(found, i);
}

bool SeriesCursor::next() {
  while (in_line_ == current_.count) {
    if (line_ == end_) return false;
    current_ = segment_->line(line_++);
    in_line_ = 0;
  }
  const std::uint64_t number = current_.number(in_line_);
  if (has_number_ && number <= number_) segment_->damaged();
  number_ = number;
  has_number_ = true;
  record_ = segment_->record(current_, in_line_++);
  return true;
}

}  // namespace prescope
