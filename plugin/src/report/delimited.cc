#include "report/delimited.h"

#include <algorithm>

namespace prescope {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string tsv_cell(std::string_view text) {
  std::string cell(text);
  std::ranges::replace_if(
      cell, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return cell;
}

}  // namespace prescope
