#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report/json_writer.h"

/// JSON objects in one line, written without a tree of values.
namespace prescope {

/// `members` writes the members of the object.
[[nodiscard]] std::string json_line(const std::function<void(JsonWriter& json)>& members);

/// A name from a file as a JSON string, spelled as `to_json` of a summary spells it: bytes that are
/// no UTF-8 become U+FFFD.
[[nodiscard]] std::string quoted_name(std::string_view name);
/// What a reader of `quoted_name` has.
[[nodiscard]] std::string shown_name(std::string_view name);

/// What is there as a whole number, else null.
template <class Integer>
void whole_number(JsonWriter& json, const std::optional<Integer>& number) {
  if (!number) return json.word("null");
  json.number(std::uint64_t{*number});
}
inline void truth(JsonWriter& json, bool value) { json.word(value ? "true" : "false"); }

}  // namespace prescope
