#include "base/toml_file.h"

#include <algorithm>
#include <fstream>

#include "base/errors.h"

namespace prescope {

void OptionProblems::add(std::string_view place, std::string_view message) {
  lines_.push_back(fmt::format("{}: {}", place, message));
}

void OptionProblems::throw_if_any() const {
  if (!lines_.empty()) throw usage_error("{}", fmt::join(lines_, "\n"));
}

toml::table read_toml_file(const std::filesystem::path& path, std::string_view what) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw io_error("{}: cannot be read; expected {} (TOML)", path.string(), what);
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_toml(text, path.string());
}

toml::table parse_toml(std::string_view text, std::string_view place) {
  try {
    return toml::parse(text, place);
  } catch (const toml::parse_error& error) {
    throw bad_input_error("{}: not TOML: {}", toml_place(place, error.source()),
                          error.description());
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

std::string toml_place(const std::filesystem::path& path, const toml::source_region& source) {
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
  for (const auto& [key, node] : table) entries.push_back({&key, &node});
  std::ranges::sort(entries, {}, [](const TomlEntry& entry) { return entry.key->source().begin; });
  return entries;
}

namespace {

/// "unknown key of [qrels] 'pth'; did you mean 'path'?"
std::string unknown_key_message(const TomlKeys& keys, const std::string& prefix,
                                std::string_view name) {
  std::vector<std::string_view> candidates;
  for (std::string_view known : keys.known) {
    if (!known.starts_with(prefix)) continue;
    known.remove_prefix(prefix.size());
    known = known.substr(0, known.find('.'));
    if (std::ranges::count(candidates, known) == 0) candidates.push_back(known);
  }
  const std::string table = prefix.substr(0, prefix.find_last_of('.'));
  return unknown_name_message(
      table.empty() ? std::string(keys.kind) : fmt::format("{} of [{}]", keys.kind, table), name,
      candidates);
}

}  // namespace

void read_toml_keys(const toml::table& table, const TomlKeys& keys,
                    const std::filesystem::path& path, OptionProblems& problems,
                    const std::string& prefix) {
  for (const auto& [key, node] : in_file_order(table)) {
    const std::string full = prefix + std::string(key->str());
    const bool is_table = std::ranges::any_of(
        keys.known, [&](std::string_view known) { return known.starts_with(full + '.'); });
    if (is_table && node->is_table()) {
      read_toml_keys(*node->as_table(), keys, path, problems, full + '.');
    } else if (is_table || std::ranges::count(keys.known, full) > 0) {
      keys.read(full, *node);
    } else {
      problems.add(toml_place(path, key->source()), unknown_key_message(keys, prefix, key->str()));
    }
  }
}

}  // namespace prescope
