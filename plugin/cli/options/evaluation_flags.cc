#include "cli/options/evaluation_flags.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/threads.h"
#include "prescope/error.h"

namespace prescope::cli {

namespace {

constexpr const char* kDefaultMeasures = "PRES@100,R@100,PRES@1000,R@1000,AP";

constexpr const char* kStandardInput = "-";

}  // namespace

std::size_t choice_of(std::string_view flag, std::string_view word,
                      std::span<const std::string_view> valid) {
  const auto at = std::ranges::find(valid, word);
  if (at == valid.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{}: {}", flag, unknown_name_message("value", word, valid)));
  }
  return static_cast<std::size_t>(at - valid.begin());
}

void check_standard_input(const EvaluationFlags& flags, std::span<const std::string> runs) {
  const auto named =
      std::ranges::count(runs, kStandardInput) + (flags.qrels == kStandardInput ? 1 : 0);
  if (named <= 1) return;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("standard input ('-') can be one file only; it is named {} times", named));
}

void add_evaluation_flags(CommandParser& parser, EvaluationFlags& flags) {
  parser.option("-m,--measures", flags.measures, "M,M",
                fmt::format("Measures, such as PRES@100,nDCG@10 ({})", kDefaultMeasures));
  add_run_flags(parser, flags);
}

void add_run_flags(CommandParser& parser, EvaluationFlags& flags) {
  parser.option("--order", flags.order, "ORDER",
                "What ranks: trec, score then docno, both descending; or file, the order of "
                "the lines (trec)");
  parser.option("--score", flags.score, "TYPE",
                "Scores are compared as double, as trec_eval 10 does, or float, as 9 (double)");
  parser.option("--docno", flags.docno, "POLICY",
                "When docnos are the same document: raw, publication, patent, family (raw)");
  parser.option("--family-map", flags.family_map, "FILE",
                "Lines 'docno family', for --docno family");
  parser.option("--min-grade", flags.min_grade, "N", "Grade from which a document is relevant (1)");
  parser.option("--depth", {flags.depth, 1}, "N",
                "Ranks that count; the rest was not retrieved (all)");
  parser.flag("--judged-only", flags.judged_only,
              "Remove documents without a judgement before ranks are given");
  parser.option("--topics", flags.topics, "WHICH",
                "all: a topic that a run has not counts 0; run: it is left out (all)");
  parser.option("--threads", {flags.threads, 1, kMostThreads}, "N",
                "Threads that read runs and qrels (1)");
}

std::vector<Measure> measures_of(const EvaluationFlags& flags) {
  if (flags.measures.empty()) return parse_measures(kDefaultMeasures);
  return parse_measures(fmt::format("{}", fmt::join(flags.measures, ",")));
}

EvaluateOptions evaluate_options_of(const EvaluationFlags& flags) {
  constexpr std::array<std::string_view, 2> kOrders = {"trec", "file"};
  constexpr std::array<std::string_view, 2> kTopics = {"all", "run"};
  EvaluateOptions options;
  options.ranks.order =
      choice_of("--order", flags.order, kOrders) == 0 ? RunOrder::kTrec : RunOrder::kFile;
  options.ranks.judged_only = flags.judged_only;
  if (flags.depth != 0) options.ranks.depth = flags.depth;
  options.topics = choice_of("--topics", flags.topics, kTopics) == 0
                       ? EvaluateOptions::Topics::kAll
                       : EvaluateOptions::Topics::kRun;
  return options;
}

ReadRunOptions read_run_options_of(const EvaluationFlags& flags) {
  constexpr std::array<std::string_view, 2> kPrecisions = {"double", "float"};
  return {.score = choice_of("--score", flags.score, kPrecisions) == 0 ? ScorePrecision::kDouble
                                                                       : ScorePrecision::kFloat,
          .threads = flags.threads};
}

Qrels load_qrels(const EvaluationFlags& flags) {
  return Qrels::load(flags.qrels, {.docno = parse_docno_policy(flags.docno),
                                   .family_map = flags.family_map,
                                   .min_grade = flags.min_grade});
}

std::vector<RunFacts> read_runs(const Qrels& qrels, std::span<const std::string> paths,
                                const EvaluationFlags& flags) {
  check_standard_input(flags, paths);
  ReadRunOptions options = read_run_options_of(flags);
  if (std::min<std::size_t>(flags.threads, paths.size()) > 1) options.threads = 1;
  std::vector<RunFacts> runs(paths.size());
  in_parallel(paths.size(), flags.threads,
              [&](std::size_t i) { runs[i] = read_run_facts(qrels, paths[i], options); });
  return runs;
}

