#include "live/arms.h"

#include <utility>

#include "base/hash.h"
#include "base/split_mix.h"

namespace prescope {

ArmTable::ArmTable(std::span<const std::string> names) : names_(kMost) {
  for (std::atomic<ArmStatus>& status : status_) status = ArmStatus::kRemoved;
  for (const std::string& name : names) add(ArmId(name));
}

std::optional<ArmIndex> ArmTable::find(std::string_view name) const noexcept {
  const std::span<const ArmId> all = names();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].text() == name) return ArmIndex(i);
  }
  return std::nullopt;
}

ArmIndex ArmTable::add(ArmId name) noexcept {
  const std::size_t i = size();
  names_[i] = std::move(name);
  size_.store(i + 1, std::memory_order_release);
  status_[i].store(ArmStatus::kActive, std::memory_order_release);
  return ArmIndex(static_cast<std::uint32_t>(i));
}

void ArmTable::set(ArmIndex arm, ArmStatus status) noexcept {
  status_[arm.value()].store(status, std::memory_order_release);
}

namespace {

std::uint64_t mixed(std::uint64_t number) noexcept { return SplitMix(number).next(); }

}  // namespace

ArmDraw::ArmDraw(std::string_view salt, std::string_view unit) noexcept
    : salt_(mixed(fnv_1a(salt))), unit_(fnv_1a(unit)) {}

void ArmDraw::enter(ArmIndex arm, std::string_view name) noexcept {
  const std::uint64_t number = mixed(mixed(salt_ ^ fnv_1a(name)) ^ unit_);
  if (winner_ && number <= highest_) return;
  highest_ = number;
  winner_ = arm;
}

}  // namespace prescope
