#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

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
  static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;  // splitmix64: Steele et al., 2014

  static std::uint64_t bound_of(double share) noexcept {
    return share >= 1.0 ? kAll : static_cast<std::uint64_t>(std::ldexp(share, 64));
  }

  static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }

  /// Each thread goes through the one sequence from a place of its own.
  static std::uint64_t next() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    [[gnu::tls_model("initial-exec")]] static thread_local std::uint64_t place = 0;
    if (place == 0) place = mixed(threads.fetch_add(1, std::memory_order_relaxed) + kGamma);
    return mixed(place += kGamma);
  }

  std::uint64_t below_;
};

}  // namespace prescope
