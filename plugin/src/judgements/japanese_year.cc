// The years of Japanese numbers: eras until 1999, western years from 2000 on.
#include <algorithm>

#include "judgements/patent_number.h"

namespace prescope {

namespace {

constexpr std::string_view kEras = "MTSHR";  // Meiji, Taisho, Showa, Heisei, Reiwa
constexpr char kWestern = '\0';
constexpr std::size_t kSerial = 6;

/// The western year before the first year of an era.
unsigned year_before(char era) noexcept {
  return era == 'M' ? 1867 : era == 'T' ? 1911 : era == 'S' ? 1925 : era == 'H' ? 1988 : 2018;
}

/// The last year of an era that publications are numbered with: since 2000 they have no era.
unsigned last_year(char era) noexcept {
  return era == 'M' ? 45 : era == 'T' ? 15 : era == 'S' ? 64 : era == 'H' ? 12 : 9;
}

/// Returns whether the era had such a year, also after 2000.
bool is_year(char era, unsigned year) noexcept {
  const unsigned last = era == kWestern ? 2099 : era == 'H' ? 31 : last_year(era);
  return year > 0 && year <= last;
}

unsigned value_of(std::string_view digits) noexcept {
  unsigned value = 0;
  for (const char digit : digits) value = 10 * value + static_cast<unsigned>(digit - '0');
  return value;
}

struct JapaneseYear {
  char era = kWestern;
  std::size_t first = 0;   ///< the position of its digits
  std::size_t digits = 0;  ///< 0 if the number has no year
};

bool has_dash_behind_year(const PatentNumber& number, char era) noexcept {
  const std::size_t dash = number.before_dash();
  return (dash == 1 || dash == 2) && number.digits.size() <= dash + kSerial &&
         is_year(era, value_of(number.digits.substr(0, dash)));
}

bool has_western_year(const PatentNumber& number) noexcept {
  const std::string_view digits = number.digits;
  const bool has_dash = number.before_dash() == 4 && digits.size() <= 4 + kSerial;
  return (digits.starts_with("19") || digits.starts_with("20")) &&
         (has_dash || digits.size() == 9 || digits.size() == 10);
}

JapaneseYear year_after_letter(const PatentNumber& number) noexcept {
  const char era = number.letters[0];
  const std::string_view digits = number.digits;
  if (has_dash_behind_year(number, era)) return {era, 0, number.before_dash()};
  const bool two = digits.size() >= 8 || value_of(digits.substr(0, 2)) <= last_year(era);
  return {era, 0, two ? 2U : 1U};
}

/// Without a letter, years up to 12 are of Heisei and later ones of Showa; an old form has the
/// digit 3 for Showa, 4 for Heisei. Seven digits are a year only in an application.
JapaneseYear year_without_letter(const PatentNumber& number) noexcept {
  const std::string_view digits = number.digits;
  const std::size_t size = digits.size();
  if (has_western_year(number)) return {kWestern, 0, 4};
  if (size == 9 && (digits[0] == '3' || digits[0] == '4')) {
    return {digits[0] == '3' ? 'S' : 'H', 1, 2};
  }
  const bool is_application = number.kind.starts_with('A') || number.kind.starts_with('T');
  std::size_t count = 0;
  if (has_dash_behind_year(number, 'S')) {
    count = number.before_dash();
  } else if (size == 8) {
    count = 2;
  } else if (size == 7 && is_application) {
    count = digits[0] == '0' ? 2 : 1;
  }
  return {value_of(digits.substr(0, count)) <= last_year('H') ? 'H' : 'S', 0, count};
}

/// Writes four digits from 2000 on, before that an era's letter and two digits.
char* write_year(char era, unsigned year, char* to) noexcept {
  if (year >= 2000) {
    for (unsigned unit = 1000; unit > 0; unit /= 10) {
      *to++ = static_cast<char>('0' + year / unit % 10);
    }
    return to;
  }
  if (era == kWestern) era = year <= 1988 ? 'S' : 'H';
  const unsigned in_era = year - year_before(era);
  *to++ = era;
  *to++ = static_cast<char>('0' + in_era / 10);
  *to++ = static_cast<char>('0' + in_era % 10);
  return to;
}

}  // namespace

void rewrite_japanese_year(PatentNumber& number, DocnoBuffer& text) noexcept {
  if (number.letters == "T" && has_western_year(number)) {  // a kind code: Taisho has 15 years
    if (number.kind.empty()) number.kind = number.letters;
    number.letters = {};
  }
  if (number.letters == "A" || number.letters == "P") number.letters = {};
  const bool has_era =
      number.letters.size() == 1 && kEras.find(number.letters[0]) != std::string_view::npos;
  if (!has_era && !number.letters.empty()) return;
  const auto [era, first, count] =
      has_era ? year_after_letter(number) : year_without_letter(number);
  if (count == 0 || first + count >= number.digits.size()) return;
  const std::string_view serial = number.digits.substr(first + count);
  const unsigned written = value_of(number.digits.substr(first, count));
  if (serial.size() > kSerial || !is_year(era, written)) return;
  const unsigned year = era == kWestern ? written : written + year_before(era);
  char* to = write_year(era, year, text.data());
  to = std::fill_n(to, kSerial - serial.size(), '0');
  to = std::copy(serial.begin(), serial.end(), to);
  number.letters = {};
  number.digits = {text.data(), static_cast<std::size_t>(to - text.data())};
  number.dashes = 0;
}

}  // namespace prescope
