#include <algorithm>
#include <bit>
#include <cstring>

#include "runs/scan/line_scan.h"

namespace prescope {

namespace {

/// 64 bytes of a line, a bit for each: blanks, and what is neither a blank nor another printable
/// ASCII character.
struct Masks {
  std::uint64_t blanks = 0, others = 0;
};

/// Eight bytes at a time.
struct Kernel {
  static std::uint64_t word(const char* from) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
  }
  static constexpr std::uint64_t kOnes = 0x0101010101010101U;
  static constexpr std::uint64_t kHighs = 0x8080808080808080U;

  /// The high bit of each byte that is 0. Exact: no carry passes from byte to byte.
  static std::uint64_t zeros(std::uint64_t bytes) noexcept {
    return ~(((bytes & ~kHighs) + ~kHighs) | bytes) & kHighs;
  }
  /// The high bit of each byte below `limit`, which is at most 128, and of each from 128 on where
  /// `also_high`.
  static std::uint64_t under(std::uint64_t bytes, unsigned limit) noexcept {
    return ~((bytes & ~kHighs) + kOnes * (128U - limit)) & ~bytes & kHighs;
  }
  /// High bits to a bit for each byte.
  static std::uint64_t packed(std::uint64_t highs) noexcept {
    return (highs >> 7U) * 0x0102040810204080U >> 56U;
  }
  template <class Test>
  static std::uint64_t bits_of(const char* from, unsigned words, Test test) noexcept {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < words; ++i) bits |= packed(test(word(from + 8 * i))) << (8 * i);
    return bits;
  }

  /// What each byte of a line may be: from `low` to `high`, both ASCII, or anything.
  class Bounds {
   public:
    void clear() noexcept {
      std::fill(std::begin(low_), std::end(low_), '\0');
      std::fill(std::begin(high_), std::end(high_), '\x7F');
      std::fill(std::begin(bound_), std::end(bound_), '\0');
    }
    void set(std::uint32_t byte, char low, char high) noexcept {
      low_[byte] = low;
      high_[byte] = high;
      bound_[byte] = '\x80';
    }
    /// Of the 64 bytes of `line` from `from` on.
    [[nodiscard]] bool hold(const char* line, std::uint32_t from) const noexcept {
      std::uint64_t wrong = 0;
      for (std::uint32_t i = from; i < from + 64; i += 8) {
        const std::uint64_t bytes = word(line + i), ascii = bytes & ~kHighs;
        wrong |= bytes & word(bound_ + i);
        wrong |= ~((ascii | kHighs) - word(low_ + i)) & kHighs;
        wrong |= ~((word(high_ + i) | kHighs) - ascii) & kHighs;
      }
      return wrong == 0;
    }

   private:
    char low_[128], high_[128], bound_[128];
  };

  static Masks masks(const char* from) noexcept {
    return {bits_of(from, 8, [](std::uint64_t w) { return zeros(w ^ kOnes * ' '); }),
            bits_of(from, 8, [](std::uint64_t w) { return under(w, ' ') | (w & kHighs); })};
  }
  static std::uint64_t tabs(const char* from) noexcept {
    return bits_of(from, 8, [](std::uint64_t w) { return zeros(w ^ kOnes * '\t'); });
  }
  static std::uint32_t digits(const char* from) noexcept {
    return static_cast<std::uint32_t>(
        bits_of(from, 4, [](std::uint64_t w) { return under(w, '9' + 1) & ~under(w, '0'); }));
  }
  static std::uint32_t equal(const char* a, const char* b) noexcept {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
      bits |= packed(zeros(word(a + 8 * i) ^ word(b + 8 * i))) << (8 * i);
    }
    return static_cast<std::uint32_t>(bits);
  }
};

#include "runs/scan/line_scan_body.inc"

std::uint32_t count_greater(const double* scores, std::size_t count, double than) {
  return static_cast<std::uint32_t>(
      std::count_if(scores, scores + count, [than](double score) { return score > than; }));
}

}  // namespace

const LineScan kPortableLineScan{
    .name = "portable", .add_lines = add_lines, .split = split, .count_greater = count_greater};

const LineScan& best_line_scan() noexcept {
  static const LineScan* const kBest = [] {
    const LineScan* const avx2 = avx2_line_scan();
    return avx2 != nullptr ? avx2 : &kPortableLineScan;
  }();
  return *kBest;
}

}  // namespace prescope
