#include "cli/problems.h"

#include <fmt/format.h>

#include "prescope/error.h"

namespace prescope::cli {

void Problems::add(std::string_view place, std::string_view message) {
  lines_.push_back(fmt::format("{}: {}", place, message));
}

void Problems::throw_if_any() const {
  if (!lines_.empty()) throw Error(ErrorCode::kUsage, fmt::format("{}", fmt::join(lines_, "\n")));
}

}  // namespace prescope::cli
