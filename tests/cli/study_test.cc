// Properties that all studies share: how they are called and where they write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/study_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> kStudyNames = {"cutoffs",   "correlation", "curve",
                                              "agreement", "robustness",  "retrievability"};

Outcome run_study(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "study");
  return run_program({.arguments = std::move(arguments), .environment = {}});
}

TEST(Study, HelpListsEveryStudyInALine) {
  const Outcome outcome = run_study({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string& name : kStudyNames) {
    EXPECT_THAT(outcome.out, HasSubstr(fmt::format("\n  {:<28}", name)));
  }
  EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  prescope study "));
}

TEST(Study, EveryStudyHasAHelpWithExamples) {
  for (const std::string& name : kStudyNames) {
    const Outcome outcome = run_study({name, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Usage: prescope study " + name),
                                   HasSubstr("Examples:\n  prescope study " + name)));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(Study, WithoutANameTheHelpGoesToStderr) {
  const Outcome outcome = run_study({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("cutoffs"));
}

TEST(Study, UnknownNameSuggestsTheNearest) {
  const Outcome outcome = run_study({"cutofs", "qrels.txt"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown study 'cutofs'; did you mean 'cutoffs'?"));
}

TEST(Study, UnknownOptionSuggestsTheNearest) {
  const Outcome outcome = run_study({"cutoffs", "q", "r", "--nmx", "10"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown option '--nmx'; did you mean '--nmax'?"));
  EXPECT_THAT(run_study({"curve", "extra"}).err,
              HasSubstr("unexpected argument 'extra'; see 'prescope study curve --help'"));
  EXPECT_THAT(run_study({"curve", "--json"}).err,
              HasSubstr("--json: its value is missing; see 'prescope study curve --help'"));
}

// A file may be called as a study or a command is.
TEST(Study, TakesFilesNamedLikeCommands) {
  const Workspace workspace(set_up_studies);
  workspace.write("evaluate", workspace.read("early.run"));
  workspace.write("curve", workspace.read("late.run"));
  const Outcome outcome = workspace.run({"study", "cutoffs", "qrels.txt", "evaluate", "curve"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nevaluate "), HasSubstr("\ncurve ")));
}

TEST(Study, WritesEveryOutputBesideTheTable) {
  const Workspace workspace(set_up_studies);
  for (const std::vector<std::string>& study : kStudies) {
    std::vector<std::string> arguments = study;
    for (const char* more :
         {"--json", "s.json", "--csv", "s.csv", "--html", "s.html", "--svg", "figures/of-study"}) {
      arguments.emplace_back(more);
    }
    const Outcome outcome = workspace.run(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(workspace.read_json("s.json")["study"], study[1]);
    EXPECT_EQ(workspace.run(study).out, outcome.out);
    for (const auto& [flag, file] : {std::pair{"--json", "s.json"}, std::pair{"--csv", "s.csv"},
                                     std::pair{"--html", "s.html"}}) {
      arguments = study;
      arguments.emplace_back(flag);
      arguments.emplace_back("-");
      EXPECT_EQ(workspace.run(arguments).out, workspace.read(file)) << flag;
    }
  }
}

/// Throws as boost does if the text is not well-formed XML.
boost::property_tree::ptree parsed_xml(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(in, tree);
  return tree;
}

TEST(Study, FiguresAndPagesAreWellFormedAndSelfContained) {
  const Workspace workspace(set_up_studies);
  workspace.write("<&\"'>.run", workspace.read("early.run"));
  std::size_t figures = 0;
  for (std::vector<std::string> study : kStudies) {
    if (study[1] != "curve") study.emplace_back("<&\"'>.run");
    study.insert(study.end(), {"--html", "page.html", "--svg", "figures"});
    ASSERT_EQ(workspace.run(study).exit_code, 0);
    const std::string page = workspace.read("page.html");
    EXPECT_NO_THROW(parsed_xml(page)) << study[1];
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("src=")),
                            Not(HasSubstr("href=")), Not(HasSubstr("url("))));
  }
  for (const auto& entry : std::filesystem::directory_iterator(workspace.path("figures"))) {
    const std::string svg = content_of(entry.path());
    SCOPED_TRACE(entry.path().string());
    EXPECT_NO_THROW(parsed_xml(svg));
    EXPECT_THAT(svg, AllOf(StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""),
                           HasSubstr("<title"), HasSubstr("<desc"), HasSubstr("<style>"),
                           HasSubstr("class=\"fig-paper\""), Not(HasSubstr("var(--"))));
    // Checked by a common XML reader; xmllint is in the list of packages.
    const std::string check = "xmllint --noout '" + entry.path().string() + "'";
    EXPECT_EQ(std::system(check.c_str()), 0);
    ++figures;
  }
  EXPECT_EQ(figures, 9U);  // three of cutoffs, two of correlation, four of curve
}

/// All of the values of an attribute in `svg`.
std::set<std::string> classes_of(const std::string& svg, const std::string& prefix) {
  std::set<std::string> found;
  for (std::size_t at = svg.find("class=\"" + prefix); at != std::string::npos;
       at = svg.find("class=\"" + prefix, at + 1)) {
    found.insert(svg.substr(at, svg.find('"', at + 7) - at));
  }
  return found;
}

TEST(Study, LinesOfAFigureCanBeToldApartWithoutColours) {
  const Workspace workspace(set_up_studies);
  ASSERT_EQ(workspace
                .run({"study", "cutoffs", "qrels.txt", "early.run", "late.run", "third.run",
                      "--svg", "figures"})
                .exit_code,
            0);
  const std::string svg = workspace.read("figures/cutoffs-pres.svg");
  std::set<std::string> dashes;
  for (const std::string& line : classes_of(svg, "fig-line")) {
    dashes.insert(line.substr(line.find("fig-d")));
  }
  EXPECT_EQ(dashes.size(), 3U);
  for (const char* words : {"N_max (documents read)", "PRES (mean over topics)", "early", "late"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
}

// ESC [ 3 1 m colours a terminal.
TEST(Study, ControlCharactersInNamesAreEscaped) {
  const Workspace workspace;
  workspace.write("t.tsv", "run\tX\x1b[31m\tY\nred\x1b[31m\t1\t2\nb\xff\t2\t1\n");
  for (const char* format : {"--json", "--csv", "--html", ""}) {
    std::vector<std::string> arguments = {"study", "correlation", "--scores", "u.tsv"};
    workspace.write("u.tsv", "run\tX\x1b[31m\tY\nred\x1b[31m\t1\t2\nb\t2\t1\n");
    if (*format != 0) arguments.insert(arguments.end(), {format, "-"});
    const Outcome outcome = workspace.run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b"))) << format;
    EXPECT_THAT(outcome.out, ContainsRegex(R"(X\\u001[Bb]\[31m)")) << format;
  }
  EXPECT_EQ(workspace.run({"study", "correlation", "--scores", "t.tsv"}).exit_code, 2);
}

TEST(Study, RefusesInvalidOutputs) {
  const Workspace workspace(set_up_studies);
  workspace.write("file", "in the way");
  const auto refusal = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"study", "curve", "--ranks", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = workspace.run(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--json", "-", "--csv", "-"}),
              HasSubstr("only one of --json, --csv and --html can be standard output"));
  EXPECT_THAT(refusal({"--json", "no/such/folder/s.json"}), HasSubstr("cannot be written"));
  EXPECT_THAT(refusal({"--svg", "file"}), HasSubstr("file: the folder cannot be made"));
  EXPECT_THAT(refusal({"--svg", "file/below"}), HasSubstr("cannot be made"));
}

}  // namespace
}  // namespace prescope::testing
