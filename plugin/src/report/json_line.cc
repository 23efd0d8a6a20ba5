#include "report/json_line.h"

#include "report/json_value.h"

namespace prescope {

std::string json_line(const std::function<void(JsonWriter& json)>& members) {
  std::string text;
  const TextSink sink = [&text](std::string_view piece) { text += piece; };
  TextPieces pieces(sink);
  JsonWriter json(pieces);
  json.begin_flat('{');
  members(json);
  json.end('}');
  pieces.finish();
  return text;
}

std::string quoted_name(std::string_view name) { return line_text(Json(name)); }

std::string shown_name(std::string_view name) {
  return Json::parse(quoted_name(name)).get<std::string>();
}

}  // namespace prescope
