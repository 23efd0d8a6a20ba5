#include "cli/trec_eval_options.h"

#include <fmt/format.h>
#include <getopt.h>

#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "prescope/error.h"

namespace prescope::cli {
namespace {

using Task = TrecEvalOptions::Task;

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

}  // namespace

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

}  // namespace prescope::cli
