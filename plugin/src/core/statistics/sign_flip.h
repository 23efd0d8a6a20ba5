#pragma once

#include <cstdint>
#include <span>

namespace prescope {

struct SignFlipOptions {
  std::uint64_t seed = 1;
  std::uint32_t flips = 9999;    ///< drawn where there are too many to try them all; at least 1
  std::uint32_t all_up_to = 20;  ///< non-zero differences of which all are tried; at most 32
};

/// Fisher's randomisation test: how often random signs give a sum of differences as far from 0.
struct SignFlip {
  std::uint32_t non_zero = 0;  ///< differences that are not 0; the others change no sum
  bool exact = true;           ///< every assignment of signs was tried
  std::uint64_t flips = 1;     ///< assignments tried
  std::uint64_t as_far = 1;    ///< of these, with a sum at least as far from 0
  double p_value = 1.0;  ///< two-sided; as_far / flips, or (as_far + 1) / (flips + 1) if drawn
};

/// Up to `options.all_up_to` non-zero differences all 2^n assignments are tried. Beyond that
/// `options.flips` are drawn, from splitmix64: for each assignment one number for each 64 non-zero
/// differences, in their order, lowest bit first; a set bit turns the sign. The answer depends on
/// `options` and the differences alone. Cost n / 8 per assignment.
[[nodiscard]] SignFlip sign_flip(std::span<const double> differences,
                                 const SignFlipOptions& options = {});

}  // namespace prescope
