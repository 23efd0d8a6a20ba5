#include "cli/commands/commands.h"

#include <getopt.h>

#include "cli/options/terminal.h"
#include "runs/read_runs.h"
#include "trec_eval/requests.h"
#include "trec_eval/trec_eval.h"

namespace prescope::cli {

namespace {

/// The arguments of `prescope trec_eval`.
struct TrecEvalOptions {
  enum class Task { kEvaluate, kHelp, kVersion };

  Task task = Task::kEvaluate;
  trec_eval::Options report{};
  std::string z_scores;  ///< path; empty without -Z
  std::string qrels, run;
  int min_grade = 1;
  unsigned threads = 1;
};

using Task = TrecEvalOptions::Task;

std::string_view name_of(std::string_view path) { return path == "-" ? "standard input" : path; }

/// trec_eval 10 stops at a topic that the run has not; 9 and the manual leave it out.
void note_missing_topics(const Qrels& qrels, const RunFacts& facts) {
  const std::size_t missing = qrels.topics().size() - facts.topics.size();
  if (missing == 0) return;
  std::uint32_t first = 0;
  while (facts.find(TopicIndex(first)) != nullptr) ++first;
  print_note(fmt::format(
      "{}: {} of {} judged topics are not in the run, such as '{}'; they are in no mean (-c counts "
      "them 0)",
      name_of(facts.path), missing, qrels.topics().size(),
      qrels.topic(TopicIndex(first)).id().text()));
}

void evaluate(const TrecEvalOptions& options) {
  trec_eval::Options report = options.report;
  trec_eval::ZScores z_scores;
  if (!options.z_scores.empty()) {
    z_scores = trec_eval::ZScores::load(options.z_scores);
    report.z_scores = &z_scores;
  }
  const Qrels qrels = Qrels::load(options.qrels, {.min_grade = options.min_grade});
  trec_eval::refuse_repeated_judgement(qrels, name_of(options.qrels));
  const RunFacts facts = read_run_facts(qrels, options.run, {.threads = options.threads});
  trec_eval::write(qrels, facts, report, print_result);
  if (!report.complete) note_missing_topics(qrels, facts);
  if (facts.retrieved.empty()) {
    print_note(fmt::format(
        "{}: none of its documents is judged; do its ids look like those of the judgements?",
        name_of(facts.path)));
  }
}

constexpr std::string_view kOptions =
    R"(Prints what trec_eval 10 prints for a TREC run file.

Usage: prescope trec_eval [OPTIONS] QRELS RUN

QRELS and RUN are plain or gzip; RUN may be '-' for standard input.

  -q, --query_eval_wanted         values of each topic before those of all
  -n, --nosummary                 no values of all topics
  -m, --measure M[.PARAMETERS]    a measure; may be given again (official)
  -c, --complete_rel_info_wanted  judged topics missing from the run count 0
  -l, --level_for_rel N           grade from which a document is relevant (1)
  -M, --Max_retrieved_per_topic N documents that count; the rest was not retrieved (all)
  -J, --Judged_docs_only          remove documents that nobody judged
  -N, --Number_docs_in_coll N     documents in the collection, for utility and Rnorm
  -Z, --Zscore FILE               values in standard deviations from the means in FILE
  -R, --Rel_info_format qrels     the only one
  -T, --Results_format trec_results  the only one
  -h, --help                      this text; with -m what a measure means
  -v, --version
      --threads N                 threads that read the run (1); not an option of trec_eval

-m takes 'official', 'set', 'all_trec', one of the measures below, with parameters as in P.5,10 or
ndcg.1=3,2=9, or a measure of prescope's own, as in PRES.100,1000 or PRES@100.

)";

constexpr std::string_view kExample =
    R"(
Example:
  prescope trec_eval -q -m official -m PRES.100 qrels.txt run.txt
)";

/// The name, and behind it the meaning in lines that fit a terminal.
std::string entry(std::string_view name, std::string_view meaning) {
  constexpr std::size_t kNameWidth = 22, kWidth = 98;
  return wrapped(meaning, fmt::format("  {:<{}} ", name, kNameWidth), kNameWidth + 3,
                 std::min(kWidth, stdout_look().paragraph_width()));
}

std::string all_families() {
  std::string text = "Measures:\n";
  for (const trec_eval::Family& family : trec_eval::family_table()) {
    text += entry(family.name, family.meaning);
  }
  return text;
}

/// The text of `prescope trec_eval -h`, or the meaning of the measures that are named. Throws
/// Error(kUsage) for an unknown one.
std::string trec_eval_help(std::span<const std::string> measures) {
  if (measures.empty()) return fmt::format("{}{}{}", kOptions, all_families(), kExample);
  std::string text;
  const trec_eval::Requests requests = trec_eval::parse_requests(measures);
  for (const trec_eval::Request& request : requests.families) {
    text += entry(request.family->name, request.family->meaning);
  }
  for (const Measure& measure : requests.own.measures()) {
    text += entry(measure.name(), measure.definition().meaning);
  }
  return text;
}

/// Numbers above the largest mean it: -M 9999999999 is all of a run.
template <class Number>
Number number_of(std::string_view flag, std::string_view text, Number least) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (stop == end && failed == std::errc::result_out_of_range && text.front() != '-') {
    return std::numeric_limits<Number>::max();
  }
  if (stop != end || failed != std::errc() || value < least) {
    throw usage_error("{} '{}': not a number from {} on", flag, text, least);
  }
  return value;
}

void expect_format(std::string_view flag, std::string_view found, std::string_view only) {
  if (found == only) return;
  throw usage_error(
      "{} {}: this format is not read; only '{}' is. Use trec_eval for preferences and judgements "
      "of several judges",
      flag, found, only);
}

