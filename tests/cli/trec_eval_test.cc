// `prescope trec_eval` on trec_eval's own regression data, and the input that it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/evaluate_workspace.h"

namespace prescope::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
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

/// t1: d1 and d3 relevant, d2 not; t2 without a relevant document; t3 is in no run.
class TrecEval : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace_.write("qrels", "t1 0 d1 1\nt1 0 d2 0\nt1 0 d3 2\nt2 0 d1 0\nt3 0 d1 1\n");
    workspace_.write("run", "t1 Q0 d2 1 3 tag\nt1 Q0 d1 2 2 tag\nt2 Q0 d9 1 1 tag\n");
  }
  [[nodiscard]] Outcome run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "trec_eval");
    return workspace_.run(std::move(arguments));
  }

  Workspace workspace_;
};

std::string line(std::string name, const std::string& topic, const std::string& value) {
  constexpr std::size_t kNameWidth = 22;
  name.resize(std::max(kNameWidth, name.size()), ' ');
  return name + "\t" + topic + "\t" + value + "\n";
}

TEST_F(TrecEval, MissingTopicIsLeftOutAndReported) {
  const Outcome outcome = run({"-q", "-m", "map", "qrels", "run"});
  EXPECT_EQ(outcome.exit_code, 0);
  // t1: (1 / 2) / 2; t2 has no relevant document and counts 0
  EXPECT_EQ(outcome.out, line("map", "t1", "0.2500") + line("map", "t2", "0.0000") +
                             line("map", "all", "0.1250"));
  EXPECT_EQ(
      outcome.err,
      "prescope: note: run: 1 of 3 judged topics are not in the run, such as 't3'; they are in "
      "no mean (-c counts them 0)\n");
}

TEST_F(TrecEval, RunWithoutAJudgedDocumentIsReported) {
  workspace_.write("passages", "t1 d1 100 50 1 9.5\nt2 d1 20 50 2 8.5\n");  // offset and length
  const Outcome outcome = run({"-c", "-m", "map", "qrels", "passages"});
  EXPECT_EQ(outcome.out, line("map", "all", "0.0000"));
  EXPECT_EQ(outcome.err,
            "prescope: note: passages: none of its documents is judged; do its ids look like those "
            "of the judgements?\n");
}

TEST_F(TrecEval, NamesThatItPrintsAndThoseOfOthersAreUnderstood) {
  const Outcome as_asked = run({"-m", "P.1,2", "-m", "map", "qrels", "run"});
  const Outcome as_printed =
      run({"-m", "P_1", "-m", "P_2", "-m", "P_1", "-m", "map.5", "qrels", "run"});
  EXPECT_EQ(as_printed.out, as_asked.out);
  EXPECT_EQ(as_printed.exit_code, 0);
  // From grade 2 on d3 alone is relevant; the run has it not. t2 has none and counts 0.
  EXPECT_EQ(run({"-m", "MAP", "-m", "RR(rel=2)@10", "qrels", "run"}).out,
            line("AP", "all", "0.1250") + line("RR(rel=2)_10", "all", "0.0000"));
}

