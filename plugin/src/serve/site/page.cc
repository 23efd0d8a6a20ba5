#include "serve/site/page.h"

#include <boost/algorithm/string/replace.hpp>

#include "facts/health_counters.h"
#include "report/text/visible_text.h"

namespace prescope::serve {

using boost::algorithm::replace_first;

std::string live_page() {
  Json measures = Json::object();
  for (const MeasureDefinition* each : measure_table()) {
    const std::string name(each->name);
    measures[name] = {{"mean", name}, {"meaning", each->meaning}};
  }
  for (const auto& [name, of_mean] : kMeanNames) measures[std::string(name)]["mean"] = of_mean;
  Json counters = Json::object();
  for (const HealthCounter& one : health_counters()) {
    counters[std::string(one.name)] = {{"group", one.group}, {"line", sentence(one)}};
  }
  std::string page(kEmbeddedPage);
  for (const auto& [id, facts] : {std::pair("measures", measures), {"counters", counters}}) {
    replace_first(page, fmt::format(R"(id="prescope-{}">{{}}<)", id),
                  fmt::format(R"(id="prescope-{}">{}<)", id, facts.dump()));
  }
  return page;
}

Response live_page_response() {
  return {.content_type = "text/html; charset=utf-8",
          .body = std::make_shared<const std::string>(live_page()),
          .security_policy = kEmbeddedPolicy};
}

namespace {

/// Leaves out the indentation: a line feed is never part of a JSON string.
void append_unindented(std::string& out, std::string_view document) {
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size());
    out += document.substr(0, end);
    document.remove_prefix(end);
    document.remove_prefix(std::min(document.find_first_not_of("\n "), document.size()));
  }
}

}  // namespace

std::string page_of(const PageData& data) {
  std::string json =
      fmt::format(R"({{"kind":{},"title":{})", line_text(data.kind), line_text(data.title));
  const std::pair<std::string_view, std::string_view> documents[] = {
      {"document", data.document}, {"sweep", data.sweep}, {"topics", data.topics}};
  for (const auto& [key, document] : documents) {
    if (document.empty()) continue;
    json += fmt::format(",\"{}\":", key);
    append_unindented(json, document);
  }
  // So that no name ends the element of the data.
  boost::algorithm::replace_all(json, "<", "\\u003c");
  std::string page = live_page();
  replace_first(page, "<title>prescope</title>",
                fmt::format("<title>{}</title>", escaped_markup(data.title)));
  replace_first(page, R"(id="prescope-data">{"kind":"live"}<)",
                fmt::format(R"(id="prescope-data">{}}}<)", json));
  return page;
}

std::string comparison_page(const ComparisonReport& report) {
  return page_of(
      {.kind = "compare", .title = comparison_title(report), .document = comparison_json(report)});
}

std::string gate_page(const GateReport& report) {
  return page_of({.kind = "gate", .title = gate_title(report), .document = gate_json(report)});
}

std::string history_page(const HistoryReport& report) {
  return page_of(
      {.kind = "history", .title = history_title(report), .document = history_json(report)});
}

}  // namespace prescope::serve
