// --category gives a citation category another grade, with the same words in every command that
// reads judgements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// One X, one Y and one A citation, of which the run finds the A and the X.
void set_up_citations(const Workspace& workspace) {
  workspace.write("qrels", "T1 0 EP1A1 X\nT1 0 EP2A1 Y\nT1 0 EP3A1 A\n");
  workspace.write("a.run", "T1 Q0 EP3A1 1 2 a\nT1 Q0 EP1A1 2 1 a\n");
  workspace.write("b.run", "T1 Q0 EP1A1 1 2 b\n");
}

struct CategoryCase {
  std::vector<std::string> given;  ///< values of --category
  double recall;                   ///< of a.run
  json grades;                     ///< in results
  std::string converted;           ///< grades of the three lines
};

const CategoryCase kCategoryCases[] = {
    {{}, 2.0 / 3.0, json::object(), "3 2 1"},              // the A and the X of three
    {{"A=0"}, 1.0 / 2.0, {{"A", 0}}, "3 2 0"},             // the X of X and Y
    {{"X=0", "Y=0"}, 1.0, {{"X", 0}, {"Y", 0}}, "0 0 1"},  // the A of A
    {{"Y=-1"}, 1.0, {{"Y", -1}}, "3 -1 1"},                // the A and the X of both
    {{"X=3"}, 2.0 / 3.0, {{"X", 3}}, "3 2 1"},             // the default
    {{"A=0", "A=0"}, 1.0 / 2.0, {{"A", 0}}, "3 2 0"},      // the same twice
};

std::vector<std::string> with_categories(std::vector<std::string> arguments,
                                         const std::vector<std::string>& given) {
  for (const std::string& value : given) {
    arguments.insert(arguments.end(), {"--category", value});
  }
  return arguments;
}

TEST(Categories, CommandsTakeTheGradesThatAreGiven) {
  const Workspace workspace(set_up_citations);
  for (const auto& [given, recall, grades, converted] : kCategoryCases) {
    SCOPED_TRACE(grades);
    const auto run = [&, &values = given](std::vector<std::string> arguments) {
      const Outcome outcome = workspace.run(with_categories(std::move(arguments), values));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return outcome.out;
    };
    const json evaluated =
        json::parse(run({"evaluate", "qrels", "a.run", "-m", "R@10", "--format", "json"}));
    EXPECT_DOUBLE_EQ(evaluated["runs"][0]["means"]["R@10"].get<double>(), recall);
    EXPECT_EQ(evaluated["qrels"]["categories"], grades);
    const json compared =
        json::parse(run({"compare", "qrels", "a.run", "b.run", "-m", "R@10", "--json", "-"}));
    EXPECT_EQ(compared["evaluation"]["qrels"], evaluated["qrels"]);
    EXPECT_EQ(compared["evaluation"]["runs"][0]["means"], evaluated["runs"][0]["means"]);
    std::istringstream lines(run({"convert", "qrels", "--kind", "qrels"}));
    std::vector<std::string> written;
    for (std::string topic, iteration, docno, grade;
         lines >> topic >> iteration >> docno >> grade;) {
      written.push_back(grade);
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(written, " ")), converted);
  }
}

TEST(Categories, ConvertTakesThemInEveryFormat) {
  const Workspace workspace;
  const std::pair<const char*, const char*> files[] = {
      {"table.csv", "query,docid,grade\nT1,EP1,A\n"},
      {"lines.jsonl", "{\"topic\": \"T1\", \"docno\": \"EP1\", \"grade\": \"A\"}\n"},
      {"array.json", "[\n{\"topic\": \"T1\", \"docno\": \"EP1\", \"grade\": \"A\"}\n]\n"},
      {"letor.txt", "A qid:T1 1:0.5 # EP1\n"},
      {"clefip.txt", "T1 EP1 A\n"}};
  for (const auto& [name, content] : files) {
    workspace.write(name, content);
    const Outcome outcome =
        workspace.run({"convert", name, "--kind", "qrels", "--category", "A=7"});
    EXPECT_EQ(outcome.out, "T1 0 EP1 7\n") << name << outcome.err;
  }
}

TEST(Categories, TablesNameThem) {
  const Workspace workspace(set_up_citations);
  EXPECT_THAT(workspace
                  .run({"evaluate", "qrels", "a.run", "--category", "X=5", "--category", "A=0",
                        "--category", "Y=2"})
                  .out,
              HasSubstr("relevant from grade 1, categories A=0,X=5\n"));
  EXPECT_THAT(workspace.run({"evaluate", "qrels", "a.run"}).out, Not(HasSubstr("categories")));
}

