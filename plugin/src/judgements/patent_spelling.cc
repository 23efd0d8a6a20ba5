// How patent numbers are spelled: separators, letter case, and what stands around the number.
#include <algorithm>

#include "base/text_file.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

constexpr std::size_t kCountry = 2, kMaxLetters = 4;  // country, then letters of the number

bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_dash(char c) noexcept { return c == '-' || c == '/' || c == '_'; }
bool is_separator(char c) noexcept { return is_dash(c) || c == ' ' || c == '.' || c == ','; }

constexpr std::uint64_t bit(std::size_t at) noexcept { return std::uint64_t{1} << at; }

/// A docno without separators, in upper case. Bit i is set if a separator or a dash stands before
/// character i.
struct CompactDocno {
  std::string_view text;
  std::uint64_t separators = 0, dashes = 0;
};

CompactDocno compact(std::string_view docno, DocnoBuffer& buffer) noexcept {
  CompactDocno compacted;
  std::size_t size = 0;
  for (const char c : docno) {
    if (is_separator(c)) {
      compacted.separators |= bit(size);
      if (is_dash(c)) compacted.dashes |= bit(size);
      continue;
    }
    buffer[size++] = ascii_upper(c);
  }
  compacted.text = {buffer.data(), size};
  return compacted;
}

/// Returns false if `text` is not COUNTRY [LETTERS] DIGITS [KIND].
bool parse(std::string_view text, PatentNumber& number) noexcept {
  const auto end_of = [text](std::size_t from, auto matches) {
    while (from < text.size() && matches(text[from])) ++from;
    return from;
  };
  const std::size_t digits = end_of(0, is_capital);
  const std::size_t kind = end_of(digits, is_digit);
  if (digits < kCountry || digits > kMaxLetters || kind == digits) return false;
  number.country = text.substr(0, kCountry);
  number.letters = text.substr(kCountry, digits - kCountry);
  number.digits = text.substr(digits, kind - digits);
  number.kind = text.substr(kind);
  return number.kind.empty() ||
         (is_capital(number.kind[0]) &&
          (number.kind.size() == 1 || (number.kind.size() == 2 && is_digit(number.kind[1]))));
}

/// Returns whether `kind`, which separators set apart behind the country, is a kind code and no
/// part of the number: in EP-A1-123456, but not in JP-H5-123456. `dash` is whether one follows.
bool is_kind_code(std::string_view country, std::string_view kind, bool dash) noexcept {
  constexpr std::string_view kUsual = "ABCUY", kEras = "MTSHR";
  const auto is_one_of = [&](std::string_view letters) {
    return letters.find(kind[0]) != std::string_view::npos;
  };
  if (country == "JP" && is_one_of(kEras)) return false;
  if (country == "AT" && kind == "A") return false;     // numbers of applications
  if (country == "BR" && is_one_of("C")) return false;  // numbers of certificates of addition
  const auto [is_listed, begins_numbers, begins_kinds] = letter_use(country, kind[0]);
  if (begins_numbers && !(kind.size() == 2 && dash)) return false;  // US H1,234, but US-H1-2345
  return is_listed && (is_one_of(kUsual) || begins_kinds);
}

/// Returns whether the digits from `begin` on stand in groups of three: 123 456.
bool is_grouped(const CompactDocno& docno, std::size_t begin) noexcept {
  std::size_t at = begin;
  for (; at < docno.text.size() && is_digit(docno.text[at]); ++at) {
    const bool is_apart = (docno.separators & bit(at)) != 0;
    if (at > begin && is_apart != ((at - begin) % 3 == 0)) return false;
  }
  return at > begin && (at - begin) % 3 == 0;
}

enum class KindInFront { kNone, kApart, kUnclear };

