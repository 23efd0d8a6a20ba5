// prescope study agreement, robustness, retrievability, and compare --robustness.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "prescope/query_scope.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// 40 topics with 2 relevant documents. `good` has both first; `fair` at ranks 2 and 3, so that it
/// loses by AP and PRES and not by R@4; `poor` only one of them, at rank 4.
void write_study_runs(const Workspace& workspace) {
  std::string qrels, good, fair, poor;
  for (int t = 0; t < 40; ++t) {
    qrels += fmt::format("T{0:02} 0 D{0}a 1\nT{0:02} 0 D{0}b 1\n", t);
    good += fmt::format("T{0:02} Q0 D{0}a 1 9 x\nT{0:02} Q0 D{0}b 2 8 x\nT{0:02} Q0 N 3 7 x\n", t);
    fair += fmt::format("T{0:02} Q0 N 1 9 x\nT{0:02} Q0 D{0}a 2 8 x\nT{0:02} Q0 D{0}b 3 7 x\n", t);
    poor += fmt::format("T{0:02} Q0 N 1 9 x\nT{0:02} Q0 M 2 8 x\nT{0:02} Q0 K 3 7 x\n", t);
    poor += fmt::format("T{0:02} Q0 D{0}b 4 6 x\n", t);
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("good.run", good);
  workspace.write("fair.run", fair);
  workspace.write("poor.run", poor);
}

Outcome study(const Workspace& workspace, const std::string& words,
              std::map<std::string, std::string> environment = {}) {
  std::vector<std::string> arguments = {"study"};
  std::istringstream in(words);
  for (std::string word; in >> word;) arguments.push_back(word);
  return workspace.run(arguments, std::move(environment));
}

void expect_xml(const std::string& text, const std::string& what) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  EXPECT_NO_THROW(boost::property_tree::read_xml(in, tree)) << what;
}

constexpr const char* kThree = " qrels.txt good.run fair.run poor.run ";
constexpr const char* kMeasuresAtFour = " -m AP@4,R@4,PRES@4 ";

TEST(AgreementStudy, CountsVerdictsOfMeasuresOnThreeRuns) {
  const Workspace workspace(write_study_runs);
  const Outcome outcome = study(
      workspace, std::string("agreement") + kThree + kMeasuresAtFour + "--json - --svg figures");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  EXPECT_EQ(all["study"], "agreement");
  const json& result = all["agreement"];
  // By AP and PRES the three are in order; good and fair have the same recall.
  EXPECT_EQ(result["verdicts"]["AP@4"]["different"], 3);
  EXPECT_EQ(result["verdicts"]["R@4"]["different"], 2);
  EXPECT_EQ(result["verdicts"]["R@4"]["indistinguishable"], 1);
  ASSERT_EQ(result["agreements"].size(), 3U);
  const json& ap_and_recall = result["agreements"][0];
  EXPECT_EQ(ap_and_recall["same"], 2);
  EXPECT_EQ(ap_and_recall["only_x_different"], 1);
  EXPECT_EQ(ap_and_recall["opposite"], 0);
  EXPECT_EQ(result["agreements"][1]["same_direction"], 3);
  const json& pair = result["pairs"][0];
  EXPECT_EQ(pair["a"], "good");
  EXPECT_EQ(pair["b"], "fair");
  // PRES@4 of good: (4 + 4) / 8; of fair: (4 + 1 - 2 + 4 + 2 - 3) / 8 = 6/8.
  EXPECT_NEAR(pair["measures"]["PRES@4"]["difference"].get<double>(), -0.25, 1e-12);
  EXPECT_EQ(pair["measures"]["PRES@4"]["verdict"], "worse");
  EXPECT_EQ(pair["measures"]["R@4"]["verdict"], "identical");
  for (const char* name : {"agreement", "agreement-AP-4", "agreement-R-4", "agreement-PRES-4"}) {
    const std::string file = fmt::format("figures/{}.svg", name);
    ASSERT_TRUE(workspace.has(file)) << file;
    expect_xml(workspace.read(file), file);
  }
}

