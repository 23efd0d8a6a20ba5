#include "prescope/qrels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/error.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Rows = std::vector<std::string>;

/// "topic docno grade" of every judgement, in qrels order.
Rows rows_of(const Qrels& qrels) {
  Rows rows;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) {
      rows.push_back(topic.id().text() + " " + judgement.docno.text() + " " +
                     std::to_string(judgement.grade));
    }
  }
  return rows;
}

class QrelsFile : public ::testing::Test {
 protected:
  Qrels load(std::string_view bytes, const QrelsOptions& options = {}) const {
    return Qrels::load(folder_.write("qrels.txt", bytes), options);
  }
  std::string refused(std::string_view bytes, const QrelsOptions& options = {}) const {
    const auto refusal = refusal_of([&] { (void)load(bytes, options); });
    EXPECT_EQ(refusal.code, ErrorCode::kBadInput);
    const std::string path = (folder_.path() / "qrels.txt").string();
    std::string message = refusal.message;
    for (auto at = message.find(path); at != std::string::npos; at = message.find(path)) {
      message.replace(at, path.size(), "qrels.txt");
    }
    return message;
  }

  ScratchFolder folder_;
};

TEST_F(QrelsFile, ReadsThreeFourAndFiveColumns) {
  const Rows expected = {"PAC-1 EP-0971326-B1 1", "PAC-1 EP-1160749-A3 2"};
  EXPECT_EQ(rows_of(load("PAC-1 0 EP-0971326-B1 1\nPAC-1 0 EP-1160749-A3 2\n")), expected);
  EXPECT_EQ(rows_of(load("PAC-1 EP-0971326-B1 1\nPAC-1 EP-1160749-A3 2\n")), expected);
  EXPECT_EQ(rows_of(load("PAC-1 0 EP-0971326-B1 1 EN\nPAC-1 0 EP-1160749-A3 2 DE\n")), expected);
}

TEST_F(QrelsFile, ReadsSpacesTabsCrlfMarkCommentsAndBlankLines) {
  const Rows expected = {"t1 EP1 1", "t2 EP2 2"};
  const std::string_view spellings[] = {
      "t1 0 EP1 1\nt2 0 EP2 2\n",
      "t1\t0\tEP1\t1\nt2\t0\tEP2\t2\n",
      "t1 0 EP1 1\r\nt2 0 EP2 2\r\n",
      "  t1   0 \t EP1  1  \nt2\t\t0\tEP2\t2\t\n",
      "\xEF\xBB\xBFt1 0 EP1 1\n\xEF\xBB\xBFt2 0 EP2 2",
      "# a comment\n\nt1 0 EP1 1\n \t\n#\nt2 0 EP2 2\n\n",
      "t2 0 EP2 2\nt1 0 EP1 1\n",  // topics in any order
  };
  for (const std::string_view bytes : spellings) EXPECT_EQ(rows_of(load(bytes)), expected) << bytes;
}

TEST_F(QrelsFile, ReadsGzip) {
  const auto path = folder_.write_gzip("q.gz", "t1 0 EP1 1\n");
  EXPECT_THAT(rows_of(Qrels::load(path)), ElementsAre("t1 EP1 1"));
}

TEST_F(QrelsFile, AnyWhiteSpaceSeparatesColumns) {
  // Tabs and blanks in one line, as trec_eval reads them.
  for (const char* line : {"t1 0\tEP1\t1\n", "t1\t0 EP1\t1\n", " t1\v0 \t EP1\f1 \n"}) {
    EXPECT_THAT(rows_of(load(line)), ElementsAre("t1 EP1 1")) << line;
  }
}

TEST_F(QrelsFile, NamesAreAnyBytes) {
  EXPECT_THAT(rows_of(load("# caf\xE9\nt\xFF \xE9 EP\xE9 1\n")), ElementsAre("t\xFF EP\xE9 1"));
}

