#include "live/arms.h"

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

void add_share(ArmShares& shares, std::string_view text) {
  const std::size_t at = text.rfind('=');
  const auto share =
      at == std::string_view::npos ? std::nullopt : whole_number<double>(text.substr(at + 1));
  if (!share || at == 0) {
    throw usage_error("share '{}'; expected an arm and its relative share, such as old=19", text);
  }
  const std::string name(text.substr(0, at));
  if (!shares.emplace(name, *share).second) {
    throw usage_error("share of arm '{}' is there twice; keep one", name);
  }
}

double share_of(const ArmShares& shares, std::string_view name) noexcept {
  const auto found = shares.find(name);
  return found == shares.end() ? 1.0 : found->second;
}

ArmTable::ArmTable(std::span<const std::string> names, ArmShares shares)
    : shares_(std::move(shares)), names_(kMost) {
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
      [&](std::uint32_t i) { return share(ArmIndex(i)); },
      [&](std::uint32_t i) { return status(ArmIndex(i)) == ArmStatus::kActive; }, unit, salt);
}

ArmIndex ArmTable::add(ArmId name) noexcept {
  const std::size_t i = size();
  share_[i] = share_of(shares_, name.text());
  names_[i] = std::move(name);
  size_.store(i + 1, std::memory_order_release);
  const ArmIndex added(static_cast<std::uint32_t>(i));
  set(added, ArmStatus::kActive);
  return added;
}

}  // namespace prescope