TEST(Categories, TheGateComparesThem) {
  const Workspace workspace(set_up_citations);
  const std::vector<std::string> night = {"nights.db", "--from", "a.run", "--qrels", "qrels"};
  const auto run = [&](std::vector<std::string> arguments, std::vector<std::string> given) {
    arguments.insert(arguments.begin() + 1, night.begin(), night.end());
    return workspace.run(with_categories(std::move(arguments), given));
  };
  ASSERT_EQ(run({"pin", "--why", "x", "--force"}, {"A=0"}).exit_code, 0);
  const auto reason_of = [&](const std::vector<std::string>& given, const std::string& id) {
    const json verdict = json::parse(run({"gate", "--dry-run", "--json", "-"}, given).out);
    for (const json& rule : verdict["rules"]) {
      if (rule["id"] == id) return fmt::format("{}: {}", rule["status"], rule["reason"]);
    }
    return std::string();
  };
  EXPECT_THAT(reason_of({"A=0"}, "input.qrels"), HasSubstr("pass"));
  EXPECT_THAT(reason_of({"A=0", "X=3"}, "input.conditions"), HasSubstr("pass"));
  EXPECT_THAT(reason_of({}, "input.qrels"), HasSubstr("bad_input"));
  EXPECT_THAT(reason_of({}, "input.conditions"),
              HasSubstr("qrels.categories was A=0 and is not set"));
  EXPECT_THAT(reason_of({"A=2"}, "input.conditions"),
              HasSubstr("qrels.categories was A=0 and is A=2"));
}

// Citations that must be found have the grades of the night.
TEST(Categories, MustFindTakesThem) {
  const Workspace workspace(set_up_citations);
  const std::vector<std::string> pin = {"pin",     "nights.db",   "--from", "a.run",
                                        "--qrels", "qrels",       "--why",  "x",
                                        "--force", "--must-find", "must"};
  workspace.write("must", "T1 0 EP1A1 X\nT1 0 EP3A1 A\n");
  const Outcome all = workspace.run(pin);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  const Outcome without_a = workspace.run(with_categories(pin, {"A=0"}));
  EXPECT_EQ(without_a.exit_code, 0) << without_a.err;
}

TEST(Categories, EveryCommandRefusesThemWithTheSameWords) {
  const Workspace workspace(set_up_citations);
  workspace.write("replay.toml", "");
  ASSERT_EQ(
      workspace
          .run({"pin", "nights.db", "--from", "a.run", "--qrels", "qrels", "--why", "x", "--force"})
          .exit_code,
      0);
  const std::vector<std::string> commands[] = {
      {"evaluate", "qrels", "a.run"},
      {"compare", "qrels", "a.run", "b.run"},
      {"convert", "qrels", "--kind", "qrels"},
      {"pin", "nights.db", "--from", "a.run", "--qrels", "qrels", "--why", "x"},
      {"gate", "nights.db", "--from", "a.run", "--qrels", "qrels"},
      {"replay", "replay.toml"}};
  const std::pair<std::vector<std::string>, const char*> words[] = {
      {{"X"}, "--category: 'X'; expected a letter and its grade: X=3"},
      {{"x=3"}, "--category: citation category 'x'; expected one letter A-Z, or &"},
      {{"X=high"}, "--category: the grade of category X is 'high'; expected an integer"},
      {{"X=1.5"}, "--category: the grade of category X is '1.5'; expected an integer"},
      {{"X=5", "X=6"}, "--category: category X has grade 5 and also 6; keep one of them"}};
  for (const auto& command : commands) {
    for (const auto& [values, message] : words) {
      const Outcome outcome = workspace.run(with_categories(command, values));
      EXPECT_EQ(outcome.exit_code, 2) << command[0];
      EXPECT_THAT(outcome.err, HasSubstr(message)) << command[0];
    }
  }
}

TEST(Categories, HaveNoMeaningWithoutJudgementsToRead) {
  const Workspace workspace(set_up_citations);
  EXPECT_THAT(workspace.run({"convert", "a.run", "--kind", "run", "--category", "X=3"}).err,
              HasSubstr("--category: has no meaning for a run"));
  EXPECT_THAT(
      workspace.run({"pin", "nights.db", "--from", "1", "--category", "X=3", "--why", "x"}).err,
      HasSubstr("--category: has no meaning for a stored night ('1')"));
}

}  // namespace
}  // namespace prescope::testing
