#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace prescope {

/// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A whole document, indented, with a line feed behind it; bytes that are no UTF-8 are replaced.
inline std::string document_text(const Json& json) {
  constexpr int kIndent = 1;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// The same in one line, without a line feed.
inline std::string line_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace prescope
