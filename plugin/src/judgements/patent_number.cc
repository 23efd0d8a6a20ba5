#include "judgements/patent_number.h"

#include <algorithm>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

/// The rule for authorities that the table does not list: leading zeros are dropped.
constexpr PatentSeries kUnlisted{};

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
