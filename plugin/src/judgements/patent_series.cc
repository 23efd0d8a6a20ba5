// The table of authorities: which numbers belong to which series, and how each is written. The
// sources stand beside the pairs in tests/judgements/patent_pairs_test.cc.
#include <span>

#include "base/text_file.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

// A row: name; letters written before the digits; kinds; fewest and most digits; leading digits;
// digits of the year; digits of the serial number in the key; beginning of the number in the key;
// end of the key; whether two digits of year are always of the 20th century. A dash behind the year
// makes zeros of the serial number optional. The first row that matches decides; a number that none
// matches is a patent with any kind code, without leading zeros. A key is a spelling of itself.
constexpr std::string_view kModels = "utility models", kTranslations = "translations",
                           kApplications = "applications", kDesigns = "designs";

constexpr PatentSeries kUnitedStates[] = {
    {kApplications, "-", "", 10, 11, "", 4, 7, "", ""},
    {kDesigns, "D", "", 1, 13, "", 0, 0, "D", ""},
    {kDesigns, "-", "S", 1, 13, "", 0, 0, "D", ""},
    {"plants", "PP", "", 1, 13, "", 0, 0, "PP", ""},
    {"plants", "-", "P", 1, 13, "", 0, 0, "PP", ""},
    {"reissues", "RE", "", 1, 13, "", 0, 0, "RE", ""},
    {"reissues", "-", "E", 1, 13, "", 0, 0, "RE", ""},
    {"invention registrations", "H", "", 1, 13, "", 0, 0, "H", ""},
    {"invention registrations", "-", "H", 1, 13, "", 0, 0, "H", ""},
    {"defensive publications", "T", "", 1, 13, "", 0, 0, "T", ""},
    {"defensive publications", "-", "I", 1, 13, "", 0, 0, "T", ""},
    {"serial numbers of applications", "SN", "", 1, 13, "", 0, 0, "SN", ""},
};

// Two digits of year and five of serial until June 2002, then six; four and six from 2004 on.
constexpr PatentSeries kWorld[] = {
    {kApplications, "- WO", "", 9, 10, "", 4, 6, "", ""},
    {kApplications, "- WO", "", 6, 8, "", 2, 6, "", ""},
};

// Numbers have been rewritten: an era's letter and eight digits, ten digits from 2000 on, or the
// number of a grant or registration.
constexpr PatentSeries kJapan[] = {
    {"republications of WO", "WO", "", 9, 10, "", 4, 6, "WO", ""},
    {"republications of WO", "WO", "", 6, 8, "", 2, 6, "WO", ""},
    {kModels, "", "U", 9, 13, "", 0, 0, "", "U"},
    {"examined utility models", "", "Y", 9, 13, "", 0, 0, "", "Y"},
    {"examined applications", "", "B", 9, 9, "", 0, 0, "", "B"},
    {kApplications, "", "", 9, 13, "", 0, 0, "", ""},
    {"registered utility models", "", "U Y Z", 1, 13, "", 0, 0, "", "U"},
    {kDesigns, "", "S", 1, 13, "", 0, 0, "", "S"},
};

// The key has the type of right, 10 for patents and 20 for utility models, and seven digits of
// serial. Applications have a year, of two digits until 1998, grants have had none since 1997.
constexpr PatentSeries kKorea[] = {
    {kApplications, "", "", 13, 13, "10", 4, 7, "10", ""},
    {kModels, "", "", 13, 13, "20", 4, 7, "20", "U"},
    {"grants", "", "", 9, 9, "10", 0, 7, "10", "B"},
    {"registered utility models", "", "", 9, 9, "20", 0, 7, "20", "Y"},
    {"examined applications", "", "B", 8, 9, "", 2, 7, "", "B", true},
    {"examined applications", "", "B", 10, 11, "", 4, 7, "", "B"},
    {"examined utility models", "", "Y", 8, 9, "", 2, 7, "", "Y", true},
    {"examined utility models", "", "Y", 10, 11, "", 4, 7, "", "Y"},
    {kModels, "", "U", 8, 9, "", 2, 7, "20", "U", true},
    {kModels, "", "U", 10, 11, "", 4, 7, "20", "U"},
    {kApplications, "", "", 8, 9, "", 2, 7, "10", "", true},
    {kApplications, "", "", 10, 11, "", 4, 7, "10", ""},
    {"registered utility models", "", "Y U", 1, 7, "", 0, 7, "20", "Y"},
    {"grants", "", "", 1, 7, "", 0, 7, "10", "B"},
};

