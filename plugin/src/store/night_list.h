#pragma once

#include <vector>

#include "store/database.h"
#include "store/store.h"

namespace prescope {

/// What `Store::nights` gives, within a transaction of the caller's.
[[nodiscard]] std::vector<Night> read_nights(const Database& database,
                                             const Store::NightFilter& filter);

}  // namespace prescope
