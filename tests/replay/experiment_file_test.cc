// The experiment file: all its problems are reported at once, by line; flags override it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_of_file(const Workspace& workspace, std::string_view experiment,
                            std::vector<std::string> flags = {}) {
  workspace.write("bad.toml", experiment);
  flags.insert(flags.begin(), {"replay", "bad.toml"});
  const Outcome outcome = workspace.run(std::move(flags));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

TEST(ExperimentFile, AllProblemsAreReportedAtOnce) {
  const Workspace workspace;
  const std::string err = refusal_of_file(workspace, R"(engine = 'toy'
indx = 'somewhere'
threads = 'four'
depth = 50
cutoffs = [100, 0]
[qrels]
path = 'qrels.txt'
docno = 'patnt'
min_grade = 99999999999
kategories = 3
[qrels.categories]
X = 2
XY = 3
[topics]
source = 'documnets'
[[arms]]
name = 'a/b'
[[arms]]
k1 = 1.2
)");
  EXPECT_THAT(err, HasSubstr("prescope: bad.toml:2: unknown key 'indx'; did you mean 'index'?"));
  EXPECT_THAT(err, HasSubstr("prescope: bad.toml:3: threads is a string; expected an integer\n"));
  EXPECT_THAT(err,
              HasSubstr("bad.toml:4: depth is 50; expected at least 100, the cutoff of PRES@100"));
  EXPECT_THAT(err,
              HasSubstr("bad.toml:5: cutoffs is '0'; expected an integer from 1 to 2147483647"));
  EXPECT_THAT(err, HasSubstr("bad.toml:8: "));
  EXPECT_THAT(err, HasSubstr("'patnt'; did you mean 'patent'?"));
  EXPECT_THAT(err,
              HasSubstr("bad.toml:9: qrels.min_grade is '99999999999'; expected an integer from"));
  EXPECT_THAT(
      err,
      HasSubstr("bad.toml:10: unknown key of [qrels] 'kategories'; did you mean 'categories'?"));
  EXPECT_THAT(err, HasSubstr("bad.toml:13: "));
  EXPECT_THAT(
      err, HasSubstr("bad.toml:15: unknown topics.source 'documnets'; did you mean 'documents'?"));
  EXPECT_THAT(err, HasSubstr("bad.toml:17: arm name 'a/b'"));
  EXPECT_THAT(err, HasSubstr("bad.toml:18: an arm without a name; expected name = "));
  EXPECT_THAT(err, HasSubstr("bad.toml: has no index"));
  EXPECT_THAT(err, Not(HasSubstr("bad.toml:12")));
}

TEST(ExperimentFile, UnknownMeasureSuggestsTheNearest) {
  const Workspace workspace;
  const std::string err = refusal_of_file(workspace, "measures = ['PRSE@100', 'R@100']\n");
  EXPECT_THAT(err,
              AllOf(HasSubstr("bad.toml:1: "), HasSubstr("'PRSE@100'"), HasSubstr("'PRES@100'")));
}

TEST(ExperimentFile, ContradictionsAndSyntaxErrorsAreNamed) {
  const Workspace workspace;
  const std::pair<const char*, const char*> cases[] = {
      {"cutoffs = [1]\nmeasures = ['RR']\n", "bad.toml:1: cutoffs and measures exclude each other"},
      {"topics.source = 'file'\n", "bad.toml:1: topics.source is file; set topics.path"},
      {"topics.source = 'documents'\ntopics.path = 'x'\n",
       "bad.toml:2: topics.path has no meaning"},
      {"qrels.docno = 'family'\n", "bad.toml:1: docno policy family needs a map file"},
      {"[[arms]]\nname = 'a'\n[[arms]]\nname = 'a'\n", "bad.toml:4: arm 'a' is there twice"},
      {"[[arms]]\nname = ''\n", "bad.toml:2: an arm's name is empty"},
      {"arms = ['a']\n", "bad.toml:1: arms is an array; expected an array of tables: [[arms]]"},
      {"qrels = 'qrels.txt'\n", "bad.toml:1: qrels is a string; expected a table: [qrels]"},
      {"[[arms]]\nname = 'a'\nk1 = [1, 2]\n",
       "bad.toml:3: k1 is an array; expected a string, a number or a boolean"},
      {"name = 'a'\nindex = \n", "bad.toml:2: not TOML: "},
      {"name = 'a'\nname = 'b'\n", "bad.toml:2: not TOML: "},
      {"name = 'a'\n# \xFF\n", "bad.toml:2: not TOML: "}};
  for (const auto& [text, why] : cases) {
    EXPECT_THAT(refusal_of_file(workspace, text), HasSubstr(why)) << text;
  }
  EXPECT_THAT(refusal_of_file(workspace, "", {"--arm", ":k1=1"}),
              HasSubstr("--arm: ':k1=1'; expected NAME:KEY=VALUE"));
}

TEST(ExperimentFile, MissingFileIsNamed) {
  const Workspace workspace;
  const Outcome outcome = workspace.run({"replay", "nowhere.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("prescope: nowhere.toml: cannot be read"));
}

TEST(ExperimentFile, BadFlagsAreNamedByTheFlag) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--threads", "0", "--seed",
                                         "-1", "--category", "X", "--arms", "forward,bakward",
                                         "--arm", "forward:order", "--exclude", "famly"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("--threads: threads is '0'; expected an integer from 1 to 1024"));
  EXPECT_THAT(outcome.err, HasSubstr("--seed: seed is '-1'"));
  EXPECT_THAT(outcome.err, HasSubstr("--category: 'X'; expected a letter and its grade"));
  EXPECT_THAT(outcome.err, HasSubstr("--arms: unknown arm 'bakward'; did you mean 'backward'?"));
  EXPECT_THAT(outcome.err, HasSubstr("--arm: 'order' of arm 'forward'; expected NAME:KEY=VALUE"));
  EXPECT_THAT(outcome.err, HasSubstr("--exclude: unknown topics.exclude 'famly'"));
  const Outcome no_arm = workspace.run({"replay", "experiment.toml", "--arms", "bakward"});
  EXPECT_THAT(no_arm.err, AllOf(HasSubstr("unknown arm 'bakward'"), Not(HasSubstr("no arms"))));
}

TEST(ExperimentFile, PathsAreRelativeToTheFileAndFlagsToTheCurrentFolder) {
  const Workspace workspace(set_up_toy);
  std::filesystem::create_directory(workspace.path("elsewhere"));
  workspace.write("elsewhere/other.txt", "T2 0 EP0000001A1 1\n");
  const Outcome from_elsewhere = run_program(
      {.arguments = {"replay", "../experiment.toml", "--qrels", "other.txt", "--json", "-"},
       .environment = {},
       .folder = workspace.path("elsewhere")});
  ASSERT_EQ(from_elsewhere.exit_code, 0) << from_elsewhere.err;
  const json result = json::parse(from_elsewhere.out);
  EXPECT_EQ(result["summary"]["judgements"], 1);
  EXPECT_EQ(result["index"]["path"], "../index");
}

// P@1 made a depth of 1, and what was printed as MAP was the precision of the first hit.
TEST(ExperimentFile, MeasuresWithoutACutoffAreOfTheWholeRanking) {
  const Workspace workspace(set_up_toy);
  workspace.write("no-depth.toml", "engine = '" + test_module("toy") + R"('
index = 'index'
qrels.path = 'qrels.txt'
topics.path = 'topics.tsv'
[[arms]]
name = 'forward'
)");
  const auto result_of = [&](const std::string& measures) {
    const Outcome outcome =
        workspace.run({"replay", "no-depth.toml", "--measures", measures, "--json", "-"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const std::map<std::string, std::uint32_t> depths = {
      {"AP", 1000}, {"P@1,AP", 1000}, {"AP,P@1001", 1001}, {"P@4,R@3", 4}};
  for (const auto& [measures, depth] : depths) {
    EXPECT_EQ(result_of(measures)["options"]["depth"], depth) << measures;
  }
  // EP2 at rank 2 of T1, EP1 at 1 and EP5 at 5 of T2.
  EXPECT_EQ(result_of("P@1,AP")["summary"]["arms"][0]["means"]["AP"]["mean"],
            (1.0 / 2 + (1.0 / 1 + 2.0 / 5) / 2) / 2);
}

TEST(ExperimentFile, EveryKeyHasAFlagThatOverridesIt) {
  const Workspace workspace(set_up_toy);
  workspace.write("other-topics.tsv", "T1\tfirst\n");
  workspace.write("map.txt", "EP2 F2\n");
  workspace.write("pairs.txt", "T1 EP0000001A1\n");
  workspace.write("slices.tsv", "topic\tkind\nT1\tx\n");
  workspace.write("other-qrels.txt", "T1 0 EP0000002A1 X\n");
  ASSERT_EQ(
      workspace
          .run({"index", "--engine", test_module("toy"), "--out", "other-index", "documents.jsonl"})
          .exit_code,
      0);
  workspace.write("empty.toml", "");
  const Outcome outcome = workspace.run({"replay",          "empty.toml",
                                         "--name",          "flags",
                                         "--note",          "a note",
                                         "--engine",        test_module("toy"),
                                         "--index",         "other-index",
                                         "--measures",      "PRES@3,RR",
                                         "--depth",         "4",
                                         "--threads",       "2",
                                         "--seed",          "7",
                                         "--qrels",         "other-qrels.txt",
                                         "--docno",         "family",
                                         "--family-map",    "map.txt",
                                         "--min-grade",     "3",
                                         "--category",      "X=4",
                                         "--category",      "Y=2",
                                         "--topics-source", "file",
                                         "--topics",        "other-topics.tsv",
                                         "--exclude",       "self",
                                         "--exclude-pairs", "pairs.txt",
                                         "--slices",        "slices.tsv",
                                         "--slice-by",      "kind",
                                         "--arm",           "one:order=forward",
                                         "--arm",           "two",
                                         "--arms",          "two,one",
                                         "--json",          "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["note"], "a note");
  EXPECT_EQ(result["index"]["path"], "other-index");
  EXPECT_EQ(result["options"], json({{"name", "flags"},
                                     {"measures", {"PRES@3", "RR"}},
                                     {"depth", 4},
                                     {"threads", 2},
                                     {"seed", 7},
                                     {"qrels",
                                      {{"path", "other-qrels.txt"},
                                       {"docno", "family"},
                                       {"family_map", "map.txt"},
                                       {"min_grade", 3},
                                       {"categories", {{"X", 4}, {"Y", 2}}}}},
                                     {"topics",
                                      {{"source", "file"},
                                       {"path", "other-topics.tsv"},
                                       {"exclude", "self"},
                                       {"exclude_pairs", "pairs.txt"}}},
                                     {"slices", {{"path", "slices.tsv"}, {"by", {"kind"}}}},
                                     {"arms",
                                      {{{"name", "two"},
                                        {"engine", test_module("toy")},
                                        {"index", "other-index"},
                                        {"settings", json::object()}},
                                       {{"name", "one"},
                                        {"engine", test_module("toy")},
                                        {"index", "other-index"},
                                        {"settings", {{"order", "forward"}}}}}}}));
  // EP1 is left out by its pair, so EP2 moves up from rank 2: RR is 1.
  EXPECT_EQ(result["summary"]["arms"][0]["means"]["RR"]["mean"], 1.0);
}

TEST(ExperimentFile, SettingsOfAnArmReachTheEngineFlattened) {
  const Workspace workspace(set_up_toy);
  const std::string err = refusal_of_file(workspace, "engine = '" + test_module("toy") + R"('
index = 'index'
qrels.path = 'qrels.txt'
topics.path = 'topics.tsv'
[[arms]]
name = 'a'
fields.title = 2.5
[[arms]]
name = 'b'
[arms.fields]
abstract = true
)");
  EXPECT_THAT(err, HasSubstr("bad.toml:7: unknown arm setting 'fields.title'"));
  EXPECT_THAT(err, HasSubstr("bad.toml:11: unknown arm setting 'fields.abstract'"));
}

}  // namespace
}  // namespace prescope::testing
