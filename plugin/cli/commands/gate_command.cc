#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/evaluation_source.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "fleet/nights.h"
#include "nightly/gate/gate_rules.h"
#include "nightly/history.h"
#include "replay/replay.h"
#include "report/nightly/gate_report.h"
#include "serve/site/page.h"

namespace prescope::cli {

namespace {

struct PinRequest {
  std::string store;
  EvaluationSource source;
  std::optional<std::string> name;
  std::string why;
  std::optional<std::string> must_find;
  bool list = false;
  bool force = false;
};

/// --list does nothing else, so that nobody takes a list for a pin that was made.
void check_list_request(const PinRequest& request) {
  std::vector<std::string_view> flags = request.source.given_flags();
  if (request.name) flags.emplace_back("--name");
  if (!request.why.empty()) flags.emplace_back("--why");
  if (request.must_find) flags.emplace_back("--must-find");
  if (request.force) flags.emplace_back("--force");
  OptionProblems problems;
  for (const std::string_view flag : flags) problems.add(flag, "has no meaning beside --list");
  problems.throw_if_any();
}

void check_pin_request(const PinRequest& request) {
  if (request.why.find_first_not_of(" \t\n") == std::string::npos) {
    throw usage_error(
        "--why is missing: a sentence for those who later ask why the baseline changed");
  }
  if (request.name == "") {
    throw usage_error("--name is empty; expected a name such as main");
  }
  if (request.must_find == "") throw usage_error("--must-find is empty; expected a qrels file");
  request.source.check();
  const bool is_stored = request.source.stored_number().has_value();
  if (is_stored && !request.must_find && !request.source.family_map().empty()) {
    throw usage_error(
        "--family-map: has no meaning for a stored night that is pinned without --must-find");
  }
}

/// Prints what is to be pinned, and refuses it if its input looks wrong.
void look_at(const EvaluationRecord& evaluation, const PinRequest& request) {
  const std::vector<GateVerdict::Rule> checks = pin_checks(evaluation);
  std::string refused;
  for (const GateVerdict::Rule& check : checks) {
    if (check.status == GateVerdict::Status::kBadInput) {
      refused += fmt::format("{}: {}\n", check.id, check.reason);
    }
  }
  if (!refused.empty() && !request.force) {
    throw Error(ErrorCode::kBadInput,
                refused +
                    "nothing was pinned, because every later night would be compared with "
                    "this; --force pins it all the same");
  }
  try {
    print_result(pin_look(evaluation, checks, stdout_look()));
  } catch (const ReaderGone&) {  // it is pinned although nobody looks
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; nothing was pinned", error.what()));
  }
}

void run_pin(const PinRequest& request) {
  if (request.list) {
    check_list_request(request);
    const auto store = open_nights(request.store, Store::Access::kRead);
    return print_result(pin_table(store->pins(), stdout_look()));
  }
  check_pin_request(request);
  std::vector<std::string> inputs = request.source.inputs();
  inputs.push_back(request.must_find.value_or(""));
  refuse_overwriting(request.store, inputs);
  const auto stored = request.source.stored_number();
  // A store that cannot be used is heard of before a replay that may take an hour.
  std::unique_ptr<Store> store;
  if (stored || is_fleet_url(request.store) || std::filesystem::exists(request.store)) {
    store = open_nights(request.store, stored ? Store::Access::kUpdate : Store::Access::kWrite);
  }
  const EvaluationRecord evaluation =
      stored ? store->evaluation(*stored) : request.source.evaluate();
  Pin pin{.name = request.name.value_or("main"),
          .evaluation = stored.value_or(0),
          .by = user_name(),
          .why = request.why,
          .time = utc_now()};
  if (request.must_find) {
    pin.must_find = load_must_find(*request.must_find, request.source.family_map(), evaluation);
  }
  look_at(evaluation, request);
  // Everything that can be refused has been, before a store is made.
  if (!store) store = open_nights(request.store, Store::Access::kWrite);
  const std::string pinned = pin_sentence(stored ? store->pin(pin) : store->pin(evaluation, pin));
  try {
    print_sentence(pinned);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}{}", pinned, error.what()));
  }
}

}  // namespace