// T2 to T4 and D are German publications of European patents, T1 and T5 of international ones,
// which have the number of the German patent. Seven digits begin with the year of a utility model,
// 66 to 94, or with the year less 50 of a patent, up to 44.
constexpr PatentSeries kGermany[] = {
    {kDesigns, "", "S", 1, 13, "", 0, 0, "", "S"},
    {kModels, "", "U", 1, 13, "", 0, 0, "", "U"},
    {kModels, "", "", 7, 7, "6", 0, 0, "6", "U"},
    {kModels, "", "", 7, 7, "7", 0, 0, "7", "U"},
    {kModels, "", "", 7, 7, "8", 0, 0, "8", "U"},
    {kModels, "", "", 7, 7, "9", 0, 0, "9", "U"},
    {kModels, "", "", 8, 8, "2", 0, 0, "2", "U"},
    {kModels, "", "", 12, 12, "2", 0, 0, "2", "U"},
    {"", "", "T1 T5 T8 T9", 1, 13, "", 0, 0, "", ""},
    {kTranslations, "", "T D", 1, 13, "", 0, 0, "", "T"},
    {kTranslations, "", "", 8, 8, "5", 0, 0, "5", "T"},
    {kTranslations, "", "", 8, 8, "6", 0, 0, "6", "T"},
    {kTranslations, "", "", 12, 12, "50", 0, 0, "50", "T"},
    {kTranslations, "", "", 12, 12, "60", 0, 0, "60", "T"},
};

// AT E 123456 is the European patent in Austria, published as kind T.
constexpr PatentSeries kAustria[] = {
    {kTranslations, "E", "", 1, 13, "", 0, 0, "E", ""},
    {kTranslations, "-", "T E", 1, 13, "", 0, 0, "E", ""},
    {kModels, "", "U", 1, 13, "", 0, 0, "", "U"},
};

// The first digit says the kind of right: 1 patents, 2 utility models, 3 designs. Until 2007,
// grants (C, and B before 1993) were numbered apart from applications.
constexpr PatentSeries kChina[] = {
    {"grants", "", "B C", 7, 7, "", 0, 0, "", "C"},
    {"utility models", "", "U Y", 1, 13, "", 0, 0, "", "U"},
    {"utility models", "", "", 7, 7, "2", 0, 0, "2", "U"},
    {"utility models", "", "", 9, 9, "2", 0, 0, "2", "U"},
    {kDesigns, "", "S D", 1, 13, "", 0, 0, "", "S"},
    {kDesigns, "", "", 7, 7, "3", 0, 0, "3", "S"},
    {kDesigns, "", "", 9, 9, "3", 0, 0, "3", "S"},
};

constexpr PatentSeries kFrance[] = {
    {"certificates of addition", "", "E", 1, 13, "", 0, 0, "", "E"},
    {"medicaments", "", "M", 1, 13, "", 0, 0, "", "M"},
    {kTranslations, "", "T", 1, 13, "", 0, 0, "", "T"},
    {kDesigns, "", "S", 1, 13, "", 0, 0, "", "S"},
};

// Applications are serial number and year, 75764/81; accepted ones have numbers of their own. Since
// 2000, both have a year and a serial number of five, later six digits.
constexpr PatentSeries kAustralia[] = {
    {kApplications, "", "", 9, 10, "", 4, 6, "", ""},
    {kApplications, "", "A", 1, 8, "", 0, 0, "", "A"},
    {kApplications, "", "", 7, 8, "", 0, 0, "", "A"},
};

