#include "runs/scan/part_borders.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "runs/scan/text_window.h"

namespace prescope {

namespace {

/// The first line of the topic that follows the one which has the line behind `offset`.
std::uint64_t topic_border(const RunInput& input, std::uint64_t offset) {
  constexpr std::size_t kBlock = std::size_t{1} << 14U;
  const auto reader = input.reader(offset);
  TextWindow window(*reader, kBlock);
  std::string topic;
  bool in_line = false;  // the line that `offset` is in is over
  for (const char* at = window.begin();;) {
    const char* const feed = line_feed(at, window.end());
    if (feed == nullptr) {
      offset += static_cast<std::uint64_t>(at - window.begin());
      if (!window.read_on(at)) return input.size();
      at = window.begin();
      continue;
    }
    const std::string_view line(at, static_cast<std::size_t>(feed - at));
    const std::string_view name = line.substr(0, line.find_first_of(" \t"));
    if (in_line && !topic.empty() && name != topic) {
      return offset + static_cast<std::uint64_t>(at - window.begin());
    }
    if (in_line && topic.empty()) topic = name;
    in_line = true;
    at = feed + 1;
  }
}

/// The beginning of the line that follows the one `offset` is in.
std::uint64_t line_border(const RunInput& input, std::uint64_t offset) {
  char block[1U << 12U];
  const auto reader = input.reader(offset);
  for (std::size_t got = 1; got != 0; offset += got) {
    got = reader->read(block, sizeof block);
    const char* const feed = line_feed(block, block + got);
    if (feed != nullptr) return offset + static_cast<std::uint64_t>(feed + 1 - block);
  }
  return input.size();
}

}  // namespace

std::vector<std::uint64_t> topic_borders(const RunInput& input, unsigned threads,
                                         std::uint64_t smallest_part) {
  std::vector<std::uint64_t> at = {0};
  for (std::uint64_t near = 0; threads > 1;) {
    near += std::max((input.size() - near) / (2 * std::uint64_t{threads}), smallest_part);
    if (near >= input.size()) break;
    const std::uint64_t border = topic_border(input, near);
    if (border > at.back() && border < input.size()) at.push_back(border);
  }
  at.push_back(input.size());
  return at;
}

std::vector<std::uint64_t> line_borders(const RunInput& input, unsigned parts) {
  if (parts < 2) return {0, UINT64_MAX};
  std::vector<std::uint64_t> at = {0};
  for (unsigned i = 1; i < parts; ++i) {
    const std::uint64_t border = line_border(input, input.size() / parts * i);
    if (border > at.back() && border < input.size()) at.push_back(border);
  }
  at.push_back(input.size());
  return at;
}

}  // namespace prescope