void add_pin_command(Command& program) {
  const auto [command, request] = program.add_command(
      "pin", "Make a night the baseline that later ones are gated against.", run_pin);
  command
      .add("STORE", request.store, "FILE",
           "Store (SQLite), made if it is missing, or a fleet: clickhouse://host/database")
      ->required();
  request.source.add_to(command);
  command.add("--name", request.name, "NAME", "Name of the baseline (main)");
  command.add("--why", request.why, "TEXT", "Reason for pinning, kept for good");
  command.add("--must-find", request.must_find, "FILE",
              "Qrels file of citations that must never be lost");
  command.add_flag("--force", request.force, "Pin it although its input looks wrong");
  command.add_flag("--list", request.list,
                   "List the pins, with who made them, when and why, and do nothing else");
  command.footer(
      "Who pins is taken from USER or LOGNAME. Only this command pins.\n\n"
      "Examples:\n"
      "  prescope pin nights.db --from nightly.toml --arm bm25 --why 'first release'\n"
      "  prescope pin nights.db --from bm25.run --qrels qrels.txt --name bm25 --why 'new weights' "
      "--must-find pinned.txt\n"
      "  prescope pin nights.db --from 12 --why 'accepted: smaller index'\n"
      "  prescope pin nights.db --list");
}

namespace {

struct GateRequest {
  std::string store;
  EvaluationSource source;
  std::string baseline = "main";
  std::string baseline_index;
  std::string rules;
  SliceFlags slices;
  ResultFiles files{"standard output ('-') can be one file only; it is named {} times"};
  std::uint32_t top = 10;
  bool show_rules = false;
  bool dry_run = false;
};

/// Flags take the place of keys of the file.
GateRules rules_of(const GateRequest& request) {
  GateRules rules = request.rules.empty() ? GateRules{} : read_gate_rules(request.rules);
  const SliceSource slices = request.slices.source();
  if (!slices.file.empty()) rules.slices.path = slices.file.string();
  if (!slices.by.empty()) rules.slices.by = slices.by;
  return rules;
}

void check_gate_request(const GateRequest& request) {
  if (request.store.empty()) {
    throw usage_error("STORE is missing; see 'prescope gate --help'");
  }
  request.source.check();
  if (!request.baseline_index.empty() && !request.source.is_replay()) {
    throw usage_error(
        "--baseline-index has a meaning only if tonight is a replay (an experiment file)");
  }
}

/// A gate from its beginning to its verdict. Whatever ends it before leaves a trace: in the
/// reports, which say at once that there is no verdict yet, and in the store.
class GateRun {
 public:
  explicit GateRun(GateRequest& request)
      : request_(request),
        refusal_{.store = nights_name(request.store),
                 .attempt = {.time = utc_now(),
                             .baseline = request.baseline,
                             .source = request.source.name(),
                             .reason = "the gate has not finished; it is at work, or was killed"}} {
  }

  /// Returns the exit code.
  int run() {
    try {
      request_.files.check(inputs());
    } catch (const Error& error) {
      refuse_usage({.reason = error.what(), .unknown_values = {}, .arguments = {}});
      throw;
    }
    report_refusal([](const std::string& why) {
      print_note(fmt::format("{}; the verdict will be printed all the same", why));
    });
    try {
      check_gate_request(request_);
      report_ = judge();
    } catch (const std::exception& error) {
      refuse(error.what());
      throw;
    }
    return report_verdict();
  }

  /// Says in the reports why there is no verdict. The store stays as it is, because wrong arguments
  /// may name another one than was meant.
  void refuse_usage(const Command::Refusal& refusal) {
    std::vector<std::string> kept = inputs();
    kept.insert(kept.end(), refusal.arguments.begin(), refusal.arguments.end());
    request_.files.leave_out_refused(kept);
    refusal_.attempt.reason = refusal.reason;
    report_refusal(print_error);
    for (const std::string& path : refusal.unknown_values) {
      if (!std::filesystem::is_regular_file(path)) continue;
      print_note(fmt::format("{}: left as it was, because no known option names it", path));
    }
  }

