#pragma once

#include "prescope/shipper.h"

namespace prescope {

/// Returns the options with the machine's name as the default `server`. Throws Error(kUsage) naming
/// every option that is out of range.
[[nodiscard]] ShipOptions checked(ShipOptions options);

}  // namespace prescope
