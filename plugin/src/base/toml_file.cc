#include "base/toml_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <iterator>

#include "prescope/error.h"

namespace prescope {

void OptionProblems::add(std::string_view place, std::string_view message) {
  lines_.push_back(fmt::format("{}: {}", place, message));
}

void OptionProblems::throw_if_any() const {
  if (!lines_.empty()) throw Error(ErrorCode::kUsage, fmt::format("{}", fmt::join(lines_, "\n")));
}

namespace {

namespace fs = std::filesystem;

std::string toml_text_of(const fs::path& path, std::string_view what) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: cannot be read; expected {} (TOML)", path.string(), what));
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

toml::table read_toml_file(const fs::path& path, std::string_view what) {
  const std::string text = toml_text_of(path, what);
  try {
    return toml::parse(text, path.string());
  } catch (const toml::parse_error& error) {
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("{}: not TOML: {}", toml_place(path, error.source()), error.description()));
  }
}

std::string_view toml_type(const toml::node& node) {
  if (node.is_string()) return "a string";
  if (node.is_integer()) return "an integer";
  if (node.is_floating_point()) return "a number with a fraction";
  if (node.is_boolean()) return "a boolean";
  if (node.is_array()) return "an array";
  if (node.is_table()) return "a table";
  return "a date or time";
}

std::string toml_place(const fs::path& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path.string(), source.begin.line);
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::vector<TomlEntry> in_file_order(const toml::table& table) {
  std::vector<TomlEntry> entries;
  for (auto at = table.cbegin(); at != table.cend(); ++at) {
    entries.push_back({&at->first, &at->second});
  }
  std::sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
    return a.key->source().begin < b.key->source().begin;
  });
  return entries;
}

}  // namespace prescope