TEST_F(QrelsFile, GradesMayHaveASignAndAFractionOfZeros) {
  EXPECT_THAT(rows_of(load("t 0 a 1.0\nt 0 b +2\nt 0 c -1.00\nt 0 d 3.\n")),
              ElementsAre("t a 1", "t b 2", "t c -1", "t d 3"));
}

TEST_F(QrelsFile, TakesGradesAsIntegersOrCitationCategories) {
  // The table of CitationCategories; a token is worth its highest letter.
  EXPECT_THAT(rows_of(load("t 0 a X\nt 0 b Y\nt 0 c A\nt 0 d XY\nt 0 e DA\nt 0 f YA\nt 0 g E\n")),
              ElementsAre("t a 3", "t b 2", "t c 1", "t d 3", "t e 1", "t f 2", "t g 3"));
  EXPECT_THAT(rows_of(load("t 0 a -1\nt 0 b 0\nt 0 c 2147483647\nt 0 d -2147483648\n")),
              ElementsAre("t a -1", "t b 0", "t c 2147483647", "t d -2147483648"));
  QrelsOptions options;
  options.categories.set("A", 0);
  options.categories.set("R", 5);
  EXPECT_THAT(rows_of(load("t 0 a A\nt 0 b R\n", options)), ElementsAre("t a 0", "t b 5"));
}

TEST_F(QrelsFile, TakesCategoriesAsOfficesWriteThem) {
  const std::pair<const char*, Grade> cases[] = {
      {"I", 3},   {"XI", 3},    {"YA", 2},  {"&", 1},   {"X,Y", 3},   {"Y;A", 2},   {"x", 3},
      {"y/a", 2}, {"A|Y", 2},   {"PX", 3},  {"A,P", 1}, {"xy&", 3},   {"D,A,Y", 2}, {"Q", 1},
      {"Y,Z", 2}, {"T;&;L", 1}, {"X+Y", 3}, {"(Y)", 2}, {"A,(Y)", 2}, {"[X]", 3}};
  for (const auto& [token, grade] : cases) {
    EXPECT_EQ(load(fmt::format("t 0 a {}\n", token)).topics()[0].judgements()[0].grade, grade)
        << token;
  }
  for (const char* const word :
       {"grade", "high", "X-Y", "1X", "rel", "X,grade", "QX", "()", "(US)"}) {
    EXPECT_THAT(
        refused(fmt::format("t 0 a {}\n", word)),
        HasSubstr(fmt::format("grade '{}' is neither an integer nor a citation category", word)));
  }
}

TEST_F(QrelsFile, OfADocumentWithTwoCategoriesTheHighestCounts) {
  const Qrels qrels = load("t 0 a A\nt 0 a X\nt 0 a Y\nt 0 b Q\nt 0 c Q,W\n");
  EXPECT_THAT(rows_of(qrels), ElementsAre("t a 3", "t b 1", "t c 1"));
  EXPECT_EQ(qrels.merged(), 2U);
  EXPECT_EQ(qrels.unknown_category().lines, 2U);
  EXPECT_EQ(qrels.unknown_category().example, "Q");
  EXPECT_EQ(qrels.unknown_category().first_line, 4U);
}

TEST_F(QrelsFile, RelevantIsAGradeOfAtLeastMinGrade) {
  const std::string_view bytes = "t 0 a X\nt 0 b Y\nt 0 c A\nt 0 d 0\nt 0 e -1\n";  // 3 2 1 0 -1
  const struct {
    Grade min_grade;
    std::uint32_t num_rel;
  } cases[] = {{1, 3}, {2, 2}, {3, 1}, {4, 0}, {0, 4}, {-1, 5}};
  for (const auto& [min_grade, num_rel] : cases) {
    const Qrels qrels = load(bytes, {.min_grade = min_grade});
    EXPECT_EQ(qrels.topics()[0].num_rel(), num_rel) << "min grade " << min_grade;
    EXPECT_EQ(qrels.min_grade(), min_grade);
    for (std::uint32_t i = 0; i < 5; ++i) {
      EXPECT_EQ(qrels.topics()[0].is_relevant(JudgementIndex(i)), i < num_rel);
    }
  }
}

