#include "cli/commands/study_command.h"

#include "base/toml_file.h"
#include "cli/options/terminal.h"

namespace prescope::cli {

namespace {

JudgedRuns checked_runs(const EvaluationFlags& flags, std::size_t least_runs) {
  if (flags.runs.size() < least_runs) {
    throw usage_error("expected QRELS and at least {}; found {}",
                      least_runs == 1 ? "one run" : fmt::format("{} runs", least_runs),
                      flags.runs.size());
  }
  return load_runs(flags);
}

/// The numbers of lists with commas; without any list, `otherwise`. Throws Error(kUsage)
/// with every word that is not `allowed`: "'WORD' is not EXPECTED".
template <class Number, class Allowed>
std::vector<Number> number_list(std::string_view flag, const std::vector<std::string>& lists,
                                const char* otherwise, std::string_view expected,
                                const Allowed& allowed) {
  if (lists.empty() && *otherwise == '\0') return {};
  OptionProblems problems;
  std::vector<Number> numbers;
  const std::string list = lists.empty() ? otherwise : fmt::format("{}", fmt::join(lists, ","));
  for (const std::string& word : split(list, ',')) {
    const auto number = whole_number<Number>(word);
    if (number && allowed(*number)) {
      numbers.push_back(*number);
    } else {
      problems.add(flag, fmt::format("'{}' is not {}", word, expected));
    }
  }
  problems.throw_if_any();
  return numbers;
}

template <class Number>
std::vector<Number> sorted_once(const std::vector<Number>& numbers) {
  const std::set<Number> once(numbers.begin(), numbers.end());
  return {once.begin(), once.end()};
}

}  // namespace

void add_study_arguments(Command& command, StudyRequest& request) {
  command.add("QRELS", request.flags.qrels, "FILE", "Judgements; - for stdin");
  command.add("RUN", request.flags.runs, "FILE", "TREC runs, plain or gzip; - for stdin");
  add_run_flags(command, request.flags);
}

void add_test_flag(Command& command, PairedTest& test, const std::string& help) {
  command.add_choice("--test", test,
                     {{"t", PairedTest::kT},
                      {"sign-flip", PairedTest::kSignFlip},
                      {"wilcoxon", PairedTest::kWilcoxon}},
                     "TEST", help);
}

void add_correction_flag(Command& command, Correction& correction, const std::string& help) {
  command.add_choice(
      "--correction", correction,
      {{"holm", Correction::kHolm}, {"bh", Correction::kBh}, {"none", Correction::kNone}}, "WAY",
      help);
}

void add_sign_flip_flags(Command& command, SignFlipOptions& options) {
  constexpr std::uint32_t kMostFlips = 10'000'000;
  command.add("--seed", options.seed, "N", "Seed of the sign-flip test's draws (1)");
  command.add("--flips", options.flips, "N",
              "Draws of the sign-flip test if more than 20 topics differ (9999)",
              Limits{1, kMostFlips});
}

StudyInput::StudyInput(const EvaluationFlags& flags, std::size_t least_runs,
                       const std::vector<Measure>& measures)
    : judged(checked_runs(flags, least_runs)),
      evaluation(score_runs(judged, flags, run_names(flags.runs), measures)) {}

RankedRuns StudyInput::ranked() const {
  return ranked_runs(judged.qrels, judged.facts, evaluation.options);
}

void StudyOutput::add_to(Command& command) {
  files.add(command, "--json", "Write everything as JSON, too; - for stdout, nothing else then");
  files.add(command, "--csv", "Write the numbers as CSV, too; - for stdout, nothing else then");
  files.add(command, "--html",
            "Write one page with all figures, too; - for stdout, nothing else then");
  command.add("--svg", svg, "DIR", "Write each figure to a file in this folder, too");
}

void StudyOutput::open(std::span<const std::string> inputs) {
  files.open(inputs);
  std::error_code failed;
  if (!svg.empty()) std::filesystem::create_directories(svg, failed);
  if (failed && !std::filesystem::is_directory(svg)) {
    throw io_error("{}: the folder cannot be made: {}", svg.string(), failed.message());
  }
  if (svg.empty()) return;
  for (const auto& entry : std::filesystem::directory_iterator(svg)) {
    if (entry.path().extension() == ".svg") refuse_overwriting(entry.path(), inputs);
  }
}

void StudyOutput::write(const ReportDocument& report) {
  const auto text = files.write({{"--json", [&] { return document_as_json(report); }},
                                 {"--csv", [&] { return document_as_csv(report); }},
                                 {"--html", [&] { return document_as_html(report); }}});
  for (const ReportSection& section : report.sections) {
    if (svg.empty()) break;
    for (const ReportFigure& figure : section.figures) {
      OutputFile file(svg / (figure.name() + ".svg"));
      file.finish(page::draw(figure.drawing, page::FigurePlace::kFile));
    }
  }
  print_result(text ? *text : document_as_text(report, stdout_look()));
}

std::vector<double> share_list(std::string_view flag, const std::vector<std::string>& lists,
                               const char* otherwise) {
  return sorted_once(number_list<double>(flag, lists, otherwise,
                                         "a share above 0 and at most 1, such as 0.2",
                                         [](double share) { return share > 0.0 && share <= 1.0; }));
}

std::vector<std::uint32_t> positive_numbers(std::string_view flag, std::string_view what,
                                            const std::vector<std::string>& lists,
                                            const char* otherwise) {
  constexpr std::uint32_t kLargest = (std::uint32_t{1} << 31U) - 1;
  return number_list<std::uint32_t>(
      flag, lists, otherwise, fmt::format("a {}, an integer from 1 to {}", what, kLargest),
      [](std::uint32_t number) { return number >= 1 && number <= kLargest; });
}

std::vector<Cutoff> cutoff_list(std::string_view flag, const std::vector<std::string>& lists,
                                const char* otherwise) {
  const auto numbers = sorted_once(positive_numbers(flag, "cutoff", lists, otherwise));
  return {numbers.begin(), numbers.end()};
}

}  // namespace prescope::cli