/// Looks for a kind code between country and number, of `size` characters. It is unclear if its
/// digit may begin the number: in EPA1-123456, and in EP-A1 123 456.
KindInFront kind_in_front(const CompactDocno& docno, std::size_t& size) noexcept {
  const std::string_view text = docno.text;
  if (text.size() < kCountry + 3 ||
      !std::ranges::all_of(text.substr(0, kCountry + 1), is_capital)) {
    return KindInFront::kNone;
  }
  const auto has = [](std::uint64_t bits, std::size_t at) { return (bits & bit(at)) != 0; };
  size = has(docno.separators, kCountry + 1) ? 1 : 2;
  const std::size_t end = kCountry + size;
  if (!has(docno.separators, end) || (size == 2 && !is_digit(text[kCountry + 1])) ||
      !is_kind_code(text.substr(0, kCountry), text.substr(kCountry, size),
                    has(docno.dashes, end))) {
    return KindInFront::kNone;
  }
  const bool is_apart = has(docno.separators, kCountry);
  if (size == 1) return is_apart ? KindInFront::kApart : KindInFront::kNone;
  const bool is_clear = is_apart && (has(docno.dashes, end) || !is_grouped(docno, end));
  return is_clear ? KindInFront::kApart : KindInFront::kUnclear;
}

}  // namespace

void PatentNumber::keep_digits(std::size_t count) noexcept {
  digits = digits.substr(0, count);
  dashes &= bit(count) - 1;
}

void PatentNumber::drop_leading_zeros() noexcept {
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  digits.remove_prefix(zeros);
  dashes = dashes >> zeros & ~bit(0);
}

bool read_patent_number(std::string_view docno, PatentNumber& number,
                        DocnoBuffer& buffer) noexcept {
  if (docno.empty() || docno.size() > buffer.size()) return false;
  if (parse(docno, number)) return true;
  if (is_separator(docno.front()) || is_separator(docno.back())) return false;
  const CompactDocno compacted = compact(docno, buffer);
  std::size_t size = 0;
  const KindInFront in_front = kind_in_front(compacted, size);
  if (in_front == KindInFront::kUnclear) return false;
  if (in_front == KindInFront::kNone) size = 0;
  // The kind code goes before the country, so that the rest is one piece.
  auto* const text = buffer.data();
  std::rotate(text, text + kCountry, text + kCountry + size);
  if (!parse(compacted.text.substr(size), number)) return false;
  if (number.kind.empty()) number.kind = compacted.text.substr(0, size);
  const std::size_t first = size + number.country.size() + number.letters.size();
  number.dashes = compacted.dashes >> first & (bit(number.digits.size()) - 1) & ~bit(0);
  return true;
}

namespace {

/// Search reports write the kind code first, EP-A-0 123 456, or in German OS, AS, PS and GM. In
/// Austria, A begins the numbers of applications, in Finland U those of utility models.
void move_kind_behind(PatentNumber& number) noexcept {
  const auto is_one_of = [&](auto... each) { return ((number.letters == each) || ...); };
  if (is_one_of("GM")) {
    number.kind = "U";
  } else if (number.country == "AT" || number.country == "FI") {
    return;
  } else if (is_one_of("A", "B", "C", "U", "Y")) {
    if (number.kind.empty()) number.kind = number.letters;
  } else if (number.country != "DE" || !is_one_of("OS", "AS", "PS")) {
    return;
  }
  number.letters = {};
}

/// Drops -00-00 and -0000, which the Korean register writes behind a number of seven digits.
void drop_korean_zeros(PatentNumber& number) noexcept {
  constexpr std::size_t kZeros = 4, kSerial = 7;
  if (!number.digits.ends_with("0000")) return;
  const std::size_t count = number.digits.size() - kZeros;
  if (count >= kSerial && number.has_dash(count)) number.keep_digits(count);
}

/// Drops a check digit behind a dash: BR PI 0512345-6, BR 10 2012 001234-5, SE 0101234-5.
void drop_check_digit(PatentNumber& number) noexcept {
  const std::size_t count = number.digits.size() - 1;
  if ((count == 7 || count == 12) && number.has_dash(count)) number.keep_digits(count);
}

}  // namespace

void rewrite_notation(PatentNumber& number) noexcept {
  if (!number.letters.empty()) move_kind_behind(number);
  if (number.dashes == 0) return;
  if (number.country == "KR") {
    drop_korean_zeros(number);
  } else if (number.country == "BR" || number.country == "SE") {
    drop_check_digit(number);
  } else if (number.country == "AU" && number.digits.size() <= 6) {
    number.dashes = 0;  // 1998/81 is the application 1998 of 1981.
  } else if (number.country == "US" && number.letters.empty() && number.kind.empty() &&
             number.digits.size() == 8 && number.dashes == bit(2)) {
    number.letters = "SN";  // 10/123,456 is the serial number of an application.
  }
}

}  // namespace prescope
