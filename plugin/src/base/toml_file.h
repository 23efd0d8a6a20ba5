#pragma once

#include <toml++/toml.h>
#include <filesystem>
#include <functional>

namespace prescope {

/// Collects all problems of options, to report them together.
class OptionProblems {
 public:
  /// `place` is the origin of the value: "replay.toml:12", or a flag.
  void add(std::string_view place, std::string_view message);
  /// Throws an Error(kUsage) with a line for each problem, if there are any.
  void throw_if_any() const;

 private:
  std::vector<std::string> lines_;
};

/// Throws Error(kIo), saying that `what` was expected, if the file cannot be read; Error(kBadInput)
/// with `file:line` if it is not TOML.
[[nodiscard]] toml::table read_toml_file(const std::filesystem::path& path, std::string_view what);
/// Throws Error(kBadInput) that names the place.
[[nodiscard]] toml::table parse_toml(std::string_view text, std::string_view place);

/// Returns the type in words, such as "an integer" or "a table".
[[nodiscard]] std::string_view toml_type(const toml::node& node);

/// Returns a place for messages, such as "rules.toml:12".
[[nodiscard]] std::string toml_place(const std::filesystem::path& path,
                                     const toml::source_region& source);

/// Returns any UTF-8 text as a TOML string, in quotes.
[[nodiscard]] std::string toml_string(std::string_view text);

struct TomlEntry {
  const toml::key* key = nullptr;
  const toml::node* node = nullptr;
};

/// Returns the entries in the order of the file; toml++ sorts them by name. `table` must outlive
/// them.
[[nodiscard]] std::vector<TomlEntry> in_file_order(const toml::table& table);

/// The keys that a table may have: "qrels.path" is the key path of its table [qrels].
struct TomlKeys {
  std::string_view kind;  ///< the word for a key in messages: "key"
  std::vector<std::string_view> known;
  /// Called with the full name and the value of each known key, in the order of the file; and with
  /// the name of a table, if its value is no table.
  std::function<void(const std::string& key, const toml::node& node)> read;
};
/// Adds every other key to `problems`, with the nearest known one. `path` is the file.
void read_toml_keys(const toml::table& table, const TomlKeys& keys,
                    const std::filesystem::path& path, OptionProblems& problems,
                    const std::string& prefix = "");

}  // namespace prescope
