#include "cli/options/evaluation_source.h"

#include "cli/options/evaluation_flags.h"
#include "cli/options/terminal.h"
#include "replay/replay.h"

namespace prescope::cli {

namespace {

constexpr std::string_view kExperimentEnding = ".toml";
constexpr std::string_view kStoredWords[] = {"night ", "evaluation "};

/// The arm that is asked for, or the only one.
ReplayArm chosen_arm(const std::vector<ReplayArm>& arms, const std::optional<std::string>& name,
                     const std::string& file) {
  std::vector<std::string_view> names;
  for (const ReplayArm& arm : arms) names.push_back(arm.config.id.text());
  if (!name && arms.size() == 1) return arms.front();
  if (!name) {
    throw usage_error("{} has {} arms: {}; say with --arm which of them is meant", file,
                      arms.size(), fmt::join(names, ", "));
  }
  const auto at = std::ranges::find(names, *name);
  if (at == names.end()) {
    throw usage_error("--arm: {}", unknown_name_message("arm", *name, names));
  }
  return arms[static_cast<std::size_t>(at - names.begin())];
}

/// Kinds of sources; a flag has a meaning for some of them.
enum Kind : unsigned { kRun = 1, kReplay = 2, kStored = 4 };

struct SourceFlag {
  std::string_view name;
  std::string_view key;  ///< in an experiment file; empty: none
  unsigned kinds;
  const char *value_name, *help;
};

constexpr std::string_view kMeasures = "--measures", kCategory = "--category";

constexpr std::array<SourceFlag, 13> kSourceFlags{{
    {"--qrels", "qrels.path", kRun | kReplay, "FILE",
     "Judgements: a run needs them, a replay has its own"},
    {"--docno", "qrels.docno", kRun | kReplay, "POLICY",
     "Docnos that are the same document: raw, publication, patent, family (for a run raw, for a "
     "replay patent)"},
    {"--family-map", "qrels.family_map", kRun | kReplay | kStored, "FILE",
     "Lines 'docno family': tests count topics of one family once, and --docno family matches by "
     "it"},
    {"--min-grade", "qrels.min_grade", kRun | kReplay, "N",
     "Grade from which a document is relevant (1)"},
    {"--rule", "qrels.rule", kRun | kReplay, "RULE",
     "How citations of a citation store are judged (examiner)"},
    {kMeasures, "", kRun | kReplay, "M,M",
     "Measures to compare by (for a run: PRES and R at 100 and 1000, and AP)"},
    {"--depth", "depth", kRun | kReplay, "N", "Ranks that count, or hits to ask for"},
    {"--order", "", kRun, "ORDER",
     "Order of a run: trec (by score, then docno) or file (of the lines) (trec)"},
    {"--score", "", kRun, "TYPE", "Scores of a run are compared as double or float"},
    {"--arm", "", kReplay, "NAME", "Arm to replay, if the experiment has several"},
    {"--engine", "engine", kReplay, "NAME", "Engine to use instead of the experiment's"},
    {"--index", "index", kReplay, "DIR", "Index to use instead of the experiment's"},
    {"--threads", "threads", kRun | kReplay, "N",
     "Threads that read, or queries at the same time (1)"},
}};

}  // namespace

const std::optional<std::string>& EvaluationSource::given(std::string_view flag) const {
  return values_.at(flag);
}

void EvaluationSource::add_to(Command& command) {
  command.add("--from", from_, "WHAT",
              "Run file, experiment file (*.toml) to replay, or number of a stored night");
  for (const SourceFlag& flag : kSourceFlags) {
    const std::string names = (flag.name == kMeasures ? "-m," : "") + std::string(flag.name);
    command.add(names, values_[flag.name], flag.value_name, flag.help);
  }
  add_category_flag(command, categories_);
  offer_docno_policies(command);
  command.offer("--order", {"trec", "file"});
  command.offer("--score", {"double", "float"});
}

std::vector<std::string_view> EvaluationSource::given_flags() const {
  std::vector<std::string_view> flags;
  if (!from_.empty()) flags.emplace_back("--from");
  for (const SourceFlag& flag : kSourceFlags) {
    if (given(flag.name)) flags.push_back(flag.name);
  }
  if (!categories_.empty()) flags.push_back(kCategory);
  return flags;
}

std::optional<std::int64_t> EvaluationSource::stored_number() const {
  std::string_view digits = from_;
  for (const std::string_view word : kStoredWords) {
    if (digits.starts_with(word)) digits.remove_prefix(word.size());
  }
  const auto number = whole_number<std::int64_t>(digits);
  return number && *number >= 1 ? number : std::nullopt;
}

std::string EvaluationSource::name() const {
  if (const auto number = stored_number()) return fmt::format("night {}", *number);
  return (is_replay() ? "replay " : "run ") + from_;
}

bool EvaluationSource::is_replay() const { return from_.ends_with(kExperimentEnding); }

void EvaluationSource::check() const {
  if (from_.empty()) {
    throw usage_error(
        "--from is missing: name a run file, an experiment file (*.toml), or the number of "
        "a stored night");
  }
  const bool is_stored = stored_number().has_value();
  const Kind kind = is_stored ? kStored : is_replay() ? kReplay : kRun;
  const std::string_view what = kind == kRun      ? "a run file"
                                : kind == kReplay ? "a replay"
                                                  : "a stored night";
  OptionProblems problems;
  const auto refuse = [&](std::string_view flag) {
    problems.add(flag, fmt::format("has no meaning for {} ('{}')", what, from_));
  };
  for (const SourceFlag& flag : kSourceFlags) {
    if (given(flag.name) && (flag.kinds & kind) == 0) refuse(flag.name);
  }
  if (is_stored && !categories_.empty()) refuse(kCategory);
  if (kind == kRun && !given("--qrels")) {
    problems.add("--qrels",
                 fmt::format("the run '{}' needs judgements; give them with --qrels FILE "
                             "(an experiment file ends in .toml)",
                             from_));
  }
  problems.throw_if_any();
}

std::vector<std::string> inputs_of(const ReplayOptions& options) {
  std::vector<std::string> inputs{options.qrels.string(), options.topics.string(),
                                  options.exclude_pairs.string(),
                                  options.qrels_options.family_map.string()};
  for (const ReplayArm& arm : options.arms) {
    if (is_url(arm.index.string())) continue;
    inputs.push_back(arm.index.string());
    // A setting may name a file of the index, such as a run.
    for (const ArmSetting& setting : arm.config.settings) {
      inputs.push_back((arm.index / setting.value).string());
    }
  }
  return inputs;
}

std::vector<std::string> EvaluationSource::inputs() const {
  std::vector<std::string> inputs{from_, given("--qrels").value_or(""), family_map()};
  if (!is_replay()) return inputs;
  try {
    std::ranges::copy(inputs_of(replay_options()), std::back_inserter(inputs));
  } catch (const Error&) {  // which `evaluate` reports
  }
  return inputs;
}

EvaluationRecord EvaluationSource::evaluate() const {
  check();
  EvaluationRecord record = is_replay() ? of_replay() : of_run();
  record.time = utc_now();
  for (const std::string& note : record.input_notes) print_note(note);
  return record;
}

EvaluationRecord EvaluationSource::of_run() const {
  EvaluationFlags flags;
  Command options_of_runs("", "");
  add_evaluation_flags(options_of_runs, flags);
  options_of_runs.read_values([&](const CLI::Option& option) {
    if (option.get_name() == kCategory) return categories_;
    const auto value = values_.find(option.get_name());
    return value != values_.end() && value->second ? std::vector{*value->second}
                                                   : std::vector<std::string>();
  });
  flags.qrels = *given("--qrels");
  flags.runs = {from_};
  check_standard_input(flags);
  return evaluate_run({.path = from_,
                       .qrels = flags.qrels,
                       .qrels_options = flags.qrels_options,
                       .read = flags.read,
                       .ranks = flags.evaluate.ranks,
                       .measures = measures_of(flags.measures)});
}

ReplayOptions EvaluationSource::replay_options() const {
  ReplayFlags replaced{.categories = categories_};
  for (const SourceFlag& flag : kSourceFlags) {
    if (!flag.key.empty()) replaced.values[std::string(flag.key)] = given(flag.name);
  }
  if (const auto& measures = given(kMeasures)) {
    std::vector<std::string> names;
    for (const Measure& measure : parse_measures(*measures)) names.push_back(measure.name());
    replaced.values["measures"] = fmt::format("{}", fmt::join(names, ","));
  }
  ReplayOptions options = read_replay_options(from_, replaced);
  for (ReplayArm& arm : options.arms) {
    arm.engine = given("--engine").value_or(arm.engine);
    if (given("--index")) arm.index = *given("--index");
  }
  options.arms = {chosen_arm(options.arms, given("--arm"), from_)};
  return options;
}

EvaluationRecord EvaluationSource::of_replay() const {
  const auto note_skipped = [](Experiment&, const ReplayResult& result) {
    const std::string skipped = skipped_topics_note(result.topics);
    if (!skipped.empty()) print_note(skipped);
    for (const std::string& note : replay_notes(result)) print_note(note);
  };
  return record_of_replay(replay_options(), from_,
                          {.on_progress = show_progress("topic"), .on_end = note_skipped});
}

}  // namespace prescope::cli
