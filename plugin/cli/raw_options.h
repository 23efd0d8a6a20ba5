#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "prescope/engine.h"

namespace prescope::cli {

/// One value as it was written, and where.
struct RawValue {
  std::vector<std::string> items;  ///< one, or those of a list
  std::string place;               ///< "replay.toml:12", or a flag
  /// Its type was wrong, which has been said: not missing, but not to be used either.
  bool refused = false;
};

struct RawCategory {
  std::string letter;
  RawValue grade;
};

struct RawArm {
  ArmConfig config;
  std::string place;
  /// Instead of the experiment's; empty where it names none.
  std::string engine, index;
};

/// The options of a replay as written in the experiment file and on the command line, not yet
/// checked for anything but their type.
struct RawOptions {
  std::map<std::string, RawValue, std::less<>> values;  ///< by OptionKey::key
  std::vector<RawCategory> categories;                  ///< a later one overrides an earlier one
  std::vector<RawArm> arms;
};

}  // namespace prescope::cli
