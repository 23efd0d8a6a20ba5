#pragma once

#include <array>
#include <atomic>
#include <cmath>

#include "base/hash.h"
#include "base/split_mix.h"
#include "prescope/summary.h"

namespace prescope {

/// Returns the relative share of an arm; 1 if it is not named.
[[nodiscard]] double share_of(const ArmShares& shares, std::string_view name) noexcept;

/// Returns one step of splitmix64 from this state.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t state) noexcept {
  return SplitMix(state).next();
}

/// Returns the active arm that serves a unit of traffic (Mode::kSplit), by rendezvous hashing: each
/// arm gets a number for the unit, and the highest wins; with unequal shares, the lowest of
/// -ln((number + 1) / 2^64) / share, so that an arm wins as often as its share says. A removed arm
/// gives up its own units only, to the others by their shares, and takes them back when it returns.
/// The same in every process and on every machine. No allocation. `name(i)` is the name of arm i
/// below `arms`, `share(i)` its relative share, above 0, and `is_active(i)` says whether it may
/// serve.
///
/// The number of an arm: m(m(m(f(salt)) ^ f(arm)) ^ f(unit)), with f the 64-bit FNV-1a of the
/// bytes, and m one step of splitmix64 from its argument as the state.
template <class NameOf, class ShareOf, class IsActive>
[[nodiscard]] std::optional<ArmIndex> drawn_arm(std::size_t arms, const NameOf& name,
                                                const ShareOf& share, const IsActive& is_active,
                                                std::string_view unit,
                                                std::string_view salt) noexcept {
  const std::uint64_t salted = mixed(fnv_1a(salt)), unit_hash = fnv_1a(unit);
  std::optional<ArmIndex> winner;
  double lowest = 0.0;
  for (std::uint32_t i = 0; i < arms; ++i) {
    if (!is_active(i)) continue;
    const std::uint64_t number = mixed(mixed(salted ^ fnv_1a(name(i))) ^ unit_hash);
    const double wait = -std::log(std::ldexp(static_cast<double>(number) + 1.0, -64)) / share(i);
    if (winner && wait >= lowest) continue;
    lowest = wait;
    winner = ArmIndex(i);
  }
  return winner;
}

/// Returns a number in [0, 1) for a unit of traffic that says nothing about its arm: of an arm with
/// the larger share, only the units below the ratio of the shares are compared. It is
/// m(m(m(f(salt))) ^ f(unit)) / 2^64.
[[nodiscard]] inline double second_draw(std::string_view unit, std::string_view salt) noexcept {
  const std::uint64_t number = mixed(mixed(mixed(fnv_1a(salt))) ^ fnv_1a(unit));
  constexpr int kBits = 53;  // of a double
  return std::ldexp(static_cast<double>(number >> (64 - kBits)), -kBits);
}

/// The arms of an experiment, each with its index, which never changes. Read on any thread without
/// a lock; changed by one thread at a time.
class ArmTable {
 public:
  static constexpr std::size_t kMost = 64;

  /// `names`: at most kMost. All are active. `shares`: see SplitOptions.
  explicit ArmTable(std::span<const std::string> names, ArmShares shares = {});

  /// Returns all arms, also removed ones. The names do not move.
  [[nodiscard]] std::span<const ArmId> names() const noexcept { return {names_.data(), size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] const ArmId& operator[](std::size_t i) const noexcept { return names_[i]; }
  /// kRemoved for an unknown arm.
  [[nodiscard]] ArmStatus status(ArmIndex arm) const noexcept {
    if (arm.value() >= kMost) return ArmStatus::kRemoved;
    return status_[arm.value()].load(std::memory_order_acquire);
  }
  [[nodiscard]] double share(ArmIndex arm) const noexcept { return share_[arm.value()]; }
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
  std::array<double, kMost> share_{};
  const ArmShares shares_;
  std::vector<ArmId> names_;  // kMost
  std::atomic<std::size_t> size_{0};
};

}  // namespace prescope
