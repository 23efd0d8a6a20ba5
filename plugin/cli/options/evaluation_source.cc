#include "cli/options/evaluation_source.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>

#include "base/toml_file.h"
#include "base/utc_time.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/terminal.h"
#include "runs/docno_hint.h"
#include "nightly/evaluation_record.h"
#include "prescope/error.h"
#include "replay/replay.h"
#include "replay/replay_options.h"
#include "replay/replay_report.h"

namespace prescope::cli {

namespace {

constexpr std::string_view kExperimentEnding = ".toml";
constexpr std::string_view kStoredWord = "evaluation ";

/// The arm that is asked for, or the only one.
ReplayArm chosen_arm(const std::vector<ReplayArm>& arms, const std::optional<std::string>& name,
                     const std::string& file) {
  std::vector<std::string_view> names;
  for (const ReplayArm& arm : arms) names.push_back(arm.config.id.text());
  if (!name && arms.size() == 1) return arms.front();
  if (!name) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} has {} arms: {}; say with --arm which of them is meant", file,
                            arms.size(), fmt::join(names, ", ")));
  }
  const auto at = std::ranges::find(names, *name);
  if (at == names.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--arm: {}", unknown_name_message("arm", *name, names)));
  }
  return arms[static_cast<std::size_t>(at - names.begin())];
}

/// Reads the number if the flag was given.
template <class Number>
void take(std::string_view flag, const std::optional<std::string>& word, Number& number,
          const std::optional<Limits>& limits = {}) {
  if (!word) return;
  try {
    read_word(*word, number, limits);
  } catch (const Error& error) {
    throw Error(ErrorCode::kUsage, fmt::format("{}: {}", flag, error.what()));
  }
}

}  // namespace

/// A flag, whether it was given, and for what it has a meaning.
struct EvaluationSource::Flag {
  std::string_view name;
  const std::optional<std::string>* value;
  std::string_view key;  ///< of an experiment file; empty: none
  bool of_run, of_replay, of_stored;
};

std::vector<EvaluationSource::Flag> EvaluationSource::flags() const {
  return {{"--qrels", &qrels_, "qrels.path", true, true, false},
          {"--docno", &docno_, "qrels.docno", true, true, false},
          {"--family-map", &family_map_, "qrels.family_map", true, true, true},
          {"--min-grade", &min_grade_, "qrels.min_grade", true, true, false},
          {"--measures", &measures_, "", true, true, false},
          {"--depth", &depth_, "depth", true, true, false},
          {"--order", &order_, "", true, false, false},
          {"--score", &score_, "", true, false, false},
          {"--arm", &arm_, "", false, true, false},
          {"--engine", &engine_, "engine", false, true, false},
          {"--index", &index_, "index", false, true, false},
          {"--threads", &threads_, "threads", true, true, false}};
}

void EvaluationSource::add_to(Command& command) {
  command.add("--from", from_, "WHAT",
              "A run file, an experiment file (*.toml) to replay, or the number of a stored "
              "evaluation");
  command.add("--qrels", qrels_, "FILE", "Judgements: a run needs them, a replay has its own");
  command.add("--docno", docno_, "POLICY",
              "When docnos are the same document: raw, publication, patent, family (of a run "
              "raw, of a replay patent)");
  command.add("--family-map", family_map_, "FILE", "Lines 'docno family', for --docno family");
  command.add("--min-grade", min_grade_, "N", "Grade from which a document is relevant (1)");
  command.add("-m,--measures", measures_, "M,M",
              "What it is to be compared by (of a run PRES and R at 100 and 1000, and AP)");
  command.add("--depth", depth_, "N", "Ranks that count, or hits to ask for");
  command.add("--order", order_, "ORDER", "What ranks the lines of a run: trec or file (trec)");
  command.add("--score", score_, "TYPE", "Scores of a run are compared as double or float");
  command.add("--arm", arm_, "NAME", "The arm to replay, where the experiment has several");
  command.add("--engine", engine_, "NAME", "Instead of the experiment's engine");
  command.add("--index", index_, "DIR", "Instead of the experiment's index");
  command.add("--threads", threads_, "N", "Threads that read, or queries at the same time (1)");
}

