#pragma once

#include <algorithm>
#include <cstdint>

#include "prescope/measure.h"

namespace prescope {

/// What a judgement says of a document. A negative grade means: pooled, but not judged.
enum class JudgedAs { kRelevant, kNotRelevant, kUnjudged };

[[nodiscard]] inline JudgedAs judged_as(Grade grade, Grade min_grade) noexcept {
  if (grade >= min_grade) return JudgedAs::kRelevant;
  return grade >= 0 ? JudgedAs::kNotRelevant : JudgedAs::kUnjudged;
}

/// Whether there are relevant documents, and the grades that say which documents are not.
[[nodiscard]] inline bool has_grades(const JudgedRanks& ranks) noexcept {
  return ranks.num_rel > 0 && !ranks.grades.empty();
}

/// N: the documents judged not relevant, served or not.
[[nodiscard]] inline std::uint32_t count_not_relevant(const JudgedRanks& ranks) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(ranks.grades, [&](Grade grade) {
    return judged_as(grade, ranks.min_grade) == JudgedAs::kNotRelevant;
  }));
}

}  // namespace prescope