TEST(AgreementStudy, PrintsATableAndAllFormats) {
  const Workspace workspace(write_study_runs);
  const std::string command = std::string("agreement") + kThree + kMeasuresAtFour;
  const Outcome outcome =
      study(workspace, command + "--csv a.csv --html a.html --test t --correction holm");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("AP@4 and R@4          3   2 (66.7 %)"),
                                 HasSubstr("(Holm)"), HasSubstr("good  2 / 0  1 / 0   2 / 0")));
  expect_xml(workspace.read("a.html").substr(workspace.read("a.html").find("<html")), "page");
  EXPECT_THAT(workspace.read("a.csv"),
              AllOf(HasSubstr("a,b,measure,topics,difference,decided_by,p_value,corrected,verdict"),
                    HasSubstr("good,fair,R@4,40,0,sign-flip,1,1,identical")));
}

TEST(RobustnessStudy, KeepsTheOrderOfRunsThatDifferInEveryTopic) {
  const Workspace workspace(write_study_runs);
  const Outcome outcome =
      study(workspace, std::string("robustness") + kThree +
                           "--fractions .3,1 --samples 2 --cutoffs 4 --json - --svg figures");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out)["robustness"];
  EXPECT_EQ(result["options"]["fractions"], (json{0.3, 1.0}));
  EXPECT_EQ(result["options"]["seed"], "1");
  ASSERT_EQ(result["cells"].size(), 6U);
  for (const json& cell : result["cells"]) {
    EXPECT_EQ(cell["taus"].size(), 2U);
    if (cell["fraction"] == 1.0) {
      EXPECT_EQ(cell["minimum"], 1.0) << cell;
    }
    // Whichever document a topic keeps: AP of good, fair, poor is at least 1/2, 1/3, 0.
    if (cell["measure"] == "AP@4") {
      EXPECT_EQ(cell["minimum"], 1.0) << cell;
    }
  }
  expect_xml(workspace.read("figures/robustness-cutoff-4.svg"), "figure");
}

TEST(RobustnessStudy, TakesAnyMeasuresAndReportsMissingYardsticks) {
  const Workspace workspace(write_study_runs);
  const Outcome any = study(workspace, std::string("robustness") + kThree +
                                           "-m nDCG@3,P@2,bpref --samples 12 --csv - --seed x");
  ASSERT_EQ(any.exit_code, 0) << any.err;
  // A heading, and 4 fractions, 3 measures, 12 samples.
  EXPECT_EQ(std::ranges::count(any.out, '\n'), 1 + 4 * 3 * 12);
  const Outcome paper = study(workspace, std::string("robustness") + kThree);
  EXPECT_THAT(paper.out, AllOf(HasSubstr("0.60"), HasSubstr("no yardstick for MAP")));
}

TEST(CompareRobustness, ReportsHowOftenTheVerdictWouldChange) {
  const Workspace workspace(write_study_runs);
  const Outcome outcome =
      workspace.run({"compare", "qrels.txt", "good.run", "fair.run", "-m", "PRES@4,R@4",
                     "--robustness", "0.5,0.8", "--robustness-samples", "20"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Were 50 % of the citations unknown"),
                                 HasSubstr("Were 20 % of the citations unknown"),
                                 HasSubstr("20 (100 %)"), HasSubstr("found or not")));
  const Outcome as_json = workspace.run({"compare", "qrels.txt", "good.run", "fair.run", "poor.run",
                                         "-m", "PRES@4,R@4", "--robustness", "0.5", "--json", "-"});
  const json robustness = json::parse(as_json.out)["comparison"]["robustness"];
  ASSERT_EQ(robustness["pairs"].size(), 2U);
  const json& change = robustness["pairs"][0]["measures"]["PRES@4"]["changes"][0];
  // Fair is behind in every topic, whichever document stays known.
  EXPECT_EQ(change["samples"], 100);
  EXPECT_EQ(change["same"], 100);
  EXPECT_LT(change["highest_difference"].get<double>(), 0.0);
  const json& recall = robustness["pairs"][0]["measures"]["R@4"];
  EXPECT_EQ(recall["verdict"], "identical");
  EXPECT_EQ(recall["changes"][0]["same"], 100);
}

TEST(CompareRobustness, IsPrintedOnlyIfAskedFor) {
  const Workspace workspace(write_study_runs);
  const Outcome plain =
      workspace.run({"compare", "qrels.txt", "good.run", "fair.run", "--json", "-"});
  EXPECT_TRUE(json::parse(plain.out)["comparison"]["robustness"].is_null());
}

