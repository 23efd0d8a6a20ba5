#include "c/columns.h"

#include "base/unicode.h"

namespace prescope::c {

namespace {

constexpr int kLayouts = PRESCOPE_FIXED_UCS4 + 1;

}  // namespace

ColumnCursor::ColumnCursor(const prescope_column& column, std::string_view name)
    : column_(column), name_(name) {
  if (column.layout < 0 || column.layout >= kLayouts) {
    throw usage_error("the {}: layout {}; expected a prescope_layout, 0 to {}", name, column.layout,
                      kLayouts - 1);
  }
  if (column.count == 0) return;
  const bool is_fixed =
      column.layout == PRESCOPE_FIXED_UTF8 || column.layout == PRESCOPE_FIXED_UCS4;
  const bool has_offsets =
      column.layout == PRESCOPE_OFFSETS_32 || column.layout == PRESCOPE_OFFSETS_64;
  const bool may_be_empty = has_offsets && column.data_size == 0;
  if (column.data == nullptr && !may_be_empty && !(is_fixed && column.width == 0)) {
    throw usage_error("the {}: {} strings, but `data` is NULL", name, column.count);
  }
  if (has_offsets && column.offsets == nullptr) {
    throw usage_error("the {}: `offsets` is NULL; expected {} offsets", name, column.count + 1);
  }
}

std::string ColumnCursor::place() const {
  return fmt::format("the {}: entry {} of {}", name_, at_ + 1, column_.count);
}

std::string_view ColumnCursor::next() {
  const std::string_view text = raw();
  // A string that ends with NUL has none within, and fixed_ucs4 has looked at each character.
  const bool is_checked = column_.layout == PRESCOPE_POINTERS ||
                          column_.layout == PRESCOPE_TERMINATED ||
                          column_.layout == PRESCOPE_FIXED_UCS4;
  if (!is_checked && text.find('\0') != std::string_view::npos) refuse_nul(text);
  ++at_;
  return text;
}

void ColumnCursor::refuse_nul(std::string_view text) const {
  throw bad_input_error("{}: '{}' has a NUL in it", place(), text.substr(0, text.find('\0')));
}

std::string_view ColumnCursor::raw() {
  switch (column_.layout) {
    case PRESCOPE_POINTERS: {
      const char* const text = static_cast<const char* const*>(column_.data)[at_];
      if (text == nullptr) throw bad_input_error("{}: NULL; expected a string", place());
      return text;
    }
    case PRESCOPE_TEXTS: {
      const prescope_text& text = static_cast<const prescope_text*>(column_.data)[at_];
      if (text.data == nullptr && text.size != 0) {
        throw bad_input_error("{}: NULL; expected a string", place());
      }
      return view_of(text);
    }
    case PRESCOPE_TERMINATED:
      return terminated();
    case PRESCOPE_OFFSETS_32:
      return at_offset<std::int32_t>();
    case PRESCOPE_OFFSETS_64:
      return at_offset<std::int64_t>();
    case PRESCOPE_FIXED_UTF8:
      return fixed_utf8();
    default:
      return fixed_ucs4();
  }
}

std::string_view ColumnCursor::terminated() {
  const auto rest = std::string_view(static_cast<const char*>(column_.data), column_.data_size)
                        .substr(std::min(begin_, column_.data_size));
  const std::size_t size = rest.find('\0');
  if (size == std::string_view::npos) {
    throw usage_error("{}: `data` of {} bytes ends before it; expected a NUL behind each string",
                      place(), column_.data_size);
  }
  begin_ += size + 1;
  return rest.substr(0, size);
}

template <class Offset>
std::string_view ColumnCursor::at_offset() const {
  const Offset* const offsets = static_cast<const Offset*>(column_.offsets);
  const Offset begin = offsets[at_], end = offsets[at_ + 1];
  if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > column_.data_size) {
    throw usage_error("{}: from byte {} to {} of {}; expected offsets that ascend", place(), begin,
                      end, column_.data_size);
  }
  return {static_cast<const char*>(column_.data) + begin, static_cast<std::size_t>(end - begin)};
}

std::string_view ColumnCursor::fixed_utf8() const {
  const std::string_view text(static_cast<const char*>(column_.data) + at_ * column_.width,
                              column_.width);
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

std::string_view ColumnCursor::fixed_ucs4() {
  const auto* const codes = static_cast<const std::uint32_t*>(column_.data) + at_ * column_.width;
  std::size_t size = column_.width;
  while (size > 0 && codes[size - 1] == 0) --size;
  buffer_.resize(size);
  std::uint32_t all = 0, zeros = 0;
  for (std::size_t i = 0; i < size; ++i) {
    all |= codes[i];
    zeros |= static_cast<std::uint32_t>(codes[i] == 0);
    buffer_[i] = static_cast<char>(codes[i]);
  }
  constexpr std::uint32_t kFirstBeyondAscii = 0x80;
  if (all >= kFirstBeyondAscii) set_utf8({codes, size});
  if (zeros != 0) refuse_nul(buffer_);
  return buffer_;
}

void ColumnCursor::set_utf8(std::span<const std::uint32_t> codes) {
  buffer_.clear();
  for (const std::uint32_t code : codes) {
    if (append_utf8(buffer_, code)) continue;
    throw bad_input_error("{}: U+{:04X} behind '{}' is no character", place(), code, buffer_);
  }
}

void ColumnCursor::check_end() const {
  if (column_.layout != PRESCOPE_TERMINATED || begin_ == column_.data_size) return;
  throw bad_input_error(
      "the {}: more strings than {}: `data` goes on behind byte {}; has one of them a NUL in it?",
      name_, column_.count, begin_);
}

}  // namespace prescope::c
