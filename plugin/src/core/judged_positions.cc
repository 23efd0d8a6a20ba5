#include "core/judged_positions.h"

#include <algorithm>

#include "core/code_placement.h"

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

/// Compares many docids at a time with all judged ones: first their lower halves, which takes half
/// the comparisons that whole docids would.
class Comparing {
 public:
  explicit Comparing(const ResolvedQrels::Topic& topic) noexcept : judged_(topic.entries) {
    for (std::size_t e = 0; e < judged_.size(); ++e) {
      halves_[e] = _mm256_set1_epi16(static_cast<short>(judged_[e].docid.value()));
    }
  }

  /// Of at least kBlock docids.
  std::size_t positions(const DocId* docids, std::size_t count, std::uint32_t* positions) noexcept {
    positions_ = positions;
    std::size_t i = 0;
    for (; i + kBlock <= count; i += kBlock) find_in_block(docids, i, i);
    if (i < count) find_in_block(docids, count - kBlock, i);
    return found_;
  }

  static constexpr std::size_t kBlock = 64;

 private:
  static __m256i load(const DocId* docids) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(docids));
  }

  /// The lower halves of 16 docids: of the first 8 and of the others in turn.
  static __m256i halves(const DocId* docids) noexcept {
    return _mm256_blend_epi16(load(docids), _mm256_slli_epi32(load(docids + 8), 16), 0xAA);
  }

  /// A bit for each of the 16 docids, in their order, from a comparison of their `halves`.
  static std::uint64_t bits(__m256i equal) noexcept {
    const int first = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(equal, 16)));
    const int others = _mm256_movemask_ps(_mm256_castsi256_ps(equal));
    return static_cast<std::uint64_t>(first | others << 8);
  }

  /// Appends the positions of the block at `begin` from `from` on.
  PRESCOPE_QUERY_PATH void find_in_block(const DocId* all, std::size_t begin,
                                         std::size_t from) noexcept {
    const DocId* docids = all + begin;
    const __m256i a = halves(docids), b = halves(docids + 16), c = halves(docids + 32),
                  d = halves(docids + 48);
    __m256i in_a = _mm256_setzero_si256(), in_b = in_a, in_c = in_a, in_d = in_a;
    for (std::size_t e = 0; e < judged_.size(); ++e) {
      const __m256i half = halves_[e];
      in_a = _mm256_or_si256(in_a, _mm256_cmpeq_epi16(a, half));
      in_b = _mm256_or_si256(in_b, _mm256_cmpeq_epi16(b, half));
      in_c = _mm256_or_si256(in_c, _mm256_cmpeq_epi16(c, half));
      in_d = _mm256_or_si256(in_d, _mm256_cmpeq_epi16(d, half));
    }
    const __m256i any = _mm256_or_si256(_mm256_or_si256(in_a, in_b), _mm256_or_si256(in_c, in_d));
    if (_mm256_testz_si256(any, any) != 0) return;
    std::uint64_t alike = bits(in_a) | bits(in_b) << 16 | bits(in_c) << 32 | bits(in_d) << 48;
    for (alike &= ~std::uint64_t{0} << (from - begin); alike != 0; alike &= alike - 1) {
      const std::size_t i = begin + _tzcnt_u64(alike);
      if (is_judged(all[i])) positions_[found_++] = static_cast<std::uint32_t>(i);
    }
  }

  [[nodiscard]] bool is_judged(DocId docid) const noexcept {
    return std::ranges::any_of(
        judged_, [docid](const ResolvedQrels::Entry& entry) { return entry.docid == docid; });
  }

  std::span<const ResolvedQrels::Entry> judged_;
  __m256i halves_[kMostCompared];
  std::uint32_t* positions_ = nullptr;
  std::size_t found_ = 0;
};

PRESCOPE_QUERY_PATH std::size_t positions_by_comparing(const ResolvedQrels::Topic& topic,
                                                       std::span<const DocId> docids,
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

PRESCOPE_QUERY_PATH std::size_t judged_positions_by_prefilter(const ResolvedQrels::Topic& topic,
                                                              std::span<const DocId> docids,
                                                              std::uint32_t* positions) noexcept {
  std::size_t found = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    if (is_judged(topic, docids[i])) positions[found++] = static_cast<std::uint32_t>(i);
  }
  return found;
}

PRESCOPE_QUERY_PATH std::size_t judged_positions(const ResolvedQrels::Topic& topic,
                                                 std::span<const DocId> docids,
                                                 std::uint32_t* positions) noexcept {
#ifdef PRESCOPE_HAS_AVX2_PATH
  if (topic.entries.size() <= kMostCompared && docids.size() >= Comparing::kBlock && has_avx2()) {
    return positions_by_comparing(topic, docids, positions);
  }
#endif
  return judged_positions_by_prefilter(topic, docids, positions);
}

}  // namespace prescope