constexpr int kThreads = 256;  // no character, so that it has no short name

/// An option as getopt has it, and what it does.
struct Flag {
  const char* name;
  int letter;
  bool takes_value;
  void (*take)(TrecEvalOptions& options, std::string_view value);
};

using Value = std::string_view;

constexpr Flag kFlags[] = {
    {"help", 'h', false, [](auto& o, Value) { o.task = Task::kHelp; }},
    {"version", 'v', false, [](auto& o, Value) { o.task = Task::kVersion; }},
    {"query_eval_wanted", 'q', false, [](auto& o, Value) { o.report.per_topic = true; }},
    {"measure", 'm', true, [](auto& o, Value text) { o.report.measures.emplace_back(text); }},
    {"complete_rel_info_wanted", 'c', false, [](auto& o, Value) { o.report.complete = true; }},
    {"level_for_rel", 'l', true,
     [](auto& o, Value text) { o.min_grade = number_of<int>("-l", text, 0); }},
    {"nosummary", 'n', false, [](auto& o, Value) { o.report.summary = false; }},
    {"Debug_level", 'D', true,
     [](auto&, Value text) {
       if (text != "0") throw usage_error("-D {}: there is no debug output; leave it out", text);
     }},
    {"Judged_docs_only", 'J', false, [](auto& o, Value) { o.report.ranks.judged_only = true; }},
    {"Number_docs_in_coll", 'N', true,
     [](auto& o, Value text) {
       o.report.collection_size = number_of<std::uint64_t>("-N", text, 0);
     }},
    {"Max_retrieved_per_topic", 'M', true,
     [](auto& o, Value text) { o.report.ranks.depth = number_of<std::uint32_t>("-M", text, 1); }},
    {"Rel_info_format", 'R', true, [](auto&, Value text) { expect_format("-R", text, "qrels"); }},
    {"Results_format", 'T', true,
     [](auto&, Value text) { expect_format("-T", text, "trec_results"); }},
    {"Output_old_results_format", 'o', true, [](auto&, Value) {}},  // trec_eval ignores it, too
    {"Zscore", 'Z', true, [](auto& o, Value text) { o.z_scores = text; }},
    {"threads", kThreads, true,
     [](auto& o, Value text) { o.threads = number_of<unsigned>("--threads", text, 1); }}};

/// Returns the error for the option at which getopt stopped; `found` is ':' if its value is
/// missing. A short option is named by optopt, because it may stand among others.
Error wrong_option(int found, std::string_view written) {
  const bool is_long = written.starts_with("--");
  const std::string name = is_long ? std::string(written) : fmt::format("-{:c}", optopt);
  if (found == ':') return usage_error("option '{}' needs a value", name);
  if (!is_long) return usage_error("unknown option '{}'; see 'prescope trec_eval -h'", name);
  std::vector<std::string> names;
  for (const Flag& known : kFlags) names.push_back(fmt::format("--{}", known.name));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return usage_error("{}",
                     unknown_name_message("option", name.substr(0, name.find('=')), candidates));
}

/// Reads arguments as trec_eval does, with getopt: `-M100`, `-M 100` and `--Max 100` are the same.
/// Not thread-safe. Throws Error(kUsage).
TrecEvalOptions parse_trec_eval_options(int argc, char** argv) {
  TrecEvalOptions options;
  std::vector<option> long_options;
  for (const Flag& flag : kFlags) {
    const int argument = flag.takes_value ? required_argument : no_argument;
    long_options.push_back({flag.name, argument, nullptr, flag.letter});
  }
  long_options.emplace_back();
  optind = 1;
  // -o has no value, although --Output_old_results_format has one.
  for (int found = 0; (found = getopt_long(argc, argv, ":hvqm:cl:nD:JN:M:R:T:oZ:",
                                           long_options.data(), nullptr)) != -1;) {
    if (found == '?' || found == ':') throw wrong_option(found, argv[optind - 1]);
    const auto* const flag = std::ranges::find(kFlags, found, &Flag::letter);
    flag->take(options, optarg == nullptr ? "" : optarg);
    if (options.task == Task::kVersion) return options;
  }
  if (options.task == Task::kHelp) return options;
  if (argc - optind != 2) {
    throw usage_error("{} file{} given; expected QRELS and RUN; see 'prescope trec_eval -h'",
                      argc - optind, argc - optind == 1 ? "" : "s");
  }
  options.qrels = argv[optind];
  options.run = argv[optind + 1];
  return options;
}

}  // namespace

void add_trec_eval_command(Command& program) {
  Command& command =
      program.add_command(kTrecEval, "Print what trec_eval 10 prints, for the options it has.");
  command.set_help_flag();
  for (const Flag& flag : kFlags) {
    const std::string name = flag.letter == kThreads
                                 ? fmt::format("--{}", flag.name)
                                 : fmt::format("-{:c},--{}", flag.letter, flag.name);
    flag.takes_value ? command.add_option(name) : command.add_flag(name);
  }
  command.add_option("QRELS")->required();
  command.add_option("RUN")->required();
  command.footer([] { return trec_eval_help({}); });
}

int run_trec_eval(int argc, char** argv) {
  const TrecEvalOptions options = parse_trec_eval_options(argc, argv);
  if (options.task == Task::kHelp) {
    print_result(fitted_help(trec_eval_help(options.report.measures), stdout_look().columns));
  } else if (options.task == Task::kVersion) {
    print_result("prescope " PRESCOPE_VERSION ", in the form of trec_eval 10.0\n");
  } else {
    evaluate(options);
  }
  return 0;
}

}  // namespace prescope::cli
