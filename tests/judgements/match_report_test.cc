// Judged documents of each authority and series that are not found, and how they would be.
#include "judgements/match_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FormDifference, SaysWhatADocnoLacks) {
  const struct {
    const char *docno, *other, *words;
  } cases[] = {// US applications have seven digits behind the year; DOCDB writes six.
               {"US2003220294", "US20030220294A1", "with a zero behind the year"},
               {"US20030220294A1", "US2003220294A1", "without the zero behind the year"},
               {"US200312", "US20030000012A1", ""},  // 200312 is no year and serial number
               {"US20031234", "US20030001234A1", "with 3 zeros behind the year"},
               // WO numbers had a year of two digits, and five digits behind it, until 2002.
               {"WO9532567A1", "WO1995032567A1", "with a year of four digits"},
               {"WO02103116", "WO2002103116A1", "with a year of four digits"},
               {"WO1995032567A1", "WO9532567A1", "with a year of two digits"},
               // 1984 is the year 59 of the era Showa.
               {"JPS59123456A", "JP1984123456A", "with a western year"},
               {"JP59123456A", "JPS59123456A", "with the era of the year"},
               {"JPS59123456A", "JP59123456A", "without the era of the year"},
               {"EP971326", "EP0971326A1", "with leading zeros"},
               {"EP0971326A1", "EP971326", "without leading zeros"},
               {"EP0971326", "EP0971326A1", "with a kind code"},
               {"EP0971326B1", "EP0971326", "without the kind code"},
               {"EP0971326B1", "EP0971326A1", "with another kind code"},
               {"EP-0971326-A1", "EP0971326A1", "in another spelling"},
               {"ep0971326a1", "EP0971326A1", "in another spelling"},
               {"7123456", "US7123456B2", "with the country code"},
               {"US7123456B2", "7123456", "without the country code"},
               {"EP1", "EP2", ""},
               {"report.pdf", "other.pdf", ""}};
  for (const auto& [docno, other, words] : cases) {
    EXPECT_EQ(form_difference(docno, other), words) << docno << ' ' << other;
  }
}

TEST(DigitsOf, AreWithoutZerosThatFormsDifferIn) {
  const std::pair<const char*, const char*> cases[] = {
      {"7123456", "7123456"},       {"07123456", "7123456"},
      {"US7123456B2", "7123456"},   {"US20030220294A1", "2003220294"},
      {"2003220294", "2003220294"}, {"12345", ""},
      {"report7123456.pdf", ""},    {"", ""}};
  for (const auto& [docno, digits] : cases) EXPECT_EQ(digits_of(docno), digits) << docno;
}

/// Documents whose docnos stay where they are.
class Documents {
 public:
  Documents& add(const char* format, int count, bool is_found, OtherForm form = OtherForm::kNone,
                 const char* other = "") {
    for (int i = 0; i < count; ++i) {
      docnos_.push_back(fmt::format(fmt::runtime(format), 100'000 + i));
      others_.push_back(*other == '\0' ? "" : fmt::format(fmt::runtime(other), 100'000 + i));
      matches_.push_back({.is_found = is_found, .form = form});
    }
    return *this;
  }
  [[nodiscard]] std::vector<std::string> report(MatchPlace place = MatchPlace::kRun) {
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      matches_[i].docno = docnos_[i];
      matches_[i].other = others_[i];
    }
    return match_report(series_matches(matches_), place);
  }

 private:
  std::vector<std::string> docnos_, others_;
  std::vector<JudgedMatch> matches_;
};

TEST(MatchReport, NamesTheSeriesAndTheForm) {
  EXPECT_THAT(Documents()
                  .add("US2003{}", 312, false, OtherForm::kPatent, "US20030{}A1")
                  .add("EP0{}A1", 40, true)
                  .report(),
              ElementsAre("US applications: 0 of 312 judged documents found; they would match with "
                          "a zero behind the year (US2003100000 in the qrels, US20030100000A1 in "
                          "the run): use --docno patent"));
  EXPECT_THAT(Documents()
                  .add("EP{}", 12, false, OtherForm::kPublication, "EP0{}")
                  .add("EP{}1", 8, true)
                  .report(MatchPlace::kIndex),
              ElementsAre("EP patents: 8 of 20 judged documents found; the others would match with "
                          "leading zeros (EP100000 in the qrels, EP0100000 in the index): use "
                          "--docno publication"));
  EXPECT_THAT(
      Documents().add("6{}", 3, false, OtherForm::kDigits, "US6{}B1").add("5{}", 4, false).report(),
      ElementsAre("other docnos: 0 of 7 judged documents found; 3 more would match with "
                  "the country code (6100000 in the qrels, US6100000B1 in the run): write "
                  "both in one form"));
  EXPECT_THAT(Documents().add("WO95{}", 5, false, OtherForm::kPatent).report(MatchPlace::kIndex),
              ElementsAre("WO applications: 0 of 5 judged documents found; they would match: use "
                          "--docno patent"));
}

// The form of most documents is named; one of them is the example.
TEST(MatchReport, NamesTheFormOfMost) {
  EXPECT_THAT(Documents()
                  .add("US2003{}", 3, false, OtherForm::kPatent, "US2003{}A1")
                  .add("US2004{}", 4, false, OtherForm::kPatent, "US20040{}A1")
                  .report(),
              ElementsAre("US applications: 0 of 7 judged documents found; they would match with a "
                          "zero behind the year (US2004100000 in the qrels, US20040100000A1 in the "
                          "run): use --docno patent"));
}

TEST(MatchReport, NamesASeriesThatIsNeverFound) {
  // Half of 80 others are found: of 20 US patents 10 are expected, of 9 too few are judged.
  EXPECT_THAT(Documents()
                  .add("EP0{}A1", 40, true)
                  .add("EP1{}A1", 40, false)
                  .add("US6{}B1", 20, false)
                  .add("JP2001{}A", 9, false)
                  .report(),
              ElementsAre("US patents: 0 of 20 judged documents found, of the other series 40 of "
                          "89; are they written in another form than 'US6100000B1'?"));
  // One in ten is found: of 20, 2 are expected, and none is no wonder.
  EXPECT_THAT(Documents()
                  .add("EP0{}A1", 10, true)
                  .add("EP1{}A1", 90, false)
                  .add("US6{}B1", 20, false)
                  .report(),
              IsEmpty());
}

// An index has all documents of a series or few; a run finds them or not.
TEST(MatchReport, OfAnIndexNamesSeriesThatAreSeldomFound) {
  const auto documents = [] {
    return Documents().add("EP0{}A1", 80, true).add("US6{}B1", 5, true).add("US7{}B1", 15, false);
  };
  EXPECT_THAT(documents().report(MatchPlace::kRun), IsEmpty());
  EXPECT_THAT(documents().report(MatchPlace::kIndex),
              ElementsAre("US patents: 5 of 20 judged documents found, of the other series 80 of "
                          "80; are they written in another form than 'US7100000B1'?"));
}

// One in fifty is chance, as names of newswire may look like patent numbers.
TEST(MatchReport, IsSilentAboutFewForms) {
  EXPECT_THAT(Documents()
                  .add("EP0{}A1", 101, true)
                  .add("EP1{}A1", 2, false, OtherForm::kPatent, "EP1{}B1")
                  .report(),
              IsEmpty());
}

}  // namespace
}  // namespace prescope
