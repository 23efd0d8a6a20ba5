#include "core/trec_eval/line_writer.h"

#include <algorithm>
#include <charconv>

#include "core/trec_eval/decimal_text.h"

namespace prescope::trec_eval {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;
constexpr std::size_t kCountSize = 20;

}  // namespace

void LineWriter::write_value(std::string_view label, std::string_view topic, double value) {
  end_line(write_decimal(begin_line(label, topic, kDecimalTextSize), value));
}

void LineWriter::write_count(std::string_view label, std::string_view topic, std::int64_t count) {
  char* const at = begin_line(label, topic, kCountSize);
  end_line(std::to_chars(at, at + kCountSize, count).ptr);
}

void LineWriter::write_text(std::string_view label, std::string_view topic, std::string_view text) {
  end_line(std::copy(text.begin(), text.end(), begin_line(label, topic, text.size())));
}

void LineWriter::flush() {
  if (used_ > 0) (*sink_)(std::string_view(buffer_.data(), used_));
  used_ = 0;
}

char* LineWriter::begin_line(std::string_view label, std::string_view topic,
                             std::size_t value_size) {
  const std::size_t needed = label.size() + topic.size() + value_size + 2;
  if (used_ + needed > kPiece) flush();
  if (buffer_.size() < used_ + needed) buffer_.resize(std::max(kPiece, needed));
  char* at = std::copy(label.begin(), label.end(), buffer_.data() + used_);
  at = std::copy(topic.begin(), topic.end(), at);
  *at++ = '\t';
  return at;
}

void LineWriter::end_line(char* end) {
  *end++ = '\n';
  used_ = static_cast<std::size_t>(end - buffer_.data());
}

}  // namespace prescope::trec_eval
