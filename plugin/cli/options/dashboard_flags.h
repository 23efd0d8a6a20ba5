#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command.h"
#include "prescope/dashboard.h"

namespace prescope::cli {

/// The flags of a server.
class DashboardFlags {
 public:
  /// Adds them to the command, which must not outlive this object.
  void add_to(Command& command);
  /// What they say, checked. Throws Error, also for a token that cannot be read.
  [[nodiscard]] DashboardOptions options() const;

 private:
  std::optional<std::uint16_t> port_;
  std::optional<std::string> address_;
  std::string token_file_;
  std::vector<std::string> hosts_;
};

/// The first line of a file, or without one what the variable PRESCOPE_TOKEN says: a command line
/// is for every user of the machine to read. Empty where there is neither. Throws Error where the
/// file cannot be read or begins with an empty line.
[[nodiscard]] std::string dashboard_token(const std::string& file);

}  // namespace prescope::cli
