// Pairs of numbers that name the same patent, or look so and do not. Each has its source: a format
// that the authority or a provider of its data describes, or a number that a patent cites.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "judgements/patent_number.h"

namespace prescope {
namespace {

constexpr std::string_view
    kUsApplication = "uspto.gov, Publication Number: year, seven digits, kind code",
    kUsKinds = "uspto.gov, Patent Document Kind Codes, 2 January 2001",
    kUsSeries = "uspto.gov, Document Type and Number Definitions; MPEP 901.04",
    kDocdb = "EPO exchange format: six digits behind the year of a US application",
    kIfi = "docs.ificlaims.com, Publication Information: WO is YYYYnnnnnn; plants without PP",
    kWipo = "WIPO publication numbers: YY/NNNNN, YY/NNNNNN from July 2002, YYYY/NNNNNN from 2004",
    kCited = "as USPTO grants of 2010 and 2013 cite it",
    kEpo = "EPO publication numbers: seven digits, zeros in front or not",
    kSt16 = "WIPO ST.16: U and Y are series of utility models, T translations, S designs",
    kStyle = "WIPO ST.14, older form of citations: the kind code before the number",
    kJapan = "epo.org, Numbering system Japan",
    kJapanEra = "JPO: Showa + 1925, Heisei + 1988, Reiwa + 2018 is the western year",
    kKorea = "epo.org, Numbering system Korea", kChina = "epo.org, Numbering system China",
    kChina2007 = "EPO newsflash 19/2007: A, C and Y were numbered apart with seven digits",
    kTaiwan = "epo.org, Numbering system Chinese Taipei; Derwent, Taiwan Patent Coverage, 2005",
    kRussia = "epo.org, Numbering system Russian Federation",
    kGermany = "DPMA: 10, 11 patents, 20, 21 utility models, 50, 60 European patents; 1, 2, 5, 6",
    kAustria = "patentamt.at, Publication Server Help; European patents are AT E",
    kAustralia = "pericles.ipaustralia.gov.au, AU-A, B, C Patents, Search Help",
    kBrazil = "INPI: PI and MU with a check digit; BR ZZ XXXX YYYYYY from 2012",
    kEspacenet = "espacenet.com, Help, Publication number: authorities that need the kind code",
    kOffice = "the authority's application numbers: two digits of year and five of serial";

enum class Is { kSame, kOther };
using enum Is;

struct Pair {
  std::string_view one, other;
  Is is;
  std::string_view source;
};

constexpr Pair kPairs[] = {
    // United States
    {"US2003220294", "US20030220294A1", kSame, kDocdb},
    {"US 2003/0220294 A1", "US2003220294A1", kSame, kDocdb},
    {"us-20090220659-a1", "US2009220659", kSame, kDocdb},
    {"US2001000044A1", "US20010000044A1", kSame, kDocdb},
    {"US20010004444P1", "US2001004444P1", kSame, kUsKinds},
    {"US20010000044A1", "US20010000044A9", kSame, kUsKinds},
    {"US20030220294A1", "US20030220295A1", kOther, kUsApplication},
    {"US2003220294A1", "US20032202940A1", kOther, kUsApplication},
    {"US7654321B2", "US 07,654,321", kSame, kUsKinds},
    {"US10000000B2", "US 10,000,000 B2", kSame, kUsKinds},
    {"US-A-4893752", "US4893752A", kSame, kStyle},
    {"USD435854S1", "US D435,854 S", kSame, kUsKinds},
    {"US435854S1", "USD0435854S1", kSame, kUsKinds},
    {"USD435854S1", "US435854A", kOther, kUsSeries},
    {"USRE36543E", "US36543E1", kSame, kUsKinds},
    {"USRE36543E", "US36543A", kOther, kUsSeries},
    {"USPP12345P2", "USPP12345P3", kSame, kUsKinds},
    {"US5382P", "USPP05382", kSame, kIfi},
    {"USPP12345P2", "US12345A", kOther, kUsSeries},
    {"USH0002345H1", "USH2345", kSame, kUsSeries},
    {"USH2345H", "US2345A", kOther, kUsSeries},
    {"UST103201I4", "US103201I4", kSame, kUsSeries},
    {"UST103201", "US103201A", kOther, kUsSeries},
    // World
    {"WO02103116", "WO2002103116A1", kSame, kWipo},
    {"WO 02/103116", "WO2002103116", kSame, kWipo},
    {"WO9532567A1", "WO1995032567A1", kSame, kWipo},
    {"WO95/32567", "WO 1995/032567", kSame, kWipo},
    {"WO-WO 93 05634", "WO1993005634A1", kSame, kCited},
    {"WO 93/5634", "WO9305634", kSame, kWipo},
    {"WO0033421", "WO2000033421A2", kSame, kWipo},
    {"WO200133421A1", "WO2001033421", kSame, kWipo},
    {"WO-2010128959-A1", "WO2010/128959", kSame, kWipo},
    {"WO7900001A1", "WO1979000001A1", kSame, kWipo},
    {"WO02103116", "WO02013116", kOther, kWipo},
    {"WO9532567A1", "WO2005032567A1", kOther, kWipo},
    {"WO0133421A1", "WO0033421A1", kOther, kWipo},
    {"WO03021278A2", "WO1993021278A2", kOther, kWipo},
    // Europe
    {"EP 1 000 000 A1", "EP1000000B1", kSame, kEpo},
    {"EP0000001A1", "EP1", kSame, kEpo},
    {"EP-A-0 971 326", "EP971326A3", kSame, kStyle},
    {"EP0971326A1", "EP0971327A1", kOther, kEpo},
    {"EP1234567B1", "DK1234567T3", kOther, kSt16},
    // Japan
    {"JPH01115415A", "JPH11015415A", kOther, kJapan},
    {"JPH1115415A", "JPH11015415A", kSame, kJapan},
    {"JPH01115415A", "JP-H1-115415-A", kSame, kJapan},
    {"JPH01115415A", "JPH1115415A", kOther, kJapan},
    {"JPS60123456A", "JP S60-123456", kSame, kJapan},
    {"JPS60123456A", "JP60123456A", kSame, kJapan},
    {"JPS60123456A", "JP1985123456A", kSame, kJapanEra},
    {"JPS60123456U", "JPS60123456A", kOther, kJapan},
    {"JPS60123456U", "JP60-123456U", kSame, kJapan},
    {"JPS60123456U", "JPS60123456Y2", kOther, kJapan},
    {"JPH0512345B2", "JPH05012345A", kOther, kJapan},
    {"JPH0512345B2", "JPH05012345B2", kSame, kJapan},
    {"JP5-3059", "JPH053059A", kSame, kCited},
    {"JP-A-10-100907", "JPH10100907A", kSame, kCited},
    {"JP361118513A", "JPS61118513A", kSame, kCited},
    {"JP 02 146237", "JPH02146237A", kSame, kCited},
    {"JP2001-123456", "JP2001123456A", kSame, kJapan},
    {"JPP2001-118988A", "JP2001118988A", kSame, kCited},
    {"JP2007-88222A", "JP2007088222A", kSame, kCited},
    {"JP2000500001A", "JP2000500001T", kSame, kJapan},
    {"JPH12123456A", "JP2000123456A", kSame, kJapanEra},
    {"JPR01123456A", "JP2019123456A", kSame, kJapanEra},
    {"JP2735453B2", "JP 2,735,453", kSame, kJapan},
    {"JP2735453B2", "JPH02735453A", kOther, kJapan},
    {"JP3000001U", "JP3000001B2", kOther, kJapan},
    {"JPH05123456A", "JPS50123456A", kOther, kJapan},
    {"JPWO2005012345A1", "JP2005012345A", kOther, kJapan},
    {"JPWO2005012345A1", "JPWO05012345A1", kSame, kWipo},
    {"JP1234567S", "JP1234567B2", kOther, kSt16},
    // Germany
    {"DE1812345U", "DE1812345A1", kOther, kGermany},
    {"DE1812345A1", "DE-OS 1 812 345", kSame, kGermany},
    {"DE4120617C2", "DE 41 20 617 A1", kSame, kCited},
    {"DE 196 53 722 A1", "DE19653722C2", kSame, kCited},
    {"DE102004012345A1", "DE 10 2004 012 345 B4", kSame, kGermany},
    {"DE102004012345A1", "DE202004012345U1", kOther, kGermany},
    {"DE202004012345U1", "DE 20 2004 012 345", kSame, kGermany},
    {"DE29918481U1", "DE29918481", kSame, kGermany},
    {"DE29918481U1", "DE19918481A1", kOther, kGermany},
    {"DE69812345T2", "DE69812345D1", kSame, kGermany},
    {"DE69812345T2", "DE69812345T3", kSame, kGermany},
    {"DE602004012345", "DE602004012345T2", kSame, kGermany},
    {"DE69812345T2", "EP69812345B1", kOther, kGermany},
    {"DE1812345T2", "DE1812345C1", kOther, kSt16},
    {"DE112006001234T5", "DE112006001234B4", kSame, kGermany},
    {"DE-U-9412345", "DE9412345U1", kSame, kStyle},
    {"DE1812345S", "DE1812345A1", kOther, kSt16},
    // Austria
    {"AT123456T", "AT123456B", kOther, kAustria},
    {"AT E 123456", "ATE123456T1", kSame, kAustria},
    {"AT123456E", "ATE123456T1", kSame, kAustria},
    {"AT0412936B", "AT 412936 B", kSame, kAustria},
    {"AT1234U1", "AT1234B", kOther, kAustria},
    {"ATGM1234U1", "AT1234U2", kSame, kAustria},
    {"AT123456T", "AT123456U1", kOther, kAustria},
    // France, Britain, Canada, Switzerland, Italy, Spain, the Netherlands
    {"FR 2 714 603 A1", "FR2714603B1", kSame, kCited},
    {"FR93012E", "FR93012A", kOther, "WIPO ST.16: E certificates of addition, a series apart"},
    {"FR5124M", "FR5124A", kOther, "INPI: special patents for medicaments, kind M"},
    {"GB 2 335 424 A", "GB2335424B", kSame, kCited},
    {"GB-A-2020963", "GB02020963", kSame, kStyle},
    {"GB0123456D0", "GB123456A", kOther, "EPO DOCDB kind codes: GB D0 is the application's number"},
    {"CA2433145A1", "CA 2,433,145 C", kSame, kCited},
    {"CA2433145A1", "CA2433154A1", kOther, kEspacenet},
    {"CH 654321 A5", "CH0654321B5", kSame, kEspacenet},
    {"CH654321A5", "CH654321U", kOther, kSt16},
    {"IT1234567B", "IT01234567", kSame, kEspacenet},
    {"IT1234567U1", "IT1234567B", kOther, kSt16},
    {"ITMI20011234A1", "ITTO20011234A1", kOther, "UIBM: the letters are the province's"},
    {"ES1005422U", "ES1005422", kSame, kEspacenet},
    {"ES0123456U", "ES123456A1", kOther, kEspacenet},
    {"ES2123456T3", "ES1005422U", kOther, kEspacenet},
    {"NL8001234A", "NL-8001234", kSame, kEspacenet},
    {"NL1012345C2", "NL1012345A1", kSame, kEspacenet},
    // Sweden, Denmark, Finland, Poland
    {"SE0101234L", "SE101234C1", kOther, kOffice},
    {"SE0101234L", "SE0101234D0", kSame, kOffice},
    {"SE0523456C2", "SE523456", kSame, kOffice},
    {"DK150681A", "DK150681B", kOther, kEspacenet},
    {"DK1234567T3", "DK1234567B1", kOther, kEspacenet},
    {"FIU20110123", "FI20110123A", kOther, kEspacenet},
    {"FIU20110123U0", "FI20110123U", kSame, kEspacenet},
    {"PL123456A1", "PL123456B1", kOther, kEspacenet},
    {"PL1234567T3", "PL1234567A1", kOther, kEspacenet},
    // Korea
    {"KR20010012345A", "KR1020010012345A", kSame, kKorea},
    {"KR10-2001-0012345", "KR1020010012345A", kSame, kKorea},
    {"KR2001097492A", "KR1020010097492A", kSame, kKorea},
    {"KR930012345A", "KR1019930012345A", kSame, kKorea},
    {"KR20010012345U", "KR20010012345A", kOther, kKorea},
    {"KR2020010012345U", "KR20010012345U", kSame, kKorea},
    {"KR2020010012345U", "KR1020010012345A", kOther, kKorea},
    {"KR100688702B1", "KR10-0688702", kSame, kKorea},
    {"KR0123456B1", "KR100123456B1", kSame, kKorea},
    {"KR200123456Y1", "KR100123456B1", kOther, kKorea},
    {"KR930012345B1", "KR930012345A", kOther, kKorea},
    // China
    {"CN101234567A", "CN101234567B", kSame, kChina},
    {"CN1234567A", "CN1234567C", kOther, kChina2007},
    {"CN1019808B", "CN1019808C", kSame, "forums.epo.org: B until 1992, C from 1993 on"},
    {"CN 127 80 68", "CN1278068A", kSame, kCited},
    {"CN201143874Y", "CN201143874U", kSame, kChina},
    {"CN201143874", "CN201143874Y", kSame, kChina},
    {"CN101143874U", "CN101143874A", kOther, kSt16},
    {"CN1234567A", "CN101234567A", kOther, kChina2007},
    {"CN3012345D", "CN1012345A", kOther, kChina},
    // Taiwan
    {"TWI220010B", "TW I220010", kSame, kTaiwan},
    {"TWI220001B", "TWM220001U", kOther, kTaiwan},
    {"TWI220001B", "TW220001B", kOther, kTaiwan},
    {"TW2010-40283A", "TW201040283A", kSame, kTaiwan},
    {"TW245012U", "TW245012A", kOther, kSt16},
    {"TWD100001S", "TWI100001B", kOther, kTaiwan},
    // Russia, the Soviet Union, Australia, Brazil, South Africa
    {"RU94012345A", "RU1994012345A", kSame, kRussia},
    {"RU2015117646A", "RU2015/117646", kSame, kRussia},
    {"RU123456U1", "RU123456C1", kOther, kRussia},
    {"SU407567A1", "SU 407567", kSame, kCited},
    {"SU1234567A1", "RU1234567C1", kOther, kRussia},
    {"AU200042655A", "AU2000042655A1", kSame, kAustralia},
    {"AU2003212345A1", "AU2003212345B2", kSame, kAustralia},
    {"AU654397B2", "AU654397A", kOther, kAustralia},
    {"AU00784257B2", "AU784257", kSame, kAustralia},
    {"AU-A-75764/81", "AU7576481A", kSame, kAustralia},
    {"BRPI0512345-6A2", "BR0512345A", kSame, kBrazil},
    {"BRMU8501234U2", "BR8501234U", kSame, kBrazil},
    {"BRMU8501234U2", "BRPI8501234A2", kOther, kBrazil},
    {"BR102012001234A2", "BR202012001234U2", kOther, kBrazil},
    {"BR102012001234A2", "BR 10 2012 001234 B1", kSame, kBrazil},
    {"ZA2005/04838", "ZA200504838B", kSame, kCited},
    {"ZA8001234B", "ZA198001234", kSame, kOffice},
    // Authorities that the table does not list keep the older rule: any kind code.
    {"XX123456U", "XX123456A", kSame, "docs/docnos.md"},
    {"XX0123456A1", "XX-123456", kSame, "docs/docnos.md"},
    {"XX2003220294", "XX20030220294A1", kOther, "docs/docnos.md"},
};

std::string key_under(DocnoPolicy policy, std::string_view docno) {
  return DocnoNormalizer(policy).key(Docno(docno));
}

TEST(PatentPairs, AreOneDocumentOrTwo) {
  for (const auto& [one, other, is, source] : kPairs) {
    const std::string key = key_under(DocnoPolicy::kPatent, one);
    const std::string other_key = key_under(DocnoPolicy::kPatent, other);
    EXPECT_EQ(key == other_key, is == kSame)
        << one << " (" << key << "), " << other << " (" << other_key << "); " << source;
  }
}

TEST(PatentPairs, CoverManyAuthoritiesAndBothAnswers) {
  std::set<std::string_view> countries;
  for (const Pair& pair : kPairs) countries.insert(pair.one.substr(0, 2));
  const auto same = std::ranges::count(kPairs, kSame, &Pair::is);
  const auto other = std::ranges::count(kPairs, kOther, &Pair::is);
  EXPECT_GE(std::size(kPairs), 120U);
  EXPECT_GE(countries.size(), 20U);
  EXPECT_GE(std::min(same, other), 60);
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
  docno += kLetters[random() % std::size(kLetters)];
  const std::size_t digits = 1 + random() % 14;
  if (digits > 8 && random() % 2 == 0) docno += random() % 2 == 0 ? "19" : "20";
  for (std::size_t i = 0; i < digits; ++i) {
    docno += static_cast<char>('0' + random() % 10);
    if (random() % 8 == 0 && i + 1 < digits) docno += "-/ ,"[random() % 4];
  }
  return docno.append(kKinds[random() % std::size(kKinds)]);
}

TEST(PatentPairs, KeyOfAKeyIsItself) {
  std::mt19937 random(20261128);
  for (int i = 0; i < 200'000; ++i) {
    const std::string docno = random_number(random);
    const std::string patent = key_under(DocnoPolicy::kPatent, docno);
    const std::string publication = key_under(DocnoPolicy::kPublication, docno);
    ASSERT_EQ(key_under(DocnoPolicy::kPatent, patent), patent) << docno;
    ASSERT_EQ(key_under(DocnoPolicy::kPublication, publication), publication) << docno;
    ASSERT_EQ(key_under(DocnoPolicy::kPatent, publication), patent) << docno;
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
