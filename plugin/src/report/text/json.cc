#include "report/text/json.h"

#include <boost/algorithm/string/replace.hpp>

#include "base/json_lines.h"

namespace prescope {

void JsonWriter::begin(char bracket) {
  *out_ += bracket;
  is_first_ = true;
  ++depth_;
}

void JsonWriter::begin_flat(char bracket) {
  begin(bracket);
  if (flat_depth_ == 0) flat_depth_ = depth_;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!is_first_ && flat_depth_ == 0) new_line();
  *out_ += bracket;
  is_first_ = false;
  if (flat_depth_ > depth_) flat_depth_ = 0;
}

JsonWriter& JsonWriter::item() {
  if (!is_first_) *out_ += flat_depth_ > 0 ? ", " : ",";
  if (flat_depth_ == 0) new_line();
  is_first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  item();
  text(name);
  *out_ += ": ";
  return *this;
}

void JsonWriter::value(const Json& json) {
  if (json.is_object()) {
    begin('{');
    for (const auto& [name, member] : json.items()) key(name).value(member);
    end('}');
  } else if (json.is_array()) {
    begin('[');
    for (const Json& each : json) item().value(each);
    end(']');
  } else if (json.is_string()) {
    text(json.get_ref<const std::string&>());
  } else if (json.is_number_float()) {
    append_number(*out_, json.get<double>());
  } else {
    word(json.dump());
  }
}

void JsonWriter::flat(const Json& json) {
  const bool is_outermost = flat_depth_ == 0;
  if (is_outermost) flat_depth_ = depth_ + 1;
  value(json);
  if (is_outermost) flat_depth_ = 0;
}

void JsonWriter::text(std::string_view value) {
  append_json_text(*out_, is_utf8(value) ? std::string(value) : shown_name(value));
}

void JsonWriter::new_line() { *out_ += '\n' + std::string(depth_, ' '); }

std::string json_line(const Json& object) {
  return json_line([&](JsonWriter& json) {
    for (const auto& [name, member] : object.items()) json.member(name, member);
  });
}

std::string json_line(const std::function<void(JsonWriter& json)>& members) {
  std::string text;
  JsonWriter json(text);
  json.begin_flat('{');
  members(json);
  json.end('}');
  return text;
}

std::string shown_name(std::string_view name) {
  return Json::parse(line_text(name)).get<std::string>();
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  return '"' + boost::algorithm::replace_all_copy(std::string(text), "\"", "\"\"") + '"';
}

std::string tsv_cell(std::string_view text) {
  std::string cell(text);
  std::ranges::replace_if(
      cell, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return cell;
}

}  // namespace prescope