namespace {

std::string short_name(const std::string& path) {
  constexpr std::array<std::string_view, 6> kEndings = {".gz",   ".run", ".res",
                                                        ".trec", ".txt", ".prel"};
  if (path == "-") return "stdin";
  std::string name = std::filesystem::path(path).filename().string();
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : kEndings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.resize(name.size() - ending.size());
      found = true;
    }
  }
  return name.empty() ? path : name;
}

}  // namespace

std::vector<std::string> run_names(std::span<const std::string> paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(short_name(path));
  std::vector<std::string> unique = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) unique[i] = paths[i];
  }
  return unique;
}

namespace {

std::string run_file_name(const ArmId& arm) { return arm.text() + ".run"; }

}  // namespace

OrderedRuns::OrderedRuns(std::filesystem::path folder, std::span<const ReplayArm> arms)
    : folder_(std::move(folder)) {
  std::error_code failed;
  created_folder_ = std::filesystem::create_directories(folder_, failed);
  if (failed) {
    throw Error(ErrorCode::kIo, fmt::format("{}: cannot be made a folder for runs: {}",
                                            folder_.string(), failed.message()));
  }
  for (const ReplayArm& replayed : arms) {
    const ArmConfig& arm = replayed.config;
    writers_.emplace_back(
        arm.id, std::make_unique<RunWriter>(folder_ / run_file_name(arm.id), arm.id.text()));
  }
}

OrderedRuns::~OrderedRuns() {
  writers_.clear();
  std::error_code not_empty;
  if (created_folder_) std::filesystem::remove(folder_, not_empty);
}

void OrderedRuns::add(std::size_t position, const TopicId& topic,
                      std::vector<std::vector<Hit>> hits_by_arm) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(position, Waiting{topic, std::move(hits_by_arm)});
  for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
    for (std::size_t arm = 0; arm < writers_.size(); ++arm) {
      writers_[arm].second->add(first->second.topic, first->second.hits_by_arm[arm]);
    }
    waiting_.erase(first);
    ++next_;
  }
}

void OrderedRuns::finish() {
  std::vector<std::filesystem::path> finished;
  try {
    for (const auto& [arm, writer] : writers_) {
      writer->finish();
      finished.push_back(folder_ / run_file_name(arm));
    }
  } catch (const Error&) {
    // A part of the runs would be taken for all of them.
    for (const std::filesystem::path& file : finished) std::filesystem::remove(file);
    throw;
  }
}

namespace {

void check_common_topics(const Qrels& qrels, const EvaluationFlags& flags, const RunFacts& run) {
  if (!run.topics.empty()) return;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}: no topic in common with {}: it has '{}', the qrels have '{}'; "
                  "expected the same topic ids in both",
                  run.path, flags.qrels, run.unjudged.empty() ? "" : run.unjudged.front().text(),
                  qrels.topics().front().id().text()));
}

/// What is known of a run but its name.
EvaluatedRun score_run(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                       const EvaluationFlags& flags) {
  const EvaluateOptions options = evaluate_options_of(flags);
  EvaluatedRun run{
      .name = {}, .facts = &facts, .evaluation = evaluate(qrels, facts, scorer, options)};
  run.oddities = run_oddities(qrels, facts, options.ranks, run.evaluation);
  run.order = order_effect(qrels, facts, scorer, options.ranks, run.evaluation);
  run.docno_hint = find_docno_hint(qrels, facts, read_run_options_of(flags));
  return run;
}

}  // namespace

JudgedRuns load_runs(const EvaluationFlags& flags, std::span<const std::string> paths) {
  Qrels qrels = load_qrels(flags);
  std::vector<RunFacts> facts = read_runs(qrels, paths, flags);
  for (const RunFacts& run : facts) check_common_topics(qrels, flags, run);
  return {.qrels = std::move(qrels), .facts = std::move(facts)};
}

EvaluationReport score_runs(const JudgedRuns& runs, const EvaluationFlags& flags,
                            std::span<const std::string> names,
                            const std::vector<Measure>& measures) {
  EvaluationReport report{.program = PRESCOPE_VERSION,
                          .qrels_path = flags.qrels,
                          .qrels = &runs.qrels,
                          .qrels_oddities = qrels_oddities(runs.qrels),
                          .options = evaluate_options_of(flags),
                          .score = read_run_options_of(flags).score,
                          .detail = EvaluationReport::Detail::kMeans,
                          .measures = measures,
                          .runs = std::vector<EvaluatedRun>(runs.facts.size())};
  const Scorer scorer(measures);
  in_parallel(runs.facts.size(), flags.threads, [&](std::size_t i) {
    report.runs[i] = score_run(runs.qrels, runs.facts[i], scorer, flags);
    report.runs[i].name = names[i];
  });
  return report;
}

}  // namespace prescope::cli
