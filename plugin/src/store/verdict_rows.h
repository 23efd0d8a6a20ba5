#pragma once

#include <cstdint>
#include <string_view>

#include "core/gate/gate.h"
#include "store/statement.h"

namespace prescope {

/// Stores the verdict about an evaluation, within a transaction of the caller's.
void write_verdict(Database& database, std::int64_t evaluation, const GateVerdict& verdict);

/// What `to_string` wrote. Throws Error(kBadInput) for anything else.
[[nodiscard]] GateOutcome parse_outcome(std::string_view text);

}  // namespace prescope
