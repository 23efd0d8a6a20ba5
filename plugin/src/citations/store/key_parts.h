#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace prescope {

/// A document's key, split so that keys of one series differ only in a number: "JPS60123456" is
/// "JPS", 60123456 and "". Any text can be split, and the parts give the same text again.
struct KeyParts {
  std::string_view prefix{}, suffix{};
  std::uint64_t number = 0;  ///< below 10^18; 0 if there is none
  bool has_number = false;

  /// Splits at the longest run of digits, the last one of several; zeros that lead it belong to the
  /// prefix, and so do all but the last 18 digits. The parts view `key`.
  [[nodiscard]] static KeyParts of(std::string_view key) noexcept;

  [[nodiscard]] bool empty() const noexcept {
    return !has_number && prefix.empty() && suffix.empty();
  }
  void append_to(std::string& text) const;
  [[nodiscard]] std::string text() const;

  friend bool operator==(const KeyParts&, const KeyParts&) = default;
  /// Orders by prefix, suffix, keys without number first, then number.
  friend std::strong_ordering operator<=>(const KeyParts& a, const KeyParts& b) noexcept;
};

}  // namespace prescope
