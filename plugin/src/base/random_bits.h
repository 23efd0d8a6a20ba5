#pragma once

#include <cstdint>
#include <random>

namespace prescope {

/// Returns 64 bits that nobody can foresee.
[[nodiscard]] inline std::uint64_t random_bits() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

}  // namespace prescope
