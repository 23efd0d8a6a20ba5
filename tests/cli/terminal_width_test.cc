// Tables and text fit a terminal of 60 columns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/text/tables.h"
#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned short kColumns = 60;
constexpr const char* kLongRun = "a-run-with-a-name-that-says-everything-about-its-weights.run";

using Words = std::vector<std::string>;

Outcome on_narrow_terminal(const Workspace& workspace, const Words& arguments) {
  return run_on_terminal({.arguments = arguments,
                          .environment = {{"NO_COLOR", "1"}, {"USER", "ada"}},
                          .folder = workspace.folder(),
                          .columns = kColumns});
}

/// Lines that are wider than the terminal, but for those with a word that leaves no room for
/// others.
Words wide_lines(const std::string& text) {
  constexpr std::size_t kLongWord = 48;
  std::istringstream lines(text);
  Words wide;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream words(line);
    bool has_long_word = false;
    for (std::string word; words >> word;) {
      const bool is_drawing = word.starts_with("─");
      has_long_word |= text_width(word) > kLongWord && !is_drawing;
    }
    if (text_width(line) > kColumns && !has_long_word) wide.push_back(line);
  }
  return wide;
}

/// Three runs of 40 topics, four nights, an experiment: what all commands are tried on.
void set_up_commands(const Workspace& workspace) {
  set_up_toy(workspace);
  workspace.write("toy_qrels.txt", workspace.read("qrels.txt"));
  std::string experiment = workspace.read("experiment.toml");
  experiment.replace(experiment.find("'qrels.txt'"), 11, "'toy_qrels.txt'");
  workspace.write("experiment.toml", experiment);
  pin_base(workspace);
  write_night_run(workspace, kLongRun, 40, [](int topic) { return NightRanks{4, topic % 7}; });
  write_night_run(workspace, "worse.run", 40, [](int topic) { return NightRanks{topic % 3, 0}; });
  for (const char* run : {kLongRun, "worse.run"})
    static_cast<void>(run_night(workspace, "gate", run));
}

struct NarrowCommand {
  Words arguments;
  int exit_code = 0;
};

std::vector<NarrowCommand> narrow_commands() {
  const Words all = {"-m", "PRES@10,R@10,AP@10,PRES@100,R@100,AP@100,nDCG@10,RR"};
  const auto with = [&](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return NarrowCommand{std::move(words)};
  };
  std::vector<NarrowCommand> commands = {
      with({"evaluate", "qrels.txt", "base.run", kLongRun}, all),
      with({"evaluate", "qrels.txt", "base.run", kLongRun, "--per-topic"}, all),
      with({"compare", "qrels.txt", "base.run", kLongRun}, all),
      with({"compare", "qrels.txt", "base.run", kLongRun, "worse.run", "--top", "2"}, all),
      with({"compare", "qrels.txt", "base.run", "worse.run", "--robustness", "0.8"}, all),
      {{"gate", "nights.db", "--from", kLongRun, "--qrels", "qrels.txt", "-m", "PRES@10,R@10",
        "--dry-run"},
       1},
      {{"gate", "nights.db", "--from", "base.run", "--qrels", "qrels.txt", "-m", "PRES@10,R@10"}},
      {{"history", "nights.db"}},
      {{"pin", "nights.db", "--list"}},
      {{"replay", "experiment.toml"}},
      {{"replay", "experiment.toml", "--store", "live.db"}},
      {{"log", "live.db", "--last", "3"}},
      {{"log", "live.db", "--summary"}},
      {{"explain", "PRES"}},
      {{"explain"}},
      with({"explain", "qrels.txt", kLongRun, "T001"}, all),
      {{"explain", "qrels.txt", "worse.run", "T003"}},
      with({"study", "agreement", "qrels.txt", "base.run", "worse.run"}, all),
      {{"study", "cutoffs", "qrels.txt", "base.run", "worse.run"}},
      {{"study", "curve", "--ranks", "1,20", "--n", "4"}},
      {{"trec_eval", "-h"}},
      {{}, 2},
      {{"evaluate", "qrels.txt", "base.run", "--measures", "unknown-measure"}, 2},
      {{"--help"}}};
  for (const char* command : {"evaluate", "compare", "explain", "convert", "index", "replay", "log",
                              "pin", "gate", "history", "serve", "prune", "study"}) {
    commands.push_back({{command, "--help"}});
  }
  return commands;
}

