#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trec_eval/trec_eval.h"

namespace prescope::trec_eval {

/// Lines `LABEL TOPIC\tVALUE\n`, handed to the sink in large pieces. A label ends with its tab.
class LineWriter {
 public:
  /// `sink` must outlive this.
  explicit LineWriter(const Sink& sink) : sink_(&sink) {}

  void write_value(std::string_view label, std::string_view topic, double value);
  void write_count(std::string_view label, std::string_view topic, std::int64_t count);
  void write_text(std::string_view label, std::string_view topic, std::string_view text);
  /// Hands over what is left. Throws what the sink throws, as the others do.
  void flush();

 private:
  /// Behind label and topic of a new line, with room for `value_size` more bytes and the line end.
  char* begin_line(std::string_view label, std::string_view topic, std::size_t value_size);
  void end_line(char* end);

  const Sink* sink_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace prescope::trec_eval
