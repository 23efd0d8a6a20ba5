// `prescope trec_eval` on trec_eval's own regression data. The transcripts have the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/program.h"
#include "support/scratch_file.h"

namespace prescope::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const fs::path kData = fs::path(PRESCOPE_TEST_DATA) / "trec_eval";

struct Command {
  std::vector<std::string> arguments;
  std::string expected_file;
};

/// A file that is there only compressed is read as it is.
std::string present(const std::string& name) {
  return !fs::exists(kData / name) && fs::exists(kData / (name + ".gz")) ? name + ".gz" : name;
}

std::vector<Command> load_commands() {
  std::vector<Command> commands;
  std::ifstream file(kData / "commands.tsv");
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    Command& command = commands.emplace_back();
    std::istringstream words(line.substr(0, line.find('\t')));
    command.arguments = {"trec_eval"};
    for (std::string word; words >> word;) command.arguments.push_back(present(word));
    command.expected_file = line.substr(line.find('\t') + 1);
  }
  return commands;
}

/// Judgements of other forms than qrels.
bool needs_other_judgements(const Command& command) {
  return std::ranges::find(command.arguments, "-R") != command.arguments.end();
}

TEST(TrecEvalGolden, PrintsEveryLineOfTrecEvalsRegressionTests) {
  if (!fs::exists(kData)) GTEST_SKIP() << "the collection is absent: " << kData.string();
  int same = 0, refused = 0;
  for (const Command& command : load_commands()) {
    SCOPED_TRACE(::testing::PrintToString(command.arguments));
    const Outcome outcome =
        run_program({.arguments = command.arguments, .environment = {}, .folder = kData});
    if (needs_other_judgements(command)) {
      ++refused;
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_THAT(outcome.out, IsEmpty());
      EXPECT_THAT(outcome.err, StartsWith("prescope: -R "));
      continue;
    }
    ++same;
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, content_of(kData / command.expected_file));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
  EXPECT_EQ(same, 10);
  EXPECT_EQ(refused, 5);
}

TEST(TrecEvalGolden, IsTheSameForAnyThreadsAndInAnyLocale) {
  if (!fs::exists(kData)) GTEST_SKIP() << "the collection is absent: " << kData.string();
  const Outcome outcome =
      run_program({.arguments = {"trec_eval", "--threads", "2", "-m", "all_trec", "-q",
                                 "qrels.test", "results.test"},
                   .environment = {{"LC_ALL", "de_DE.UTF-8"}},
                   .folder = kData});
  EXPECT_EQ(outcome.out, content_of(kData / "out.test.aq"));
}

}  // namespace
}  // namespace prescope::testing
