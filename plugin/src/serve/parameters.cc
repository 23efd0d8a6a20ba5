#include "serve/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "prescope/error.h"

namespace prescope::serve {

Parameters::Parameters(const std::map<std::string, std::string>& query,
                       std::span<const std::string_view> known)
    : query_(query) {
  for (const auto& [name, value] : query) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw Error(ErrorCode::kUsage, known.empty()
                                       ? fmt::format("'{}': this path has no parameters", name)
                                       : unknown_name_message("parameter", name, known));
  }
}

std::optional<std::string_view> Parameters::text(const std::string& name) const {
  const auto found = query_.find(name);
  return found == query_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::optional<std::uint64_t> Parameters::number(const std::string& name, std::uint64_t low,
                                                std::uint64_t high) const {
  const std::optional<std::string_view> digits = text(name);
  if (!digits) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = digits->data() + digits->size();
  const auto [stopped, problem] = std::from_chars(digits->data(), end, value);
  if (problem != std::errc{} || stopped != end || value < low || value > high) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}='{}' is no whole number from {} to {}", name, *digits, low, high));
  }
  return value;
}

std::optional<std::size_t> Parameters::choice(const std::string& name, std::string_view kind,
                                              std::span<const std::string_view> of) const {
  const std::optional<std::string_view> given = text(name);
  if (!given) return std::nullopt;
  const auto found = std::ranges::find(of, *given);
  if (found == of.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {}", name, unknown_name_message(kind, *given, of)));
  }
  return static_cast<std::size_t>(found - of.begin());
}

}  // namespace prescope::serve