TEST(RetrievabilityStudy, CountsByHand) {
  const Workspace workspace;
  workspace.write("old.run",
                  "T1 Q0 A 1 3 x\nT1 Q0 B 2 2 x\nT1 Q0 C 3 1 x\nT2 Q0 A 1 3 x\nT2 Q0 B 2 2 x\n");
  workspace.write_gzip("new.run.gz",
                       "T1 Q0 A 1 3 y\nT1 Q0 D 2 2 y\nT2 Q0 A 1 3 y\nT2 Q0 A 2 2 y\n");
  workspace.write("documents.txt", "# all\nA\nB\nC\nD\nE\n");
  const Outcome outcome = study(workspace,
                                "retrievability old.run new.run.gz --cutoff 2 --documents "
                                "documents.txt --json - --csv d.csv --svg figures");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  const json& result = all["retrievability"];
  EXPECT_EQ(result["population"], 5);
  const json& old_run = result["sources"][0];
  EXPECT_EQ(old_run["retrieved"], 2);
  EXPECT_EQ(old_run["never_retrieved"], 3);
  EXPECT_EQ(old_run["retrievals"], 4);
  // r = 0 0 0 2 2: (2 * 4 - 6) * 2 + (2 * 5 - 6) * 2 = 12 over 5 * 4.
  EXPECT_NEAR(old_run["gini"].get<double>(), 0.6, 1e-12);
  EXPECT_EQ(result["sources"][1]["repeated_hits"], 1);
  const json& comparison = result["comparisons"][0];
  EXPECT_EQ(comparison["lost"], 1);
  EXPECT_EQ(comparison["lost_documents"][0], (json{{"document", "B"}, {"a", 2}, {"b", 0}}));
  EXPECT_EQ(comparison["gained_documents"][0]["document"], "D");
  EXPECT_EQ(result["never_found_documents"], (json{"C", "E"}));
  EXPECT_EQ(workspace.read("d.csv"), "document,old,new\nA,2,2\nB,2,0\nC,0,0\nD,0,1\nE,0,0\n");
  EXPECT_THAT(all["notes"].dump(), HasSubstr("new: 1 hit of a document"));
  for (const char* name : {"lorenz", "topics"}) {
    expect_xml(workspace.read(fmt::format("figures/retrievability-{}.svg", name)), name);
  }
}

TEST(RetrievabilityStudy, SaysThatATableLeavesRunsOut) {
  const Workspace workspace;
  std::string command = "retrievability";
  for (int run = 1; run <= 7; ++run) {
    workspace.write(fmt::format("r{}.run", run), "T1 Q0 A 1 3 x\n");
    command += fmt::format(" r{}.run", run);
    const std::string table = study(workspace, command).out;
    EXPECT_EQ(table.find("r1 finds for most topics (the first 6 of 7 runs)") != table.npos,
              run == 7);
  }
}

TEST(RetrievabilityStudy, ReportsUnknownDocuments) {
  const Workspace workspace(write_study_runs);
  EXPECT_THAT(study(workspace, "retrievability good.run").out,
              AllOf(HasSubstr("how many there are is not known"), Not(HasSubstr("Against"))));
  EXPECT_THAT(study(workspace, "retrievability good.run --collection 1000").out,
              HasSubstr("1,000 (--collection)"));
  EXPECT_THAT(study(workspace, "retrievability good.run --collection 5").out,
              HasSubstr("more than the collection is said to have"));
  workspace.write("few.txt", "N\n");
  EXPECT_THAT(study(workspace, "retrievability good.run --documents few.txt").out,
              HasSubstr("80 documents were found, but not in the list"));
}

TEST(RetrievabilityStudy, LeavesUnlistedDocumentsOutOfEveryNumber) {
  const Workspace workspace(write_study_runs);
  workspace.write("few.txt", "N\nD0a\nnobody's\n");
  const Outcome outcome = study(workspace,
                                "retrievability good.run poor.run --documents few.txt --json - "
                                "--csv d.csv");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out)["retrievability"];
  // N in all 40 topics of both, D0a in one of `good`; M, K and the other 79 of D are not listed.
  EXPECT_EQ(workspace.read("d.csv"), "document,good,poor\nN,40,40\nD0a,1,0\nnobody's,0,0\n");
  EXPECT_EQ(result["unlisted"], 81);
  EXPECT_EQ(result["most_found"].size(), 2);
  const json& comparison = result["comparisons"][0];
  EXPECT_EQ(comparison["in_both"], 1);
  EXPECT_EQ(comparison["lost"], 1);
  EXPECT_EQ(comparison["gained"], 0);
}

