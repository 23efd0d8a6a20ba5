#include "cli/cutoff_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/comma_list.h"
#include "cli/problems.h"

namespace prescope::cli {
namespace {

constexpr std::uint32_t kLargestNumber = (std::uint32_t{1} << 31U) - 1;

}  // namespace

std::vector<std::uint32_t> positive_numbers(std::string_view flag, std::string_view what,
                                            const std::vector<std::string>& words) {
  Problems problems;
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : words) {
    for (const std::string_view part : comma_separated(word)) {
      std::uint32_t value = 0;
      const char* const end = part.data() + part.size();
      const auto [stop, error] = std::from_chars(part.data(), end, value);
      if (error != std::errc() || stop != end || value == 0 || value > kLargestNumber) {
        problems.add(flag, fmt::format("'{}' is not a {}, an integer from 1 to {}", part, what,
                                       kLargestNumber));
      } else {
        numbers.push_back(value);
      }
    }
  }
  problems.throw_if_any();
  return numbers;
}

std::vector<Cutoff> cutoff_list(std::string_view flag, const std::vector<std::string>& words) {
  std::vector<Cutoff> cutoffs;
  for (const std::uint32_t number : positive_numbers(flag, "cutoff", words)) {
    cutoffs.emplace_back(number);
  }
  std::ranges::sort(cutoffs);
  const auto repeated = std::ranges::unique(cutoffs);
  cutoffs.erase(repeated.begin(), repeated.end());
  return cutoffs;
}

}  // namespace prescope::cli
