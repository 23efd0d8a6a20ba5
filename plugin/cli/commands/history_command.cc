#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "fleet/nights.h"
#include "serve/site/nights.h"
#include "serve/site/page.h"

namespace prescope::cli {

namespace {

using HistoryText = std::string (*)(const HistoryReport& report);

std::string history_for_terminal(const HistoryReport& report) {
  const TextLook look = stdout_look();
  return document_as_text(history_document(report, look), look);
}

struct HistoryRequest {
  std::string store;
  HistoryFilter filter;
  std::vector<std::string> measures;  ///< lists with commas; none: of a line and a page the main
                                      ///< ones, else all
  SliceFlags slices;
  HistoryText format = history_for_terminal;
  bool per_topic = false;
  ResultFiles files;
};

/// The values of a line, by name, for one topic of a night.
Json topic_line(const Night& night, const EvaluationRecord& record,
                std::span<const Measure> measures, const EvaluationRecord::Topic& topic) {
  Json line = {
      {"night", night.number},
      {"time", utc_text(night.time)},
      {"arm", night.arm},
      {"config", record.config},
      {"source", night.source},
      {"qrels", night.qrels.hash},
      {"engine", record.index.engine},
      {"documents", record.index.documents},
      {"topic", topic.id.text()},
      {"served", topic.served},
      {"num_ret", topic.num_ret},
      {"duplicates", topic.duplicates},
      {"num_rel", topic.num_rel},
      {"ranks", list_of(topic.found, &EvaluationRecord::Found::rank)},
      {"docnos", list_of(topic.found, [](const auto& found) { return found.docno.text(); })}};
  line["latency_ms"] = nullptr;
  if (topic.latency) line["latency_ms"] = static_cast<double>(topic.latency->count()) / 1e6;
  for (const Measure& measure : measures) {
    line[measure.name()] = EvaluationRecord::score(topic, measure);
  }
  return line;
}

/// A cell of CSV: lists are separated by spaces, what has no value is empty.
std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get<std::string>());
  if (!value.is_array()) return value.dump();
  std::string cell;
  for (const Json& item : value) {
    cell += (cell.empty() ? "" : " ") + (item.is_string() ? item.get<std::string>() : item.dump());
  }
  return csv_cell(cell);
}

/// Prints a line for each topic of each night, in memory for one night.
void print_topics(const HistoryRequest& request) {
  const bool is_json = request.format == history_json;
  if (!is_json && request.format != history_csv) {
    throw usage_error(
        "--per-topic prints csv or json; give --format csv, or json for a JSON object a line");
  }
  if (request.files.wants("--html")) {
    throw usage_error("--html has no meaning with --per-topic; write the page without it");
  }
  if (request.slices.are_given()) {
    throw usage_error("--slices, --slice-by: have no meaning with --per-topic");
  }
  const auto store = open_nights(request.store, Store::Access::kRead);
  const std::vector<Night> nights = store->nights(request.filter);
  std::vector<Measure> measures;
  if (!request.measures.empty()) {
    measures = measures_of(request.measures);
  } else {
    for (const std::string& name : measures_of(nights)) measures.push_back(Measure::parse(name));
  }
  bool has_head = is_json;
  for (const Night& night : nights) {
    const EvaluationRecord record = store->evaluation(night.number);
    std::string lines;
    for (const EvaluationRecord::Topic& topic : record.topics) {
      const Json line = topic_line(night, record, measures, topic);
      if (is_json) {
        lines += line_text(line) + '\n';
        continue;
      }
      std::string head, cells;
      for (const auto& [name, value] : line.items()) {
        head += (head.empty() ? "" : ",") + csv_cell(name);
        cells += (cells.empty() ? "" : ",") + cell_of(value);
      }
      if (!std::exchange(has_head, true)) lines += head + '\n';
      lines += cells + '\n';
    }
    print_result(lines);
  }
}

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