TEST(TerminalWidth, LinesFit) {
  const Workspace workspace(set_up_commands);
  for (const auto& [arguments, exit_code] : narrow_commands()) {
    const Outcome outcome = on_narrow_terminal(workspace, arguments);
    const std::string command = fmt::format("{}", fmt::join(arguments, " "));
    EXPECT_EQ(outcome.exit_code, exit_code) << command << '\n' << outcome.out;
    EXPECT_THAT(wide_lines(outcome.out), ::testing::IsEmpty()) << command << '\n' << outcome.out;
  }
}

TEST(TerminalWidth, WideTableIsPrintedInParts) {
  const Workspace workspace;
  workspace.write("qrels.txt", "T1 0 A 1\n");
  workspace.write(kLongRun, "T1 Q0 A 1 1 x\n");
  const Outcome outcome = on_narrow_terminal(
      workspace, {"evaluate", "qrels.txt", kLongRun, "-m", "PRES@4,R@4,AP@4,P@1,RR"});
  EXPECT_THAT(outcome.out,
              HasSubstr("run                   topics  PRES@4     R@4   MAP@4     P@1\r\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\r\n\r\nrun                      MRR\r\n"));
  EXPECT_THAT(outcome.out, HasSubstr("a-run-with…s-weights  1.0000\r\n")) << outcome.out;
}

TEST(TerminalWidth, ColumnsAreThoseOfTheEnvironmentElsewhere) {
  const Workspace workspace(set_up_commands);
  const Words command = {"compare", "qrels.txt", "base.run", "worse.run"};
  const std::string narrow = workspace.run(command, {{"COLUMNS", "60"}}).out;
  EXPECT_THAT(wide_lines(narrow), ::testing::IsEmpty());
  const std::string plain = workspace.run(command).out;
  EXPECT_NE(narrow, plain);
  for (const char* columns : {"", "0", "x", "-1"}) {
    EXPECT_EQ(workspace.run(command, {{"COLUMNS", columns}}).out, plain) << columns;
  }
}

TEST(TerminalWidth, ExampleGoesOnBehindABackslash) {
  const Workspace workspace;
  const std::string help = on_narrow_terminal(workspace, {"evaluate", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("  prescope evaluate qrels.txt bm25.run tfidf.run.gz -m \\\r\n"
                              "    PRES@100,R@100,AP\r\n"));
}

TEST(TerminalWidth, NamesThatTurnTextAreEscaped) {
  const Workspace workspace;
  const std::string topic = "T\u202E1\u2066", docno = "D\u202E\u061C\u009B1";
  workspace.write("qrels.txt", topic + " 0 " + docno + " 1\n");
  workspace.write("r\u202E.run", topic + " Q0 " + docno + " 1 1 x\n");
  workspace.write("b.run", topic + " Q0 X 1 1 x\n");
  for (const Words& command :
       {Words{"evaluate", "qrels.txt", "r\u202E.run", "--per-topic"},
        Words{"compare", "qrels.txt", "b.run", "r\u202E.run"},
        Words{"compare", "qrels.txt", "b.run", "r\u202E.run", "--format", "markdown"},
        Words{"explain", "qrels.txt", "r\u202E.run", topic},
        Words{"explain", "qrels.txt", "r\u202E.run", "T\u202E"},
        Words{"evaluate", "missing\u202E.txt", "b.run"}}) {
    for (const Outcome& outcome :
         {on_narrow_terminal(workspace, command), workspace.run(command)}) {
      const std::string all = outcome.out + outcome.err;
      EXPECT_THAT(all, AllOf(HasSubstr("\\u202E"), Not(HasSubstr("\u202E")),
                             Not(HasSubstr("\u2066")), Not(HasSubstr("\u009B"))))
          << command.front();
    }
  }
  const Outcome csv =
      workspace.run({"evaluate", "qrels.txt", "b.run", "--per-topic", "--format", "tsv"});
  EXPECT_THAT(csv.out, HasSubstr(topic));
}

}  // namespace
}  // namespace prescope::testing
