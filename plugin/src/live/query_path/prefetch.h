#pragma once

namespace prescope {

/// Fetches a line of the cache that is going to be changed, without waiting for it: other
/// processors give it up.
inline void prefetch_to_change(const void* address) noexcept {
#if defined(__x86_64__)
  // What __builtin_prefetch would take it for only where the compiler knows the processor.
  // Processors without it do nothing.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace prescope