HistoryReport history_report(const HistoryRequest& request) {
  std::vector<Measure> asked_for;
  if (!request.measures.empty()) asked_for = measures_of(request.measures);
  const auto store = open_nights(request.store, Store::Access::kRead);
  std::vector<Night> nights = store->nights();
  check_arm(request, nights);
  serve::add_means(*store, asked_for, nights);
  std::vector<std::string> names;
  for (const Measure& measure : asked_for) names.push_back(measure.name());
  if (names.empty()) {
    names = measures_of(nights);
    const bool is_for_people =
        request.format == history_for_terminal || request.files.wants("--html");
    if (is_for_people) names = main_measures(names);
  }
  HistoryReport report =
      serve::history_report(*store, nights_name(request.store), nights, names, request.filter);
  if (request.slices.are_given() && !names.empty()) {
    report.slices = slice_history(report.history, request.slices.source(),
                                  Measure::parse(main_measures(names).front()),
                                  [&](std::int64_t night) { return store->evaluation(night); });
  }
  return report;
}

/// CSV and TSV have a line for each night, and no place for slices.
void check_slices(const HistoryRequest& request) {
  const bool has_place = request.format == history_for_terminal || request.format == history_json ||
                         request.files.wants("--html");
  if (!request.slices.are_given() || has_place) return;
  throw usage_error(
      "--slices, --slice-by: this format has no place for them; expected --format table or json, "
      "or --html");
}

void run_history(HistoryRequest& request) {
  if (request.per_topic) return print_topics(request);
  check_slices(request);
  const std::vector<std::string> inputs{request.store, request.slices.file};
  request.files.open(inputs);
  const HistoryReport report = history_report(request);
  const auto page = request.files.write({{"--html", [&] { return serve::history_page(report); }}});
  if (page) return print_result(*page);
  if (request.format == history_csv || request.format == history_tsv) {
    for (const std::string& words : missing_means_words(report.history)) print_note(words);
  }
  print_result(request.format(report));
}

}  // namespace

void add_history_command(Command& program) {
  const auto [command, request] = program.add_command(
      "history", "List the nights of a store: means, what changed, latency, verdicts, baselines.",
      run_history);
  command
      .add("STORE", request.store, "FILE",
           "Store that pin and gate write, or a fleet: clickhouse://host/database")
      ->required();
  command.add("--arm", request.filter.arm, "NAME", "Nights of this arm only");
  command.add("--last", request.filter.last, "N", "The newest N of the nights that are left");
  command.add("--since", request.filter.since, "TIME",
              "Nights from this time on, UTC: 2026-11-22 or 2026-11-22T03:10");
  command.add("--until", request.filter.until, "TIME", "Nights before this time, UTC");
  command.add("-m,--measures", request.measures, "M,M",
              "Measures, also those not asked for that night (table and page: the first "
              "PRES and R; else all that are stored)");
  add_slice_flags(command, request.slices);
  command.add_choice("--format", request.format,
                     {{"table", history_for_terminal},
                      {"json", history_json},
                      {"csv", history_csv},
                      {"tsv", history_tsv}},
                     "FORMAT", "Format on stdout: table, json, csv, tsv (table)");
  command.add_flag("--per-topic", request.per_topic,
                   "Print a line for each topic of each night instead, with --format csv or json");
  request.files.add(
      command, "--html",
      "Write one page with charts that opens in any browser, too; - for stdout, nothing "
      "else then");
  command.footer(
      "Examples:\n"
      "  prescope history nightly.store --last 14\n"
      "  prescope history nightly.store --arm bm25 --since 2026-11-01 --html history.html\n"
      "  prescope history nightly.store -m PRES@100,AP@1000 --format csv\n"
      "  prescope history nightly.store --last 14 --slices patents.jsonl.gz --slice-by section\n"
      "  prescope history nightly.store --last 1 --per-topic --format csv > topics.csv");
}

}  // namespace prescope::cli
