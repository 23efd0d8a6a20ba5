#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/toml_file.h"
#include "cli/options/command_parser.h"
#include "replay/replay_options.h"

namespace prescope::cli {

/// The flags that override the keys of an experiment file.
class ReplayFlags {
 public:
  /// Adds them to the parser, which must not outlive this object.
  void add_to(CommandParser& parser);
  /// Puts those that were given over what the file says.
  void override(RawOptions& raw, Problems& problems) const;
  /// The value of --engine, empty where it was not given.
  [[nodiscard]] std::string engine() const;

 private:
  void override_values(RawOptions& raw) const;
  void override_categories(RawOptions& raw, Problems& problems) const;
  void override_arm_settings(RawOptions& raw, Problems& problems) const;
  void choose_arms(RawOptions& raw, Problems& problems) const;

  std::map<std::string, std::optional<std::string>, std::less<>> values_;  // by OptionKey::key
  std::vector<std::string> categories_;
  std::vector<std::string> arm_settings_;
  std::string arms_;
};

}  // namespace prescope::cli
