#include "core/run_scan/topic_borders.h"

#include <memory>
#include <string>

namespace prescope {
namespace {

/// The first line of the topic that follows the one which has the line behind `offset`.
std::uint64_t topic_border(const RunInput& input, std::uint64_t offset) {
  const auto reader = input.reader(offset);
  std::string text;
  std::string topic;
  bool in_line = false;  // the line that `offset` is in is over
  std::size_t at = 0;
  for (;;) {
    const std::size_t feed = text.find('\n', at);
    if (feed == std::string::npos) {
      char block[1U << 14U];
      const std::size_t got = reader->read(block, sizeof block);
      if (got == 0) return input.size();
      text.erase(0, at);
      offset += at;
      at = 0;
      text.append(block, got);
      continue;
    }
    const std::string line = text.substr(at, feed - at);
    const std::string name = line.substr(0, line.find_first_of(" \t"));
    if (in_line && !topic.empty() && name != topic) return offset + at;
    if (in_line) topic = name;
    in_line = true;
    at = feed + 1;
  }
}

}  // namespace

std::vector<std::uint64_t> topic_borders(const RunInput& input, unsigned parts) {
  std::vector<std::uint64_t> at = {0};
  for (unsigned i = 1; i < parts; ++i) {
    const std::uint64_t border = topic_border(input, input.size() / parts * i);
    if (border > at.back() && border < input.size()) at.push_back(border);
  }
  at.push_back(input.size());
  return at;
}

}  // namespace prescope
