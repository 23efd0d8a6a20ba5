#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prescope {

/// A set of small numbers that keeps its memory.
class Bits {
 public:
  /// Empty, for numbers below `end`.
  void reset(std::size_t end) { words_.assign((end + 63) / 64, 0); }

  [[nodiscard]] bool has(std::size_t i) const noexcept {
    return (words_[i / 64] >> i % 64 & 1U) != 0;
  }
  void add(std::size_t i) noexcept { words_[i / 64] |= std::uint64_t{1} << i % 64; }

  /// Ascending.
  template <class Take>
  void for_each(Take take) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        take(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace prescope