TEST_F(QrelsFile, FindsTopicsAndJudgements) {
  const Qrels qrels =
      load("t2 0 EP-2 1\nt1 0 EP-3 1\nt1 0 EP-1 1\n", {.docno = DocnoPolicy::kPublication});
  ASSERT_TRUE(qrels.find("t1").has_value());
  EXPECT_EQ(qrels.find("t1")->value(), 0U);
  EXPECT_EQ(qrels.find("t2")->value(), 1U);
  EXPECT_FALSE(qrels.find("t").has_value());
  EXPECT_FALSE(qrels.find("t3").has_value());
  const TopicQrels& topic = qrels.topic(*qrels.find("t1"));
  EXPECT_EQ(topic.find("EP3")->value(), 1U);
  EXPECT_FALSE(topic.find("EP-3").has_value());  // a spelling, not a key
  EXPECT_FALSE(topic.find("EP4").has_value());
  EXPECT_EQ(qrels.num_judgements(), 3U);
}

TEST(Qrels, FindsEachOfManyTopicsAndNoOther) {
  std::vector<Qrels::Line> lines;
  for (int i = 0; i < 10'000; ++i) lines.push_back({TopicId(std::to_string(2 * i)), Docno("d")});
  const Qrels qrels = Qrels::from_lines(lines);
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = std::to_string(2 * i);
    ASSERT_EQ(qrels.topic(qrels.find(id).value()).id().text(), id);
    ASSERT_FALSE(qrels.find(std::to_string(2 * i + 1)));
  }
  EXPECT_FALSE(qrels.find(""));
}

TEST_F(QrelsFile, CountsAnExactRepetitionOnce) {
  const Qrels qrels = load("t 0 EP1 1\nt 0 EP1 1\nt 0 EP2 1\nt 0 EP1 1\nu 0 EP1 1\n");
  EXPECT_THAT(rows_of(qrels), ElementsAre("t EP1 1", "t EP2 1", "u EP1 1"));
  EXPECT_EQ(qrels.repeated(), 2U);
  EXPECT_EQ(qrels.merged(), 0U);
}

TEST_F(QrelsFile, KeepsTheFirstRepetitionInTheOrderOfTheLines) {
  const Qrels qrels = load("u 0 EP8 1\nu 0 EP9 1\nu 0 EP9 1\nt 0 EP1 1\nu 0 EP8 1\nt 0 EP1 1\n");
  ASSERT_TRUE(qrels.first_repeat());
  EXPECT_EQ(qrels.first_repeat()->topic, TopicId("u"));
  EXPECT_EQ(qrels.first_repeat()->docno, Docno("EP9"));
  EXPECT_EQ(qrels.first_repeat()->line, 3U);
  EXPECT_FALSE(load("t 0 EP1 1\nu 0 EP1 1\n").first_repeat());
}

TEST_F(QrelsFile, MergesSpellingsUnderThePolicy) {
  const std::string_view bytes =
      "t 0 EP-0971326-B1 1\nt 0 EP0971326B1 1\nt 0 EP-0971326-A3 2\nt 0 EP-0971326-B1 1\n";
  const Qrels raw = load(bytes);
  EXPECT_EQ(raw.num_judgements(), 3U);
  EXPECT_EQ(raw.repeated(), 1U);
  EXPECT_EQ(raw.merged(), 0U);
  const Qrels publication = load(bytes, {.docno = DocnoPolicy::kPublication});
  EXPECT_THAT(rows_of(publication), ElementsAre("t EP-0971326-A3 2", "t EP-0971326-B1 1"));
  EXPECT_EQ(publication.merged(), 1U);
  const Qrels patent = load(bytes, {.docno = DocnoPolicy::kPatent});
  EXPECT_THAT(rows_of(patent), ElementsAre("t EP-0971326-B1 2"));  // first spelling, highest grade
  EXPECT_EQ(patent.topics()[0].judgements()[0].key, "EP971326");
  EXPECT_EQ(patent.repeated(), 1U);
  EXPECT_EQ(patent.merged(), 2U);
}

