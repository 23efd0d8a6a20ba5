#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text_file.h"
#include "base/unicode.h"

namespace prescope {

/// Appends the text as a JSON string, with its quotation marks. Bytes that are not UTF-8 become
/// U+FFFD.
inline void append_json_text(std::string& out, std::string_view text) {
  std::string valid;
  if (!is_utf8(text)) text = valid = valid_utf8(text);
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

/// Returns the type of a value in words: "an array".
[[nodiscard]] inline std::string_view json_type(simdjson::dom::element value) noexcept {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  if (value.is_string()) return "a string";
  if (value.is_bool()) return "a truth value";
  return value.is_null() ? "null" : "a number";
}

/// Returns whether the name of a file says that it has JSON lines: it ends in .jsonl or .jsonl.gz.
[[nodiscard]] inline bool is_json_lines(const std::filesystem::path& path) {
  const std::string name = path.string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
}

/// A file of one JSON object a line, plain or gzip; blank lines are skipped.
class JsonLines {
 public:
  using Object = simdjson::dom::object;
  using Element = simdjson::dom::element;

  explicit JsonLines(const std::filesystem::path& path) : file_(path) {}

  /// Gives the next object, valid until the next call; returns false at the end. Throws as TextFile
  /// does, and Error(kBadInput) for a line that is not one JSON object.
  bool next(Object& object) {
    for (std::string_view line; file_.next(line);) {
      if (trimmed(line).empty()) continue;
      const auto failed = parser_.parse(line.data(), line.size()).get(object);
      if (failed == simdjson::SUCCESS) return true;
      if (trimmed(line).starts_with('<')) {
        throw file_.bad_line(
            "XML; expected JSON lines: write {\"id\": \"...\", ...} for each document");
      }
      throw file_.bad_line(fmt::format("not a JSON object ({}); expected {{\"id\": \"...\", ...}}",
                                       simdjson::error_message(failed)));
    }
    return false;
  }

  /// Returns a string, which is empty for null.
  [[nodiscard]] std::string_view string(std::string_view field, Element value) const {
    return value.is_null() ? std::string_view() : text_of(field, value, "a string");
  }

  /// Calls `use` for a string, or for each string of an array; not at all for null or an empty one.
  template <class Use>
  void for_each_string(std::string_view field, Element value, const Use& use) const {
    constexpr std::string_view kExpected = "a string or an array of strings";
    const auto use_text = [&](std::string_view text) {
      if (!text.empty()) use(text);
    };
    if (value.is_null()) return;
    simdjson::dom::array items;
    if (value.get(items) != simdjson::SUCCESS) return use_text(text_of(field, value, kExpected));
    for (const Element item : items) use_text(text_of(field, item, kExpected));
  }

  /// Returns `text`, which must have no NUL, because it is a name.
  [[nodiscard]] std::string_view as_name(std::string_view field, std::string_view text) const {
    if (text.find('\0') == std::string_view::npos) return text;
    throw file_.bad_line(fmt::format("field '{}' contains a NUL character; remove it", field));
  }

  [[nodiscard]] const TextFile& file() const noexcept { return file_; }

 private:
  [[nodiscard]] std::string_view text_of(std::string_view field, Element value,
                                         std::string_view expected) const {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return text;
    throw file_.bad_line(
        fmt::format("field '{}' is {}; expected {}", field, json_type(value), expected));
  }

  TextFile file_;
  simdjson::dom::parser parser_;
};

}  // namespace prescope
