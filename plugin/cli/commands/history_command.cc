#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "nightly/history.h"
#include "prescope/error.h"
#include "report/nightly/history_report.h"
#include "serve/site/nights.h"
#include "serve/site/page.h"
#include "store/nights/store.h"

namespace prescope::cli {

namespace {

enum class HistoryFormat { kTable, kJson, kCsv, kTsv };
constexpr std::array<std::string_view, 4> kHistoryFormats = {"table", "json", "csv", "tsv"};

struct HistoryRequest {
  std::string store;
  HistoryFilter filter;
  std::vector<std::string> measures;  ///< lists with commas; none: of a line and a page the main
                                      ///< ones, else all
  std::string format = "table";
  std::string html;
};

/// Names that a filter can match.
void check_arm(const HistoryRequest& request, std::span<const Night> nights) {
  if (!request.filter.arm || nights.empty()) return;
  std::vector<std::string_view> arms;
  for (const Night& night : nights) {
    if (night.arm == *request.filter.arm) return;
    if (std::ranges::count(arms, night.arm) == 0) arms.emplace_back(night.arm);
  }
  throw Error(ErrorCode::kUsage,
              "--arm: " + unknown_name_message("arm", *request.filter.arm, arms));
}

std::vector<std::string> names_of(std::span<const Measure> measures) {
  std::vector<std::string> names;
  for (const Measure& measure : measures) names.push_back(measure.name());
  return names;
}

std::vector<std::string> measures_of(const HistoryRequest& request,
                                     std::span<const Measure> asked_for,
                                     std::span<const Night> nights, HistoryFormat format) {
  if (!asked_for.empty()) return names_of(asked_for);
  const std::vector<std::string> stored = measures_of(nights);
  const bool is_for_people = format == HistoryFormat::kTable || !request.html.empty();
  return is_for_people ? main_measures(stored) : stored;
}

HistoryReport history_report(const HistoryRequest& request, HistoryFormat format) {
  const std::vector<Measure> asked_for =
      request.measures.empty()
          ? std::vector<Measure>()
          : parse_measures(fmt::format("{}", fmt::join(request.measures, ",")));
  const Store store = Store::open(request.store, Store::Access::kRead);
  std::vector<Night> nights = store.nights();
  check_arm(request, nights);
  serve::add_means(store, asked_for, nights);
  return serve::history_report(store, request.store, nights,
                               measures_of(request, asked_for, nights, format), request.filter);
}

void write_history(const HistoryReport& report, HistoryFormat format) {
  const TextSink sink = [](std::string_view text) { print_result(text); };
  switch (format) {
    case HistoryFormat::kTable:
      return write_history_table(
          report, wants_color(stdout) ? TableOptions::Color::kAlways : TableOptions::Color::kNever,
          sink);
    case HistoryFormat::kJson:
      return write_history_json(report, sink);
    case HistoryFormat::kCsv:
      return write_history_csv(report, sink);
    case HistoryFormat::kTsv:
      return write_history_tsv(report, sink);
  }
}

void run_history(const HistoryRequest& request) {
  const auto format =
      static_cast<HistoryFormat>(choice_of("--format", request.format, kHistoryFormats));
  std::optional<OutputFile> html;
  if (!request.html.empty() && request.html != kStandardOutput) html.emplace(request.html);
  const HistoryReport report = history_report(request, format);
  if (html) html->write(serve::history_page(report));
  if (request.html == kStandardOutput) return print_result(serve::history_page(report));
  write_history(report, format);
}

}  // namespace

void add_history_command(Command& program) {
  const auto request = std::make_shared<HistoryRequest>();
  Command& command = program.add_command(
      "history", "List the nights of a store: means, what changed, latency, verdicts, baselines.");
  command.add("STORE", request->store, "FILE", "What pin and gate stored")->required();
  command.add("--arm", request->filter.arm, "NAME", "Nights of this arm only");
  command.add("--last", request->filter.last, "N", "The newest N of the nights that are left");
  command.add("--since", request->filter.since, "TIME",
              "Nights from this time on, UTC: 2026-11-22 or 2026-11-22T03:10");
  command.add("--until", request->filter.until, "TIME", "Nights before this time, UTC");
  command.add("-m,--measures", request->measures, "M,M",
              "Measures, also such as were not asked for that night (table and page: the first "
              "PRES and R; else all that are stored)");
  command.add("--format", request->format, "FORMAT", "On stdout: table, json, csv, tsv (table)");
  command.add("--html", request->html, "FILE",
              "Write one page with charts that opens in any browser, too; - for stdout, nothing "
              "else then");
  command.footer(
      "Examples:\n"
      "  prescope history nightly.store --last 14\n"
      "  prescope history nightly.store --arm bm25 --since 2026-11-01 --html history.html\n"
      "  prescope history nightly.store -m PRES@100,AP@1000 --format csv");
  command.set_body([request] { run_history(*request); });
}

}  // namespace prescope::cli
