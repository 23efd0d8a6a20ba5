#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace prescope {

/// Positions of keys in their owner's list of distinct keys, found by the keys' hashes: open
/// addressing, at most half of the slots taken. 16 to 32 bytes a key.
class KeySlots {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  KeySlots() = default;
  /// Holds `keys` keys with the hashes `hash_of(position)`.
  template <class HashOf>
  KeySlots(std::uint32_t keys, HashOf hash_of) {
    clear(keys);
    for (std::uint32_t i = 0; i < keys; ++i) {
      (void)find_or_add(hash_of(i), i, [](std::uint32_t) { return false; });
    }
  }

  /// Forgets all keys and makes room for `keys` others.
  void clear(std::uint32_t keys) {
    taken_ = 0;
    slots_.assign(std::bit_ceil(2 * std::size_t{keys} + 2), Slot{});
  }

  /// Returns the position of a key with this hash for which `matches(position)` holds, or kNone.
  /// O(1).
  template <class Matches>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, Matches matches) const noexcept {
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::size_t i = tag & mask();; i = (i + 1) & mask()) {
      const Slot& slot = slots_[i];
      if (slot.position == kNone) return kNone;
      if (slot.tag == tag && matches(slot.position)) return slot.position;
    }
  }

  /// As `find`, but if there is none, adds `position` for the key before it returns kNone.
  template <class Matches>
  [[nodiscard]] std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t position,
                                          Matches matches) {
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::size_t i = tag & mask();; i = (i + 1) & mask()) {
      Slot& slot = slots_[i];
      if (slot.position == kNone) {
        slot = {tag, position};
        if (2 * ++taken_ > slots_.size()) grow();
        return kNone;
      }
      if (slot.tag == tag && matches(slot.position)) return slot.position;
    }
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // of the hash
    std::uint32_t position = kNone;
  };

  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.position == kNone) continue;
      std::size_t i = slot.tag & mask();
      while (slots_[i].position != kNone) i = (i + 1) & mask();
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2);
  std::size_t taken_ = 0;
};

}  // namespace prescope
#pragma GCC visibility pop
