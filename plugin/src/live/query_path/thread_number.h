#pragma once

#include <cstdint>

namespace prescope {

/// How many threads can have a number at the same time.
inline constexpr std::uint32_t kThreadNumbers = 64;

struct ThreadNumber {
  std::uint32_t value = kThreadNumbers;
  std::uint64_t turn = 0;  ///< counts up in the process, whatever number is taken; 0: none is
};

/// A number below kThreadNumbers that no other living thread of the process has, the same as long
/// as the thread lives; kThreadNumbers where all are taken. Whoever has a number later sees what
/// the one before did. Lock-free, no allocation.
[[nodiscard]] ThreadNumber thread_number() noexcept;

}  // namespace prescope
