#include "judgements/patent_number.h"

#include <algorithm>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

/// The rule for authorities that the table does not list: leading zeros are dropped.
constexpr PatentSeries kUnlisted{};

bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_dash(char c) noexcept { return c == '-' || c == '/'; }
bool is_separator(char c) noexcept {
  return is_dash(c) || c == ' ' || c == '.' || c == ',' || c == '_';
}

/// A docno without separators, in upper case.
struct CompactDocno {
  std::string_view text;
  std::size_t dash = 0;  ///< characters before the first dash behind a digit; 0 if there is none
};

CompactDocno compact(std::string_view docno, DocnoBuffer& buffer) noexcept {
  std::size_t size = 0, dash = 0;
  for (const char c : docno) {
    if (is_separator(c)) {
      if (dash == 0 && is_dash(c) && size > 0 && is_digit(buffer[size - 1])) dash = size;
      continue;
    }
    buffer[size++] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return {{buffer.data(), size}, dash};
}

/// Returns false if `text` is not COUNTRY [LETTERS] DIGITS [KIND].
bool parse(std::string_view text, PatentNumber& number) noexcept {
  constexpr std::size_t kCountry = 2, kMaxLetters = 4;  // country, then letters of the number
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

/// Appends to a buffer that is large enough.
class Key {
 public:
  explicit Key(DocnoBuffer& buffer) : buffer_(buffer) {}
  void add(std::string_view text) noexcept {
    std::copy(text.begin(), text.end(), buffer_.begin() + size_);
    size_ += text.size();
  }
  void add_zeros(std::size_t count) noexcept {
    std::fill_n(buffer_.begin() + size_, count, '0');
    size_ += count;
  }
  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.data(), size_}; }

 private:
  DocnoBuffer& buffer_;
  std::size_t size_ = 0;
};

/// Two digits from 40 on are a year of the 20th century.
void add_number(std::string_view digits, const PatentSeries& series, Key& key) noexcept {
  digits.remove_prefix(series.starts.size());
  if (series.year == 2) key.add(digits[0] >= '4' ? "19" : "20");
  key.add(digits.substr(0, series.year));
  digits.remove_prefix(series.year);
  if (series.serial > 0) {
    digits = digits.substr(0, series.serial);
    key.add_zeros(series.serial - digits.size());
  } else if (series.starts.empty() || series.before.empty()) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  }
  key.add(digits);
}

/// Returns whether the number has the digits of its key, as most applications have.
bool is_canonical(const PatentSeries& series, const PatentNumber& number) noexcept {
  return series.year == 4 && number.digits.size() == std::size_t{4} + series.serial &&
         series.before.empty() && series.kind.empty() && number.letters.empty();
}

}  // namespace

bool read_patent_number(std::string_view docno, PatentNumber& number,
                        DocnoBuffer& buffer) noexcept {
  if (docno.empty() || docno.size() > buffer.size()) return false;
  if (parse(docno, number)) return true;
  if (is_separator(docno.front()) || is_separator(docno.back())) return false;
  const CompactDocno text = compact(docno, buffer);
  if (!parse(text.text, number)) return false;
  const std::size_t first = number.country.size() + number.letters.size();
  if (text.dash > first && text.dash < first + number.digits.size()) {
    number.before_dash = text.dash - first;
  }
  return true;
}

std::string_view patent_key(std::string_view docno, DocnoPolicy policy,
                            DocnoBuffer& buffer) noexcept {
  PatentNumber number;
  DocnoBuffer compacted, japanese;
  if (!read_patent_number(docno, number, compacted)) return docno;
  const PatentSeries* const listed = series_of(number, japanese);
  const std::string_view kind = policy == DocnoPolicy::kPublication ? number.kind : "";
  // Most docnos of an index begin with their key.
  const char* const digits = docno.data() + number.country.size() + number.letters.size();
  const bool is_whole =
      number.digits.data() == digits && number.digits[0] != '0' &&
      digits + number.digits.size() + number.kind.size() == docno.data() + docno.size() &&
      (number.kind.empty() || number.kind.data() > digits);
  const PatentSeries& series = listed == nullptr ? kUnlisted : *listed;
  if (is_whole && (listed == nullptr || is_canonical(series, number))) {
    return docno.substr(0, docno.size() - number.kind.size() + kind.size());
  }
  Key key(buffer);
  key.add(number.country);
  if (series.letters.empty()) key.add(number.letters);
  key.add(series.before);
  add_number(number.digits, series, key);
  key.add(kind.empty() ? series.kind : kind);
  return key.text();
}

SeriesId series_id(std::string_view docno) noexcept {
  PatentNumber number;
  DocnoBuffer compacted, japanese;
  if (!read_patent_number(docno, number, compacted)) return {};
  const std::array<char, 2> country{number.country[0], number.country[1]};
  const PatentSeries* const series = series_of(number, japanese);
  return {country, series == nullptr || series->name.empty() ? "patents" : series->name};
}

std::string series_text(const SeriesId& series) {
  if (series.country[0] == '\0') return "other docnos";
  return fmt::format("{}{} {}", series.country[0], series.country[1], series.name);
}

}  // namespace prescope
