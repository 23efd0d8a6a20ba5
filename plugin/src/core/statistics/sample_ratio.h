#pragma once

#include <cstdint>

namespace prescope {

/// ln of the e-value against "a fair coin gave each topic its arm": valid after any number of
/// topics. From ln 1000 on, something other than the coin decides which arm a topic is served by,
/// and the arms are not comparable.
[[nodiscard]] double sample_ratio_log_e(std::uint64_t in_a, std::uint64_t in_b) noexcept;

}  // namespace prescope
