#include "report/json_writer.h"

#include <algorithm>

#include "core/json_text.h"
#include "report/json_line.h"

namespace prescope {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

}  // namespace

void JsonWriter::begin(char bracket) {
  *out_ << bracket;
  is_first_ = true;
  ++depth_;
}

void JsonWriter::begin_flat(char bracket) {
  begin(bracket);
  if (flat_depth_ == 0) flat_depth_ = depth_;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!is_first_ && flat_depth_ == 0) new_line();
  *out_ << bracket;
  is_first_ = false;
  if (flat_depth_ > depth_) flat_depth_ = 0;
}

JsonWriter& JsonWriter::item() {
  if (!is_first_) *out_ << (flat_depth_ > 0 ? std::string_view(", ") : std::string_view(","));
  if (flat_depth_ == 0) new_line();
  is_first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  item();
  text(name);
  *out_ << ": ";
  return *this;
}

void JsonWriter::text(std::string_view value) {
  quoted_.clear();
  if (is_ascii(value)) {
    append_json_text(quoted_, value);
  } else {
    append_json_text(quoted_, shown_name(value));
  }
  *out_ << quoted_;
}

void JsonWriter::number(std::optional<double> value) {
  if (value) {
    *out_ << *value;
  } else {
    *out_ << "null";
  }
}

void JsonWriter::new_line() {
  *out_ << '\n';
  out_->spaces(depth_);
}

}  // namespace prescope
