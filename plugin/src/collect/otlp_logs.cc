#include "collect/otlp_logs.h"

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

using nlohmann::json;

/// Returns whether a text is JSON of a depth that recursive functions can walk.
bool is_shallow(std::string_view text) {
  constexpr std::size_t kDeepest = 256;
  simdjson::dom::parser parser;
  if (parser.allocate(text.size(), kDeepest) != simdjson::SUCCESS) return false;
  return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

/// Returns an AnyValue of OTLP as plain JSON; numbers of 64 bits come as texts.
json plain(const json& value) {
  if (value.contains("stringValue")) return value["stringValue"];
  if (value.contains("boolValue")) return value["boolValue"];
  if (value.contains("doubleValue")) return value["doubleValue"];
  if (value.contains("intValue")) {
    const json& number = value["intValue"];
    if (!number.is_string()) return number;
    const auto whole = whole_number<std::int64_t>(number.get_ref<const std::string&>());
    return whole ? json(*whole) : number;
  }
  if (value.contains("arrayValue")) {
    json list = json::array();
    for (const json& each : value["arrayValue"].value("values", json::array())) {
      list.push_back(plain(each));
    }
    return list;
  }
  if (value.contains("kvlistValue")) {
    json object = json::object();
    for (const json& each : value["kvlistValue"].value("values", json::array())) {
      object[each.at("key").get<std::string>()] = plain(each.at("value"));
    }
    return object;
  }
  return nullptr;
}

void add_time(json& body, const json& record) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  if (!body.is_object() || body.contains("time") || body.contains("timestamp")) return;
  const json time = record.value("timeUnixNano", json());
  std::optional<std::uint64_t> ns;
  if (time.is_string()) ns = whole_number<std::uint64_t>(time.get_ref<const std::string&>());
  if (time.is_number_unsigned()) ns = time.get<std::uint64_t>();
  if (!ns || *ns == 0) return;
  body[body.contains("query_response_id") ? "timestamp" : "time"] = *ns / kNsPerMs;
}

/// A body that is no JSON stays as it is, so that it is refused with the
/// reason.
std::string line_of(const json& record) {
  json body = record.contains("body") ? plain(record["body"]) : json();
  if (body.is_string() && is_shallow(body.get_ref<const std::string&>())) {
    body = json::parse(body.get_ref<const std::string&>(), nullptr, false);
  }
  add_time(body, record);
  return body.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string lines_of_otlp(std::string_view request) {
  constexpr std::string_view kExpected = "resourceLogs[].scopeLogs[].logRecords[].body";
  if (!is_shallow(request)) {
    throw bad_input_error("not JSON, or too deep; expected {}", kExpected);
  }
  std::string lines;
  try {
    const json logs = json::parse(request);
    for (const json& resource : logs.at("resourceLogs")) {
      for (const json& scope : resource.value("scopeLogs", json::array())) {
        for (const json& record : scope.value("logRecords", json::array())) {
          lines += line_of(record);
        }
      }
    }
  } catch (const json::exception&) {
    throw bad_input_error("no OTLP request for logs; expected {}", kExpected);
  }
  return lines;
}

}  // namespace prescope
