// Runs the files under tests/cli/transcripts; their README.md describes the form.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <stdexcept>

#include "support/evaluate_workspace.h"
#include "support/nights_workspace.h"
#include "support/study_workspace.h"

namespace prescope::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Lines = std::vector<std::string>;

const fs::path kTranscripts = fs::path(PRESCOPE_SOURCE_DIR) / "tests/cli/transcripts";

/// A file that is written or, if it has no name, a command that is run.
struct Step {
  std::size_t line = 0;  ///< in the transcript
  std::string file{};    ///< name
  std::string text{};    ///< content or command
  int exit_code = 0;
  Lines out{}, err{};
};

struct ParsedTranscript {
  std::vector<void (*)(const Workspace&)> set_ups;
  std::vector<Step> steps;
};

void (*set_up_named(const std::string& name))(const Workspace&) {
  static const std::map<std::string, void (*)(const Workspace&)> kAll = {
      {"toy", set_up_toy}, {"runs", set_up_runs}, {"studies", set_up_studies}, {"pin", pin_base}};
  const auto found = kAll.find(name);
  if (found == kAll.end()) throw std::runtime_error("unknown set-up '" + name + "'");
  return found->second;
}

class TranscriptParser {
 public:
  /// Throws std::runtime_error if a line is not of the form.
  void add(std::size_t number, const std::string& line) {
    static const std::regex kDirective(R"(\[(set up|each exit|exit) ([\w-]+)\])");
    std::smatch directive;
    Step* const step = parsed.steps.empty() ? nullptr : &parsed.steps.back();
    if (line.starts_with("== ") || line.starts_with("$ ")) {
      const bool is_file = line.front() == '=';
      parsed.steps.push_back({.line = number, .exit_code = exit_code_});
      (is_file ? parsed.steps.back().file : parsed.steps.back().text) =
          line.substr(line.find(' ') + 1);
      is_open_ = true;
      blanks_ = 0;
    } else if (is_open_ && !step->file.empty()) {
      is_open_ = !line.empty();
      if (is_open_) step->text += line + "\n";
    } else if (line.empty()) {
      ++blanks_;
    } else if (line == "#" || line.starts_with("# ")) {
      return;
    } else if (std::regex_match(line, directive, kDirective)) {
      direct(directive[1], directive[2]);
    } else if (!is_open_) {
      throw std::runtime_error("belongs to no file or command: " + line);
    } else if (line.starts_with("> ") && step->out.empty() && step->err.empty()) {
      step->text += "\n" + line.substr(2);
    } else if (line.starts_with("! ")) {
      step->err.push_back(line.substr(2));
    } else {
      step->out.insert(step->out.end(), std::exchange(blanks_, 0), "");
      step->out.push_back(line);
    }
  }

  ParsedTranscript parsed;

 private:
  void direct(const std::string& what, const std::string& value) {
    if (what == "set up") {
      if (!parsed.steps.empty()) throw std::runtime_error("[set up] stands first");
      parsed.set_ups.push_back(set_up_named(value));
    } else if (what == "each exit") {
      exit_code_ = std::stoi(value);
      is_open_ = false;
    } else if (!is_open_) {
      throw std::runtime_error("[exit] belongs to a command");
    } else {
      parsed.steps.back().exit_code = std::stoi(value);
    }
  }

  int exit_code_ = 0;
  bool is_open_ = false;
  std::size_t blanks_ = 0;  ///< empty lines, which are output if more output follows
};

ParsedTranscript parse_transcript(const std::string& text) {
  TranscriptParser parser;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    try {
      parser.add(++number, line);
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}: {}", number, error.what()));
    }
  }
  std::string commands;
  for (const Step& step : parser.parsed.steps) {
    if (step.file.empty()) commands += step.text + "\n";
  }
  if (commands.empty()) throw std::runtime_error("1: no command");
  for (const Step& step : parser.parsed.steps) {
    if (commands.find(step.file) == commands.npos) {
      throw std::runtime_error(fmt::format("{}: no command names {}", step.line, step.file));
    }
  }
  return std::move(parser.parsed);
}

/// Returns true if the line is as expected, in which `[..]` stands for any characters.
bool line_matches(std::string_view expected, std::string_view found) {
  constexpr std::string_view kAny = "[..]";
  const auto any = expected.find(kAny);
  if (any == expected.npos) return expected == found;
  if (!found.starts_with(expected.substr(0, any))) return false;
  for (std::size_t at = any; at <= found.size(); ++at) {
    if (line_matches(expected.substr(any + kAny.size()), found.substr(at))) return true;
  }
  return false;
}

using Line = Lines::const_iterator;

/// Returns true if the lines are as expected, in which `...` stands for any lines.
bool lines_match(Line expected, Line expected_end, Line found, Line found_end) {
  if (expected == expected_end) return found == found_end;
  if (*expected != "...") {
    return found != found_end && line_matches(*expected, *found) &&
           lines_match(expected + 1, expected_end, found + 1, found_end);
  }
  while (!lines_match(expected + 1, expected_end, found, found_end)) {
    if (found++ == found_end) return false;
  }
  return true;
}

