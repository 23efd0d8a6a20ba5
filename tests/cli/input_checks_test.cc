// Every command that reads run files and judgements makes the checks of input that concern them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/input_checks.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kCheckedTopics = 20;

/// Topics whose relevant document is on the first of four lines.
std::string run_to_check(const std::function<std::string(int topic, int line)>& docno,
                         const std::function<int(int line)>& score,
                         const std::string& second_tag = "x") {
  std::string text;
  for (int t = 0; t < kCheckedTopics; ++t) {
    for (int i = 1; i <= 4; ++i) {
      text += fmt::format("T{} Q0 {} {} {} {}\n", t, docno(t, i), i, score(i),
                          i == 2 ? second_tag : "x");
    }
  }
  return text;
}

std::string checked_docno(int topic, int line) {
  return line == 1 ? fmt::format("EP{}", topic) : fmt::format("US{}", line);
}

void set_up_checked_files(const Workspace& workspace) {
  std::string qrels, quoted, invisible;
  for (int t = 0; t < kCheckedTopics; ++t) {
    qrels += fmt::format("T{} 0 EP{} 1\n", t, t);
    quoted += fmt::format("T{} 0 \"EP{}\" 1\n", t, t);
    invisible += fmt::format("T{} 0 EP{}\u200B 1\n", t, t);
  }
  const auto falls = [](int line) { return 9 - line; };
  const std::string good = run_to_check(checked_docno, falls);
  workspace.write("qrels", qrels);
  workspace.write("quoted.qrels", quoted);
  workspace.write("invisible.qrels", invisible);
  workspace.write("good.run", good);
  workspace.write("tied.run", run_to_check(checked_docno, [](int) { return 0; }));
  workspace.write("rising.run", run_to_check(checked_docno, [](int line) { return line; }));
  workspace.write("tags.run", run_to_check(checked_docno, falls, "other"));
  const auto wrapped = [](const char* before, const char* behind) {
    return [=](int topic, int line) {
      return line == 1 ? before + checked_docno(topic, line) + behind : checked_docno(topic, line);
    };
  };
  workspace.write("quoted.run", run_to_check(wrapped("\"", "\""), falls));
  workspace.write("invisible.run", run_to_check(wrapped("", "\u00A0"), falls));
  workspace.write("blank.run", run_to_check(wrapped("EP ", ""), falls));
  // Five US applications with a zero behind the year, which the judgements lack.
  workspace.write("series.run", run_to_check(
                                    [](int topic, int line) {
                                      return line == 2 && topic < 5
                                                 ? fmt::format("US2003022000{}A1", topic)
                                                 : checked_docno(topic, line);
                                    },
                                    falls));
  for (int t = 0; t < 5; ++t) qrels += fmt::format("T{} 0 US200322000{} 1\n", t, t);
  workspace.write("series.qrels", qrels);
  workspace.write("html.run", "<!DOCTYPE html>\n<html></html>\n");
  workspace.write_gzip("lfs.run.gz", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  workspace.write("header.run", "query_id\tdoc_id\tscore\n1\tEP1\t2.0\n");
  workspace.write("header.qrels", "query-id\tcorpus-id\tscore\n1\tEP1\t1\n");
}

struct CheckCase {
  std::string check, qrels, run;
  std::vector<std::string> words;
};

std::vector<CheckCase> check_cases() {
  const std::string alike = "20 lines would find a judged document if ids that look the same";
  return {
      {"container", "qrels", "html.run", {"html.run: is an HTML page"}},
      {"container", "qrels", "lfs.run.gz", {"inside its gzip data is a Git LFS pointer"}},
      {"container", "html.run", "good.run", {"html.run: is an HTML page"}},
      {"format", "qrels", "header.run", {"header.run:1: ", "`prescope convert --kind run` reads"}},
      {"format",
       "header.qrels",
       "good.run",
       {"header.qrels:1: ", "BEIR", "`prescope convert --kind qrels` reads"}},
      {"columns", "qrels", "blank.run", {"blank.run:1: docno 'EP EP0' contains blanks"}},
      {"ids", "qrels", "quoted.run", {alike, "line 1: '\"EP0\"' in the run, 'EP0' in the qrels"}},
      {"ids", "quoted.qrels", "good.run", {alike, "'EP0' in the run, '\"EP0\"' in the qrels"}},
      {"ids", "qrels", "invisible.run", {alike, "'EP0<U+00A0>' in the run"}},
      {"ids", "invisible.qrels", "good.run", {alike, "'EP0<U+200B>' in the qrels"}},
      // The gate and the notes of an evaluation begin these sentences in their own way.
      {"tied", "qrels", "tied.run", {"ll scores", "20"}},
      {"rising", "qrels", "rising.run", {"cores rise from line to line in 20"}},
      {"series",
       "series.qrels",
       "series.run",
       {"US applications: 0 of 5 judged documents found; they would match with a zero behind the "
        "year (US2003220000 in the qrels, US20030220000A1 in the run): use --docno patent"}},
      {"tags", "qrels", "tags.run", {"20 of 80 lines have another tag than the first, 'x'"}}};
}

/// What a command prints about a run, in one line.
std::string said_by(const Workspace& workspace, std::vector<std::string> arguments) {
  const Outcome outcome = workspace.run(std::move(arguments));
  std::string all = outcome.out + outcome.err;
  std::string words;
  for (const char c : all) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || !words.ends_with(' ')) words += is_blank ? ' ' : c;
  }
  return words;
}

