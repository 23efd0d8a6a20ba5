#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "prescope/measure.h"

namespace prescope {

/// One topic's ranking written out document by document, as textbooks look at it.
struct DenseTopic {
  /// Grade of the document at rank 1, 2, ...; std::nullopt if it is not in the pool.
  std::vector<std::optional<Grade>> served;
  std::vector<Grade> not_served;
  Grade min_grade = 1;

  [[nodiscard]] bool relevant(std::size_t i) const {
    return i < served.size() && served[i] && *served[i] >= min_grade;
  }
  [[nodiscard]] bool judged(std::size_t i) const { return served[i] && *served[i] >= 0; }
  [[nodiscard]] bool judged_not_relevant(std::size_t i) const { return judged(i) && !relevant(i); }
  /// Grades of all judged documents, descending.
  [[nodiscard]] std::vector<Grade> grades() const {
    std::vector<Grade> grades = not_served;
    for (const auto& grade : served) {
      if (grade) grades.push_back(*grade);
    }
    std::sort(grades.begin(), grades.end(), std::greater{});
    return grades;
  }
};

/// The same topic as measures see it.
struct SparseTopic {
  explicit SparseTopic(const DenseTopic& dense) : grades(dense.grades()) {
    for (std::size_t i = 0; i < dense.served.size(); ++i) {
      const auto rank = static_cast<Rank>(i + 1);
      if (dense.served[i]) judged.push_back({rank, *dense.served[i]});
      if (dense.relevant(i)) relevant.push_back(rank);
    }
    const auto num_rel = std::count_if(grades.begin(), grades.end(),
                                       [&](Grade grade) { return grade >= dense.min_grade; });
    ranks = {.num_rel = static_cast<std::uint32_t>(num_rel),
             .relevant = relevant,
             .num_ret = static_cast<std::uint32_t>(dense.served.size()),
             .collection_size = 0,
             .judged = judged,
             .grades = grades,
             .min_grade = dense.min_grade};
  }
  SparseTopic(const SparseTopic&) = delete;
  SparseTopic& operator=(const SparseTopic&) = delete;

  std::vector<GradedRank> judged;
  std::vector<Rank> relevant;
  std::vector<Grade> grades;
  JudgedRanks ranks;
};

/// 1 to 60 documents served; pools from full to nearly empty, grades from binary to -1 .. 5.
inline DenseTopic any_dense_topic(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t end) { return random() % end; };
  DenseTopic topic;
  const std::uint64_t unpooled_of_ten = below(11), grades = 2 + below(5), unjudged = below(3);
  const auto any_grade = [&]() -> Grade {
    return unjudged == 0 && below(5) == 0 ? -1 : static_cast<Grade>(below(grades));
  };
  for (std::uint64_t left = 1 + below(60); left > 0; --left) {
    topic.served.emplace_back();
    if (below(10) >= unpooled_of_ten) topic.served.back() = any_grade();
  }
  for (std::uint64_t left = below(12); left > 0; --left) topic.not_served.push_back(any_grade());
  topic.min_grade = static_cast<Grade>(below(6) == 0 ? 2 : 1);
  return topic;
}

}  // namespace prescope
