#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/summary.h"
#include "prescope/types.h"

namespace prescope {

/// The arms of an experiment, each with its place for good. Read on any thread without a lock;
/// changed by one thread at a time.
class ArmTable {
 public:
  static constexpr std::size_t kMost = 64;

  /// All active. `names`: at most kMost.
  explicit ArmTable(std::span<const std::string> names);

  /// Every arm there ever was. What it refers to stays as it is.
  [[nodiscard]] std::span<const ArmId> names() const noexcept { return {names_.data(), size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] const ArmId& operator[](std::size_t i) const noexcept { return names_[i]; }
  /// kRemoved for an arm that was never there.
  [[nodiscard]] ArmStatus status(ArmIndex arm) const noexcept {
    if (arm.value() >= kMost) return ArmStatus::kRemoved;
    return status_[arm.value()].load(std::memory_order_acquire);
  }
  [[nodiscard]] std::optional<ArmIndex> find(std::string_view name) const noexcept;

  /// Behind the others, active. Fewer than kMost are there, none of this name.
  ArmIndex add(ArmId name) noexcept;
  void set(ArmIndex arm, ArmStatus status) noexcept;

 private:
  std::array<std::atomic<ArmStatus>, kMost> status_{};
  std::vector<ArmId> names_;  // kMost, so that none ever moves
  std::atomic<std::size_t> size_{0};
};

}  // namespace prescope
