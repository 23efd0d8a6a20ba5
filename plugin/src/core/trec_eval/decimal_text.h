#pragma once

#include <cstddef>

namespace prescope::trec_eval {

/// Room for any double with 4 decimals.
inline constexpr std::size_t kDecimalTextSize = 330;

/// Writes what C's "%6.4f" prints in the C locale, without a final NUL; `to` has room for
/// kDecimalTextSize. Returns the end. Rounds the exact value, a tie to the even digit.
char* write_decimal(char* to, double value) noexcept;

}  // namespace prescope::trec_eval
