#pragma once

#include <cstdint>
#include <functional>

namespace prescope {

#if defined(__SANITIZE_THREAD__)
/// False under ThreadSanitizer, which has replaced these functions itself: locks are not counted.
inline constexpr bool kLocksAreCounted = false;
#else
inline constexpr bool kLocksAreCounted = true;
#endif

/// Returns how often the calling thread entered a function that may wait for another thread, or
/// wake one, while `work` ran: mutexes, reader-writer and spin locks, condition variables,
/// semaphores, and system calls by number, which reach futexes. Only for programs that link
/// `count_locks.cc`, which replaces them. Calls do not nest.
[[nodiscard]] std::uint64_t locks_in(const std::function<void()>& work);

}  // namespace prescope
