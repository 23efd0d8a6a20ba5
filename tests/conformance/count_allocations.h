#pragma once

#include <cstdint>
#include <functional>

namespace prescope::conformance {

#ifdef PRESCOPE_UNDER_SANITIZER
/// False under a sanitizer that has replaced malloc itself: then nothing is counted.
inline constexpr bool kAllocationsAreCounted = false;
#else
inline constexpr bool kAllocationsAreCounted = true;
#endif

/// How often the calling thread asked malloc for memory while `work` ran, libraries included. Only
/// for programs that link the objects `count_allocations`, which replace malloc. Calls do not nest.
[[nodiscard]] std::uint64_t allocations_in(const std::function<void()>& work);

}  // namespace prescope::conformance
