#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/commands.h"
#include "cli/options/evaluation_source.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "nightly/gate/gate_rules.h"
#include "prescope/error.h"
#include "report/nightly/gate_report.h"
#include "serve/site/page.h"
#include "store/nights/store.h"

namespace prescope::cli {

namespace {

struct GateRequest {
  std::string store;
  EvaluationSource source;
  std::string baseline = "main";
  std::string rules;
  std::string json, junit, markdown, html;
  std::uint32_t top = 10;
  bool show_rules = false;
  bool dry_run = false;
};

/// One of the files that a verdict is written to, opened before anything is compared.
class VerdictFile {
 public:
  using Text = std::string (*)(const GateReport& report);

  VerdictFile(const std::string& path, Text text) : path_(path), text_(text) {
    if (!path.empty() && !is_standard_output()) file_.emplace(path);
  }
  [[nodiscard]] bool is_standard_output() const { return path_ == kStandardOutput; }
  [[nodiscard]] std::string text(const GateReport& report) const { return text_(report); }
  void write(const GateReport& report) {
    if (file_) file_->write(text_(report));
  }

 private:
  std::string path_;
  Text text_;
  std::optional<OutputFile> file_;
};

std::string markdown_with_defaults(const GateReport& report) { return gate_markdown(report); }

GateRules rules_of(const GateRequest& request) {
  return request.rules.empty() ? GateRules{} : read_gate_rules(request.rules);
}

void check_gate_request(const GateRequest& request) {
  if (request.store.empty()) {
    throw Error(ErrorCode::kUsage, "STORE is missing; see 'prescope gate --help'");
  }
  const auto outputs = std::array{&request.json, &request.junit, &request.markdown, &request.html};
  const auto on_stdout = std::ranges::count_if(
      outputs, [](const std::string* path) { return *path == kStandardOutput; });
  if (on_stdout > 1) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("standard output ('-') can be one file only; it is named {} times", on_stdout));
  }
  request.source.check();
}

/// Tonight's evaluation, and its number where the store has it already.
struct Tonight {
  EvaluationRecord evaluation;
  std::optional<std::int64_t> number{};
};

Tonight tonight_of(const GateRequest& request, const Store& store) {
  const auto number = request.source.stored_number();
  if (number) return {.evaluation = store.evaluation(*number), .number = number};
  return {.evaluation = request.source.evaluate()};
}

/// The night as it is kept: the evaluation, unless it is there, and the verdict about it.
std::int64_t keep(Store& store, const Tonight& tonight, const GateVerdict& verdict) {
  if (!tonight.number) return store.add(tonight.evaluation, verdict);
  store.add(*tonight.number, verdict);
  return *tonight.number;
}

/// A store that cannot be written to is heard of before a replay that may take an hour.
std::optional<Store> writable(const GateRequest& request) {
  if (request.dry_run) return std::nullopt;
  return Store::open(request.store, Store::Access::kWrite);
}

GateReport compare_with_baseline(const GateRequest& request) {
  const GateRules rules = rules_of(request);
  const Store store = Store::open(request.store, Store::Access::kRead);
  const Baseline baseline = store.baseline(request.baseline);
  std::optional<Store> nights = writable(request);
  Tonight tonight = tonight_of(request, store);
  GateReport report{.program = PRESCOPE_VERSION,
                    .store = request.store,
                    .evaluation = tonight.number,
                    .verdict = gate(baseline, tonight.evaluation, rules)};
  if (nights) report.evaluation = keep(*nights, tonight, report.verdict);
  return report;
}

/// Where nobody reads it, the verdict is still the exit code.
void print_verdict(const std::string& text) {
  try {
    print_result(text);
  } catch (const ReaderGone&) {
    return;
  }
}

int run_gate(const GateRequest& request) {
  if (request.show_rules) {
    print_result(gate_rules_toml(rules_of(request)));
    return exit_code(GateOutcome::kPass);
  }
  check_gate_request(request);
  std::array<VerdictFile, 4> files = {VerdictFile(request.json, gate_json),
                                      VerdictFile(request.junit, gate_junit),
                                      VerdictFile(request.markdown, markdown_with_defaults),
                                      VerdictFile(request.html, serve::gate_page)};
  const GateReport report = compare_with_baseline(request);
  for (VerdictFile& file : files) file.write(report);
  const auto color =
      wants_color(stdout) ? TableOptions::Color::kAlways : TableOptions::Color::kNever;
  const auto on_stdout = std::ranges::find_if(files, &VerdictFile::is_standard_output);
  print_verdict(on_stdout != files.end()
                    ? on_stdout->text(report)
                    : gate_table(report, {.color = color, .topics = request.top}));
  return exit_code(report.verdict.outcome);
}

void add_gate_outputs(Command& command, GateRequest& request) {
  command.add("--top", request.top, "N", "Topics that changed, listed in the table (10)");
  command.add("--json", request.json, "FILE", "Write everything as JSON, too; - for stdout");
  command.add("--junit", request.junit, "FILE",
              "Write JUnit XML, a case for each rule and each failing topic; - for stdout");
  command.add("--markdown", request.markdown, "FILE",
              "Write Markdown for a merge request; - for stdout");
  command.add("--html", request.html, "FILE",
              "Write one page that opens in any browser; - for stdout");
}

}  // namespace

void add_gate_command(Command& program) {
  const auto request = std::make_shared<GateRequest>();
  Command& command = program.add_command(
      "gate", "Compare tonight's evaluation with a pinned baseline; the verdict is the exit code.");
  command.add("STORE", request->store, "FILE", "Store with the baseline; tonight is added");
  request->source.add_to(command);
  command.add("--baseline", request->baseline, "NAME", "Compared with (main)");
  command.add("--rules", request->rules, "FILE", "Rules and margins (TOML)");
  command.add_flag("--show-rules", request->show_rules,
                   "Print the rules as TOML, those of --rules where given, and do nothing else");
  command.add_flag("--dry-run", request->dry_run, "Store neither tonight nor the verdict");
  add_gate_outputs(command, *request);
  command.footer(
      "Exit code: 0 PASS, 1 REGRESSION, 3 INCONCLUSIVE, 2 BAD INPUT, also for bad usage.\n\n"
      "Examples:\n"
      "  prescope gate nights.db --from nightly.toml --arm bm25 --junit gate.xml\n"
      "  prescope gate nights.db --from bm25.run --qrels qrels.txt --baseline bm25 --dry-run\n"
      "  prescope gate nights.db --from 13 --markdown - > comment.md\n"
      "  prescope gate --show-rules > rules.toml");
  command.body = [request] { return run_gate(*request); };
}

}  // namespace prescope::cli
