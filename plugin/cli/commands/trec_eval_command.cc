#include "cli/commands/commands.h"

#include <fmt/format.h>
#include <getopt.h>
#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/terminal.h"
#include "prescope/error.h"
#include "prescope/qrels.h"
#include "trec_eval/requests.h"
#include "trec_eval/trec_eval.h"

namespace prescope::cli {

namespace {

/// What the arguments of `prescope trec_eval` ask for.
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

/// trec_eval 10 stops at a topic that the run has not; 9 and the manual leave it out.
void note_missing_topics(const Qrels& qrels, const RunFacts& facts) {
  const std::size_t missing = qrels.topics().size() - facts.topics.size();
  if (missing == 0) return;
  auto in_run = facts.topics.begin();
  std::uint32_t first = 0;
  while (in_run != facts.topics.end() && in_run->topic == TopicIndex(first)) ++in_run, ++first;
  print_note(fmt::format(
      "{}: {} of {} judged topics are not in the run, such as '{}'; they are in no mean (-c counts "
      "them 0)",
      facts.path == "-" ? "standard input" : facts.path, missing, qrels.topics().size(),
      qrels.topic(TopicIndex(first)).id().text()));
}

/// Qrels count a line that repeats another once. trec_eval does not take it.
Qrels load_qrels(const TrecEvalOptions& options) {
  Qrels qrels = Qrels::load(options.qrels, {.min_grade = options.min_grade});
  if (qrels.repeated() == 0) return qrels;
  const auto repeated = trec_eval::find_repeated_judgement(options.qrels);
  if (!repeated) return qrels;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}:{}: docno '{}' is judged twice in topic '{}'; remove one of the two "
                  "lines, or use 'prescope evaluate', which counts it once",
                  options.qrels, repeated->line, repeated->docno.text(), repeated->topic.text()));
}

void evaluate(const TrecEvalOptions& options) {
  trec_eval::Options report = options.report;
  trec_eval::ZScores z_scores;
  if (!options.z_scores.empty()) {
    z_scores = trec_eval::ZScores::load(options.z_scores);
    report.z_scores = &z_scores;
  }
  const Qrels qrels = load_qrels(options);
  const RunFacts facts = read_run_facts(qrels, options.run, {.threads = options.threads});
  trec_eval::write(qrels, facts, report, print_result);
  if (!report.complete) note_missing_topics(qrels, facts);
}

constexpr std::string_view kOptions =
    R"(Prints what trec_eval 10 prints for a TREC run file.

Usage: prescope trec_eval [OPTIONS] QRELS RUN

QRELS and RUN are plain or gzip; RUN may be '-' for standard input.

  -q, --query_eval_wanted         values of each topic before those of all
  -n, --nosummary                 no values of all topics
  -m, --measure M[.PARAMETERS]    a measure; may be given again (official)
  -c, --complete_rel_info_wanted  a judged topic that the run has not counts 0
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
  constexpr std::size_t kNameWidth = 24, kWidth = 98;
  std::string text, line = fmt::format("  {:<{}}", name, kNameWidth - 2);
  while (!meaning.empty()) {
    const std::string_view word = meaning.substr(0, meaning.find(' '));
    if (line.size() + 1 + word.size() > kWidth) {
      text += line + '\n';
      line.assign(kNameWidth, ' ');
    }
    line += ' ';
    line += word;
    meaning.remove_prefix(std::min(meaning.size(), word.size() + 1));
  }
  return text + line + '\n';
}

std::string all_families() {
  std::string text = "Measures:\n";
  for (const trec_eval::Family& family : trec_eval::family_table()) {
    text += entry(family.name, family.meaning);
  }
  return text;
}

/// What `prescope trec_eval -h` prints, and what the measures asked for mean. Throws Error(kUsage)
/// for an unknown one.
std::string trec_eval_help(std::span<const std::string> measures) {
  if (measures.empty()) return fmt::format("{}{}{}", kOptions, all_families(), kExample);
  std::string text;
  const trec_eval::Requests requests = trec_eval::parse_requests(measures);
  for (const trec_eval::Request& request : requests.families) {
    text += entry(request.family->name, request.family->meaning);
  }
  for (const Measure& measure : requests.own) {
    text += entry(measure.name(), measure.definition().meaning);
  }
  return text;
}

constexpr int kThreads = 256;  // no character, so that it has no short name

