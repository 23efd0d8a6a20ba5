#include "core/convert_fields.h"

#include <fmt/format.h>

#include "prescope/qrels.h"

namespace prescope {

Grade parse_grade(std::string_view text, const TextFile& file) {
  static const CitationCategories categories;
  if (const auto grade = whole_number<Grade>(text)) return *grade;
  if (const auto grade = categories.grade(text)) return *grade;
  throw file.bad_line(
      fmt::format("grade '{}' is neither an integer nor a citation category (X, Y, A, ...); "
                  "expected \"topic iter docno grade\"",
                  text));
}

std::string parse_name(std::string_view field, std::string_view text, const TextFile& file) {
  const bool is_blank = text.find_first_of(" \t\r\n\v\f") != std::string_view::npos;
  if (!text.empty() && !is_blank && text.find('\0') == std::string_view::npos) {
    return std::string(text);
  }
  throw file.bad_line(
      fmt::format("{} '{}' is empty or contains white space, which columns cannot carry; rename it",
                  field, text));
}

}  // namespace prescope
