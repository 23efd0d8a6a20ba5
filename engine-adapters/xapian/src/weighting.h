#pragma once

#include <memory>

#include "prescope/xapian/ranker.h"

namespace prescope::xapian {

/// Throws Error(kUsage) for a parameter out of range.
[[nodiscard]] std::unique_ptr<Xapian::Weight> make_weight(const WeightOptions& options);

/// Returns whether these are normalizations that Xapian's tf-idf knows.
[[nodiscard]] bool are_normalizations(std::string_view letters) noexcept;

}  // namespace prescope::xapian