 private:
  using Failed = std::function<void(const std::string& why)>;

  [[nodiscard]] std::vector<std::string> inputs() const {
    std::vector<std::string> inputs = request_.source.inputs();
    inputs.insert(inputs.end(), {request_.store, request_.rules});
    try {
      inputs.push_back(rules_of(request_).slices.path);
    } catch (const Error&) {  // which `judge` reports
    }
    return inputs;
  }

  void report_refusal(const Failed& failed) {
    const auto locks = request_.files.lock_folders();
    request_.files.write_each(
        {{"--json", [&] { return refusal_json(refusal_); }},
         {"--junit", [&] { return refusal_junit(refusal_); }},
         {"--markdown", [&] { return document_as_markdown(refusal_document(refusal_)); }},
         {"--html", [&] { return refusal_html(refusal_); }}},
        ResultFiles::Content::kFiles, failed);
  }

  /// Stores the verdict and writes its reports. Of gates with reports in one folder, the one with
  /// the higher number writes last, because both happen under the folder's lock. Then prints the
  /// verdict. Returns the exit code.
  int report_verdict() {
    const std::vector<ResultFiles::Result> results = {
        {"--json", [&] { return gate_json(*report_); }},
        {"--junit", [&] { return gate_junit(*report_); }},
        {"--markdown", [&] { return document_as_markdown(gate_document(*report_)); }},
        {"--html", [&] { return serve::gate_page(*report_); }}};
    std::vector<std::string>& not_written = report_->not_written;
    const Failed failed = [&not_written](const std::string& why) {
      if (std::ranges::count(not_written, why) > 0) return;
      print_error(why);
      not_written.push_back(why);
    };
    {
      const auto locks = request_.files.lock_folders();
      if (!request_.dry_run) keep(*report_);
      request_.files.write_each(results, ResultFiles::Content::kFiles, failed);
    }
    print(failed);
    request_.files.write_each(results, ResultFiles::Content::kStreams, failed);
    if (!not_written.empty()) {  // the reports state the exit code
      const auto locks = request_.files.lock_folders();
      request_.files.write_each(results, ResultFiles::Content::kFiles, [](const std::string&) {});
    }
    return exit_code(*report_);
  }

  void print(const Failed& failed) {
    try {
      if (!request_.files.uses_stdout()) {
        print_result(document_as_text(gate_document(*report_, request_.top), stdout_look()));
      }
    } catch (const ReaderGone&) {  // the verdict is still the exit code
    } catch (const std::exception& error) {
      failed(error.what());
    }
  }

  GateReport judge() {
    // A store that may not be written to is heard of before a replay that may take an hour.
    store_ = open_nights(request_.store,
                         request_.dry_run ? Store::Access::kRead : Store::Access::kUpdate);
    if (!request_.dry_run) begin();
    const GateRules rules = rules_of(request_);
    const Baseline baseline = store_->baseline(request_.baseline);
    // Slices that cannot be read are heard of before a replay that may take an hour.
    TopicSlices slices = gate_slices(rules, baseline.evaluation);
    const auto stored = request_.source.stored_number();
    EvaluationRecord tonight = stored ? store_->evaluation(*stored) : request_.source.evaluate();
    const std::string map = request_.source.family_map();
    // An evaluation is stored without its family map.
    if (stored && !map.empty() && tonight.qrels.docno == DocnoPolicy::kFamily) {
      tonight.docnos = DocnoNormalizer(DocnoPolicy::kFamily, FamilyMap::load(map));
    }
    GateEvidence facts = evidence(baseline, tonight, stored);
    facts.slices = std::move(slices);
    return {.store = refusal_.store,
            .evaluation = stored,
            .verdict = gate(baseline, tonight, rules, facts)};
  }

  [[nodiscard]] GateEvidence evidence(const Baseline& baseline, const EvaluationRecord& tonight,
                                      std::optional<std::int64_t> number) const {
    const auto nights = store_->nights();
    GateEvidence evidence{.past_p95_ms = accepted_p95_ms(nights, baseline, tonight, number)};
    if (!number && !nights.empty()) {
      evidence.latest_night = std::ranges::max_element(nights, {}, &Night::time)->time;
    }
    if (request_.source.is_replay()) {
      evidence.run_pairs = [&] {
        return compare_latency(request_.source.replay_options(), baseline.evaluation,
                               request_.baseline_index);
      };
    }
    return evidence;
  }

