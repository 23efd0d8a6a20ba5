#include "structure/code_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace prescope::structure {
namespace {

/// Code in this folder has a plain twin that tests compare it with.
constexpr std::string_view kMachineSpecific = "plugin/src/runs/scan/";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The line in which the declaration begins whose brace ends the line `last`.
std::size_t first_line(const std::vector<std::string>& lines, std::size_t last) {
  std::size_t first = last;
  while (first > 0) {
    const std::string& before = lines[first - 1];
    const auto end = before.find_last_not_of(' ');  // comments are blanks
    if (end == std::string::npos || before.front() == '#' || before.ends_with("public:") ||
        before.ends_with("private:") || before.ends_with("protected:") ||
        std::string_view(";{}").find(before[end]) != std::string_view::npos) {
      break;
    }
    --first;
  }
  return first;
}

bool begins_function(const std::string& declaration) {
  static const std::regex kOther(
      R"(^\s*(namespace|class|struct|enum|union|extern "C" \{|if|for|while|switch|else|do|try)\b)");
  static const std::regex kValue(R"(^[^(]*=)");
  return declaration.find('(') != std::string::npos && !std::regex_search(declaration, kOther) &&
         (declaration.find("operator") != std::string::npos ||
          !std::regex_search(declaration, kValue));
}

}  // namespace

std::vector<std::string> long_functions(const Source& source) {
  const std::vector<std::string> lines = lines_of(without_comments(source.text));
  std::vector<std::string> problems;
  for (std::size_t begin = 0; begin < lines.size(); ++begin) {
    const std::string& line = lines[begin];
    if (!line.ends_with('{')) continue;
    const std::size_t first = first_line(lines, begin);
    std::string declaration;
    for (std::size_t i = first; i <= begin; ++i) declaration += lines[i] + ' ';
    if (!begins_function(declaration)) continue;
    // Formatted code closes a block in the column in which its first line begins.
    const std::string indent(lines[first].find_first_not_of(' '), ' ');
    std::size_t end = begin + 1;
    while (end < lines.size() && !lines[end].starts_with(indent + "}") &&
           !lines[end].starts_with("}")) {
      ++end;
    }
    if (end - begin + 1 > kMostLines) {
      problems.push_back(fmt::format("{}:{}: a function of {} lines; at most {}", source.path,
                                     begin + 1, end - begin + 1, kMostLines));
    }
    begin = end;
  }
  return problems;
}

std::vector<std::string> machine_specific(const Source& source) {
  if (source.path.find(kMachineSpecific) != std::string::npos) return {};
  static const std::regex kSpecific(
      R"(__builtin_\w+|__u?int128\w*|__extension__|\[\[gnu::(?!visibility)|__attribute__|\w*mmintrin\.h|arm_neon|\basm\b)"
      R"(|^#\s*(el)?if.*__(linux|GNUC|clang|x86_64|aarch64|AVX|SSE|powerpc))");
  std::vector<std::string> problems;
  const std::vector<std::string> lines = lines_of(without_comments(source.text));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch found;
    if (!std::regex_search(lines[i], found, kSpecific)) continue;
    problems.push_back(
        fmt::format("{}:{}: '{}' is understood by one compiler, processor or system only",
                    source.path, i + 1, found.str()));
  }
  return problems;
}

}  // namespace prescope::structure
