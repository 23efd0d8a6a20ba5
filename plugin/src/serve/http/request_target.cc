#include "serve/http/request_target.h"

#include "base/errors.h"
#include "base/text_file.h"
#include "base/unicode.h"

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
  const auto value = whole_number<std::uint64_t>(*digits);
  if (value && *value >= low && *value <= high) return value;
  const bool is_open = high == INT64_MAX;
  throw usage_error("{}='{}' is no whole number {}", name, *digits,
                    range_words(low, is_open ? UINT64_MAX : high));
}

std::optional<std::size_t> Parameters::choice(const std::string& name, std::string_view kind,
                                              std::span<const std::string_view> of) const {
  const std::optional<std::string_view> given = text(name);
  if (!given) return std::nullopt;
  const auto found = std::ranges::find(of, *given);
  if (found == of.end()) {
    throw usage_error("{}: {}", name, unknown_name_message(kind, *given, of));
  }
  return static_cast<std::size_t>(found - of.begin());
}

namespace {

bool is_clean(std::string_view text) {
  const bool has_control = std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20U || byte == 0x7FU;
  });
  return !has_control && is_utf8(text);
}

/// Returns std::nullopt for a broken escape and for text that is not clean.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      unsigned value = 0;
      const char* const digits = text.data() + i + 1;
      if (i + 2 >= text.size()) return std::nullopt;
      if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) return std::nullopt;
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  if (!is_clean(result)) return std::nullopt;
  return result;
}

std::optional<std::string> decoded_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::string result;
  for (const std::string& segment : split(path.substr(1), '/')) {
    const auto text = decoded(segment);
    if (!text || *text == "." || *text == "..") return std::nullopt;
    result += '/' + *text;
  }
  return result;
}

bool decode_query(std::string query, std::map<std::string, std::string>& into) {
  std::ranges::replace(query, '+', ' ');
  for (const std::string& part : split(query, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto name = decoded(part.substr(0, equals));
    const auto value = decoded(part.substr(std::min(equals + 1, part.size())));
    if (!name || !value || !into.emplace(*name, *value).second) return false;
  }
  return true;
}

}  // namespace

std::optional<Request> decode_target(std::string_view target) {
  if (target.find('#') != std::string_view::npos) return std::nullopt;
  const std::size_t path_end = std::min(target.find('?'), target.size());
  std::optional<std::string> path = decoded_path(target.substr(0, path_end));
  if (!path) return std::nullopt;
  Request request{.path = std::move(*path), .query = {}};
  const std::size_t query = std::min(path_end + 1, target.size());
  if (!decode_query(std::string(target.substr(query)), request.query)) return std::nullopt;
  return request;
}

}  // namespace prescope::serve
