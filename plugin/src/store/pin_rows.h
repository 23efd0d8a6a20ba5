#pragma once

#include <string_view>
#include <vector>

#include "core/night.h"
#include "store/database.h"

namespace prescope {

/// Stores the pin of an evaluation, within a transaction of the caller's. Returns it with what it
/// replaced. Throws Error(kUsage) for a pin without a name.
Pin write_pin(Database& database, const Pin& request);

/// Oldest first.
[[nodiscard]] std::vector<Pin> read_pins(const Database& database);

/// The last pin of that name. Throws Error(kUsage), with the names there are, where there is none.
[[nodiscard]] Pin read_pin(const Database& database, std::string_view name);

}  // namespace prescope
