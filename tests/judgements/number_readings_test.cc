#include "judgements/number_readings.h"

#include <gmock/gmock.h>

#include <set>

namespace prescope {
namespace {

/// A number, the year in which the document was published (0: unknown), and the publication that it
/// is taken for. The years are those of the documents themselves.
struct Taken {
  std::string_view written;
  unsigned published_in;
  std::string_view publication;
};

constexpr Taken kTaken[] = {
    // Without a year of publication, the table of authorities decides.
    {"JP 5-3059 A", 0, "JPH05003059A"},
    {"JP5006880", 0, "JP5006880"},
    {"US 7,654,321 B2", 0, "US7654321B2"},
    {"US2003/0169838", 0, "US20030169838"},
    {"W98-1001", 0, "W98-1001"},
    // Eras: Showa began in 1926, Heisei in 1989, Reiwa in 2019.
    {"JP 5-3059 A", 1993, "JPH05003059A"},
    {"JP 5-3059 A", 1930, "JPS05003059A"},
    {"JP5006880", 1993, "JPH05006880"},
    {"JP 60-12345 A", 1985, "JPS60012345A"},
    {"JP6012345B", 1985, "JPS60012345B"},
    {"JP361118513A", 1986, "JPS61118513A"},
    // Grants have no year, so that no year contradicts them.
    {"JP5006880B2", 2012, "JP5006880B2"},
    {"JP7123456B2", 2022, "JP7123456B2"},
    // Four digits of year, or two.
    {"WO20011234", 2001, "WO2001001234"},
    {"WO20011234", 2020, "WO2020011234"},
    {"WO 93 05634", 1993, "WO1993005634"},
    {"KR10123456", 2010, "KR1020100123456"},
    // Numbers under the wrong country, as a file of 2005 has them.
    {"JP02/043615A2", 2002, "WO2002043615A2"},
    {"EP408327594A", 1996, "JPH08327594A"},
    {"EP 00/40712 A1", 2000, "WO2000040712A1"},
    // A year that no reading has changes nothing.
    {"JP 5-3059 A", 2012, "JPH05003059A"},
    {"US7654321B2", 1999, "US7654321B2"},
};

TEST(NumberReadings, TheYearOfPublicationDecides) {
  for (const Taken& number : kTaken) {
    const NumberReadings readings = read_number(number.written, number.published_in);
    EXPECT_EQ(readings.chosen().publication, number.publication)
        << number.written << " of " << number.published_in << ": " << readings.why;
  }
}

TEST(NumberReadings, TheUsualReadingIsFirstAndEachPatentOccursOnce) {
  for (const Taken& number : kTaken) {
    const NumberReadings readings = read_number(number.written, number.published_in);
    DocnoBuffer buffer;
    const DocnoNormalizer patents(DocnoPolicy::kPatent);
    EXPECT_EQ(readings.all.front().patent, patents.key(number.written, buffer));
    std::set<std::string> keys;
    for (const NumberReading& reading : readings.all) {
      EXPECT_TRUE(keys.insert(reading.patent).second) << reading.patent;
      EXPECT_EQ(patents.key(reading.publication, buffer), reading.patent);
      EXPECT_FALSE(reading.why.empty());
    }
  }
}

/// Import asks for the readings of such numbers only, because it is slower.
TEST(NumberReadings, OnlyNumbersWithSeveralYearsAreReadOtherwise) {
  for (const Taken& number : kTaken) {
    if (has_several_years(number.written)) continue;
    EXPECT_EQ(read_number(number.written, number.published_in).taken, 0U) << number.written;
  }
}

TEST(NumberReadings, YearOfNumber) {
  const std::pair<std::string_view, unsigned> kYears[] = {
      {"JPS60123456", 1985},     {"JPH05003059A", 1993}, {"JP2001123456A", 2001},
      {"US20030220294A1", 2003}, {"WO84/00705", 1984},   {"KR1020010012345A", 2001},
      {"KR930012345", 1993},     {"US7654321B2", 0},     {"JP5006880B2", 0},
      {"EP0971326B1", 0},        {"W98-1001", 0},        {"", 0}};
  for (const auto& [docno, year] : kYears) EXPECT_EQ(year_of_number(docno), year) << docno;
}

TEST(NumberReadings, MissingKindCodesAreReadings) {
  std::set<std::string> series;
  for (const NumberReading& reading : read_number("KR930012345").all) series.insert(reading.series);
  EXPECT_THAT(series, testing::ElementsAre("KR applications", "KR examined applications",
                                           "KR examined utility models", "KR utility models"));
}

}  // namespace
}  // namespace prescope