TEST(RetrievabilityStudy, MakesDocnosOneByThePolicy) {
  const Workspace workspace;
  workspace.write("a.run", "T1 Q0 EP-0000001-A1 1 3 x\nT2 Q0 EP0000001B1 1 3 x\n");
  const json raw = json::parse(study(workspace, "retrievability a.run --json -").out);
  EXPECT_EQ(raw["retrievability"]["sources"][0]["highest"], 1);
  const json patents =
      json::parse(study(workspace, "retrievability a.run --docno patent --json -").out);
  EXPECT_EQ(patents["retrievability"]["sources"][0]["highest"], 2);
}

/// Writes the store of a host that captures rankings.
void write_store(const std::filesystem::path& path, std::uint32_t captured,
                 const std::vector<std::string_view>& docnos) {
  const auto log = log_to_store(path, {.captured_hits = captured});
  Experiment experiment(
      Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("T1"), Docno("A")}}),
      {.name = "night", .arms = {"bm25"}, .recording = {.capture_depth = 10}, .logs = {log}});
  {
    const QueryScope scope(experiment, TopicId{"T1"});
    experiment.observe({.kind = HitKind::kDocnos, .docnos = docnos, .requested_depth = 10});
  }
  experiment.flush();
  ASSERT_TRUE(log->flush());
}

TEST(RetrievabilityStudy, ReadsCapturedRankingsOfStores) {
  const Workspace workspace;
  write_store(workspace.path("monday.db"), 10, {"A", "B"});
  write_store(workspace.path("tuesday.db"), 10, {"A", "C"});
  workspace.write("list.txt", "A\nB\nC\n");
  const Outcome outcome =
      study(workspace, "retrievability monday.db tuesday.db --documents list.txt --json -");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out)["retrievability"];
  EXPECT_EQ(result["sources"][0]["name"], "bm25 (session 1)");
  const json& comparison = result["comparisons"][0];
  EXPECT_EQ(comparison["in_both"], 1);
  EXPECT_EQ(comparison["lost_documents"][0]["document"], "B");
  EXPECT_EQ(comparison["gained_documents"][0]["document"], "C");
}

TEST(RetrievabilityStudy, ReportsAStoreWithoutCaptures) {
  const Workspace workspace;
  write_store(workspace.path("night.db"), 0, {"A"});
  const Outcome outcome = study(workspace, "retrievability night.db");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("night.db: no captured rankings"),
                                 HasSubstr("capture_depth"), HasSubstr("captured_hits")));
}

TEST(RunStudies, RefuseInvalidOptions) {
  const Workspace workspace(write_study_runs);
  const std::string both = " qrels.txt good.run fair.run ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"agreement qrels.txt good.run", "at least 2 runs; found 1"},
      {"agreement" + both + "--test wilcoxson", "wilcoxon"},
      {"agreement" + both + "--correction hulm", "holm"},
      {"agreement" + both + "--alpha 1", "--alpha"},
      {"agreement" + both + "-m GMAP", "its mean is geometric"},
      {"robustness qrels.txt good.run", "at least 2 runs; found 1"},
      {"robustness" + both + "--fractions 0", "'0' is not a share above 0 and at most 1"},
      {"robustness" + both + "--fractions .2,1.5,x", "'1.5' is not a share"},
      {"robustness" + both + "--fractions .2,1.5,x", "'x' is not a share"},
      {"robustness" + both + "--fractions nan", "'nan' is not a share"},
      {"robustness" + both + "--samples 0", "--samples"},
      {"robustness" + both + "--cutoffs 0", "--cutoffs: '0'"},
      {"robustness" + both + "--rounding rund", "round"},
      {"robustness" + both + "--cutoffs 10 -m AP", "--cutoffs"},
      {"robustness" + both + "--json - --csv -", "standard output"},
      {"retrievability", "at least one run or store"},
      {"retrievability good.run --cutoff 0", "--cutoff"},
      {"retrievability good.run --order trek", "trec"},
      {"retrievability good.run --docno patents", "patent"},
      {"retrievability good.run --docno family", "--family-map"},
      {"retrievability missing.run", "missing.run"},
      {"retrievability good.run --arm bm25", "--session are parts of a store"},
      {"retrievability - -", "more than once"},
      {"retrievability good.run --documents qrels.txt --collection 9", "leave --collection out"},
      {"retrievability qrels.txt", "qrels.txt:1: 4 columns"},
      {"robustnes" + both, "robustness"}};
  for (const auto& [words, expected] : cases) {
    const Outcome outcome = study(workspace, words);
    EXPECT_EQ(outcome.exit_code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_THAT(outcome.err, HasSubstr(expected)) << words;
  }
  const Outcome compared =
      workspace.run({"compare", "qrels.txt", "good.run", "fair.run", "--robustness", "0"});
  EXPECT_EQ(compared.exit_code, 2);
  EXPECT_THAT(compared.err, HasSubstr("--robustness: '0' is not a share"));
}

