#include "cli/user_name.h"

#include <fmt/format.h>

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace prescope::cli {

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"}) {
    const char* const name = std::getenv(variable);
    if (name != nullptr && *name != '\0') return name;
  }
  const passwd* const entry = ::getpwuid(::getuid());
  return entry != nullptr ? std::string(entry->pw_name) : fmt::format("user {}", ::getuid());
}

}  // namespace prescope::cli
