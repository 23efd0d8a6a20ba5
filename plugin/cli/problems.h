#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prescope::cli {

/// What is wrong with an experiment's options, gathered so that the user hears all of it at once.
class Problems {
 public:
  /// `place` is where it was written: "replay.toml:12", or a flag.
  void add(std::string_view place, std::string_view message);
  /// An Error(kUsage) with one line a problem, where there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace prescope::cli