// Since 2012 the number begins with the kind of right: 10 to 12 patents, 20 to 22 utility models.
// Numbers may have a check digit, which the key leaves out.
constexpr PatentSeries kBrazil[] = {
    {kModels, "MU", "", 7, 8, "", 2, 5, "MU", ""},
    {kModels, "MU", "", 1, 13, "", 0, 0, "MU", ""},
    {kModels, "-", "U Y", 7, 7, "", 2, 5, "MU", ""},
    {kModels, "-", "", 12, 13, "20", 4, 6, "20", "U"},
    {kModels, "-", "", 12, 13, "21", 4, 6, "21", "U"},
    {kModels, "-", "", 12, 13, "22", 4, 6, "22", "U"},
    {"", "-", "", 12, 13, "10", 4, 6, "10", ""},
    {"", "-", "", 12, 13, "11", 4, 6, "11", ""},
    {"", "-", "", 12, 13, "12", 4, 6, "12", ""},
    {"", "PI", "", 7, 8, "", 2, 5, "", ""},
    {"", "-", "", 7, 7, "", 2, 5, "", ""},
};

// I, M and D begin the numbers of patents, utility models and designs since 2004. Earlier numbers
// have no letter.
constexpr PatentSeries kTaiwan[] = {
    {kModels, "M", "", 1, 13, "", 0, 0, "M", ""},
    {kDesigns, "D", "", 1, 13, "", 0, 0, "D", ""},
    {kModels, "-", "U", 1, 13, "", 0, 0, "", "U"},
    {kDesigns, "-", "S D", 1, 13, "", 0, 0, "", "S"},
};

// D is no publication: the number of an application, two digits of year and five of serial.
constexpr PatentSeries kBritain[] = {
    {kApplications, "", "D", 7, 7, "", 2, 5, "", "D"},
    {kApplications, "", "D", 9, 9, "", 4, 5, "", "D"},
};

constexpr PatentSeries kRussia[] = {
    {kModels, "", "U", 1, 13, "", 0, 0, "", "U"},
    {kApplications, "", "", 8, 8, "", 2, 6, "", "", true},
    {kApplications, "", "", 10, 10, "", 4, 6, "", ""},
};

// Applications have two digits of year, also 00 to 09, and five of serial.
constexpr PatentSeries kSweden[] = {
    {kTranslations, "", "T E", 1, 13, "", 0, 0, "", "T"},
    {"", "", "B C", 7, 7, "0", 0, 0, "", ""},
    {kApplications, "", "", 7, 7, "", 2, 5, "", ""},
};

constexpr PatentSeries kSouthAfrica[] = {
    {"", "", "", 7, 7, "", 2, 5, "", ""},
    {"", "", "", 9, 9, "", 4, 5, "", ""},
};

// 4290/81 is an application, written 429081; patents are numbered apart.
constexpr PatentSeries kDenmark[] = {
    {kTranslations, "", "T", 1, 13, "", 0, 0, "", "T"},
    {kModels, "", "U Y", 1, 13, "", 0, 0, "", "U"},
    {kApplications, "", "A L D", 1, 6, "", 0, 0, "", "A"},
};

// The A number is that of the application, the B number that of the patent.
constexpr PatentSeries kPoland[] = {
    {kTranslations, "", "T", 1, 13, "", 0, 0, "", "T"},
    {kModels, "", "U", 1, 13, "", 0, 0, "", "U"},
    {"registered utility models", "", "Y", 1, 13, "", 0, 0, "", "Y"},
    {kApplications, "", "A", 1, 13, "", 0, 0, "", "A"},
};

constexpr PatentSeries kFinland[] = {
    {kModels, "U", "", 1, 13, "", 0, 0, "U", ""},
    {kModels, "-", "U Y", 1, 13, "", 0, 0, "U", ""},
    {kTranslations, "", "T", 1, 13, "", 0, 0, "", "T"},
};

constexpr PatentSeries kHungary[] = {
    {kTranslations, "E", "", 1, 13, "", 0, 0, "E", ""},
    {kTranslations, "-", "T2 T3", 1, 13, "", 0, 0, "E", ""},
    {kModels, "-", "U", 1, 13, "", 0, 0, "", "U"},
};

// Since 1986, 1 begins the numbers of utility models, and 2 those of patents and of translations,
// which are numbered together.
constexpr PatentSeries kSpain[] = {
    {kModels, "", "U Y", 1, 13, "", 0, 0, "", "U"},
    {kModels, "", "", 7, 7, "1", 0, 0, "1", "U"},
    {"", "", "T", 7, 7, "2", 0, 0, "2", ""},
    {kTranslations, "", "T", 1, 13, "", 0, 0, "", "T"},
    {kDesigns, "", "S", 1, 13, "", 0, 0, "", "S"},
};

