#include "cli/option_target.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "core/utc_time.h"
#include "prescope/error.h"

namespace prescope::cli {
namespace {

/// The whole word as a number, in no locale.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

template <class Number>
Number whole_number(std::string_view word, Number least = std::numeric_limits<Number>::min(),
                    Number most = std::numeric_limits<Number>::max()) {
  const auto number = number_in<Number>(word);
  if (number && *number >= least && *number <= most) return *number;
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}' is not a whole number from {} to {}", word, least, most));
}

double real_number(std::string_view word) {
  if (const auto number = number_in<double>(word)) return *number;
  throw Error(ErrorCode::kUsage, fmt::format("'{}' is not a number, such as 0.05", word));
}

}  // namespace

OptionTarget::OptionTarget(std::string& text)
    : take_([&text](const std::string& word) { text = word; }) {}

OptionTarget::OptionTarget(std::optional<std::string>& text)
    : take_([&text](const std::string& word) { text = word; }) {}

OptionTarget::OptionTarget(std::vector<std::string>& list)
    : take_([&list](const std::string& word) { list.push_back(word); }), is_list_(true) {}

OptionTarget::OptionTarget(int& number)
    : take_([&number](const std::string& word) { number = whole_number<int>(word); }) {}

OptionTarget::OptionTarget(std::uint32_t& number, std::uint32_t least, std::uint32_t most)
    : take_([&number, least, most](const std::string& word) {
        number = whole_number(word, least, most);
      }) {}

OptionTarget::OptionTarget(std::optional<std::uint16_t>& number)
    : take_([&number](const std::string& word) { number = whole_number<std::uint16_t>(word); }) {}

OptionTarget::OptionTarget(std::uint64_t& number)
    : take_([&number](const std::string& word) { number = whole_number<std::uint64_t>(word); }) {}

OptionTarget::OptionTarget(std::optional<std::uint64_t>& number)
    : take_([&number](const std::string& word) { number = whole_number<std::uint64_t>(word); }) {}

OptionTarget::OptionTarget(double& number)
    : take_([&number](const std::string& word) { number = real_number(word); }) {}

OptionTarget::OptionTarget(std::optional<double>& number)
    : take_([&number](const std::string& word) { number = real_number(word); }) {}

OptionTarget::OptionTarget(std::optional<UtcTime>& time)
    : take_([&time](const std::string& word) { time = parse_utc_time(word); }) {}

}  // namespace prescope::cli
