#include "live/arms.h"

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

std::optional<ArmIndex> ArmTable::first_active() const noexcept {
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (status(ArmIndex(i)) == ArmStatus::kActive) return ArmIndex(i);
  }
  return std::nullopt;
}

std::optional<ArmIndex> ArmTable::drawn_for(std::string_view unit,
                                            std::string_view salt) const noexcept {
  return drawn_arm(
      size(), [&](std::size_t i) -> const std::string& { return names_[i].text(); },
      [&](std::uint32_t i) { return status(ArmIndex(i)) == ArmStatus::kActive; }, unit, salt);
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
