// One JSON object, written as it goes.
#include "core/utc_time.h"
#include "report/clean_text.h"
#include "report/history_report.h"
#include "report/json_writer.h"

namespace prescope {
namespace {

void add_night_number(JsonWriter& json, std::optional<std::int64_t> number) {
  if (!number) return json.word("null");
  json.number(static_cast<std::uint64_t>(*number));
}

void add_texts(JsonWriter& json, const std::vector<std::string>& texts) {
  json.begin_flat('[');
  for (const std::string& text : texts) json.item().text(clean_text(text));
  json.end(']');
}

void add_measures(JsonWriter& json, const History& history, const History::Line& line) {
  json.key("measures").begin_flat('{');
  for (std::size_t m = 0; m < history.measures.size(); ++m) {
    const auto& [mean, from_baseline, from_before] = line.values[m];
    json.key(history.measures[m]).begin_flat('{');
    json.key("mean").number(mean);
    json.key("from_baseline").number(from_baseline);
    json.key("from_before").number(from_before);
    json.end('}');
  }
  json.end('}');
}

void add_night(JsonWriter& json, const History& history, const History::Line& line) {
  const Night& night = line.night;
  json.item().begin_flat('{');
  json.key("night").number(static_cast<std::uint64_t>(night.number));
  json.key("time").text(utc_text(night.time));
  json.key("arm").text(clean_text(night.arm));
  json.key("source").text(clean_text(night.source));
  json.key("qrels").text(clean_text(night.qrels));
  json.key("topics").number(std::uint64_t{night.topics});
  add_measures(json, history, line);
  json.key("p95_ms").number(night.p95_ms);
  json.key("baseline");
  add_night_number(json, line.baseline);
  json.key("before");
  add_night_number(json, line.before);
  json.key("verdict");
  if (night.outcome) {
    json.text(to_string(*night.outcome));
  } else {
    json.word("null");
  }
  json.key("reason").text(clean_text(night.reason));
  json.key("pinned_as");
  add_texts(json, night.pinned_as);
  json.end('}');
}

void add_pin(JsonWriter& json, const Pin& pin) {
  json.item().begin_flat('{');
  json.key("name").text(clean_text(pin.name));
  json.key("night").number(static_cast<std::uint64_t>(pin.evaluation));
  json.key("replaced");
  add_night_number(json, pin.replaced);
  json.key("by").text(clean_text(pin.by));
  json.key("why").text(clean_text(pin.why));
  json.key("time").text(utc_text(pin.time));
  json.end('}');
}

void add_test(JsonWriter& json, const std::optional<PairedT>& test) {
  if (!test) return json.word("null");
  json.begin_flat('{');
  json.key("topics").number(std::uint64_t{test->n});
  json.key("difference").number(std::optional(test->mean));
  json.key("ci_low").number(std::optional(test->ci_low));
  json.key("ci_high").number(std::optional(test->ci_high));
  json.key("p_value").number(std::optional(test->p_value));
  json.end('}');
}

void add_drift(JsonWriter& json, const HistoryReport& report, const HistoryReport::Drift& drift) {
  const bool is_baseline = drift.what == HistoryReport::Drift::Against::kBaseline;
  json.item().begin_flat('{');
  json.key("arm").text(clean_text(drift.arm));
  json.key("night").number(static_cast<std::uint64_t>(drift.night));
  json.key("against").number(static_cast<std::uint64_t>(drift.against));
  json.key("which").text(is_baseline ? "baseline" : "accepted");
  json.key("tests").begin_flat('{');
  for (std::size_t m = 0; m < report.history.measures.size(); ++m) {
    json.key(report.history.measures[m]);
    add_test(json, drift.tests[m]);
  }
  json.end('}');
  json.end('}');
}

}  // namespace

void write_history_json(const HistoryReport& report, const TextSink& sink) {
  TextPieces out(sink);
  JsonWriter json(out);
  json.begin('{');
  json.key("prescope").text(report.program);
  json.key("store").text(clean_text(report.store));
  json.key("measures");
  add_texts(json, report.history.measures);
  json.key("nights_stored").number(std::uint64_t{report.history.stored});
  json.key("nights").begin('[');
  for (const auto& line : report.history.lines) add_night(json, report.history, line);
  json.end(']');
  json.key("pins").begin('[');
  for (const Pin& pin : report.pins) add_pin(json, pin);
  json.end(']');
  json.key("newest").begin('[');
  for (const HistoryReport::Drift& drift : report.drifts) add_drift(json, report, drift);
  json.end(']');
  json.end('}');
  out << '\n';
  out.finish();
}

}  // namespace prescope
