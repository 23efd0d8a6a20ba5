#include "cli/commands/study_command.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/toml_file.h"
#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/terminal.h"
#include "prescope/error.h"

namespace prescope::cli {

namespace {

JudgedRuns checked_runs(const StudyRequest& request, std::size_t least_runs) {
  if (request.runs.size() < least_runs) {
    throw Error(ErrorCode::kUsage,
                fmt::format("expected QRELS and at least {}; found {}",
                            least_runs == 1 ? "one run" : fmt::format("{} runs", least_runs),
                            request.runs.size()));
  }
  return load_runs(request.flags, request.runs);
}

}  // namespace

void add_study_arguments(Command& command, StudyRequest& request) {
  command.add("QRELS", request.flags.qrels, "FILE", "Judgements; - for stdin");
  command.add("RUN", request.runs, "FILE", "TREC runs, plain or gzip; - for stdin");
  add_run_flags(command, request.flags);
}

void add_study_measures(Command& command, StudyRequest& request,
                        const std::string& default_measures) {
  command.add("-m,--measures", request.flags.measures, "M,M",
              fmt::format("Measures, such as PRES@100,nDCG@10 ({})", default_measures));
}

std::vector<Measure> study_measures(const StudyRequest& request,
                                    const std::string& default_measures) {
  return request.flags.measures.empty() ? parse_measures(default_measures)
                                        : measures_of(request.flags);
}

StudyInput::StudyInput(const StudyRequest& request, std::size_t least_runs,
                       std::vector<Measure> measures)
    : names(run_names(request.runs)),
      judged(checked_runs(request, least_runs)),
      evaluation(score_runs(judged, request.flags, names, measures)) {}

RankedRuns StudyInput::ranked() const {
  std::vector<const RunFacts*> runs;
  for (const RunFacts& run : judged.facts) runs.push_back(&run);
  return ranked_runs(judged.qrels, runs, evaluation.options);
}

namespace {

namespace fs = std::filesystem;

void open(std::optional<OutputFile>& file, const std::string& path) {
  if (!path.empty() && path != kStandardOutput) file.emplace(path);
}

void check_one_standard_output(const StudyOutputFlags& flags) {
  const std::array<std::string_view, 3> paths = {flags.json, flags.csv, flags.html};
  if (std::ranges::count(paths, kStandardOutput) <= 1) return;
  throw Error(ErrorCode::kUsage,
              "only one of --json, --csv and --html can be standard output ('-')");
}

void make_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed && !fs::is_directory(folder)) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: the folder cannot be made: {}", folder, failed.message()));
  }
}

std::string result_text(const StudyOutputFlags& flags, const StudyReport& report) {
  if (flags.json == kStandardOutput) return study_json(report);
  if (flags.csv == kStandardOutput) return study_csv(report);
  if (flags.html == kStandardOutput) return study_page(report);
  return study_text(
      report, wants_color(stdout) ? TableOptions::Color::kAlways : TableOptions::Color::kNever);
}

}  // namespace

void add_study_output_flags(Command& command, StudyOutputFlags& flags) {
  command.add("--json", flags.json, "FILE",
              "Write everything as JSON, too; - for stdout, nothing else then");
  command.add("--csv", flags.csv, "FILE",
              "Write the numbers as CSV, too; - for stdout, nothing else then");
  command.add("--html", flags.html, "FILE",
              "Write one page with all figures, too; - for stdout, nothing else then");
  command.add("--svg", flags.svg, "DIR", "Write each figure to a file in this folder, too");
}

StudyOutput::StudyOutput(const StudyOutputFlags& flags) : flags_(flags) {
  check_one_standard_output(flags);
  open(json_, flags.json);
  open(csv_, flags.csv);
  open(html_, flags.html);
  if (!flags.svg.empty()) make_folder(flags.svg);
}

void StudyOutput::write(const StudyReport& report) {
  if (json_) json_->write(study_json(report));
  if (csv_) csv_->write(study_csv(report));
  if (html_) html_->write(study_page(report));
  if (!flags_.svg.empty()) {
    for (const StudySection& section : report.sections) {
      for (const StudyFigure& figure : section.figures) {
        OutputFile(fs::path(flags_.svg) / (figure.name() + ".svg"))
            .write(page::draw(figure.drawing, page::FigurePlace::kFile));
      }
    }
  }
  print_result(result_text(flags_, report));
}

std::vector<double> share_list(std::string_view flag, std::span<const std::string> lists) {
  OptionProblems problems;
  std::vector<double> shares;
  for (const std::string_view list : lists) {
    for (const std::string_view word : comma_separated(list)) {
      double share = 0.0;
      const char* const end = word.data() + word.size();
      const auto [stopped, failed] = std::from_chars(word.data(), end, share);
      if (failed == std::errc() && stopped == end && share > 0.0 && share <= 1.0) {
        shares.push_back(share);
      } else {
        problems.add(flag,
                     fmt::format("'{}' is not a share above 0 and at most 1, such as 0.2", word));
      }
    }
  }
  problems.throw_if_any();
  std::ranges::sort(shares);
  const auto repeated = std::ranges::unique(shares);
  shares.erase(repeated.begin(), repeated.end());
  return shares;
}

namespace {

constexpr std::uint32_t kLargestNumber = (std::uint32_t{1} << 31U) - 1;

}  // namespace

std::vector<std::uint32_t> positive_numbers(std::string_view flag, std::string_view what,
                                            const std::vector<std::string>& words) {
  OptionProblems problems;
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : words) {
    for (const std::string_view part : comma_separated(word)) {
      std::uint32_t value = 0;
      const char* const end = part.data() + part.size();
      const auto [stop, error] = std::from_chars(part.data(), end, value);
      if (error != std::errc() || stop != end || value == 0 || value > kLargestNumber) {
        problems.add(flag, fmt::format("'{}' is not a {}, an integer from 1 to {}", part, what,
                                       kLargestNumber));
      } else {
        numbers.push_back(value);
      }
    }
  }
  problems.throw_if_any();
  return numbers;
}

std::vector<Cutoff> cutoff_list(std::string_view flag, const std::vector<std::string>& words) {
  std::vector<Cutoff> cutoffs;
  for (const std::uint32_t number : positive_numbers(flag, "cutoff", words)) {
    cutoffs.emplace_back(number);
  }
  std::ranges::sort(cutoffs);
  const auto repeated = std::ranges::unique(cutoffs);
  cutoffs.erase(repeated.begin(), repeated.end());
  return cutoffs;
}

void add_study_commands(Command& program) {
  Command& studies = program.add_command(
      "study",
      "The studies that PRES was argued for with, on your own runs: cutoffs, correlation, ...");
  studies.kind_of_subcommand = "study";
  add_cutoffs_study(studies);
  add_correlation_study(studies);
  add_curve_study(studies);
  add_agreement_study(studies);
  add_robustness_study(studies);
  add_retrievability_study(studies);
  studies.footer(
      "Examples:\n"
      "  prescope study cutoffs qrels.txt *.run.gz --nmax 10,100,1000 --html cutoffs.html\n"
      "  prescope study correlation qrels.txt *.run.gz\n\n"
      "'prescope study NAME --help' describes a study.");
}

}  // namespace prescope::cli
