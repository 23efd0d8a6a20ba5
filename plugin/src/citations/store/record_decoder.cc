#include "citations/store/record_decoder.h"

#include "base/errors.h"

namespace prescope {

void RecordDecoder::damaged() const {
  throw bad_input_error("{}: damaged record at byte {}; import the files again into a new store",
                        *tables_->name, data_ - tables_->file_begin);
}

std::uint64_t RecordDecoder::take_varint() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && data_ != control_; shift += 7) {
    const std::uint64_t byte = *data_++;
    number |= (byte & 0x7FU) << shift;
    if (byte < 0x80U) return number;
  }
  damaged();
}

std::uint32_t RecordDecoder::take_attributes() {
  const std::uint64_t attributes = take_varint();
  if (attributes > UINT32_MAX) damaged();
  return static_cast<std::uint32_t>(attributes);
}

std::uint32_t RecordDecoder::take_date() {
  const auto take = [this](std::size_t size) {
    if (size > room()) damaged();
    std::uint32_t value = 0;
    std::memcpy(&value, data_, size);
    data_ += size;
    return value;
  };
  const std::uint32_t date = take(2);
  return date == kLongDate ? take(4) : date + kFirstShortDate;
}

bool RecordDecoder::next_publication() {
  while (left_ != 0 || more_groups_) (void)next_link();
  if (data_ == control_) return false;
  const std::uint64_t number = take_varint();
  if (number >= tables_->heads.size()) damaged();
  const PublicationHead& head = tables_->heads[number];
  facts_ = {.kind = head.kind, .language = head.language, .classes = head.classes};
  if ((head.flags & PublicationHead::kPublished) != 0) facts_.published = take_date();
  if ((head.flags & PublicationHead::kPriority) != 0) facts_.priority = take_date();
  more_groups_ = (head.flags & PublicationHead::kLinks) != 0;
  return true;
}

bool RecordDecoder::next_group() {
  if (!more_groups_) return false;
  const std::uint64_t series = take_varint();
  if (series >= tables_->series) damaged();
  const std::uint64_t links = take_varint();
  more_groups_ = (links & 1U) != 0;
  left_ = links >> 1U;
  // A link has two bytes at least.
  if (left_ == 0 || left_ > room() / 2) damaged();
  link_ = {.series = static_cast<std::uint32_t>(series)};
  return true;
}

}  // namespace prescope
