#include "prescope/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <locale>
#include <set>
#include <string>
#include <vector>

#include "prescope/error.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<Measure>& measures) {
  std::vector<std::string> names;
  for (const Measure& measure : measures) names.push_back(measure.name());
  return names;
}

std::string refusal_of_measure(std::string_view text) {
  try {
    static_cast<void>(Measure::parse(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage) << text;
    return error.what();
  }
  return "accepted";
}

TEST(MeasureNames, ReadBackAsWritten) {
  for (const char* name : {"PRES@100",
                           "PRESest@100",
                           "R@1000",
                           "R",
                           "AP@1000",
                           "AP",
                           "P@10",
                           "F1@100",
                           "F0.5@10",
                           "Fap4@100",
                           "Fap1@100",
                           "Rnorm",
                           "RR",
                           "RR@10",
                           "PRES@1",
                           "PRES@2147483647",
                           "F1000@10",
                           "nDCG",
                           "nDCG@10",
                           "Rprec",
                           "bpref",
                           "infAP",
                           "RBP0.8",
                           "RBP0.95@100",
                           "Success@5",
                           "GMAP",
                           "GMAP@100",
                           "Judged@10",
                           "ERR",
                           "ERR@20",
                           "nDCGexp",
                           "nDCGexp@10",
                           "SetP",
                           "SetF1",
                           "SetF0.5",
                           "AP(rel=2)",
                           "PRES(rel=3)@100",
                           "RBP0.8(rel=2)@10"}) {
    EXPECT_EQ(Measure::parse(name).name(), name);
  }
}

TEST(MeasureNames, HaveOneCanonicalSpelling) {
  EXPECT_EQ(Measure::parse("Fap4.0@100").name(), "Fap4@100");
  EXPECT_EQ(Measure::parse("F.5@010").name(), "F0.5@10");
  EXPECT_EQ(Measure::parse("RBP.80").name(), "RBP0.8");
  EXPECT_EQ(Measure::parse("Fap4.00@100"), Measure::parse("Fap4@100"));
  EXPECT_NE(Measure::parse("Fap4@100"), Measure::parse("F4@100"));
  EXPECT_NE(Measure::parse("R"), Measure::parse("R@1000"));
}

TEST(MeasureNames, OfOtherProgramsAreRead) {
  // As trec_eval, pytrec_eval, ir_measures and papers write them.
  const std::pair<const char*, const char*> cases[] = {{"MAP", "AP"},
                                                       {"map", "AP"},
                                                       {"MAP@100", "AP@100"},
                                                       {"map_cut_100", "AP@100"},
                                                       {"map_cut.100", "AP@100"},
                                                       {"MRR", "RR"},
                                                       {"mrr@10", "RR@10"},
                                                       {"recip_rank", "RR"},
                                                       {"ndcg", "nDCG"},
                                                       {"NDCG@10", "nDCG@10"},
                                                       {"ndcg_cut_10", "nDCG@10"},
                                                       {"ndcg_cut.10", "nDCG@10"},
                                                       {"P_5", "P@5"},
                                                       {"P.5", "P@5"},
                                                       {"p@5", "P@5"},
                                                       {"Precision@5", "P@5"},
                                                       {"recall_100", "R@100"},
                                                       {"Recall@100", "R@100"},
                                                       {"pres@100", "PRES@100"},
                                                       {"PRES_100", "PRES@100"},
                                                       {"success_10", "Success@10"},
                                                       {"gm_map", "GMAP"},
                                                       {"rprec", "Rprec"},
                                                       {"BPREF", "bpref"},
                                                       {"infap", "infAP"},
                                                       {"set_P", "SetP"},
                                                       {"set_recall", "R"},
                                                       {"SetR", "R"},
                                                       {"set_F", "SetF1"},
                                                       {"SetF", "SetF1"},
                                                       {"SetF(beta=2)", "SetF2"},
                                                       {"RBP(p=0.8)", "RBP0.8"},
                                                       {"rbp(p=0.80)@10", "RBP0.8@10"},
                                                       {"RBP(rel=2,p=0.8)", "RBP0.8(rel=2)"},
                                                       {"Fap(beta=4)@100", "Fap4@100"},
                                                       {"MAP(rel=2)@100", "AP(rel=2)@100"},
                                                       {"P(rel=3)@5", "P(rel=3)@5"},
                                                       {"nDCG(dcg='exp-log2')@10", "nDCGexp@10"},
                                                       {"nDCG(dcg='log2')@10", "nDCG@10"},
                                                       {"err@20", "ERR@20"},
                                                       {"RBP.8", "RBP0.8"}};
  for (const auto& [text, name] : cases) EXPECT_EQ(Measure::parse(text).name(), name) << text;
}

// Decimal comma and grouped thousands, as in de_DE.
struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(MeasureNames, DoNotDependOnTheLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  const std::string name = Measure::parse("F0.5@1000").name();
  std::locale::global(before);
  EXPECT_EQ(name, "F0.5@1000");
}

TEST(MeasureNames, AreRefusedWithTheRemedy) {
  const struct {
    const char *text, *said;
  } cases[] = {
      {"PRSE@100",
       "unknown measure 'PRSE@100'; did you mean 'PRES@100'? Valid: PRES, R, AP, nDCG, "},
      {"Fab4@100", "unknown measure 'Fab4@100'; did you mean 'Fap4@100'?"},
      {"Fab@100", "unknown measure 'Fab@100'; did you mean 'Fap0.5@100'?"},
      {"PRES", "PRES needs a cutoff, as in PRES@100"},
      {"Rprec@10", "'Rprec@10': Rprec takes no cutoff; write Rprec"},
      {"Success", "Success needs a cutoff, as in Success@100"},
      {"RBP", "'RBP': RBP needs a persistence, as in RBP0.8"},
      {"RBP1", "'RBP1': persistence '1' is not a number in (0, 1); write it as in RBP0.8"},
      {"RBP0@5", "persistence '0' is not a number in (0, 1)"},
      {"F1", "F1 needs a cutoff, as in F1@100"},
      {"Rnorm@100", "'Rnorm@100': Rnorm takes no cutoff; write Rnorm"},
      {"F@100", "'F@100': F needs a beta, as in F0.5@100"},
      {"Fap@100", "'Fap@100': Fap needs a beta, as in Fap0.5@100"},
      {"F0@10", "'F0@10': beta '0' is not a number in (0, 1000]; write it as in F0.5@100"},
      {"F-1@10", "beta '-1' is not a number in (0, 1000]"},
      {"F1001@10", "beta '1001' is not a number in (0, 1000]"},
      {"F1,5@10", "beta '1,5' is not a number in (0, 1000]"},
      {"Fap1e999@10", "beta '1e999' is not a number in (0, 1000]"},
      {"PRES@0",
       "'PRES@0': cutoff '0' is not an integer in [1, 2147483647]; write it as in "
       "PRES@100"},
      {"PRES@", "cutoff '' is not an integer"},
      {"PRES@-5", "cutoff '-5' is not an integer"},
      {"PRES@10.5", "cutoff '10.5' is not an integer"},
      {"PRES@100@10", "cutoff '100@10' is not an integer"},
      {"PRES@2147483648", "cutoff '2147483648' is not an integer in [1, 2147483647]"},
      {"PRES@99999999999999999999", "cutoff '99999999999999999999' is not an integer"},
      {"map_cut", "map_cut needs a cutoff, as in AP@100; AP is that of all documents served"},
      {"recal@10", "did you mean 'recall@10'?"},
      {"MPA", "did you mean 'MAP'?"},
      {"AP(rel=x)", "'AP(rel=x)': rel 'x' is not a grade; write it as in AP(rel=2)"},
      {"AP(p=0.8)", "'AP(p=0.8)': AP has no 'p'; it takes rel, a grade"},
      {"nDCG(rel=2)", "nDCG has no 'rel'; it takes no rel"},
      {"RBP(p=2)", "persistence '2' is not a number in (0, 1)"},
      {"RBP(x=2)", "RBP has no 'x'; it takes rel, a grade, and persistence"},
      {"nDCG(dcg='exp')", "dcg 'exp' is neither 'log2' nor 'exp-log2'"},
      {"SetP@10", "'SetP@10': SetP takes no cutoff; write SetP"},
      {"", "unknown measure ''"},
      {" PRES@100", "unknown measure ' PRES@100'; did you mean 'PRES@100'?"},
  };
  for (const auto& c : cases) EXPECT_THAT(refusal_of_measure(c.text), HasSubstr(c.said)) << c.text;
}

TEST(MeasureNames, SuggestionIsAcceptedAndKeepsTheNumber) {
  const struct {
    const char *text, *suggested;
  } cases[] = {
      {"P10", "P@10"},
      {"P-10", "P@10"},
      {"ndcg10", "nDCG@10"},
      {"R1000", "R@1000"},
      {"recall1000", "recall@1000"},
      {"MAP100", "MAP@100"},
      {"map_cut100", "map_cut@100"},
      {"MRR10", "MRR@10"},
      {"pres100", "PRES@100"},
      {"PRES100@50", "PRES@50"},
      {"Success5", "Success@5"},
      {"prec10", "precision@10"},  // the beginning of the name
      {"P10(rel=2)", "P(rel=2)@10"},
      {"ndcg@10(dcg='exp-log2')", "nDCG(dcg='exp-log2')@10"},
      {"infAP10", "infAP"},  // takes no cutoff
      {"P0", "P@100"},       // no cutoff
      {"RBQ0.8", "RBP0.8"},  // a parameter
      {"set_F10@5", "set_F"},
  };
  for (const auto& [text, suggested] : cases) {
    EXPECT_THAT(refusal_of_measure(text),
                HasSubstr("did you mean '" + std::string(suggested) + "'?"));
    EXPECT_NO_THROW((void)Measure::parse(suggested)) << suggested;
  }
  EXPECT_THAT(refusal_of_measure("10"), HasSubstr("unknown measure '10'; valid: PRES, R, "));
}

TEST(MeasureLists, AreSeparatedByCommasOrSpaces) {
  EXPECT_THAT(names_of(parse_measures("PRES@100,R@1000")), ElementsAre("PRES@100", "R@1000"));
  EXPECT_THAT(names_of(parse_measures("  AP  RR,, P@5 ")), ElementsAre("AP", "RR", "P@5"));
  EXPECT_THAT(names_of(parse_measures("RBP(p=0.8, rel=2)@10,AP(rel=3)")),
              ElementsAre("RBP0.8(rel=2)@10", "AP(rel=3)"));
  EXPECT_THROW(static_cast<void>(parse_measures("PRES@100,R@x")), Error);
}

TEST(MeasureLists, AreNotEmpty) {
  EXPECT_THROW(static_cast<void>(parse_measures("")), Error);
  EXPECT_THROW(static_cast<void>(parse_measures(" , ")), Error);
}

TEST(MeasureLists, DefaultToPresRecallAndApAtEachCutoff) {
  const Cutoff cutoffs[] = {Cutoff{100}, Cutoff{1000}};
  EXPECT_THAT(names_of(default_measures(cutoffs)),
              ElementsAre("PRES@100", "R@100", "AP@100", "PRES@1000", "R@1000", "AP@1000"));
}

TEST(MeasureTable, DescribesEveryMeasureAndNamesItOnce) {
  std::set<std::string_view> names;
  for (const MeasureDefinition* measure : measure_table()) {
    EXPECT_TRUE(names.insert(measure->name).second) << measure->name;
    EXPECT_FALSE(measure->meaning.empty()) << measure->name;
    EXPECT_FALSE(measure->formula.empty()) << measure->name;
    EXPECT_FALSE(measure->source.empty()) << measure->name;
    EXPECT_FALSE(measure->range.empty()) << measure->name;
    EXPECT_FALSE(measure->example.empty()) << measure->name;
    EXPECT_NE(measure->score, nullptr) << measure->name;
  }
}

// A measure, the ranks of the relevant documents, and its value worked by hand.
struct Worked {
  const char* measure;
  std::uint32_t num_rel;
  std::vector<Rank> relevant;
  double expected;
};

std::optional<double> score(const Worked& worked, std::uint64_t collection_size = 0) {
  return Measure::parse(worked.measure)
      .score({.num_rel = worked.num_rel,
              .relevant = worked.relevant,
              .num_ret = 1000,
              .collection_size = collection_size});
}

TEST(MeasureValues, EqualThoseWorkedByHand) {
  const Worked cases[] = {
      // (100 + 100+2-98 + 100+3-99 + 100+4-100) / (4 * 100)
      {"PRES@100", 4, {1, 98, 99, 100}, 112.0 / 400},
      // (50+1-50 + 50+2-51) / (4 * 50): the one at rank 101 is not read
      {"PRES@50", 4, {50, 101}, 1.0 / 200},
      // five relevant documents, one may be read: N / n
      {"PRES@1", 5, {1}, 1.0 / 5},
      {"PRES@100", 3, {}, 0.0},
      // PRES@10 = (10 + 10) / (20 * 10) = 0.1; 0.1 / (10 / 20)
      {"PRESest@10", 20, {1, 2}, 0.2},
      // n <= N: PRES itself
      {"PRESest@100", 4, {1, 98, 99, 100}, 112.0 / 400},
      {"R@100", 4, {1, 98}, 2.0 / 4},
      {"R@97", 4, {1, 98}, 1.0 / 4},
      {"R", 4, {1, 98, 4000}, 3.0 / 4},
      {"AP@100", 4, {1, 98, 99, 100}, (1.0 + 2.0 / 98 + 3.0 / 99 + 4.0 / 100) / 4},
      // the divisor is n = 4 although N = 2
      {"AP@2", 4, {1, 2, 3}, (1.0 + 1.0) / 4},
      {"AP", 2, {4, 5000}, (1.0 / 4 + 2.0 / 5000) / 2},
      {"P@10", 7, {1, 3, 12}, 2.0 / 10},
      // P = 1/100, R = 1/4: 2 * 0.0025 / 0.26
      {"F1@100", 4, {1}, 0.005 / 0.26},
      // P = 2/10, R = 2/4, b^2 = 1/4: 1.25 * 0.1 / (0.05 + 0.5)
      {"F0.5@10", 4, {1, 3}, 0.125 / 0.55},
      {"F1@100", 4, {}, 0.0},
      // AP = (1/2 + 2/4) / 2 = 0.5, R = 1: 17 * 0.5 / (16 * 0.5 + 1)
      {"Fap4@100", 2, {2, 4}, 8.5 / 9},
      {"Fap4@100", 2, {101}, 0.0},
      {"RR", 3, {4, 7, 9}, 1.0 / 4},
      {"RR@3", 3, {4, 7, 9}, 0.0},
      {"RR", 3, {}, 0.0},
      // ranks 1 and 3 are among the first n = 4
      {"Rprec", 4, {1, 3, 5}, 2.0 / 4},
      {"Success@5", 2, {4, 9}, 1.0},
      {"Success@3", 2, {4, 9}, 0.0},
      // (1 - p) (p^0 + p^2)
      {"RBP0.8", 2, {1, 3}, 0.2 * (1 + 0.64)},
      {"RBP0.8@2", 2, {1, 3}, 0.2},
      {"GMAP", 2, {4, 5000}, (1.0 / 4 + 2.0 / 5000) / 2},
      // 1000 are served
      {"SetP", 4, {1, 98, 700}, 3.0 / 1000},
      // P = 2/1000, R = 2/4, b^2 = 4: 5 P R / (4 P + R)
      {"SetF2", 4, {1, 98}, 0.005 / 0.508},
  };
  for (const Worked& c : cases) {
    const std::optional<double> value = score(c);
    ASSERT_TRUE(value) << c.measure;
    EXPECT_NEAR(*value, c.expected, 1e-15) << c.measure << " of n = " << c.num_rel;
  }
}

// A measure that reads grades, the served documents, all grades, and its value worked by hand.
struct WorkedWithGrades {
  const char* measure;
  std::uint32_t num_rel;
  std::vector<GradedRank> judged;
  std::vector<Grade> grades;
  double expected;
  Grade min_grade = 1;
};

std::optional<double> score(const WorkedWithGrades& worked) {
  std::vector<Rank> relevant;
  for (const GradedRank& document : worked.judged) {
    if (document.grade >= worked.min_grade) relevant.push_back(document.rank);
  }
  return Measure::parse(worked.measure)
      .score({.num_rel = worked.num_rel,
              .relevant = relevant,
              .num_ret = 20,
              .judged = worked.judged,
              .grades = worked.grades,
              .min_grade = worked.min_grade});
}

TEST(MeasureValues, OfGradesEqualThoseWorkedByHand) {
  const double log3 = std::log2(3.0);
  const WorkedWithGrades cases[] = {
      // (2 / log2(2) + 3 / log2(4)) / (3 / log2(2) + 2 / log2(3) + 1 / log2(4))
      {"nDCG", 3, {{1, 2}, {3, 3}}, {3, 2, 1}, 3.5 / (3.5 + 2 / log3)},
      {"nDCG@2", 3, {{1, 2}, {3, 3}}, {3, 2, 1}, 2 / (3 + 2 / log3)},
      // from the min grade on a document is relevant, but any grade is worth itself
      {"nDCG", 1, {{1, 1}}, {2, 1}, 1 / (2 + 1 / log3), 2},
      // a pooled document that was not judged is worth nothing and takes nothing away
      {"nDCG", 1, {{1, -1}, {2, 1}}, {1, -1, -2}, 1 / log3},
      // relevant at 1 and 5, judged not relevant at 2, of two: (1 + (1 - 1/2)) / 3
      {"bpref", 3, {{1, 1}, {2, 0}, {5, 1}}, {1, 1, 1, 0, 0}, 0.5},
      // min(N, R) = 1: the document above takes all
      {"bpref", 1, {{1, 0}, {2, 0}, {3, 1}}, {1, 0, 0, 0}, 0.0},
      // unjudged documents do not count
      {"bpref", 1, {{1, -1}, {3, 1}}, {1, 0, -1}, 1.0},
      // grade 1 is not relevant under min grade 2
      {"bpref", 2, {{1, 2}, {2, 1}, {3, 2}}, {2, 2, 1}, 0.5, 2},
      // rank 2: 1/2; rank 4: 1/4 + 3/4 * 2/3 * (1 + e) / (2 + 2 e) = 1/2
      {"infAP", 2, {{2, 1}, {3, 0}, {4, 1}}, {1, 1, 0}, 0.5},
      // rank 2: 1/2 + 1/2 * 1/1 * e / (2 e): the pooled document above is one in two relevant
      {"infAP", 1, {{1, -1}, {2, 1}}, {1, -1}, 0.75},
      {"Judged@5", 1, {{1, 1}, {2, 0}, {3, -1}, {4, 0}, {6, 1}}, {1, 0, 0, 0, -1}, 0.6},
      // (3 / log2(2) + 7 / log2(4)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))
      {"nDCGexp", 3, {{1, 2}, {3, 3}}, {3, 2, 1}, 6.5 / (7.5 + 3 / log3)},
      {"nDCGexp@2", 3, {{1, 2}, {3, 3}}, {3, 2, 1}, 3 / (7 + 3 / log3)},
      // 2^3000 is no double; the gains are as 1 and 1/2
      {"nDCGexp", 2, {{1, 3000}}, {3000, 2999}, 1 / (1 + 0.5 / log3)},
      {"nDCGexp", 2, {{1, 2999}}, {3000, 2999}, 0.5 / (1 + 0.5 / log3)},
      // 3/16, then 1/3 * 1/16 * 13/16
      {"ERR", 2, {{1, 2}, {3, 1}}, {2, 1}, 3.0 / 16 + 13.0 / (3 * 16 * 16)},
      {"ERR@2", 2, {{1, 2}, {3, 1}}, {2, 1}, 3.0 / 16},
      // grades above 4 are 4; a negative one is 0
      {"ERR", 1, {{1, -1}, {2, 9}}, {9, -1}, 15.0 / 32},
      // of grades 3, 1, 2 at ranks 1, 2, 4, two are relevant from 2 on; all three have to be found
      {"AP(rel=2)", 4, {{1, 3}, {2, 1}, {4, 2}}, {3, 2, 2, 1}, (1.0 + 2.0 / 4) / 3},
      {"RR(rel=2)", 3, {{2, 1}, {4, 2}}, {2, 1, 1}, 1.0 / 4},
      {"PRES(rel=3)@10", 3, {{1, 1}, {3, 3}}, {3, 1, 1}, 8.0 / 10},
      // the judgements' own min grade is 2, the measure's 1
      {"R(rel=1)", 1, {{1, 1}, {2, 2}}, {2, 1, 1}, 2.0 / 3, 2},
      // relevant at 3; judged not relevant above it: the grades 1 and 0
      {"bpref(rel=2)", 2, {{1, 1}, {2, 0}, {3, 2}}, {2, 1, 0}, 0.0},
      // 20 were served
      {"Judged@100", 1, {{1, 1}, {20, 0}}, {1, 0}, 2.0 / 20},
  };
  for (const WorkedWithGrades& c : cases) {
    const std::optional<double> value = score(c);
    ASSERT_TRUE(value) << c.measure;
    EXPECT_NEAR(*value, c.expected, 1e-15) << c.measure << ", expected " << c.expected;
  }
}

TEST(MeasureValues, OfGradesAreAbsentIfGradesAreUnknown) {
  for (const char* name :
       {"nDCG", "nDCG@10", "bpref", "infAP", "Judged@10", "nDCGexp", "ERR", "AP(rel=2)"}) {
    EXPECT_FALSE(score(Worked{name, 4, {1, 2}, 0})) << name;
    EXPECT_TRUE(score(WorkedWithGrades{name, 1, {{1, 2}}, {2}, 1})) << name;
  }
}

TEST(MeasureValues, OfJudgedAreAbsentIfNothingWasServed) {
  const std::vector<Grade> grades = {1};
  EXPECT_FALSE(Measure::parse("Judged@10").score({.num_rel = 1, .grades = grades}));
}

TEST(MeasureValues, OfNormalisedRecallCountTheWholeCollection) {
  const struct {
    Worked worked;
    std::uint64_t collection;
  } cases[] = {
      // ranks 1, 2, 3 and, not served, 100: 1 - (106 - 10) / (4 * 96)
      {{"Rnorm", 4, {1, 2, 3}, 0.75}, 100},
      // all first
      {{"Rnorm", 2, {1, 2}, 1.0}, 1000},
      // none served, so the last three: 1 - (8 + 9 + 10 - 6) / (3 * 7)
      {{"Rnorm", 3, {}, 0.0}, 10},
      // 1 - (2 + 10 - 3) / (2 * 8)
      {{"Rnorm", 2, {2, 10}, 1.0 - 9.0 / 16}, 10},
  };
  for (const auto& c : cases) {
    const std::optional<double> value = score(c.worked, c.collection);
    ASSERT_TRUE(value);
    EXPECT_NEAR(*value, c.worked.expected, 1e-15);
  }
}

TEST(MeasureValues, NormalisedRecallIsAbsentIfTheCollectionIsTooSmall) {
  EXPECT_FALSE(score({"Rnorm", 4, {1, 2}, 0}, 0)) << "size unknown";
  EXPECT_FALSE(score({"Rnorm", 4, {1, 2}, 0}, 4)) << "nothing but relevant documents";
  EXPECT_FALSE(score({"Rnorm", 4, {1, 11}, 0}, 10)) << "a rank behind the collection";
  EXPECT_FALSE(score({"Rnorm", 4, {1, 9}, 0}, 10)) << "ranks 9 and 10 belong to the two not served";
  EXPECT_TRUE(score({"Rnorm", 4, {1, 8}, 0}, 10));
}

TEST(MeasureValues, AreAbsentForATopicWithoutRelevantDocuments) {
  for (const char* name :
       {"PRES@100", "PRESest@100", "R@100", "R", "AP@100", "AP", "P@10", "F1@100", "Fap4@100",
        "Rnorm", "RR", "RR@10", "Rprec", "RBP0.8", "Success@5", "GMAP"}) {
    EXPECT_FALSE(score({name, 0, {}, 0}, 1000)) << name;
  }
  for (const char* name : {"nDCG", "bpref", "infAP", "Judged@5", "AP(rel=1)", "AP(rel=2)"}) {
    EXPECT_FALSE(score(WorkedWithGrades{name, 0, {{1, 0}}, {0, 0}, 0})) << name;
  }
}

TEST(MeasureValues, StayExactForTheLargestCutoffAndManyDocuments) {
  // The only document at the very last rank: credit 1 of N.
  EXPECT_EQ(score({"PRES@2147483647", 1, {2147483647}, 0}), 1.0 / 2147483647.0);
  // n N = 2^63 - 2^32 - 2^31 + 1 fits, and one document at rank 1 is worth N of it.
  EXPECT_EQ(score({"PRES@2147483647", 4294967295, {1}, 0}), 1.0 / 4294967295.0);
}

}  // namespace
}  // namespace prescope
