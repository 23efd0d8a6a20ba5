// The history for programs: a line a night, all digits, nothing where there is no value.
#include <fmt/format.h>

#include "core/utc_time.h"
#include "report/delimited.h"
#include "report/history_report.h"

namespace prescope {
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