TEST_F(TrecEval, OptionCCountsMissingTopicsAsZero) {
  const Outcome outcome = run({"-c", "-m", "map", "-m", "num_ret", "-m", "num_q", "qrels", "run"});
  EXPECT_EQ(outcome.out,
            line("num_q", "all", "3") + line("num_ret", "all", "3") + line("map", "all", "0.0833"));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(TrecEval, PrintsMeasuresOfPrescopeAfterItsOwn) {
  const Outcome outcome =
      run({"-m", "PRES.10,100", "-mRBP0.8", "-m", "nDCG@5", "-m", "P.5", "qrels", "run"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  // t1: d1 at rank 2 of two relevant: PRES@10 = 9 / 20; t2 counts 0
  EXPECT_EQ(outcome.out, line("P_5", "all", "0.1000") + line("PRES_10", "all", "0.2250") +
                             line("PRES_100", "all", "0.2475") + line("RBP0.8", "all", "0.0800") +
                             line("nDCG_5", "all", "0.1199"));
}

TEST_F(TrecEval, TakesOptionsInEverySpellingOfGetopt) {
  const std::string expected = run({"-q", "-M", "1", "-l", "2", "-m", "map", "qrels", "run"}).out;
  EXPECT_THAT(expected, HasSubstr("all\t0.0000"));
  EXPECT_EQ(run({"qrels", "-qM1", "-l2", "run", "-mmap"}).out, expected);
  EXPECT_EQ(run({"--query_eval_wanted", "--Max_retrieved_per_topic=1", "--level", "2", "--measure",
                 "map", "--", "qrels", "run"})
                .out,
            expected);
  EXPECT_EQ(run({"-q", "-M", "1", "-l2", "-m", "map", "-D0", "-R", "qrels", "-T", "trec_results",
                 "-o", "qrels", "run"})
                .out,
            expected);
}

TEST_F(TrecEval, WithoutSummaryPrintsTopicsOnly) {
  EXPECT_EQ(run({"-q", "-n", "-m", "recip_rank", "qrels", "run"}).out,
            line("recip_rank", "t1", "0.5000") + line("recip_rank", "t2", "0.0000"));
  EXPECT_THAT(run({"-n", "qrels", "run"}).out, IsEmpty());
}

TEST_F(TrecEval, PrintsZeroIfTrecEvalDividesByZero) {
  workspace_.write("unjudged", "t1 Q0 d7 1 3 tag\n");
  const Outcome outcome =
      run({"-J", "-m", "iprec_at_recall.0", "-m", "11pt_avg", "qrels", "unjudged"});
  EXPECT_EQ(outcome.out,
            line("iprec_at_recall_0.00", "all", "0.0000") + line("11pt_avg", "all", "0.0000"));
}

TEST_F(TrecEval, CutsBeforeItRemovesUnjudgedDocuments) {
  workspace_.write("mixed", "t1 Q0 d8 1 3 tag\nt1 Q0 d1 2 2 tag\n");
  EXPECT_EQ(run({"-J", "-M1", "-m", "num_ret", "qrels", "mixed"}).out, line("num_ret", "all", "0"));
}

TEST_F(TrecEval, HelpNamesEveryMeasureAndExplainsOne) {
  const Outcome help = run({"-h"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* text : {"Example:\n  prescope trec_eval ", "  Rndcg ", "  rbp_resid ", "-M"}) {
    EXPECT_THAT(help.out, HasSubstr(text));
  }
  const Outcome one = run({"--help", "-m", "infAP", "-m", "PRES.100"});
  EXPECT_THAT(one.out, StartsWith("  infAP "));
  EXPECT_THAT(one.out, HasSubstr("  PRES@100 "));
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
  const char* answer;
};

class TrecEvalRefusals : public TrecEval, public ::testing::WithParamInterface<Refusal> {};

TEST_P(TrecEvalRefusals, AreClearAndExitWithTwo) {
  workspace_.write("twice", "t1 Q0 d1 1 3 tag\nt1 Q0 d2 2 2 tag\nt1 Q0 d1 3 1 tag\n");
  workspace_.write("repeated", "t1 0 d1 1\n# once more\nt1 0 d1 1\n");
  workspace_.write("elsewhere", "x1 Q0 d1 1 3 tag\n");
  const Outcome outcome = run(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().answer));
}

INSTANTIATE_TEST_SUITE_P(
    TrecEval, TrecEvalRefusals,
    ::testing::Values(
        Refusal{"UnknownMeasure",
                {"-m", "mpa", "qrels", "run"},
                "-m mpa: unknown measure 'mpa'; did you mean 'map'?"},
        Refusal{
            "Preferences", {"-R", "prefs", "qrels", "run"}, "-R prefs: this format is not read"},
        Refusal{"MeasureOfPreferences",
                {"-m", "prefs_simp", "qrels", "run"},
                "-m prefs_simp: needs preferences or judgements of several judges"},
        Refusal{"NicknameOfPreferences",
                {"-m", "all_prefs", "qrels", "run"},
                "-m all_prefs: needs preferences"},
        Refusal{"OwnMeasureWithoutItsCutoff",
                {"-m", "PRES", "qrels", "run"},
                "PRES needs a cutoff, as in PRES@100"},
        Refusal{"CutoffZero", {"-m", "P.5,0", "qrels", "run"}, "-m P.5,0: cutoff 0 is not a rank"},
        Refusal{
            "CutoffTwice", {"-m", "P.5,5", "qrels", "run"}, "-m P.5,5: a cutoff is given twice"},
        Refusal{
            "CutoffWithExponent", {"-m", "P.1e3", "qrels", "run"}, "write its digits, as in 1000"},
        Refusal{
            "CutoffIsNoNumber", {"-m", "P.5,x", "qrels", "run"}, "-m P.5,x: 'x' is not a number"},
        Refusal{"NoParameters", {"-m", "P.", "qrels", "run"}, "-m P.: no parameters behind"},
        Refusal{"UtilityOfThree",
                {"-m", "utility.1,2,3", "qrels", "run"},
                "-m utility.1,2,3: 3 numbers; expected 4"},
        Refusal{"GainWithoutLevel", {"-m", "ndcg.5", "qrels", "run"}, "'5' has no '='"},
        Refusal{"GainOfUnjudged",
                {"-m", "ndcg.-1=2", "qrels", "run"},
                "'-1' is not a grade; expected an integer from 0 on"},
        Refusal{"Depth", {"-M", "0", "qrels", "run"}, "-M '0': not a number from 1 on"},
        Refusal{"Level", {"-l", "x", "qrels", "run"}, "-l 'x': not a number from 0 on"},
        Refusal{"Debug", {"-D", "2", "qrels", "run"}, "-D 2: there is no debug output"},
        Refusal{"UnknownOption", {"-x", "qrels", "run"}, "unknown option '-x'"},
        Refusal{"UnknownLongOption",
                {"--mesure=map", "qrels", "run"},
                "unknown option '--mesure'; did you mean '--measure'?"},
        Refusal{"OptionWithoutValue", {"qrels", "run", "-m"}, "option '-m' needs a value"},
        Refusal{"OneFile", {"qrels"}, "1 file given; expected QRELS and RUN"},
        Refusal{"MissingFile", {"qrels", "absent"}, "absent"},
        Refusal{"DocnoTwice",
                {"qrels", "twice"},
                "twice: docno 'd1' stands twice in topic 't1', again at rank 3"},
        Refusal{"JudgedTwice",
                {"repeated", "run"},
                "repeated:3: docno 'd1' is judged twice in topic 't1'"},
        Refusal{
            "NoTopicInCommon",
            {"qrels", "elsewhere"},
            "elsewhere: none of its 1 topics is judged, such as 'x1'; the qrels judge 3 topics"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_F(TrecEval, DocnoJudgedTwiceIsRefusedInAPipeToo) {
  workspace_.write("repeated", "t1 0 d1 1\n# once more\nt1 0 d1 1\n");
  const Outcome piped = shell(workspace_, "trec_eval <(cat repeated) run");
  EXPECT_EQ(piped.exit_code, 2);
  EXPECT_THAT(piped.out, HasSubstr(":3: docno 'd1' is judged twice in topic 't1'"));
  const Outcome standard_input = shell(workspace_, "trec_eval - run < repeated");
  EXPECT_EQ(standard_input.exit_code, 2);
  EXPECT_THAT(standard_input.out, HasSubstr("standard input:3: docno"));
}

TEST_F(TrecEval, RepeatedDocnoBehindTheDepthIsAccepted) {
  workspace_.write("twice", "t1 Q0 d1 1 3 tag\nt1 Q0 d2 2 2 tag\nt1 Q0 d1 3 1 tag\n");
  EXPECT_EQ(run({"-M2", "-m", "num_ret", "qrels", "twice"}).out, line("num_ret", "all", "2"));
}

}  // namespace
}  // namespace prescope::testing