  /// A store that is locked or full now may not be so when there is a verdict.
  void begin() {
    try {
      attempt_ = store_->begin(refusal_.attempt);
    } catch (const Error& error) {
      print_note(fmt::format("{}; the verdict will be printed all the same", error.what()));
    }
  }

  void keep(GateReport& report) {
    const auto stored = report.evaluation;
    try {
      if (stored) {
        store_->add(*stored, report.verdict, attempt_);
      } else {
        report.evaluation = store_->add(report.verdict.tonight, report.verdict, attempt_);
      }
    } catch (const Error& error) {
      report.evaluation = stored;
      report.not_stored = error.what();
      print_error(fmt::format("{}; the verdict was not stored", error.what()));
    }
  }

  void refuse(const std::string& reason) {
    refusal_.attempt.reason = reason;
    report_refusal(print_error);
    try {
      if (attempt_) store_->refuse(*attempt_, reason);
    } catch (const Error& error) {
      print_error(error.what());
    }
  }

  GateRequest& request_;
  GateRefusal refusal_;
  std::unique_ptr<Store> store_;
  std::optional<std::int64_t> attempt_;
  std::optional<GateReport> report_;
};

int run_gate(GateRequest& request) {
  if (request.show_rules) {
    print_result(gate_rules_toml(rules_of(request)));
    return exit_code(GateOutcome::kPass);
  }
  return GateRun(request).run();
}

void add_gate_outputs(Command& command, GateRequest& request) {
  command.add("--top", request.top, "N", "Topics that changed, listed in the table (10)");
  ResultFiles& files = request.files;
  files.add(command, "--json", "Write everything as JSON, too; - for stdout");
  files.add(command, "--junit",
            "Write JUnit XML, a case for each rule and each failing topic; - for stdout");
  files.add(command, "--markdown", "Write Markdown for a merge request; - for stdout");
  files.add(command, "--html", "Write one page that opens in any browser; - for stdout");
}

}  // namespace

void add_gate_command(Command& program) {
  const auto [command, request] = program.add_command(
      "gate", "Compare tonight with a pinned baseline; the verdict is the exit code.", run_gate);
  command.add("STORE", request.store, "FILE",
              "Store, or fleet (clickhouse://host/database), with the baseline; tonight is added");
  request.source.add_to(command);
  command.add("--baseline", request.baseline, "NAME", "Baseline to compare with (main)");
  command.add("--baseline-index", request.baseline_index, "DIR",
              "Copy of the baseline's index, to time it beside tonight's (where it was)");
  command.add("--rules", request.rules, "FILE", "Rules and margins (TOML)");
  add_slice_flags(command, request.slices);
  command.add_flag("--show-rules", request.show_rules,
                   "Print the rules as TOML, with those of --rules if given, and do nothing else");
  command.add_flag("--dry-run", request.dry_run, "Store neither tonight nor the verdict");
  add_gate_outputs(command, request);
  command.on_refusal([&request = request](const Command::Refusal& refusal) {
    GateRun(request).refuse_usage(refusal);
  });
  command.footer(
      "Exit code: 0 PASS, 1 REGRESSION, 3 INCONCLUSIVE, 2 BAD INPUT, also for bad usage. Without a "
      "verdict, the reports say NOT JUDGED.\n\n"
      "Examples:\n"
      "  prescope gate nights.db --from nightly.toml --arm bm25 --junit gate.xml\n"
      "  prescope gate nights.db --from bm25.run --qrels qrels.txt --baseline bm25 --dry-run\n"
      "  prescope gate nights.db --from 13 --markdown - > comment.md\n"
      "  prescope gate nights.db --from 13 --slices patents.jsonl.gz --slice-by section\n"
      "  prescope gate --show-rules > rules.toml");
}

}  // namespace prescope::cli
