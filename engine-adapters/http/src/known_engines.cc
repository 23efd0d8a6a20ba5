#include "known_engines.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace prescope::http {

namespace {

using nlohmann::json;

constexpr const char *kJson = "application/json", *kForm = "application/x-www-form-urlencoded";

std::string json_text(std::string_view text) { return json(text).dump(); }

RequestTemplate at_server(std::string method, std::string path, std::string body = "") {
  return {.method = std::move(method),
          .path = std::move(path),
          .body = std::move(body),
          .content_type = kJson,
          .from = RequestTemplate::From::kServer};
}

/// Returns the requests for pages of a point in time, which the two engines name differently.
Cursor point_in_time(bool is_opensearch, const std::string& query, std::string ties,
                     const std::string& docno_part) {
  Cursor cursor{.last_hit_at = "/sort", .ties = std::move(ties)};
  cursor.open = {.path =
                     is_opensearch
                         ? "/_search/point_in_time?keep_alive=2m&allow_partial_pit_creation=false"
                         : "/_pit?keep_alive=2m"};
  cursor.snapshot_at = is_opensearch ? "/pit_id" : "/id";
  const std::string page =
      R"({"query":)" + query + R"(,"size":{{DEPTH}},"_source":false)" + docno_part +
      R"(,"track_total_hits":true,"timeout":"{{TIMEOUT_MS}}ms","pit":{"id":{{SNAPSHOT}},)"
      R"("keep_alive":"2m"},"sort":["_score",{)" +
      json_text(cursor.ties) + R"(:"asc"}])";
  cursor.first = at_server("POST", "/_search", page + "}");
  cursor.next = at_server("POST", "/_search", page + R"(,"search_after":{{CURSOR_JSON}}})");
  cursor.close = is_opensearch
                     ? at_server("DELETE", "/_search/point_in_time", R"({"pit_id":[{{SNAPSHOT}}]})")
                     : at_server("DELETE", "/_pit", R"({"id":{{SNAPSHOT}}})");
  return cursor;
}

void set_opensearch_or_elasticsearch(bool is_opensearch, const KnownSettings& settings,
                                     ArmOptions& options) {
  const std::string query =
      settings.query.empty() ? R"({"multi_match":{"query":{{QUERY}}}})" : settings.query;
  options.shape = known_answer_shape("/hits/hits");
  std::string docno_part;
  if (!settings.docno_field.empty()) {
    options.shape = options.shape.with_docno_field(settings.docno_field);
    docno_part = R"(,"fields":[)" + json_text(settings.docno_field) + "]";
  }
  // The same copy of each shard, because copies order equal scores differently.
  options.request = {.path = "/_search?preference=prescope",
                     .body = R"({"query":)" + query +
                             R"(,"from":{{OFFSET}},"size":{{DEPTH}},"_source":false)" + docno_part +
                             R"(,"timeout":"{{TIMEOUT_MS}}ms"})",
                     .content_type = kJson};
  options.window = 10'000;
  options.shards_at = "/_shards/total";
  const std::string usual = is_opensearch ? "_id" : "_shard_doc";
  options.cursor = point_in_time(is_opensearch, query,
                                 settings.ties.empty() ? usual : settings.ties, docno_part);
  options.count = {.method = "GET", .path = "/_count"};
  options.count_at = "/count";
  options.about = at_server("GET", "/");
  options.fields = fields_of_query(query);
  if (!settings.docno_field.empty()) options.fields.push_back(settings.docno_field);
  options.ask_fields = {.method = "GET", .path = "/_field_caps?fields="};
}

void set_solr(const KnownSettings& settings, ArmOptions& options) {
  const std::string id = settings.docno_field.empty() ? "id" : settings.docno_field;
  const std::string ties = settings.ties.empty() ? "id" : settings.ties;
  const std::string query = settings.query.empty() ? "defType=edismax&q={{QUERY}}" : settings.query;
  options.shape = known_answer_shape("/response/docs").with_docno_field(id);
  const std::string common = query + "&wt=json&omitHeader=false&fl=" + percent_encoded(id) +
                             "&rows={{DEPTH}}&timeAllowed={{TIMEOUT_MS}}";
  options.request = {
      .path = "/select", .body = common + "&start={{OFFSET}}", .content_type = kForm};
  options.window = 10'000;
  const std::string sorted = common + "&sort=" + percent_encoded("score desc," + ties + " asc");
  const RequestTemplate page{.path = "/select", .content_type = kForm};
  Cursor cursor{.first = page, .next = page, .cursor_at = "/nextCursorMark", .ties = ties};
  cursor.first.body = sorted + "&cursorMark=*";
  cursor.next.body = sorted + "&cursorMark={{CURSOR}}";
  options.cursor = std::move(cursor);
  options.count = {.path = "/select", .body = "q=*:*&rows=0&wt=json", .content_type = kForm};
  options.count_at = "/response/numFound";
}

void set_vespa(const KnownSettings& settings, ArmOptions& options) {
  const std::string query =
      settings.query.empty()
          ? R"y("yql":"select * from sources * where userQuery()","type":"any","query":{{QUERY}})y"
          : settings.query;
  options.shape = known_answer_shape("/root/children");
  if (!settings.docno_field.empty()) {
    options.shape = options.shape.with_docno_field(settings.docno_field);
  }
  options.request = {
      .path = "/search/",
      .body = "{" + query +
              R"(,"hits":{{DEPTH}},"offset":{{OFFSET}},"timeout":"{{TIMEOUT_MS}}ms",)"
              R"("ranking.softtimeout.enable":false})",
      .content_type = kJson};
  options.window = 400;  // pages follow by their offset
  options.count = {.path = "/search/",
                   .body = R"({"yql":"select * from sources * where true","hits":0})",
                   .content_type = kJson};
  options.count_at = "/root/fields/totalCount";
}

/// Adds a field as a query names it: "title^3" is title, and patterns are left out.
void add_field(const json& value, std::vector<std::string>& fields) {
  if (!value.is_string()) return;
  std::string field = value.get<std::string>();
  field.resize(std::min(field.size(), field.find('^')));
  if (field.empty() || field.find('*') != std::string::npos || field.front() == '_') return;
  if (std::ranges::count(fields, field) == 0) fields.push_back(std::move(field));
}

/// Queries with one field as their key.
constexpr std::string_view kOfOneField[] = {"match",
                                            "match_phrase",
                                            "match_bool_prefix",
                                            "match_phrase_prefix",
                                            "term",
                                            "terms",
                                            "range",
                                            "prefix",
                                            "wildcard",
                                            "fuzzy",
                                            "regexp"};
/// Queries with their field as a value.
constexpr std::string_view kOfFieldValue[] = {"exists", "knn", "neural", "distance_feature"};

void add_fields(const json& query, std::vector<std::string>& fields) {
  if (query.is_array()) {
    for (const json& one : query) add_fields(one, fields);
  }
  if (!query.is_object()) return;
  for (const auto& [key, value] : query.items()) {
    if (std::ranges::count(kOfOneField, key) > 0 && value.is_object()) {
      for (const auto& [field, rest] : value.items()) {
        if (field != "boost" && field != "_name") add_field(field, fields);
      }
      continue;
    }
    if (std::ranges::count(kOfFieldValue, key) > 0 && value.is_object() &&
        value.contains("field")) {
      add_field(value["field"], fields);
    }
    if (key == "fields" && value.is_array()) {
      for (const json& field : value) add_field(field, fields);
    }
    if (key == "default_field") add_field(value, fields);
    add_fields(value, fields);
  }
}

}  // namespace

bool set_known_engine(std::string_view name, const KnownSettings& settings, ArmOptions& options) {
  if (name == "opensearch" || name == "elasticsearch") {
    set_opensearch_or_elasticsearch(name == "opensearch", settings, options);
  } else if (name == "solr") {
    set_solr(settings, options);
  } else if (name == "vespa") {
    set_vespa(settings, options);
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> fields_of_query(const std::string& query) {
  const RequestTemplate as_body{.body = query, .content_type = kJson};
  const Call filled = as_body.fill("http://localhost/x", {.query = "query"});
  const json parsed = json::parse(filled.body, nullptr, false);
  std::vector<std::string> fields;
  // The other parts of a request's body do not search.
  const bool is_body = parsed.is_object() && (parsed.contains("query") || parsed.contains("knn"));
  if (!is_body) add_fields(parsed, fields);
  for (const char* const part : {"query", "post_filter", "rescore", "knn"}) {
    if (is_body && parsed.contains(part)) add_fields({{part, parsed[part]}}, fields);
  }
  if (is_body && parsed.contains("runtime_mappings")) {
    std::erase_if(fields, [&](const std::string& field) {
      return parsed["runtime_mappings"].contains(field);
    });
  }
  return fields;
}

}  // namespace prescope::http
