#pragma once

#include <cstdint>

namespace prescope {

/// How many threads can have a number at the same time.
inline constexpr std::uint32_t kThreadNumbers = 64;

/// A number below kThreadNumbers that no other living thread of the process has, the same as long
/// as the thread lives; kThreadNumbers where all are taken. Whoever has a number later sees what
/// the one before did. Lock-free, no allocation.
[[nodiscard]] std::uint32_t thread_number() noexcept;

}  // namespace prescope
