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

/// How a line for each night is written, with all digits and empty fields for missing values.
struct NightDialect {
  char separator;
  std::string (*cell)(std::string_view text);

  /// Adds fields behind others, each with its separator.
  template <class... Fields>
  void add(TextPieces& out, const Fields&... fields) const {
    ((out << separator << fields), ...);
  }
};
constexpr NightDialect kNightCsv{.separator = ',', .cell = csv_cell};
constexpr NightDialect kNightTsv{.separator = '\t', .cell = tsv_cell};

constexpr std::string_view kListSeparator = " ";

void add_titles(TextPieces& out, const NightDialect& dialect, const HistoryReport& report) {
  out << "night";
  for (const char* title : {"time", "arm", "source", "qrels", "topics", "verdict", "reason",
                            "pinned_as", "baseline", "before", "p95_ms"}) {
    out << dialect.separator << title;
  }
  for (const std::string& measure : report.history.measures) {
    const std::string name = dialect.cell(measure);
    dialect.add(out, name, name + ".from_baseline", name + ".from_before");
  }
  out << '\n';
}

void add_night(TextPieces& out, const NightDialect& dialect, const History::Line& line) {
  const Night& night = line.night;
  const auto cell = dialect.cell;
  out << night.number;
  dialect.add(out, utc_text(night.time), cell(night.arm), cell(night.source),
              cell(night.qrels.hash), night.topics, night.outcome ? to_string(*night.outcome) : "",
              cell(night.reason),
              cell(fmt::format("{}", fmt::join(night.pinned_as, kListSeparator))), line.baseline,
              line.before, night.p95_ms);
  for (const auto& [mean, from_baseline, from_before] : line.values) {
    dialect.add(out, mean, from_baseline, from_before);
  }
  out << '\n';
}

/// A row without a night, and with as many columns.
void add_attempt(TextPieces& out, const NightDialect& dialect, const Attempt& attempt,
                 std::size_t measures) {
  dialect.add(out, utc_text(attempt.time), "", dialect.cell(attempt.source), "", "", "NOT JUDGED",
              dialect.cell(attempt.reason));
  out << std::string(4 + 3 * measures, dialect.separator) << '\n';
}

/// Nights and attempts in the order of their times.
void write_rows(const HistoryReport& report, const NightDialect& dialect, const TextSink& sink) {
  TextPieces out(sink);
  add_titles(out, dialect, report);
  auto attempt = report.attempts.begin();
  const auto add_attempts_before = [&](UtcTime time) {
    for (; attempt != report.attempts.end() && attempt->time < time; ++attempt) {
      add_attempt(out, dialect, *attempt, report.history.measures.size());
    }
  };
  for (const History::Line& line : report.history.lines) {
    add_attempts_before(line.night.time);
    add_night(out, dialect, line);
  }
  add_attempts_before(UtcTime::max());
  out.finish();
}

}  // namespace

void write_history_json(const HistoryReport& report, const TextSink& sink) {
  const History& history = report.history;
  TextPieces out(sink);
  JsonWriter json(out);
  const auto array = [&](std::string_view name, const auto& items, const auto& json_of) {
    json.key(name).begin('[');
    for (const auto& item : items) json.item().flat(json_of(item));
    json.end(']');
  };
  json.begin('{');
  json.member("prescope", report.program);
  json.member("store", report.store);
  json.flat_member("measures", history.measures);
  json.member("nights_stored", history.stored);
  array("nights", history.lines, [&](const auto& line) { return night_json(history, line); });
  array("pins", report.pins, pin_json);
  array("not_judged", report.attempts, attempt_json);
  array("newest", report.drifts, [&](const auto& drift) { return drift_json(history, drift); });
  json.flat_member("main_measures", main_measures(history.measures));
  json.key("words").begin_flat('{');
  json.member("verdict", history_sentence(report));
  json.key("subject").word(line_text(history_subject(report)));
  json.member("nights", about_nights(report));
  json.member("newest", about_drift(report));
  json.end('}');
  json.end('}');
  out << '\n';
  out.finish();
}

void write_history_csv(const HistoryReport& report, const TextSink& sink) {
  write_rows(report, kNightCsv, sink);
}

void write_history_tsv(const HistoryReport& report, const TextSink& sink) {
  write_rows(report, kNightTsv, sink);
}

}  // namespace prescope