constexpr PatentSeries kPortugal[] = {
    {kTranslations, "", "T E", 1, 13, "", 0, 0, "", "T"},
    {kModels, "", "U Y", 1, 13, "", 0, 0, "", "U"},
    {kDesigns, "", "S", 1, 13, "", 0, 0, "", "S"},
};

// These authorities number only utility models, translations of European patents and designs apart.
constexpr PatentSeries kOthers[] = {
    {kModels, "", "U Y", 1, 13, "", 0, 0, "", "U"},
    {kTranslations, "", "T", 1, 13, "", 0, 0, "", "T"},
    {kDesigns, "", "S", 1, 13, "", 0, 0, "", "S"},
};

struct Authorities {
  std::string_view countries;  ///< two letters each, between blanks
  std::span<const PatentSeries> series;
};

constexpr Authorities kAuthorities[] = {
    {"AT", kAustria},
    {"AU", kAustralia},
    {"BR", kBrazil},
    {"CN", kChina},
    {"DE", kGermany},
    {"DK", kDenmark},
    {"ES", kSpain},
    {"FI", kFinland},
    {"FR", kFrance},
    {"GB", kBritain},
    {"HU", kHungary},
    {"JP", kJapan},
    {"KR", kKorea},
    {"PL", kPoland},
    {"PT", kPortugal},
    {"RU", kRussia},
    {"SE", kSweden},
    {"TW", kTaiwan},
    {"US", kUnitedStates},
    {"WO", kWorld},
    {"ZA", kSouthAfrica},
    {"BE BG CH CY CZ EE GR HR IE IS IT LT LU LV MC MD NL NO RO RS SI SK TR UA", kOthers},
    {"CA DD EA EP SU", {}},
};

constexpr std::size_t kLetters = 26;

constexpr std::size_t slot_of(std::string_view country) noexcept {
  return static_cast<std::size_t>(country[0] - 'A') * kLetters +
         static_cast<std::size_t>(country[1] - 'A');
}

/// The position in kAuthorities plus one, by country; 0 for authorities without rules.
constexpr auto kByCountry = [] {
  std::array<std::uint8_t, kLetters * kLetters> slots{};
  for (std::uint8_t i = 0; i < std::size(kAuthorities); ++i) {
    const std::string_view countries = kAuthorities[i].countries;
    for (std::size_t at = 0; at < countries.size(); at += 3) {
      slots[slot_of(countries.substr(at, 2))] = static_cast<std::uint8_t>(i + 1);
    }
  }
  return slots;
}();

constexpr std::size_t kMostDigits = 13;

constexpr std::uint32_t bit_of(char kind) noexcept {
  return kind == '-' ? 1U << kLetters : 1U << static_cast<unsigned>(kind - 'A');
}

/// The first letters of the kinds that some row names for numbers without letters, by authority and
/// number of digits. Most numbers are plain patents, which need no look at the rows.
constexpr auto kNamedKinds = [] {
  std::array<std::array<std::uint32_t, kMostDigits + 1>, std::size(kAuthorities)> named{};
  for (std::size_t i = 0; i < std::size(kAuthorities); ++i) {
    for (const PatentSeries& series : kAuthorities[i].series) {
      if (!series.letters.empty() && series.letters[0] != '-') continue;
      std::uint32_t kinds = series.kinds.empty() ? UINT32_MAX : 0;
      for (std::size_t at = 0; at < series.kinds.size(); ++at) {
        if (at == 0 || series.kinds[at - 1] == ' ') kinds |= bit_of(series.kinds[at]);
      }
      for (std::size_t d = series.min_digits; d <= series.max_digits; ++d) named[i][d] |= kinds;
    }
  }
  return named;
}();

bool is_plain(std::size_t authority, const PatentNumber& number) noexcept {
  const std::size_t digits = number.digits.size();
  const char kind = number.kind.empty() ? '-' : number.kind[0];
  return number.letters.empty() && number.digits[0] != '0' && number.dashes == 0 &&
         (digits > kMostDigits || (kNamedKinds[authority][digits] & bit_of(kind)) == 0);
}

bool has_year(std::string_view digits) noexcept {
  return digits.starts_with("19") || digits.starts_with("20");
}