std::optional<std::int64_t> EvaluationSource::stored_number() const {
  std::string_view digits = from_;
  if (digits.starts_with(kStoredWord)) digits.remove_prefix(kStoredWord.size());
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stopped != end || number < 1) return std::nullopt;
  return number;
}

EvaluationSource::Kind EvaluationSource::kind() const {
  if (stored_number()) return Kind::kStored;
  return from_.ends_with(kExperimentEnding) ? Kind::kReplay : Kind::kRun;
}

void EvaluationSource::check() const {
  if (from_.empty()) {
    throw Error(ErrorCode::kUsage,
                "--from is missing: name a run file, an experiment file (*.toml), or the number of "
                "a stored evaluation");
  }
  OptionProblems problems;
  const Kind kind = this->kind();
  for (const Flag& flag : flags()) {
    const bool has_meaning = kind == Kind::kRun      ? flag.of_run
                             : kind == Kind::kReplay ? flag.of_replay
                                                     : flag.of_stored;
    if (!flag.value->has_value() || has_meaning) continue;
    const std::string_view what = kind == Kind::kRun      ? "a run file"
                                  : kind == Kind::kReplay ? "a replay"
                                                          : "a stored evaluation";
    problems.add(flag.name, fmt::format("has no meaning for {} ('{}')", what, from_));
  }
  if (kind == Kind::kRun && !qrels_) {
    problems.add("--qrels",
                 fmt::format("the run '{}' needs judgements; give them with --qrels FILE "
                             "(an experiment file ends in .toml)",
                             from_));
  }
  problems.throw_if_any();
}

EvaluationRecord EvaluationSource::evaluate() const {
  check();
  EvaluationRecord record = kind() == Kind::kReplay ? of_replay() : of_run();
  record.time = utc_now();
  return record;
}

EvaluationRecord EvaluationSource::of_run() const {
  EvaluationFlags flags;
  flags.qrels = *qrels_;
  flags.docno = docno_.value_or(flags.docno);
  flags.family_map = family_map();
  flags.order = order_.value_or(flags.order);
  flags.score = score_.value_or(flags.score);
  if (measures_) flags.measures = {*measures_};
  take("--min-grade", min_grade_, flags.min_grade);
  take("--depth", depth_, flags.depth, Limits{1});
  take("--threads", threads_, flags.threads, Limits{1, kMostThreads});
  check_standard_input(flags, {&from_, 1});
  return evaluate_run({.path = from_,
                       .qrels = flags.qrels,
                       .qrels_options = qrels_options_of(flags),
                       .read = read_run_options_of(flags),
                       .ranks = evaluate_options_of(flags).ranks,
                       .measures = measures_of(flags)});
}

EvaluationRecord EvaluationSource::of_replay() const {
  OptionProblems problems;
  RawOptions raw = read_experiment_file(from_, problems);
  ReplayFlags replaced;
  for (const Flag& flag : flags()) {
    if (!flag.key.empty()) replaced.values[std::string(flag.key)] = *flag.value;
  }
  if (measures_) {
    std::vector<std::string> names;
    for (const Measure& measure : parse_measures(*measures_)) names.push_back(measure.name());
    replaced.values["measures"] = fmt::format("{}", fmt::join(names, ","));
  }
  override_options(replaced, raw, problems);
  for (RawArm& arm : raw.arms) {
    if (!arm.engine.empty()) arm.engine = engine_.value_or(arm.engine);
    if (!arm.index.empty()) arm.index = index_.value_or(arm.index);
  }
  ReplayOptions options = resolve_options(raw, problems);
  problems.throw_if_any();
  options.arms = {chosen_arm(options.arms, arm_, from_)};
  const auto note_skipped = [](Experiment&, const ReplayResult& result) {
    const std::string skipped = skipped_topics_note(result.topics);
    if (!skipped.empty()) print_note(skipped);
  };
  return record_of_replay(options, from_,
                          {.on_progress = show_progress("topic"), .on_end = note_skipped});
}

}  // namespace prescope::cli
