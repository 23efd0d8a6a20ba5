#pragma once

#include <array>
#include <atomic>

#include "base/hash.h"
#include "base/split_mix.h"
#include "prescope/summary.h"

namespace prescope {

/// Returns the active arm that serves a unit of traffic (Mode::kSplit), by rendezvous hashing: each
/// arm gets a number for the unit, and the highest wins. So a removed arm gives up its own units
/// only, evenly to the others, and takes them back when it returns. The same in every process and
/// on every machine. No allocation. `name(i)` is the name of arm i below `arms`, `is_active(i)`
/// says whether it may serve.
///
/// The number of an arm: m(m(m(f(salt)) ^ f(arm)) ^ f(unit)), with f the 64-bit FNV-1a of the
/// bytes, and m one step of splitmix64 from its argument as the state.
template <class NameOf, class IsActive>
[[nodiscard]] std::optional<ArmIndex> drawn_arm(std::size_t arms, const NameOf& name,
                                                const IsActive& is_active, std::string_view unit,
                                                std::string_view salt) noexcept {
  const auto mixed = [](std::uint64_t number) { return SplitMix(number).next(); };
  const std::uint64_t salted = mixed(fnv_1a(salt)), unit_hash = fnv_1a(unit);
  std::optional<ArmIndex> winner;
  std::uint64_t highest = 0;
  for (std::uint32_t i = 0; i < arms; ++i) {
    if (!is_active(i)) continue;
    const std::uint64_t number = mixed(mixed(salted ^ fnv_1a(name(i))) ^ unit_hash);
    if (winner && number <= highest) continue;
    highest = number;
    winner = ArmIndex(i);
  }
  return winner;
}

/// The arms of an experiment, each with its index, which never changes. Read on any thread without
/// a lock; changed by one thread at a time.
class ArmTable {
 public:
  static constexpr std::size_t kMost = 64;

  /// `names`: at most kMost. All are active.
  explicit ArmTable(std::span<const std::string> names);

  /// Returns all arms, also removed ones. The names do not move.
  [[nodiscard]] std::span<const ArmId> names() const noexcept { return {names_.data(), size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] const ArmId& operator[](std::size_t i) const noexcept { return names_[i]; }
  /// kRemoved for an unknown arm.
  [[nodiscard]] ArmStatus status(ArmIndex arm) const noexcept {
    if (arm.value() >= kMost) return ArmStatus::kRemoved;
    return status_[arm.value()].load(std::memory_order_acquire);
  }
  [[nodiscard]] std::optional<ArmIndex> find(std::string_view name) const noexcept;

  [[nodiscard]] std::optional<ArmIndex> first_active() const noexcept;
  /// See drawn_arm.
  [[nodiscard]] std::optional<ArmIndex> drawn_for(std::string_view unit,
                                                  std::string_view salt) const noexcept;

  /// Adds an active arm at the end. There must be fewer than kMost, and none of this name.
  ArmIndex add(ArmId name) noexcept;
  void set(ArmIndex arm, ArmStatus status) noexcept {
    status_[arm.value()].store(status, std::memory_order_release);
  }

 private:
  std::array<std::atomic<ArmStatus>, kMost> status_{};
  std::vector<ArmId> names_;  // kMost
  std::atomic<std::size_t> size_{0};
};

}  // namespace prescope
