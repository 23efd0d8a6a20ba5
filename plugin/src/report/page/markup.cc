#include "report/page/markup.h"

#include <fmt/format.h>

#include "report/clean_text.h"

namespace prescope::page {
namespace {

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    const std::string_view entity = entity_of(c);
    if (entity.empty()) {
      out += c;
    } else {
      out += entity;
    }
  }
  return out;
}

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{0}{1}>{2}</{0}>", name, attributes, content);
}

}  // namespace prescope::page
