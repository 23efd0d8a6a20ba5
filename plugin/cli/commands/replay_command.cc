#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/evaluation_source.h"
#include "cli/options/interrupt.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "prescope/dashboard.h"
#include "replay/replay.h"
#include "serve/site/page.h"

namespace prescope::cli {

namespace {

struct ReplayRequest {
  std::string experiment;
  ReplayFlags flags;
  ResultFiles files{"--json and --html cannot both be standard output ('-')"};
  std::string runs_out;
  std::string store, log;
  bool serve = false;
  std::optional<std::uint16_t> port;
  bool help_arms = false;
};

ReplayOptions options_of(const ReplayRequest& request) {
  if (request.experiment.empty()) {
    throw usage_error("no experiment file; see 'prescope replay --help'");
  }
  return read_replay_options(request.experiment, request.flags);
}

/// The engine that the flag names, else the engines of the experiment's arms, each once.
std::vector<std::string> engines_of(const ReplayRequest& request) {
  const std::optional<std::string>& engine = request.flags.values.at("engine");
  if (engine && !engine->empty()) return {*engine};
  std::vector<std::string> engines;
  for (const ReplayArm& arm : options_of(request).arms) {
    if (std::ranges::count(engines, arm.engine) == 0) engines.push_back(arm.engine);
  }
  return engines;
}

void print_arm_settings(const ReplayRequest& request) {
  std::string out;
  for (const std::string& name : engines_of(request)) {
    const Engine& engine = load_engine(name);
    out += fmt::format("Settings of an arm of {} {}:\n", engine.name(), engine.version());
    for (const std::string_view line : engine.arm_settings()) out += fmt::format("  {}\n", line);
  }
  print_result(out);
}

void print_notes(const ReplayResult& result) {
  for (const std::string& note : replay_notes(result)) print_note(note);
  const ReplayTopics& topics = result.topics;
  const std::string skipped = skipped_topics_note(topics);
  if (!skipped.empty()) print_note(skipped);
  if (topics.without_judgements > 0) {
    print_note(fmt::format("topics of the topics file without judgements, not run: {}",
                           topics.without_judgements));
  }
}

std::vector<std::shared_ptr<ObservationLog>> logs_of(const ReplayRequest& request) {
  std::vector<std::shared_ptr<ObservationLog>> logs;
  if (!request.store.empty()) {
    logs.push_back(log_to_store(request.store, {.on_warning = print_note}));
  }
  if (!request.log.empty()) {
    logs.push_back(log_to_json_lines(request.log, {.on_warning = print_note}));
  }
  return logs;
}

std::vector<AttachService> services_of(const ReplayRequest& request) {
  if (!request.serve) return {};
  return {dashboard({.port = request.port.value_or(0),
                     .token = dashboard_token(),
                     .on_listening = [](const std::string& url) { print_note("serving " + url); },
                     .on_warning = print_note})};
}

std::string replay_html(const ReplayOptions& options, std::string_view document,
                        const ReplayViews& views) {
  return serve::page_of({.kind = "replay",
                         .title = "Replay of " + options.name,
                         .document = document,
                         .sweep = views.sweep,
                         .topics = views.topics});
}

void run_replay(ReplayRequest& request) {
  if (request.help_arms) return print_arm_settings(request);
  if (request.port && !request.serve) {
    throw usage_error("--port has a meaning only with --serve; add it");
  }
  const ReplayOptions options = options_of(request);
  std::vector<std::string> inputs = inputs_of(options);
  inputs.push_back(request.experiment);
  const auto add_output = [&](const std::filesystem::path& output) {
    refuse_overwriting(output, inputs);
    inputs.push_back(output.string());
  };
  add_output(request.store);
  add_output(request.log);
  for (const ReplayArm& arm : options.arms) {
    const std::filesystem::path run(arm.config.id.text() + ".run");
    if (!request.runs_out.empty()) add_output(request.runs_out / run);
  }
  request.files.open(inputs);
  std::optional<OrderedRuns> runs;
  if (!request.runs_out.empty()) runs.emplace(request.runs_out, options.arms);

  const auto finish = [&](Experiment& experiment, const ReplayResult& result) {
    if (runs) runs->finish();
    const auto arms = compare_replayed(options, experiment, *result.summary, result.slices);
    const auto json = [&] { return replay_json(options, result, arms.get()); };
    const auto text = request.files.write(
        {{"--json", json},
         {"--html", [&] { return replay_html(options, json(), replay_views(experiment)); }}});
    print_notes(result);
    print_result(text ? *text : replay_table(options, result, arms.get(), stdout_look()));
    if (request.serve) Interrupt().wait();
  };
  static_cast<void>(replay(options, {.runs = runs ? &*runs : nullptr,
                                     .logs = logs_of(request),
                                     .services = services_of(request),
                                     .on_progress = show_progress("topic"),
                                     .on_end = finish}));
}

}  // namespace

void add_experiment_flags(Command& command, ReplayFlags& flags) {
  for (const OptionKey& key : kOptionKeys) add_flag(command, key, flags);
  offer_docno_policies(command);
  command.offer("--topics-source", {"file", "documents"});
  command.offer("--exclude", {"none", "self", "family"});
  add_category_flag(command, flags.categories);
  command.add("--arms", flags.arms, "A,B",
              "Arms to run, in this order; the others are compared with the first");
  command.add("--arm", flags.arm_settings, "NAME:KEY=VALUE,...",
              "Adds an arm or changes its settings; may be repeated");
}

void add_replay_command(Command& program) {
  const auto [command, request] = program.add_command(
      "replay", "Run every topic under each ranking configuration and compare them.", run_replay);
  command.add("EXPERIMENT", request.experiment, "FILE", "Experiment file (TOML)");
  add_experiment_flags(command, request.flags);
  request.files.add(command, "--json", "Write all results as JSON; - for stdout, no table then");
  request.files.add(command, "--html",
                    "Write one page with every topic that opens in any browser, too; - for "
                    "stdout, no table then");
  command.add("--runs-out", request.runs_out, "DIR", "Write ARM.run, a TREC run, for each arm");
  command.add("--store", request.store, "FILE",
              "Write observations to this store; see 'prescope log --help'");
  command.add("--log", request.log, "FILE", "Append observations to this file, as JSON lines");
  command.add_flag(
      "--serve", request.serve,
      "Show it in a browser while it runs, and then until Ctrl-C; see 'prescope serve'");
  command.add("--port", request.port, "N", "Port of --serve (any that is free)");
  command.add_flag("--help-arms", request.help_arms, "List the settings of the engine's arms");
  command.footer([] {
    return fmt::format(
        "Flags override the experiment file.\n\n"
        "Examples:\n"
        "  prescope replay experiment.toml --threads 2 --arm 'bm25:k1=1.6' --json result.json\n"
        "  prescope replay experiment.toml --arm 'tonight:index=indexes/tonight'\n"
        "  prescope replay experiment.toml --html replay.html\n"
        "  prescope replay experiment.toml --store nights.store --log replay.jsonl\n"
        "  prescope replay experiment.toml --serve --port 8080\n"
        "  prescope replay --help-arms --engine {}",
        example_engine());
  });
}

}  // namespace prescope::cli
