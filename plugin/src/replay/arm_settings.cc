#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/text_file.h"
#include "prescope/arm_settings.h"
#include "prescope/error.h"

namespace prescope {

namespace {

bool contains(const ArmSettings::Range& range, double value) {
  return std::isfinite(value) && value <= range.most &&
         (range.least_is_excluded ? value > range.least : value >= range.least);
}

std::string words(const ArmSettings::Range& range) {
  const bool bounded_below = std::isfinite(range.least);
  const bool bounded_above = std::isfinite(range.most);
  if (!bounded_below && !bounded_above) return "a number";
  if (!bounded_above) {
    return fmt::format("a number {} {}", range.least_is_excluded ? ">" : ">=", range.least);
  }
  return fmt::format("a number in {}{}, {}]", range.least_is_excluded ? '(' : '[', range.least,
                     range.most);
}

}  // namespace

ArmSettings::ArmSettings(const ArmConfig& arm, std::span<const std::string_view> keys) : arm_(arm) {
  for (const ArmSetting& setting : arm.settings) {
    if (find(setting.key) != &setting) {
      complain(setting, fmt::format("'{}' is set a second time; keep one", setting.key));
    } else if (std::ranges::count(keys, setting.key) == 0) {
      complain(setting, unknown_name_message("arm setting", setting.key, keys));
    }
  }
}

const ArmSetting* ArmSettings::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(arm_.settings, key, &ArmSetting::key);
  return found == arm_.settings.end() ? nullptr : &*found;
}

std::optional<double> ArmSettings::number(std::string_view key, const Range& range) {
  const ArmSetting* setting = find(key);
  if (setting == nullptr) return std::nullopt;
  const auto value = whole_number<double>(setting->value);
  if (value && contains(range, *value)) return value;
  complain(*setting, fmt::format("{} = '{}'; expected {}", key, setting->value, words(range)));
  return std::nullopt;
}

std::optional<std::size_t> ArmSettings::one_of(std::string_view key,
                                               std::span<const std::string_view> names) {
  const ArmSetting* setting = find(key);
  if (setting == nullptr) return std::nullopt;
  const auto found = std::ranges::find(names, setting->value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  complain(*setting, unknown_name_message(key, setting->value, names));
  return std::nullopt;
}

void ArmSettings::refuse(std::span<const std::string_view> keys, std::string_view meaning_for,
                         std::string_view remedy) {
  for (const std::string_view key : keys) {
    const ArmSetting* setting = find(key);
    if (setting == nullptr) continue;
    complain(*setting, fmt::format("'{}' has no meaning for {}; {}", key, meaning_for, remedy));
  }
}

void ArmSettings::complain(const ArmSetting& setting, std::string_view complaint) {
  if (!complaints_.empty()) complaints_ += '\n';
  complaints_ += fmt::format(
      "{}: {}", setting.place.empty() ? "arm " + arm_.id.text() : setting.place, complaint);
}

void ArmSettings::throw_if_any() const {
  if (!complaints_.empty()) throw Error(ErrorCode::kUsage, complaints_);
}

}  // namespace prescope
