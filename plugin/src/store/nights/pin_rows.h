#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nightly/gate/gate.h"
#include "nightly/history.h"
#include "store/sqlite/database.h"

namespace prescope {

/// Stores the pin of an evaluation, within a transaction of the caller's. Returns it with what it
/// replaced. Throws Error(kUsage) for a pin without a name.
Pin write_pin(Database& database, const Pin& request);

/// Oldest first.
[[nodiscard]] std::vector<Pin> read_pins(const Database& database);

/// The last pin of that name. Throws Error(kUsage), with the names there are, where there is none.
[[nodiscard]] Pin read_pin(const Database& database, std::string_view name);

/// Stores the verdict about an evaluation, within a transaction of the caller's.
void write_verdict(Database& database, std::int64_t evaluation, const GateVerdict& verdict);

/// What `to_string` wrote. Throws Error(kBadInput) for anything else.
[[nodiscard]] GateOutcome parse_outcome(std::string_view text);

}  // namespace prescope
