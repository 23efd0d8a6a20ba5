#include "base/utc_time.h"
#include "report/nightly/history_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(History::Value, mean, from_baseline, from_before)

namespace {

Json night_json(const History& history, const History::Line& line) {
  const Night& night = line.night;
  return {{"night", night.number},
          {"time", utc_text(night.time)},
          {"arm", night.arm},
          {"source", night.source},
          {"qrels", night.qrels.hash},
          {"topics", night.topics},
          {"measures",
           by_measure(history.measures, [&](std::size_t m) { return Json(line.values[m]); })},
          {"p95_ms", night.p95_ms},
          {"baseline", line.baseline},
          {"before", line.before},
          {"changed", line.changed},
          {"verdict", night.outcome ? Json(to_string(*night.outcome)) : Json(nullptr)},
          {"reason", night.reason},
          {"pinned_as", night.pinned_as}};
}

Json pin_json(const Pin& pin) {
  return {{"name", pin.name}, {"night", pin.evaluation}, {"replaced", pin.replaced},
          {"by", pin.by},     {"why", pin.why},          {"time", utc_text(pin.time)}};
}

Json attempt_json(const Attempt& attempt) {
  return {{"time", utc_text(attempt.time)},
          {"baseline", attempt.baseline},
          {"source", attempt.source},
          {"reason", attempt.reason}};
}

Json test_json(const std::optional<PairedT>& test) {
  if (!test) return nullptr;
  return {{"topics", test->n},
          {"difference", test->mean},
          {"ci_low", test->ci_low},
          {"ci_high", test->ci_high},
          {"p_value", test->p_value}};
}

Json drift_json(const History& history, const HistoryReport::Drift& drift) {
  const bool is_baseline = drift.what == HistoryReport::Drift::Against::kBaseline;
  return {{"arm", drift.arm},
          {"night", drift.night},
          {"against", drift.against},
          {"which", is_baseline ? "baseline" : "accepted"},
          {"tests",
           by_measure(history.measures, [&](std::size_t m) { return test_json(drift.tests[m]); })},
          {"words", against_words(drift)}};
}

/// A slice, and its value in each night.
Json slice_json(const HistoryReport& report, std::size_t slice) {
  const SliceHistory& slices = *report.slices;
  const SliceHistory::Slice& named = slices.slices[slice];
  Json nights = Json::array();
  for (std::size_t n = 0; n < slices.values.size(); ++n) {
    const SliceHistory::Value& value = slices.values[n][slice];
    nights.push_back({{"night", report.history.lines[n].night.number},
                      {"topics", value.topics},
                      {"mean", value.mean},
                      {"from_baseline", value.from_baseline}});
  }
  return {{"dimension", named.dimension},
          {"slice", named.name},
          {"slices", named.slices},
          {"nights", std::move(nights)}};
}

/// A line for each night, with all digits and empty fields for missing values.
struct NightDialect {
  char separator;
  std::string (*cell)(std::string_view text);

  void add_line(std::string& out, const std::vector<Json>& cells) const {
    for (const Json& each : cells) {
      if (&each != &cells.front()) out += separator;
      if (each.is_string()) out += cell(each.get_ref<const std::string&>());
      if (each.is_number_float()) append_number(out, each.get<double>());
      if (each.is_number_integer()) out += each.dump();
    }
    out += '\n';
  }
};

/// The members of a night's object that have a column of their own.
constexpr std::array kColumns = {"night",   "time",   "arm",       "source",   "qrels",  "topics",
                                 "verdict", "reason", "pinned_as", "baseline", "before", "p95_ms"};

std::vector<Json> titles_of(const HistoryReport& report) {
  std::vector<Json> titles(kColumns.begin(), kColumns.end());
  for (const std::string& measure : report.history.measures) {
    titles.insert(titles.end(), {measure, measure + ".from_baseline", measure + ".from_before"});
  }
  return titles;
}

std::vector<Json> cells_of(const Json& night) {
  return list_of(kColumns, [&](const char* column) { return night.value(column, Json()); });
}

std::vector<Json> cells_of(const History& history, const History::Line& line) {
  Json night = night_json(history, line);
  night["pinned_as"] = fmt::format("{}", fmt::join(line.night.pinned_as, " "));
  std::vector<Json> cells = cells_of(night);
  for (const auto& [mean, from_baseline, from_before] : line.values) {
    cells.insert(cells.end(), {mean, from_baseline, from_before});
  }
  return cells;
}

/// A row without a night, and with as many columns.
std::vector<Json> cells_of(const History& history, const Attempt& attempt) {
  std::vector<Json> cells = cells_of({{"time", utc_text(attempt.time)},
                                      {"source", attempt.source},
                                      {"verdict", "NOT JUDGED"},
                                      {"reason", attempt.reason}});
  cells.resize(cells.size() + 3 * history.measures.size());
  return cells;
}

/// Each attempt behind the night that was the newest when it began.
std::string rows_of(const HistoryReport& report, const NightDialect& dialect) {
  const History& history = report.history;
  std::string out;
  dialect.add_line(out, titles_of(report));
  auto attempt = report.attempts.begin();
  const auto add_attempts_before = [&](std::int64_t night) {
    for (; attempt != report.attempts.end() && attempt->newest < night; ++attempt) {
      dialect.add_line(out, cells_of(history, *attempt));
    }
  };
  for (const History::Line& line : history.lines) {
    add_attempts_before(line.night.number);
    dialect.add_line(out, cells_of(history, line));
  }
  add_attempts_before(std::numeric_limits<std::int64_t>::max());
  return out;
}

}  // namespace

std::string history_json(const HistoryReport& report) {
  const History& history = report.history;
  std::string out;
  JsonWriter json(out);
  const auto array = [&](std::string_view name, const auto& items, const auto& json_of) {
    json.array(name, items, [&](const auto& item) { json.item().flat(json_of(item)); });
  };
  json.begin('{');
  json.member("prescope", PRESCOPE_VERSION);
  json.member("store", report.store);
  json.flat_member("measures", history.measures);
  json.member("nights_stored", history.stored);
  array("nights", history.lines, [&](const auto& line) { return night_json(history, line); });
  array("pins", report.pins, pin_json);
  array("not_judged", report.attempts, attempt_json);
  json.flat_member("clock_faults", list_of(report.clock, clock_words));
  array("newest", report.drifts, [&](const auto& drift) { return drift_json(history, drift); });
  json.flat_member("main_measures", main_measures(history.measures));
  if (report.slices) {
    json.member("slice_measure", report.slices->measure);
    json.array("slices", positions(report.slices->slices.size()),
               [&](std::size_t slice) { json.item().flat(slice_json(report, slice)); });
  }
  json.key("words").begin_flat('{');
  json.member("verdict", history_sentence(report));
  json.key("subject").word(line_text(history_subject(report)));
  json.member("nights", about_nights(report));
  json.member("newest", about_drift(report));
  if (report.slices) json.member("slices", about_slice_history(report));
  json.end('}');
  json.end('}');
  return out + '\n';
}

std::string history_csv(const HistoryReport& report) { return rows_of(report, {',', csv_cell}); }

std::string history_tsv(const HistoryReport& report) { return rows_of(report, {'\t', tsv_cell}); }

}  // namespace prescope
