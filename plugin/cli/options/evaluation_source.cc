#include "cli/options/evaluation_source.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>

#include "base/toml_file.h"
#include "base/utc_time.h"
#include "cli/options/evaluation_flags.h"
#include "cli/replay/replay_record.h"
#include "runs/docno_hint.h"
#include "nightly/evaluation_record.h"
#include "prescope/error.h"
#include "replay/experiment_file.h"
#include "replay/replay_options.h"

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

/// Sets the number where the flag was given.
void take(std::string_view flag, const std::optional<std::string>& word,
          const OptionTarget& target) {
  if (!word) return;
  Problems problems;
  try {
    target.take(*word);
  } catch (const Error& error) {
    problems.add(flag, error.what());
  }
  problems.throw_if_any();
}

std::vector<std::string> listed(const std::string& list) {
  std::vector<std::string> items;
  for (const Measure& measure : parse_measures(list)) items.push_back(measure.name());
  return items;
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

void EvaluationSource::add_to(CommandParser& parser) {
  parser.option("--from", from_, "WHAT",
                "A run file, an experiment file (*.toml) to replay, or the number of a stored "
                "evaluation");
  parser.option("--qrels", qrels_, "FILE", "Judgements: a run needs them, a replay has its own");
  parser.option("--docno", docno_, "POLICY",
                "When docnos are the same document: raw, publication, patent, family (of a run "
                "raw, of a replay patent)");
  parser.option("--family-map", family_map_, "FILE", "Lines 'docno family', for --docno family");
  parser.option("--min-grade", min_grade_, "N", "Grade from which a document is relevant (1)");
  parser.option("-m,--measures", measures_, "M,M",
                "What it is to be compared by (of a run PRES and R at 100 and 1000, and AP)");
  parser.option("--depth", depth_, "N", "Ranks that count, or hits to ask for");
  parser.option("--order", order_, "ORDER", "What ranks the lines of a run: trec or file (trec)");
  parser.option("--score", score_, "TYPE", "Scores of a run are compared as double or float");
  parser.option("--arm", arm_, "NAME", "The arm to replay, where the experiment has several");
  parser.option("--engine", engine_, "NAME", "Instead of the experiment's engine");
  parser.option("--index", index_, "DIR", "Instead of the experiment's index");
  parser.option("--threads", threads_, "N", "Threads that read, or queries at the same time (1)");
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
  Problems problems;
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
  take("--depth", depth_, {flags.depth, 1});
  take("--threads", threads_, {flags.threads, 1, kMostThreads});
  const std::vector<Measure> measures = measures_of(flags);
  const RankOptions ranks = evaluate_options_of(flags).ranks;

  const std::array<std::string, 1> paths = {from_};
  const JudgedRuns runs = load_runs(flags, paths);
  EvaluationRecord record = record_of_run(runs.qrels, runs.facts.front(), ranks);
  record.measures = measures;
  record.docno_hint = find_docno_hint(runs.qrels, runs.facts.front(), read_run_options_of(flags));
  return record;
}

EvaluationRecord EvaluationSource::of_replay() const {
  Problems problems;
  RawOptions raw = read_experiment_file(from_, problems);
  for (const Flag& flag : flags()) {
    if (flag.key.empty() || !flag.value->has_value()) continue;
    raw.values[std::string(flag.key)] = {.items = {**flag.value}, .place = std::string(flag.name)};
  }
  if (measures_) {
    raw.values.erase("cutoffs");
    raw.values["measures"] = {.items = listed(*measures_), .place = "--measures"};
  }
  for (RawArm& arm : raw.arms) {
    if (!arm.engine.empty()) arm.engine = engine_.value_or(arm.engine);
    if (!arm.index.empty()) arm.index = index_.value_or(arm.index);
  }
  ReplayOptions options = resolve_options(raw, problems);
  problems.throw_if_any();
  options.arms = {chosen_arm(options.arms, arm_, from_)};
  return record_of_replay(options, from_);
}

}  // namespace prescope::cli
