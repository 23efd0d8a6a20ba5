#include "runs/scan/line_scan.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

#include <cstring>

// Only what follows is compiled for AVX2: functions of the headers above, which other files share,
// must run on any machine.
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")

namespace prescope {
namespace {

/// 64 bytes of a line, a bit for each: blanks, and what is neither a blank nor another printable
/// ASCII character.
struct Masks {
  std::uint64_t blanks = 0, others = 0;
};

/// 32 bytes at a time.
struct Kernel {
  static __m256i load(const char* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static std::uint32_t bits(__m256i bytes) noexcept {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
  }
  static std::uint64_t both(__m256i low, __m256i high) noexcept {
    return bits(low) | static_cast<std::uint64_t>(bits(high)) << 32U;
  }

  /// What each byte of a line may be: from `low` to `high`, both ASCII, or anything.
  class Bounds {
   public:
    void clear() noexcept {
      std::memset(low_, -128, sizeof low_);
      std::memset(high_, 127, sizeof high_);
    }
    void set(std::uint32_t byte, char low, char high) noexcept {
      low_[byte] = low;
      high_[byte] = high;
    }
    /// Of the 64 bytes of `line` from `from` on.
    [[nodiscard]] bool hold(const char* line, std::uint32_t from) const noexcept {
      const __m256i first = load(line + from), second = load(line + from + 32);
      const __m256i wrong =
          _mm256_or_si256(_mm256_or_si256(_mm256_cmpgt_epi8(load(low_ + from), first),
                                          _mm256_cmpgt_epi8(first, load(high_ + from))),
                          _mm256_or_si256(_mm256_cmpgt_epi8(load(low_ + from + 32), second),
                                          _mm256_cmpgt_epi8(second, load(high_ + from + 32))));
      return _mm256_testz_si256(wrong, wrong) != 0;
    }

   private:
    alignas(32) char low_[128], high_[128];
  };

  static Masks masks(const char* from) noexcept {
    const __m256i low = load(from), high = load(from + 32), blank = _mm256_set1_epi8(' ');
    // Bytes from 128 on are negative.
    return {both(_mm256_cmpeq_epi8(low, blank), _mm256_cmpeq_epi8(high, blank)),
            both(_mm256_cmpgt_epi8(blank, low), _mm256_cmpgt_epi8(blank, high))};
  }
  static std::uint64_t tabs(const char* from) noexcept {
    const __m256i tab = _mm256_set1_epi8('\t');
    return both(_mm256_cmpeq_epi8(load(from), tab), _mm256_cmpeq_epi8(load(from + 32), tab));
  }
  static std::uint32_t digits(const char* from) noexcept {
    const __m256i value = _mm256_sub_epi8(load(from), _mm256_set1_epi8('0'));
    return bits(_mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)), value));
  }
  static std::uint32_t equal(const char* a, const char* b) noexcept {
    return bits(_mm256_cmpeq_epi8(load(a), load(b)));
  }
};

#include "runs/scan/line_scan_body.inc"

std::uint32_t count_greater(const double* scores, std::size_t count, double than) {
  const __m256d limit = _mm256_set1_pd(than);
  __m256i negative = _mm256_setzero_si256();  // a comparison that holds is -1
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256d above = _mm256_cmp_pd(_mm256_loadu_pd(scores + i), limit, _CMP_GT_OQ);
    negative = _mm256_add_epi64(negative, _mm256_castpd_si256(above));
  }
  alignas(32) std::int64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), negative);
  std::int64_t greater = -(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
  for (; i < count; ++i) greater += scores[i] > than ? 1 : 0;
  return static_cast<std::uint32_t>(greater);
}

const LineScan kAvx2LineScan{
    .name = "AVX2", .add_lines = add_lines, .split = split, .count_greater = count_greater};

}  // namespace
}  // namespace prescope

#pragma GCC pop_options

namespace prescope {

const LineScan* avx2_line_scan() noexcept {
  const bool has_it = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                      __builtin_cpu_supports("lzcnt");
  return has_it ? &kAvx2LineScan : nullptr;
}

}  // namespace prescope

#else

namespace prescope {

const LineScan* avx2_line_scan() noexcept { return nullptr; }

}  // namespace prescope

#endif
