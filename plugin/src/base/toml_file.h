#pragma once

#include <toml++/toml.h>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

/// Collects what is wrong with options, so that the user hears all of it at once.
class OptionProblems {
 public:
  /// `place` is where it was written: "replay.toml:12", or a flag.
  void add(std::string_view place, std::string_view message);
  /// Throws an Error(kUsage) with one line a problem, if there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> lines_;
};

/// Throws Error(kIo) if it cannot be read, which says that `what` was expected; Error(kBadInput)
/// with `file:line` if it is no TOML.
[[nodiscard]] toml::table read_toml_file(const std::filesystem::path& path, std::string_view what);

/// "an integer", "a table".
[[nodiscard]] std::string_view toml_type(const toml::node& node);

/// "rules.toml:12".
[[nodiscard]] std::string toml_place(const std::filesystem::path& path,
                                     const toml::source_region& source);

/// A text as a TOML string, in quotes; any bytes that are UTF-8.
[[nodiscard]] std::string toml_string(std::string_view text);

struct TomlEntry {
  const toml::key* key = nullptr;
  const toml::node* node = nullptr;
};

/// toml++ keeps tables by name. `table` must outlive the answer.
[[nodiscard]] std::vector<TomlEntry> in_file_order(const toml::table& table);

/// The keys that a table may have: "qrels.path" is the key path of its table [qrels].
struct TomlKeys {
  std::string_view kind;  ///< what a key is called: "key"
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