/// Returns whether one of the words in `list`, of one or two characters, begins `text`; the word -
/// stands for an empty text.
bool one_begins(std::string_view list, std::string_view text) noexcept {
  const char first = text.empty() ? '-' : text[0], second = text.size() > 1 ? text[1] : ' ';
  for (std::size_t at = 0, end = 0; at < list.size(); at = end + 1) {
    end = at + 1 < list.size() && list[at + 1] != ' ' ? at + 2 : at + 1;
    if (list[at] == first && (end == at + 1 || list[at + 1] == second)) return true;
  }
  return false;
}

/// Returns whether the key has other digits than the number. Only numbers without letters, or with
/// those that the row names, are rewritten.
bool rewrites(const PatentSeries& series) noexcept {
  return series.serial > 0 || !series.starts.empty();
}

/// Returns whether a dash stands where the serial number of the series begins, as in 2001/1234. The
/// serial number may then have fewer digits.
bool has_dashed_serial(const PatentSeries& series, const PatentNumber& number) noexcept {
  const std::size_t begin = series.starts.size() + series.year;
  return series.serial > 0 && number.has_dash(begin) &&
         number.digits.size() - begin <= series.serial;
}

/// Returns whether two digits are a year: not in 2001/1234, nor, if the number of digits varies and
/// no dash tells, in 20011234. KR 10-123456 is no year, but a type of right.
bool has_short_year(const PatentSeries& series, const PatentNumber& number,
                    bool is_dashed) noexcept {
  const char first = number.digits[0];
  if (series.is_1900s && first < '4' && (first > '0' || !is_dashed)) return false;
  return is_dashed || !has_year(number.digits) ||
         (series.min_digits == series.max_digits && !number.has_dash(4));
}

bool matches(const PatentSeries& series, const PatentNumber& number) noexcept {
  const std::size_t digits = number.digits.size();
  const bool is_dashed = number.dashes != 0 && has_dashed_serial(series, number);
  if (!is_dashed && (digits < series.min_digits || digits > series.max_digits)) return false;
  if (!series.kinds.empty() && !one_begins(series.kinds, number.kind)) return false;
  if (series.letters.empty() ? !number.letters.empty() && rewrites(series)
                             : !one_begins(series.letters, number.letters)) {
    return false;
  }
  if (!number.digits.starts_with(series.starts)) return false;
  if (series.year == 2) return has_short_year(series, number, is_dashed);
  return series.year == 0 || has_year(number.digits.substr(series.starts.size()));
}

/// Returns whether a word of `list` is the letter, or begins with it.
bool has_word(std::string_view list, char letter, bool alone) noexcept {
  for (std::size_t at = 0; at < list.size(); ++at) {
    const bool begins = list[at] == letter && (at == 0 || list[at - 1] == ' ');
    if (begins && (!alone || at + 1 == list.size() || list[at + 1] == ' ')) return true;
  }
  return false;
}

}  // namespace

LetterUse letter_use(std::string_view country, char letter) noexcept {
  const std::uint8_t found = kByCountry[slot_of(country)];
  LetterUse use{.is_listed = found != 0};
  if (!use.is_listed) return use;
  for (const PatentSeries& series : kAuthorities[found - 1U].series) {
    use.begins_numbers = use.begins_numbers || has_word(series.letters, letter, true);
    use.begins_kinds = use.begins_kinds || has_word(series.kinds, letter, false);
  }
  return use;
}

const PatentSeries* series_of(PatentNumber& number, DocnoBuffer& japanese) noexcept {
  const std::uint8_t found = kByCountry[slot_of(number.country)];
  if (found == 0) return nullptr;
  const std::size_t authority = found - 1U;
  if (!number.letters.empty() || number.dashes != 0) rewrite_notation(number);
  for (;;) {
    if (number.country == "JP") rewrite_japanese_year(number, japanese);
    if (is_plain(authority, number)) return nullptr;
    const bool is_padded = number.digits[0] == '0' && number.digits.size() > 1;
    for (const PatentSeries& series : kAuthorities[authority].series) {
      if (!matches(series, number)) continue;
      if (!is_padded || rewrites(series)) return &series;
      break;
    }
    if (!is_padded) return nullptr;
    number.drop_leading_zeros();
  }
}

}  // namespace prescope
