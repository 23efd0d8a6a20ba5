#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/split_mix.h"

namespace prescope {

/// A share of what happens, chosen by chance: each decision by itself, on any thread, without a
/// lock or an allocation.
class Sampling {
 public:
  /// `share` in (0, 1].
  explicit Sampling(double share) noexcept : below_(bound_of(share)) {}

  /// Whether everything is taken: then no coin needs to be tossed.
  [[nodiscard]] bool takes_all() const noexcept { return below_ == kAll; }
  [[nodiscard]] bool takes_next() const noexcept { return takes_all() || next() < below_; }

 private:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t bound_of(double share) noexcept {
    return share >= 1.0 ? kAll : static_cast<std::uint64_t>(std::ldexp(share, 64));
  }

  /// Each thread has a sequence of its own.
  static std::uint64_t next() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    static thread_local SplitMix numbers(
        SplitMix(threads.fetch_add(1, std::memory_order_relaxed)).next());
    return numbers.next();
  }

  std::uint64_t below_;
};

}  // namespace prescope
