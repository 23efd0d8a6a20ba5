#pragma once

#include <vector>

#include "store/nights/store.h"
#include "store/sqlite/database.h"

namespace prescope {

/// What `Store::nights` gives, within a transaction of the caller's.
[[nodiscard]] std::vector<Night> read_nights(const Database& database,
                                             const Store::NightFilter& filter);

}  // namespace prescope
