#include <fmt/format.h>
#include <algorithm>
#include <tuple>
#include <vector>

#include "prescope/error.h"

namespace prescope {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (Damerau-Levenshtein, optimal string alignment), case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Returns true if the name is the beginning of the other, long enough to be meant so.
bool is_beginning(std::string_view name, std::string_view other) {
  constexpr std::size_t kFewest = 3;
  return name.size() >= kFewest && name.size() <= other.size() &&
         edit_distance(name, other.substr(0, name.size())) == 0;
}

/// Returns true if so much of the longer word is in the other that it may be meant.
bool is_near(std::string_view a, std::string_view b) {
  const auto letters = [](std::string_view word) {
    return word.size() - std::min(word.find_first_not_of('-'), word.size());
  };
  return is_beginning(a, b) || edit_distance(a, b) * 2 <= std::max(letters(a), letters(b));
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  const auto nearest = std::ranges::min_element(candidates, {}, [name](std::string_view each) {
    return std::tuple(!is_beginning(name, each), edit_distance(name, each));
  });
  return nearest == candidates.end() ? std::string_view() : *nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string_view> candidates) {
  if (candidates.empty()) return fmt::format("unknown {} '{}'; there is none", kind, name);
  const std::string_view nearest = nearest_name(name, candidates);
  const std::string hint =
      is_near(name, nearest) ? fmt::format("did you mean '{}'? Valid", nearest) : "valid";
  return fmt::format("unknown {} '{}'; {}: {}", kind, name, hint, fmt::join(candidates, ", "));
}

}  // namespace prescope
