#include "report/text/page_data.h"

#include <fmt/format.h>

#include "report/text/json.h"

namespace prescope {

namespace {

/// Leaves out the indentation: a line feed is never part of a JSON string.
void append_unindented(std::string& out, std::string_view document) {
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size());
    out += document.substr(0, end);
    document.remove_prefix(end);
    document.remove_prefix(std::min(document.find_first_not_of("\n "), document.size()));
  }
}

}  // namespace

std::string to_json(const PageData& data) {
  std::string out =
      fmt::format(R"({{"kind":{},"title":{})", line_text(data.kind), line_text(data.title));
  const std::pair<std::string_view, std::string_view> documents[] = {
      {"document", data.document}, {"sweep", data.sweep}, {"topics", data.topics}};
  for (const auto& [key, document] : documents) {
    if (document.empty()) continue;
    out += fmt::format(",\"{}\":", key);
    append_unindented(out, document);
  }
  return out + '}';
}

}  // namespace prescope