TEST(RunStudies, PrintTheSameForAnyThreadsAndLocale) {
  const Workspace workspace(write_study_runs);
  const std::string locale = workspace.path("de_DE.UTF-8");
  const bool has_locale =
      std::system(("localedef -f UTF-8 -i de_DE '" + locale + "' > /dev/null 2>&1").c_str()) == 0;
  for (const std::string& command :
       {std::string("agreement") + kThree + kMeasuresAtFour + "--test sign-flip",
        std::string("robustness") + kThree, std::string("retrievability good.run fair.run"),
        std::string("retrievability good.run fair.run poor.run --top 2")}) {
    for (const std::string output : {"", " --json -", " --csv -", " --html -"}) {
      const Outcome one = study(workspace, command + output);
      ASSERT_EQ(one.exit_code, 0) << one.err;
      EXPECT_EQ(study(workspace, command + output + " --threads 3").out, one.out) << command;
      if (!has_locale) continue;
      const Outcome german = study(workspace, command + output,
                                   {{"LC_ALL", "de_DE.UTF-8"}, {"LOCPATH", workspace.folder()}});
      EXPECT_EQ(german.out, one.out) << command;
    }
  }
}

void collect_run_study_keys(const json& value, std::set<std::string>& keys,
                            bool are_names = false) {
  if (value.is_array()) {
    for (const json& item : value) collect_run_study_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (!are_names) keys.insert(key);
    collect_run_study_keys(member, keys, key == "measures" || key == "verdicts");
  }
}

TEST(RunStudiesDocumentation, NamesEveryKeyOfTheJson) {
  const Workspace workspace(write_study_runs);
  workspace.write("documents.txt", "N\nZ\n");
  std::set<std::string> keys;
  for (const std::string& command :
       {std::string("agreement") + kThree, std::string("robustness") + kThree,
        std::string("retrievability good.run poor.run --documents documents.txt")}) {
    json all = json::parse(study(workspace, command + " --json -").out);
    all.erase("evaluation");  // printed and documented by `prescope evaluate`
    collect_run_study_keys(all, keys);
  }
  EXPECT_GT(keys.size(), 60U);
  const std::string page =
      content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/studies-json.md");
  for (const std::string& key : keys) EXPECT_THAT(page, HasSubstr("`" + key + "`")) << key;
}

TEST(RunStudiesDocumentation, NamesEveryFlag) {
  const std::string text =
      content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/studies.md");
  for (const char* flag :
       {"--test", "--alpha", "--correction", "--fractions", "--samples", "--cutoffs", "--seed",
        "--rounding", "--cutoff", "--documents", "--collection", "--docno", "--order",
        "--experiment", "--arm", "--session", "--top"}) {
    EXPECT_THAT(text, HasSubstr("`" + std::string(flag))) << flag;
  }
}

/// The 12 systems of one task.
TEST(RunStudies, HandleRealRuns) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(PRESCOPE_TEST_DATA) / "clefip2011";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const Workspace workspace;
  std::string runs;
  std::set<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder / "runs")) files.insert(file.path());
  for (const fs::path& file : files) runs += " " + file.string();
  const std::string qrels = (folder / "qrels.reconstructed.txt").string();
  for (const std::string& command :
       {"agreement " + qrels + runs, "robustness " + qrels + runs, "retrievability" + runs}) {
    const Outcome one = study(workspace, command + " --json - --svg figures");
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(study(workspace, command + " --json - --threads 2").out, one.out);
    const std::string name = command.substr(0, command.find(' '));
    const json all = json::parse(one.out);
    // Three of them repeat documents.
    EXPECT_THAT(all["notes"].dump(), HasSubstr("MMs_decision_tree")) << name;
    if (name == "agreement") {
      EXPECT_EQ(all[name]["pairs"].size(), 66U);
    }
  }
  for (const auto& figure : fs::directory_iterator(workspace.path("figures"))) {
    expect_xml(content_of(figure.path()), figure.path());
  }
}

}  // namespace
}  // namespace prescope::testing
