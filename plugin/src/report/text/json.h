#pragma once

#include <charconv>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "report/text/tables.h"

/// No value is null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class JsonOf>
  static void to_json(JsonOf& json, const std::optional<T>& value) {
    json = value ? JsonOf(*value) : JsonOf(nullptr);
  }
};

namespace prescope {

/// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// Names and measures are strings.
template <class Tag>
void to_json(Json& json, const Name<Tag>& name) {
  json = name.text();
}
inline void to_json(Json& json, const Measure& measure) { json = measure.name(); }

/// An enum is written as its `to_string`.
template <class Enum>
requires std::is_enum_v<Enum> && requires(Enum value) { std::string_view(to_string(value)); }
void to_json(Json& json, Enum value) { json = std::string_view(to_string(value)); }
/// Defines `to_json` of a struct: an object with the named members, in this order.
#define PRESCOPE_JSON_MEMBERS(Struct, ...)                                    \
  inline void to_json(Json& nlohmann_json_j, const Struct& nlohmann_json_t) { \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))  \
  }
PRESCOPE_JSON_MEMBERS(LabelledLine, label, words)

/// An object with `of(m)` under the name of the m-th of `measures`.
template <class Measures, class Of>
[[nodiscard]] Json by_measure(const Measures& measures, const Of& of) {
  Json json = Json::object();
  for (std::size_t m = 0; m < std::size(measures); ++m) {
    json[Json(measures[m]).template get_ref<const std::string&>()] = of(m);
  }
  return json;
}

/// An object with the members of `first`, then those of the others, in this order.
template <class... Others>
[[nodiscard]] Json merged(Json first, const Others&... others) {
  (first.update(Json(others)), ...);
  return first;
}

/// An indented document that ends with a line feed. Bytes that are not UTF-8 are replaced.
inline std::string indented_text(const Json& json) {
  constexpr int kIndent = 1;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// The same in one line, without a line feed.
inline std::string line_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Appends a number as in the C locale, a double in the shortest digits that read back as the same.
template <class Number>
requires std::is_arithmetic_v<Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}
/// Appends nothing for std::nullopt.
template <class Number>
void append_number(std::string& out, const std::optional<Number>& number) {
  if (number) append_number(out, *number);
}

/// Writes JSON piece by piece, with its commas: each member in a line of its own, or a whole object
/// in one line if it is begun flat. The caller closes the brackets that it opened.
class JsonWriter {
 public:
  /// `out` must outlive this.
  explicit JsonWriter(std::string& out) : out_(&out) {}

  void begin(char bracket);
  /// Like `begin`, but everything within stands in the same line.
  void begin_flat(char bracket);
  void end(char bracket);
  /// Call it before each value of an array.
  JsonWriter& item();
  /// Call it before each value of an object.
  JsonWriter& key(std::string_view name);

  /// Writes a whole value, laid out as if it were begun here.
  void value(const Json& json);
  /// The same in one line.
  void flat(const Json& json);
  void member(std::string_view name, const Json& json) { key(name).value(json); }
  void flat_member(std::string_view name, const Json& json) { key(name).flat(json); }
  /// `write_item(item)` writes each of `items`, beginning with `item()`.
  template <class Items, class WriteItem>
  void array(std::string_view name, const Items& items, const WriteItem& write_item) {
    key(name).begin('[');
    for (const auto& each : items) write_item(each);
    end(']');
  }

  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  void number(std::uint64_t value) { append_number(*out_, value); }
  /// Writes true, false, null or a number verbatim.
  void word(std::string_view value) { *out_ += value; }

 private:
  void new_line();

  std::string* out_;
  std::size_t depth_ = 0;
  std::size_t flat_depth_ = 0;  // depth of the flat object; 0: none
  bool is_first_ = true;
};

/// An object in one line, as JsonWriter lays it out.
[[nodiscard]] std::string json_line(const Json& object);
/// `members` writes the members of the object.
[[nodiscard]] std::string json_line(const std::function<void(JsonWriter& json)>& members);

/// `name` as a reader of JSON has it: bytes that are not UTF-8 have become U+FFFD.
[[nodiscard]] std::string shown_name(std::string_view name);

/// Quoted if RFC 4180 asks for it, with quotation marks doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);
/// Tabs and line ends become spaces.
[[nodiscard]] std::string tsv_cell(std::string_view text);

}  // namespace prescope
