#include <fmt/format.h>

#include "base/utc_time.h"
#include "report/nightly/history_report.h"
#include "report/text/clean_text.h"

namespace prescope {

// One JSON object, written as it goes.

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
  json.key("words").text(against_words(drift));
  json.end('}');
}

void add_words(JsonWriter& json, const HistoryReport& report) {
  json.begin_flat('{');
  json.key("verdict").text(history_sentence(report.history));
  json.key("subject").word(line_text(labelled_json(history_subject(report))));
  json.key("nights");
  add_texts(json, about_nights(report));
  json.key("newest");
  add_texts(json, about_drift(report));
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
  json.key("main_measures");
  add_texts(json, main_measures(report.history.measures));
  json.key("words");
  add_words(json, report);
  json.end('}');
  out << '\n';
  out.finish();
}

// The history for programs: a line a night, all digits, nothing where there is no value.

namespace {

struct NightDialect {
  char separator;
  std::string (*cell)(std::string_view text);
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
    out << dialect.separator << name << dialect.separator << name << ".from_baseline"
        << dialect.separator << name << ".from_before";
  }
  out << '\n';
}

void add_number(TextPieces& out, const NightDialect& dialect, std::optional<double> number) {
  out << dialect.separator;
  if (number) out << *number;
}

void add_number(TextPieces& out, const NightDialect& dialect, std::optional<std::int64_t> number) {
  out << dialect.separator;
  if (number) out << static_cast<std::uint64_t>(*number);
}

void add_night(TextPieces& out, const NightDialect& dialect, const History::Line& line) {
  const Night& night = line.night;
  out << static_cast<std::uint64_t>(night.number);
  const auto add_text = [&](std::string_view text) {
    out << dialect.separator << dialect.cell(text);
  };
  for (const std::string& text : {utc_text(night.time), night.arm, night.source, night.qrels}) {
    add_text(text);
  }
  out << dialect.separator << night.topics;
  add_text(night.outcome ? to_string(*night.outcome) : "");
  add_text(night.reason);
  add_text(fmt::format("{}", fmt::join(night.pinned_as, kListSeparator)));
  add_number(out, dialect, line.baseline);
  add_number(out, dialect, line.before);
  add_number(out, dialect, night.p95_ms);
  for (const auto& [mean, from_baseline, from_before] : line.values) {
    for (const auto& value : {mean, from_baseline, from_before}) add_number(out, dialect, value);
  }
  out << '\n';
}

void write_rows(const HistoryReport& report, const NightDialect& dialect, const TextSink& sink) {
  TextPieces out(sink);
  add_titles(out, dialect, report);
  for (const History::Line& line : report.history.lines) add_night(out, dialect, line);
  out.finish();
}

}  // namespace

void write_history_csv(const HistoryReport& report, const TextSink& sink) {
  write_rows(report, kNightCsv, sink);
}

void write_history_tsv(const HistoryReport& report, const TextSink& sink) {
  write_rows(report, kNightTsv, sink);
}

}  // namespace prescope