/// Returns the lines of the output with names for what differs from run to run.
Lines output_lines(const std::string& text, const fs::path& folder) {
  static const std::regex kTime(R"(20\d\d-\d\d-\d\d \d\d:\d\d)");
  std::string named = std::regex_replace(text, kTime, "[TIME]");
  const std::string path = folder;
  for (auto at = named.find(path); at != named.npos; at = named.find(path, at)) {
    named.replace(at, path.size(), "[DIR]");
  }
  if (!named.empty() && !named.ends_with('\n')) named += " (without a newline)";
  return lines_of(named);
}

/// Returns nothing if the output is as expected, else what differs behind the lines that agree.
std::string difference(const char* stream, const Lines& expected, const Lines& found) {
  if (lines_match(expected.begin(), expected.end(), found.begin(), found.end())) return "";
  std::size_t same = 0;
  while (same < std::min(expected.size(), found.size()) && expected[same] != "..." &&
         line_matches(expected[same], found[same])) {
    ++same;
  }
  std::string text = fmt::format("{}, - expected, + found:\n", stream);
  for (std::size_t i = 0; i < same; ++i) text += "  " + found[i] + "\n";
  for (std::size_t i = same; i < expected.size(); ++i) text += "- " + expected[i] + "\n";
  for (std::size_t i = same; i < found.size(); ++i) text += "+ " + found[i] + "\n";
  return text;
}

Outcome run_step(const Step& step, const Workspace& workspace) {
  const char* const path = std::getenv("PATH");
  return run_program({.arguments = {"-o", "pipefail", "-c", step.text},
                      .environment = {{"PATH", bin_folder().string() + ":" + (path ? path : "")},
                                      {"USER", "ada"},
                                      {"TOY", test_module("toy")}},
                      .folder = workspace.folder(),
                      .program = "/bin/bash"});
}

/// Returns what differs from the transcript, each beginning with a line's number.
Lines problems_of(const std::string& text) {
  Lines problems;
  try {
    const ParsedTranscript transcript = parse_transcript(text);
    const Workspace workspace;
    for (const auto set_up : transcript.set_ups) set_up(workspace);
    for (const Step& step : transcript.steps) {
      if (!step.file.empty()) {
        workspace.write(step.file, step.text);
        continue;
      }
      const Outcome outcome = run_step(step, workspace);
      std::string problem =
          difference("stdout", step.out, output_lines(outcome.out, workspace.folder())) +
          difference("stderr", step.err, output_lines(outcome.err, workspace.folder()));
      if (outcome.exit_code != step.exit_code) {
        problem += fmt::format("exit {}, expected {}\n", outcome.exit_code, step.exit_code);
      }
      if (problem.empty()) continue;
      problems.push_back(fmt::format("{}: $ {}\n{}", step.line, step.text, problem));
    }
  } catch (const std::runtime_error& error) {
    problems.emplace_back(error.what());
  }
  return problems;
}

class Transcript : public ::testing::TestWithParam<fs::path> {};

TEST_P(Transcript, IsReproduced) {
  for (const std::string& problem : problems_of(content_of(GetParam()))) {
    ADD_FAILURE() << fs::relative(GetParam(), PRESCOPE_SOURCE_DIR).string() << ":" << problem;
  }
}

std::vector<fs::path> all_transcripts() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kTranscripts)) {
    if (entry.path().extension() == ".transcript") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Cli, Transcript, ::testing::ValuesIn(all_transcripts()),
                         [](const auto& file) {
                           return std::regex_replace(file.param.stem().string(), std::regex("\\W"),
                                                     "_");
                         });

TEST(TranscriptRunner, AcceptsWhatIsAsWritten) {
  EXPECT_THAT(problems_of("# Words.\n== x\na b\nc\n\n$ cat x; printf '\\nd\\n'; cat x >&2; false\n"
                          "a [..]\n# Words.\nc\n\nd\n! a b\n! ...\n\n[exit 1]\n$ pwd\n[DIR]\n"),
              IsEmpty());
}

TEST(TranscriptRunner, FindsEveryFault) {
  const std::pair<const char*, const char*> cases[] = {
      {"$ echo a\nb\n", "1: $ echo a\nstdout, - expected, + found:\n- b\n+ a\n"},
      {"$ echo a\n", "+ a\n"},
      {"$ true\na\n", "- a\n"},
      {"$ printf a\na\n", "+ a (without a newline)"},
      {"$ printf 'a\\n\\n'\na\n\n", "  a\n+ \n"},
      {"$ echo a >&2\na\n", "stderr"},
      {"$ echo a >&2\n! b\n", "- b\n+ a\n"},
      {"$ seq 3\n1\n...\n2\n", "  1\n- ...\n"},
      {"$ echo abc\na[..]b\n", "+ abc\n"},
      {"$ exit 3\n[exit 2]\n", "exit 3, expected 2"},
      {"[each exit 2]\n$ true\n", "exit 0, expected 2"},
      {"# Words.\n", "1: no command"},
      {"== x\na\n\n$ true\n", "1: no command names x"},
      {"$ echo x\nx\n[set up runs]\n", "3: [set up] stands first"},
      {"[set up nothing]\n$ true\n", "1: unknown set-up 'nothing'"},
      {"[exit 2]\n$ true\n", "1: [exit] belongs to a command"},
      {"prescope --help\n$ true\n", "1: belongs to no file or command: prescope --help"}};
  for (const auto& [text, problem] : cases) {
    EXPECT_THAT(problems_of(text), ElementsAre(HasSubstr(problem))) << text;
  }
}

}  // namespace
}  // namespace prescope::testing