std::vector<std::vector<std::string>> commands_that_check(const CheckCase& one) {
  return {{"evaluate", one.qrels, one.run, "-m", "RR,AP"},
          {"evaluate", one.qrels, one.run, "-m", "RR", "--format", "csv"},
          {"compare", one.qrels, "good.run", one.run},
          {"explain", one.qrels, one.run, "T0"},
          {"study", "cutoffs", one.qrels, one.run},
          {"pin", "new.db", "--from", one.run, "--qrels", one.qrels, "--why", "x"},
          {"gate", "nights.db", "--from", one.run, "--qrels", one.qrels}};
}

TEST(InputChecks, EveryCommandMakesThem) {
  const Workspace workspace(set_up_checked_files);
  ASSERT_EQ(
      workspace.run({"pin", "nights.db", "--from", "good.run", "--qrels", "qrels", "--why", "x"})
          .exit_code,
      0);
  for (const CheckCase& one : check_cases()) {
    for (const std::vector<std::string>& command : commands_that_check(one)) {
      SCOPED_TRACE(::testing::PrintToString(command));
      const std::string said = said_by(workspace, command);
      for (const std::string& words : one.words) EXPECT_THAT(said, HasSubstr(words));
    }
  }
}

TEST(InputChecks, EveryCheckHasACase) {
  std::set<std::string> tested, listed;
  for (const CheckCase& one : check_cases()) tested.insert(one.check);
  for (const InputCheck& check : input_checks()) listed.emplace(check.name);
  EXPECT_EQ(tested, listed);
}

TEST(InputChecks, HealthyFilesGetNoRemark) {
  const Workspace workspace(set_up_checked_files);
  const std::string said = said_by(workspace, {"evaluate", "qrels", "good.run"});
  EXPECT_THAT(said, AllOf(Not(HasSubstr("tied in")), Not(HasSubstr("look the same")),
                          Not(HasSubstr("another tag")), Not(HasSubstr("rise"))));
}

// The judged document is the first or the last of 31 that tie: 1 and 1/31 = 0.0323.
TEST(InputChecks, TiesGiveTheRangeOfTheMean) {
  const Workspace workspace;
  std::string qrels, run;
  for (int t = 0; t < kCheckedTopics; ++t) {
    qrels += fmt::format("T{0} 0 US{0}B2 1\n", t);
    run += fmt::format("T{0} Q0 US{0}B2 1 0 constant\n", t);
    for (int i = 1; i <= 30; ++i) {
      run += fmt::format("T{} Q0 EP{}A1 {} 0 constant\n", t, i, i + 1);
    }
  }
  workspace.write("qrels", qrels);
  workspace.write("run.txt", run);
  EXPECT_THAT(
      said_by(workspace, {"evaluate", "qrels", "run.txt", "-m", "RR"}),
      HasSubstr("run: all scores tied in 20 of 20 topics: docnos decide the ranking; MRR is "
                "between 0.0323 and 1.0000"));
}

}  // namespace
}  // namespace prescope::testing
