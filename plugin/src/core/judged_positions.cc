#include "core/judged_positions.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PRESCOPE_HAS_AVX2_PATH 1
#include <immintrin.h>
#endif

namespace prescope {
namespace {

bool is_judged(const ResolvedQrels::Topic& topic, DocId docid) noexcept {
  const std::uint32_t value = docid.value();
  const auto& prefilter = topic.prefilter;
  if ((prefilter[(value / 64) % prefilter.size()] >> (value % 64) & 1U) == 0) return false;
  return std::ranges::binary_search(topic.entries, docid, {}, &ResolvedQrels::Entry::docid);
}

#ifdef PRESCOPE_HAS_AVX2_PATH

static_assert(sizeof(DocId) == sizeof(std::uint32_t));

/// Up to here comparing with every judged document costs less than the prefilter does.
constexpr std::size_t kMostCompared = 16;

#pragma GCC push_options
#pragma GCC target("avx2,bmi")

/// Compares many docids at a time with all judged ones.
class Comparing {
 public:
  explicit Comparing(const ResolvedQrels::Topic& topic) noexcept : judged_(topic.entries.size()) {
    for (std::size_t e = 0; e < judged_; ++e) {
      const auto docid = static_cast<int>(topic.entries[e].docid.value());
      docids_[e] = _mm256_set1_epi32(docid);
      halves_[e] = _mm256_set1_epi16(static_cast<short>(docid));
    }
  }

  /// Of at least kBlock docids.
  std::size_t positions(const DocId* docids, std::size_t count, std::uint32_t* positions) noexcept {
    positions_ = positions;
    std::size_t i = 0;
    for (; i + 2 * kBlock <= count; i += 2 * kBlock) {
      if (!may_hold_judged(docids + i)) continue;
      find_in_block(docids, i, i);
      find_in_block(docids, i + kBlock, i + kBlock);
    }
    if (i + kBlock <= count) {
      find_in_block(docids, i, i);
      i += kBlock;
    }
    if (i < count) find_in_block(docids, count - kBlock, i);
    return found_;
  }

  static constexpr std::size_t kBlock = 32;

 private:
  static __m256i load(const DocId* docids) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(docids));
  }

  /// The lower halves of 16 docids.
  static __m256i halves(const DocId* docids) noexcept {
    return _mm256_blend_epi16(load(docids), _mm256_slli_epi32(load(docids + 8), 16), 0xAA);
  }

  /// Of two blocks: false where no lower half is that of a judged docid. Half the comparisons that
  /// whole docids would take.
  [[nodiscard]] bool may_hold_judged(const DocId* docids) const noexcept {
    const __m256i a = halves(docids), b = halves(docids + 16), c = halves(docids + 32),
                  d = halves(docids + 48);
    __m256i in_ab = _mm256_setzero_si256(), in_cd = in_ab;
    for (std::size_t e = 0; e < judged_; ++e) {
      const __m256i half = halves_[e];
      in_ab = _mm256_or_si256(
          in_ab, _mm256_or_si256(_mm256_cmpeq_epi16(a, half), _mm256_cmpeq_epi16(b, half)));
      in_cd = _mm256_or_si256(
          in_cd, _mm256_or_si256(_mm256_cmpeq_epi16(c, half), _mm256_cmpeq_epi16(d, half)));
    }
    const __m256i any = _mm256_or_si256(in_ab, in_cd);
    return _mm256_testz_si256(any, any) == 0;
  }

  /// Appends the positions of the block at `begin` from `from` on.
  void find_in_block(const DocId* docids, std::size_t begin, std::size_t from) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t lane = 0; lane < kBlock; lane += 8) {
      const __m256i eight = load(docids + begin + lane);
      __m256i judged = _mm256_setzero_si256();
      for (std::size_t e = 0; e < judged_; ++e) {
        judged = _mm256_or_si256(judged, _mm256_cmpeq_epi32(eight, docids_[e]));
      }
      bits |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(judged))) << lane;
    }
    for (bits &= ~0U << (from - begin); bits != 0; bits &= bits - 1) {
      positions_[found_++] = static_cast<std::uint32_t>(begin) + _tzcnt_u32(bits);
    }
  }

  std::size_t judged_;
  __m256i docids_[kMostCompared], halves_[kMostCompared];
  std::uint32_t* positions_ = nullptr;
  std::size_t found_ = 0;
};

std::size_t positions_by_comparing(const ResolvedQrels::Topic& topic, std::span<const DocId> docids,
                                   std::uint32_t* positions) noexcept {
  return Comparing(topic).positions(docids.data(), docids.size(), positions);
}

#pragma GCC pop_options

bool has_avx2() noexcept {
  static const bool kHasIt = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
  return kHasIt;
}

#endif

}  // namespace

std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                          std::span<const DocId> docids,
                                          std::uint32_t* positions) noexcept {
  std::size_t found = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    if (is_judged(topic, docids[i])) positions[found++] = static_cast<std::uint32_t>(i);
  }
  return found;
}

std::size_t judged_positions(const ResolvedQrels::Topic& topic, std::span<const DocId> docids,
                             std::uint32_t* positions) noexcept {
#ifdef PRESCOPE_HAS_AVX2_PATH
  if (topic.entries.size() <= kMostCompared && docids.size() >= Comparing::kBlock && has_avx2()) {
    return positions_by_comparing(topic, docids, positions);
  }
#endif
  return judged_positions_by_prefilter(topic, docids, positions);
}

}  // namespace prescope
