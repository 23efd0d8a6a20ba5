#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

/// The number of n relevant documents that a fraction f keeps. It is at least one.
enum class SampleRounding {
  kNearest,  ///< floor(f n + 1/2)
  kUp,       ///< ceil(f n)
  kDown,     ///< floor(f n)
};

/// One draw of a part of every topic's relevant documents (Magdy & Jones, CLEF 2010, section 3).
struct SampleDraw {
  std::string seed{};        ///< any text; another one gives other samples
  double fraction = 1.0;     ///< in (0, 1]
  std::uint32_t sample = 1;  ///< from 1
  SampleRounding rounding = SampleRounding::kNearest;
};

/// Returns a number in [1, num_rel], or 0 if num_rel is 0.
[[nodiscard]] std::uint32_t sample_size(std::uint32_t num_rel, double fraction,
                                        SampleRounding rounding) noexcept;

/// Returns the positions, ascending from 0, of the documents that the draw keeps of a topic's
/// `num_rel` relevant ones in the order of their keys. A partial Fisher-Yates shuffle uses
/// splitmix64, seeded with the FNV-1a hash of "seed|fraction|sample|topic" alone, so that draws of
/// other topics, fractions and samples are independent of it.
[[nodiscard]] std::vector<std::uint32_t> sample_relevant(const SampleDraw& draw,
                                                         std::string_view topic,
                                                         std::uint32_t num_rel);

/// Returns the seed of the shuffle of `sample_relevant`.
[[nodiscard]] std::uint64_t seed_of(const SampleDraw& draw, std::string_view topic);

}  // namespace prescope
