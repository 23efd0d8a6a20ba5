#include "live/arms.h"

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

std::optional<ArmIndex> ArmTable::drawn_for(std::string_view unit,
                                            std::string_view salt) const noexcept {
  const auto mixed = [](std::uint64_t number) { return SplitMix(number).next(); };
  const std::uint64_t salted = mixed(fnv_1a(salt)), unit_hash = fnv_1a(unit);
  std::optional<ArmIndex> winner;
  std::uint64_t highest = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (status(ArmIndex(i)) != ArmStatus::kActive) continue;
    const std::uint64_t number = mixed(mixed(salted ^ fnv_1a(names_[i].text())) ^ unit_hash);
    if (winner && number <= highest) continue;
    highest = number;
    winner = ArmIndex(i);
  }
  return winner;
}

ArmIndex ArmTable::add(ArmId name) noexcept {
  const std::size_t i = size();
  names_[i] = std::move(name);
  size_.store(i + 1, std::memory_order_release);
  const ArmIndex added(static_cast<std::uint32_t>(i));
  set(added, ArmStatus::kActive);
  return added;
}

}  // namespace prescope
