#include "serve/summary_document.h"

#include "core/utc_time.h"
#include "report/json_line.h"
#include "report/summary_json.h"
#include "serve/version.h"

namespace prescope::serve {
namespace {

void add_time(JsonWriter& json, const std::optional<UtcTime>& time) {
  time ? json.text(utc_text(*time)) : json.word("null");
}

void add_views(JsonWriter& json, const Source::Picture& picture, bool has_history) {
  const bool has_experiment = picture.summary != nullptr;
  json.key("has").begin('{');
  truth(json.key("experiment"), has_experiment);
  truth(json.key("series"), has_experiment);
  truth(json.key("history"), has_history);
  json.end('}');
}

}  // namespace

std::shared_ptr<const std::string> SummaryDocument::text(Source& source,
                                                         std::optional<Nights>& nights) {
  const Source::Picture picture = source.newest();
  const bool has_history = nights && nights->has_any();
  if (text_ && picture.summary == of_ && has_history == has_history_) return text_;
  of_ = picture.summary;
  has_history_ = has_history;
  text_ = std::make_shared<const std::string>(json_line([&](JsonWriter& json) {
    json.key("prescope").text(kVersion);
    json.key("source").text(source.kind());
    json.key("store").word(nights ? quoted_name(nights->store().string()) : "null");
    json.key("time");
    add_time(json, of_ ? std::optional(picture.time) : utc_now());
    json.key("started");
    add_time(json, source.started());
    add_views(json, picture, has_history);
    json.key("summary").word(of_ ? line_text(summary_json(*of_)) : "null");
  }));
  return text_;
}

}  // namespace prescope::serve
