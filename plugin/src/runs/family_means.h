#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "prescope/types.h"

namespace prescope {

/// Returns the mean value of each family, in the order in which the families come first. Members of
/// a patent family are near-duplicates as topics: they are one unit of a test, not several.
/// `families` names the family of each value; if all differ, these are the values.
[[nodiscard]] inline std::vector<double> family_means(std::span<const FamilyIndex> families,
                                                      std::span<const double> values) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  std::vector<double> means;
  std::vector<std::uint32_t> topics;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [at, is_new] = places.try_emplace(families[i].value(), means.size());
    if (is_new) {
      means.push_back(0.0);
      topics.push_back(0);
    }
    means[at->second] += values[i];
    ++topics[at->second];
  }
  for (std::size_t f = 0; f < means.size(); ++f) means[f] /= topics[f];
  return means;
}

}  // namespace prescope
