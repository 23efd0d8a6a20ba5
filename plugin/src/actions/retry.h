#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace prescope {

/// Called with a sentence about an action.
using ActionWarning = std::function<void(const std::string& sentence)>;

/// When something that has failed is tried again: after a second, then twice as long after each
/// failure, up to five minutes.
class Retry {
 public:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_time(Clock::time_point now = Clock::now()) const { return now >= next_; }
  /// Returns how often `again_later` was called.
  [[nodiscard]] std::uint64_t tries() const noexcept { return tries_; }
  void again_later(Clock::time_point now = Clock::now()) {
    constexpr std::chrono::seconds kLongest{300};
    ++tries_;
    next_ = now + wait_;
    wait_ = std::min(2 * wait_, kLongest);
  }

 private:
  Clock::time_point next_{};
  std::chrono::seconds wait_{1};
  std::uint64_t tries_ = 0;
};

}  // namespace prescope
