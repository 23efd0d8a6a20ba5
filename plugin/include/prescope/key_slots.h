#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prescope {

/// Positions in a list of distinct keys that its owner keeps, found by the keys' hashes: a power of
/// two of slots with open addressing, at most half of them taken. 4 to 16 bytes a key.
class KeySlots {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Of no keys.
  KeySlots() = default;
  /// `hash_of(position)` for each of the keys.
  template <class HashOf>
  KeySlots(std::uint32_t keys, HashOf hash_of)
      : slots_(std::bit_ceil(2 * std::size_t{keys} + 1), kNone) {
    for (std::uint32_t i = 0; i < keys; ++i) {
      std::size_t slot = hash_of(i) & mask();
      while (slots_[slot] != kNone) slot = (slot + 1) & mask();
      slots_[slot] = i;
    }
  }

  /// The position for which `is_it(position)` holds, of a key with this hash; kNone where there is
  /// none. O(1), no allocation, any thread.
  template <class IsIt>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, IsIt is_it) const noexcept {
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      const std::uint32_t i = slots_[slot];
      if (i == kNone || is_it(i)) return i;
    }
  }

 private:
  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1, kNone);
};

}  // namespace prescope