TEST_F(QrelsFile, MergesAFamily) {
  const auto map = folder_.write("families.txt", "EP0115517 7\nWO1984000705 7\n");
  const Qrels qrels = load("t 0 EP0115517A1 1\nt 0 WO1984000705A1 2\nt 0 US1 1\n",
                           {.docno = DocnoPolicy::kFamily, .family_map = map});
  EXPECT_THAT(rows_of(qrels), ElementsAre("t US1 1", "t EP0115517A1 2"));
  EXPECT_EQ(qrels.merged(), 1U);
  EXPECT_EQ(qrels.docnos().key(Docno("EP-115517-B1")), "family:7");
}

TEST_F(QrelsFile, PolicyFamilyNeedsAMap) {
  const auto refusal =
      refusal_of([&] { (void)load("t 0 EP1 1\n", {.docno = DocnoPolicy::kFamily}); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_EQ(refusal.message,
            "docno policy 'family' needs a family map (the program: --family-map): a file of lines "
            "\"docno family\"");
}

TEST_F(QrelsFile, RefusesTheSameDocnoWithAnotherGradeNamingBothLines) {
  EXPECT_EQ(refused("t 0 EP1 1\nt 0 EP2 1\nt 0 EP1 2\n"),
            "qrels.txt:3: docno 'EP1' of topic 't' has grade 2, but grade 1 at qrels.txt:1; keep "
            "one of the two lines");
  // Also if a policy would merge other spellings.
  EXPECT_EQ(refused("t 0 EP-1 1\nt 0 EP1 2\nt 0 EP-1 2\n", {.docno = DocnoPolicy::kPatent}),
            "qrels.txt:3: docno 'EP-1' of topic 't' has grade 2, but grade 1 at qrels.txt:1; keep "
            "one of the two lines");
  EXPECT_EQ(rows_of(load("t 0 EP1 1\nu 0 EP1 2\n")).size(), 2U);  // two topics may differ
}

TEST_F(QrelsFile, RefusesEveryKindOfMalformedLine) {
  const std::string columns =
      "; expected \"topic iter docno grade\" (or \"topic docno grade\"); no name can "
      "contain white space";
  const std::string neither =
      " is neither an integer nor a citation category (X, Y, A, ...); expected \"topic iter docno "
      "grade\"";
  const std::string range = " is out of range; expected an integer in [-2147483648, 2147483647]";
  const struct {
    std::string line, message;
  } cases[] = {
      {"t", "1 column" + columns},
      {"t EP1", "2 columns" + columns},
      {"t 0 EP 0 971 326 B1 1", "8 columns" + columns},
      {"t 0 EP1 1 EN more", "6 columns" + columns},
      {"t 0 EP1 XQ", "grade 'XQ'" + neither},
      {"t 0 EP1 1.5",
       "grade '1.5' is no integer; grades are integers, so multiply all of them by one number that "
       "makes them so"},
      {"t 0 EP1 .0", "grade '.0'" + neither},
      {"t 0 EP1 1X", "grade '1X'" + neither},
      {"t 0 EP1 -", "grade '-'" + neither},
      {"t EP1 1 EN", "grade 'EN'" + neither},
      {"t 0 EP1 2147483648", "grade '2147483648'" + range},
      {"t 0 EP1 -2147483649", "grade '-2147483649'" + range},
      {"t 0 EP1 99999999999999999999999", "grade '99999999999999999999999'" + range},
      // The first line has four columns.
      {"t EP1 A X", "categories 'A X' stand in two columns; write a list without blanks: A,X"},
      {"t EP1 1", "3 columns, unlike the 4 of the first line; expected \"topic iter docno grade\""},
      {"t 0 EP1 1 EN",
       "5 columns, unlike the 4 of the first line; expected \"topic iter docno grade\""},
      {"t\t0\tEP 97\t1", "docno 'EP 97' contains blanks, which separate columns; rename it"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_EQ(refused("t 0 EP7 1\n" + line + "\nt 0 EP8 1\n"), "qrels.txt:2: " + message) << line;
  }
}

TEST_F(QrelsFile, RefusesAFileWithoutJudgements) {
  for (const std::string_view bytes : {"", "\n\n", "# only a comment\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(refused(bytes),
              "qrels.txt: no judgements; expected \"topic iter docno grade\" lines");
  }
}

TEST_F(QrelsFile, RefusesTruncatedGzipAndMissingFile) {
  const std::string whole = content_of(folder_.write_gzip("whole.gz", "t 0 EP1 1\nt 0 EP2 1\n"));
  const auto cut = folder_.write("cut.gz", std::string_view(whole).substr(0, whole.size() - 4));
  EXPECT_EQ(refusal_of([&] { (void)Qrels::load(cut); }).code, ErrorCode::kIo);
  EXPECT_EQ(refusal_of([&] { (void)Qrels::load(folder_.path() / "no"); }).code, ErrorCode::kIo);
  EXPECT_EQ(refusal_of([&] { (void)Qrels::load(folder_.path()); }).code, ErrorCode::kIo);
}

TEST_F(QrelsFile, HoldsMoreThan65535JudgementsInATopic) {
  std::string bytes;
  for (int i = 0; i < 70'000; ++i) bytes += "t 0 D" + std::to_string(i) + " 1\n";
  EXPECT_EQ(load(bytes).topics()[0].num_rel(), 70'000U);
}

TEST(QrelsFromLines, EqualTheSameFile) {
  const Qrels::Line lines[] = {{TopicId("u"), Docno("EP-2-A1"), 2},
                               {TopicId("t"), Docno("EP-1-A1"), 1},
                               {TopicId("t"), Docno("EP-1-B1"), 3},
                               {TopicId("u"), Docno("EP-2-A1"), 2}};
  const Qrels qrels = Qrels::from_lines(lines, {.docno = DocnoPolicy::kPatent});
  EXPECT_THAT(rows_of(qrels), ElementsAre("t EP-1-A1 3", "u EP-2-A1 2"));
  EXPECT_EQ(qrels.repeated(), 1U);
  EXPECT_EQ(qrels.merged(), 1U);
  EXPECT_TRUE(Qrels::from_lines({}).topics().empty());
}

TEST(QrelsFromLines, NameTheContradictingJudgements) {
  const Qrels::Line lines[] = {{TopicId("t"), Docno("EP1"), 2}, {TopicId("t"), Docno("EP1"), 1}};
  EXPECT_EQ(refusal_of([&] { (void)Qrels::from_lines(lines); }).message,
            "judgement 2: docno 'EP1' of topic 't' has grade 1, but grade 2 at judgement 1; keep "
            "one of the two lines");
}

TEST(CitationCategories, RefuseAnythingButOneLetter) {
  CitationCategories categories;
  for (const std::string_view letter : {"", "x", "XY", "1", "\xC3\x84"}) {
    const auto refusal = refusal_of([&] { categories.set(letter, 1); });
    EXPECT_EQ(refusal.code, ErrorCode::kUsage);
    EXPECT_EQ(refusal.message,
              "citation category '" + std::string(letter) + "'; expected one letter A-Z, or &");
  }
  EXPECT_FALSE(categories.grade("").has_value());
}

}  // namespace
}  // namespace prescope
