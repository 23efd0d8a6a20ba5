#pragma once

#include <atomic>

#include "facts/health_counters.h"

namespace prescope {

/// Counters of Health that any thread may raise, without a lock.
class HealthCounts {
 public:
  void count(std::uint64_t Health::*counter, std::uint64_t times = 1) noexcept {
    std::atomic_ref(counts_.*counter).fetch_add(times, std::memory_order_release);
  }
  /// Adds the counts, in the order of health_counters().
  void add_to(Health& health) const noexcept {
    for (const HealthCounter& one : health_counters()) {
      health.*one.member += std::atomic_ref(counts_.*one.member).load(std::memory_order_acquire);
    }
  }

 private:
  alignas(64) mutable Health counts_;  // mutable, because atomic_ref takes no constants
};

}  // namespace prescope