constexpr option kLongOptions[] = {{"help", no_argument, nullptr, 'h'},
                                   {"version", no_argument, nullptr, 'v'},
                                   {"query_eval_wanted", no_argument, nullptr, 'q'},
                                   {"measure", required_argument, nullptr, 'm'},
                                   {"complete_rel_info_wanted", no_argument, nullptr, 'c'},
                                   {"level_for_rel", required_argument, nullptr, 'l'},
                                   {"nosummary", no_argument, nullptr, 'n'},
                                   {"Debug_level", required_argument, nullptr, 'D'},
                                   {"Judged_docs_only", no_argument, nullptr, 'J'},
                                   {"Number_docs_in_coll", required_argument, nullptr, 'N'},
                                   {"Max_retrieved_per_topic", required_argument, nullptr, 'M'},
                                   {"Rel_info_format", required_argument, nullptr, 'R'},
                                   {"Results_format", required_argument, nullptr, 'T'},
                                   {"Output_old_results_format", required_argument, nullptr, 'o'},
                                   {"Zscore", required_argument, nullptr, 'Z'},
                                   {"threads", required_argument, nullptr, kThreads},
                                   {nullptr, 0, nullptr, 0}};

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::kUsage, message); }

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
    refuse(fmt::format("{} '{}': not a number from {} on", flag, text, least));
  }
  return value;
}

void expect_format(std::string_view flag, std::string_view found, std::string_view only) {
  if (found == only) return;
  refuse(
      fmt::format("{} {}: this format is not read; only '{}' is. Use trec_eval for preferences "
                  "and judgements of several judges",
                  flag, found, only));
}

[[noreturn]] void refuse_long_option(std::string_view written) {
  std::vector<std::string> names;
  for (const option& known : std::span(kLongOptions).first(std::size(kLongOptions) - 1)) {
    names.push_back(fmt::format("--{}", known.name));
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  refuse(unknown_name_message("option", written.substr(0, written.find('=')), candidates));
}

/// What getopt has stopped at: `found` is ':' where a value is missing. A short option is named by
/// optopt, which may stand among others.
[[noreturn]] void refuse_option(int found, std::string_view written) {
  const bool is_long = written.starts_with("--");
  const std::string name = is_long ? std::string(written) : fmt::format("-{:c}", optopt);
  if (found == ':') refuse(fmt::format("option '{}' needs a value", name));
  if (is_long) refuse_long_option(written);
  refuse(fmt::format("unknown option '{}'; see 'prescope trec_eval -h'", name));
}

void take(int found, std::string_view value, TrecEvalOptions& options) {
  trec_eval::Options& report = options.report;
  switch (found) {
    case 'h':
      options.task = Task::kHelp;
      break;
    case 'v':
      options.task = Task::kVersion;
      break;
    case 'q':
      report.per_topic = true;
      break;
    case 'm':
      report.measures.emplace_back(value);
      break;
    case 'c':
      report.complete = true;
      break;
    case 'l':
      options.min_grade = number_of<int>("-l", value, 0);
      break;
    case 'n':
      report.summary = false;
      break;
    case 'D':
      if (value != "0") refuse(fmt::format("-D {}: there is no debug output; leave it out", value));
      break;
    case 'J':
      report.ranks.judged_only = true;
      break;
    case 'N':
      report.collection_size = number_of<std::uint64_t>("-N", value, 0);
      break;
    case 'M':
      report.ranks.depth = number_of<std::uint32_t>("-M", value, 1);
      break;
    case 'R':
      expect_format("-R", value, "qrels");
      break;
    case 'T':
      expect_format("-T", value, "trec_results");
      break;
    case 'Z':
      options.z_scores = value;
      break;
    case kThreads:
      options.threads = number_of<unsigned>("--threads", value, 1);
      break;
    default:  // -o, which trec_eval takes and ignores
      break;
  }
}

/// Reads arguments as trec_eval does, with getopt: `-M100`, `-M 100` and `--Max 100` are the same.
/// Not thread-safe. Throws Error(kUsage).
TrecEvalOptions parse_trec_eval_options(int argc, char** argv) {
  TrecEvalOptions options;
  optind = 1;
  for (int found = 0; (found = getopt_long(argc, argv, ":hvqm:cl:nD:JN:M:R:T:oZ:", kLongOptions,
                                           nullptr)) != -1;) {
    if (found == '?' || found == ':') refuse_option(found, argv[optind - 1]);
    take(found, optarg == nullptr ? "" : optarg, options);
    if (options.task == Task::kVersion) return options;
  }
  if (options.task == Task::kHelp) return options;
  if (argc - optind != 2) {
    refuse(fmt::format("{} file{} given; expected QRELS and RUN; see 'prescope trec_eval -h'",
                       argc - optind, argc - optind == 1 ? "" : "s"));
  }
  options.qrels = argv[optind];
  options.run = argv[optind + 1];
  return options;
}

}  // namespace

int run_trec_eval(int argc, char** argv) {
  const TrecEvalOptions options = parse_trec_eval_options(argc, argv);
  switch (options.task) {
    case Task::kHelp:
      print_result(trec_eval_help(options.report.measures));
      break;
    case Task::kVersion:
      print_result("prescope " PRESCOPE_VERSION ", in the form of trec_eval 10.0\n");
      break;
    case Task::kEvaluate:
      evaluate(options);
      break;
  }
  return 0;
}

}  // namespace prescope::cli
