// Properties of the keys of random patent numbers, and names of their series.
#include <gtest/gtest.h>

#include <random>

#include "judgements/patent_number.h"

namespace prescope {
namespace {

std::string key_by(DocnoPolicy policy, std::string_view docno) {
  return DocnoNormalizer(policy).key(Docno(docno));
}

/// A number that looks like one of an authority of the table.
std::string random_number(std::mt19937& random) {
  constexpr std::string_view kCountries[] = {"US", "WO", "JP", "KR", "DE", "AT", "CN", "FR",
                                             "AU", "BR", "TW", "GB", "RU", "SE", "ZA", "DK",
                                             "PL", "FI", "HU", "ES", "PT", "NL", "XX"};
  constexpr std::string_view kLetters[] = {"",  "",   "",   "",   "H",  "S", "D",  "E", "U",
                                           "A", "PI", "MU", "WO", "RE", "P", "GM", "M", "R"};
  constexpr std::string_view kKinds[] = {"", "A", "A1", "B", "B2", "U", "Y1", "T2", "D1", "S", "E"};
  std::string docno(kCountries[random() % std::size(kCountries)]);
  if (random() % 8 == 0) {
    docno.append("-").append(kKinds[random() % std::size(kKinds)]).append("-");
  }
  docno += kLetters[random() % std::size(kLetters)];
  const std::size_t digits = 1 + random() % 14;
  if (digits > 8 && random() % 2 == 0) docno += random() % 2 == 0 ? "19" : "20";
  for (std::size_t i = 0; i < digits; ++i) {
    docno += static_cast<char>('0' + random() % 10);
    if (random() % 8 == 0 && i + 1 < digits) docno += "-/ ,"[random() % 4];
  }
  return docno.append(kKinds[random() % std::size(kKinds)]);
}

TEST(PatentKeys, KeyOfAKeyIsItself) {
  std::mt19937 random(20261128);
  for (int i = 0; i < 200'000; ++i) {
    const std::string docno = random_number(random);
    const std::string patent = key_by(DocnoPolicy::kPatent, docno);
    const std::string publication = key_by(DocnoPolicy::kPublication, docno);
    ASSERT_EQ(key_by(DocnoPolicy::kPatent, patent), patent) << docno;
    ASSERT_EQ(key_by(DocnoPolicy::kPublication, publication), publication) << docno;
    ASSERT_EQ(key_by(DocnoPolicy::kPatent, publication), patent) << docno;
  }
}

TEST(SeriesName, NamesTheAuthorityAndTheSeries) {
  const struct {
    std::string_view docno, name;
  } cases[] = {{"US2003220294", "US applications"},  {"US7654321B2", "US patents"},
               {"USD435854S1", "US designs"},        {"DE29918481", "DE utility models"},
               {"EP-A-0971326", "EP patents"},       {"AT123456T", "AT translations"},
               {"clueweb09-en0000", "other docnos"}, {"", "other docnos"}};
  for (const auto& [docno, name] : cases) {
    EXPECT_EQ(series_text(series_id(docno)), name) << docno;
  }
}

}  // namespace
}  // namespace prescope
