#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

/// How many of n relevant documents a fraction f keeps; always at least one.
enum class SampleRounding {
  kNearest,  ///< floor(f n + 1/2)
  kUp,       ///< ceil(f n)
  kDown,     ///< floor(f n)
};

/// One draw of a part of every topic's relevant documents: Magdy & Jones, CLEF 2010, section 3,
/// with what the paper leaves open said.
struct SampleDraw {
  std::string seed{};        ///< any text; another one gives other samples
  double fraction = 1.0;     ///< in (0, 1]
  std::uint32_t sample = 1;  ///< from 1
  SampleRounding rounding = SampleRounding::kNearest;
};

/// In [1, num_rel] for num_rel >= 1; 0 of 0.
[[nodiscard]] std::uint32_t sample_size(std::uint32_t num_rel, double fraction,
                                        SampleRounding rounding) noexcept;

/// Which of a topic's `num_rel` relevant documents, in the order of their keys, the draw keeps:
/// positions from 0, ascending. A partial Fisher-Yates shuffle with splitmix64, seeded with the
/// FNV-1a hash of "seed|fraction|sample|topic": depends on nothing else, so that draws of other
/// topics, fractions and samples are independent of it.
[[nodiscard]] std::vector<std::uint32_t> sample_relevant(const SampleDraw& draw,
                                                         std::string_view topic,
                                                         std::uint32_t num_rel);

/// What the shuffle of `sample_relevant` starts from.
[[nodiscard]] std::uint64_t seed_of(const SampleDraw& draw, std::string_view topic);

}  // namespace prescope
