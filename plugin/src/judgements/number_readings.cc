#include "judgements/number_readings.h"

#include "base/errors.h"
#include "base/text_file.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

constexpr std::string_view kJapanese = "JP", kInternational = "WO", kKorean = "KR",
                           kEuropean = "EP";

unsigned value_of_digits(std::string_view digits) noexcept {
  unsigned value = 0;
  for (const char digit : digits) value = 10 * value + static_cast<unsigned>(digit - '0');
  return value;
}

/// Returns the year of a Japanese number in the form of keys, which begins with an era's letter and
/// two digits, or with four digits.
unsigned japanese_year(std::string_view digits) noexcept {
  if (digits.size() < 9) return 0;
  if (digits[0] == '2') return value_of_digits(digits.substr(0, 4));
  const unsigned in_era = value_of_digits(digits.substr(1, 2));
  switch (digits[0]) {
    case 'M':
      return 1867 + in_era;
    case 'T':
      return 1911 + in_era;
    case 'S':
      return 1925 + in_era;
    case 'H':
      return 1988 + in_era;
    default:
      return 0;
  }
}

/// The digits of a number, with a dash where it has one.
std::string with_dashes(const PatentNumber& number) {
  std::string text;
  for (std::size_t i = 0; i < number.digits.size(); ++i) {
    if (number.has_dash(i)) text += '-';
    text += number.digits[i];
  }
  return text;
}

/// Collects readings of one number.
class Readings {
 public:
  explicit Readings(std::string_view written) {
    DocnoBuffer buffer;
    is_patent_ = read_patent_number(written, number_, buffer);
    if (is_patent_) {
      digits_ = with_dashes(number_);
      country_ = number_.country;
      letters_ = number_.letters;
      kind_ = number_.kind;
    }
    add(std::string(written), is_patent_ ? "as it is written" : "no patent number: as it is");
  }

  void add_all() {
    if (!is_patent_) return;
    if (country_ == kJapanese && letters_.empty()) add_eras();
    if (country_ == kInternational && letters_.empty()) add_long_and_short_year();
    if (country_ == kKorean && letters_.empty()) add_korean();
    if (letters_.empty() && kind_.empty()) add_kinds();
    add_other_countries();
  }

  [[nodiscard]] std::vector<NumberReading>& all() noexcept { return all_; }

 private:
  void add(const std::string& text, std::string why) {
    DocnoBuffer buffer;
    const std::string patent(patent_key(text, DocnoPolicy::kPatent, buffer));
    for (const NumberReading& known : all_) {
      if (known.patent == patent) return;
    }
    NumberReading reading{.patent = patent, .year = year_of_number(text), .why = std::move(why)};
    reading.publication = patent_key(text, DocnoPolicy::kPublication, buffer);
    reading.series = series_text(series_id(text));
    all_.push_back(std::move(reading));
  }

  void add_era(std::string_view era, std::string_view name, std::string_view digits) {
    const std::string text = fmt::format("JP{}{}{}", era, digits, kind_);
    if (year_of_number(text) != 0) add(text, fmt::format("as a number of the era {}", name));
  }

  /// Seven digits are one of year and six of serial, or two and five; eight are two and six. Grants
  /// have no year, and numbers of examined applications ended before Reiwa.
  void add_eras() {
    struct Era {
      std::string_view letter, name;
    };
    constexpr Era kEras[] = {
        {"H", "Heisei"}, {"S", "Showa"}, {"R", "Reiwa"}, {"T", "Taisho"}, {"M", "Meiji"}};
    const bool is_granted = kind_.starts_with('B') || kind_.starts_with('C');
    std::vector<std::string> forms{digits_};
    if (number_.dashes == 0 && (digits_.size() == 7 || digits_.size() == 8)) {
      forms = {digits_.substr(0, 2) + "-" + digits_.substr(2)};
      if (digits_.size() == 7) forms.push_back(digits_.substr(0, 1) + "-" + digits_.substr(1));
    }
    for (const Era& era : kEras) {
      if (is_granted && era.letter == "R") continue;
      for (const std::string& digits : forms) add_era(era.letter, era.name, digits);
    }
    if (digits_.size() == 7 && number_.dashes == 0 && kind_.empty()) {
      add("JP" + digits_ + "B2", "as the number of a patent, which has no year");
    }
  }

  void add_long_and_short_year() {
    if (number_.dashes != 0 || digits_.size() != 8) return;
    add("WO" + digits_.substr(0, 4) + "/" + digits_.substr(4) + kind_, "with four digits of year");
    add("WO" + digits_.substr(0, 2) + "/" + digits_.substr(2) + kind_, "with two digits of year");
  }

  void add_korean() {
    const std::string_view digits = number_.digits;
    if (digits.size() == 8 && digits.starts_with("10")) {
      add(fmt::format("KR10-{:0>7}", digits.substr(2)), "as the number of a grant");
      add(fmt::format("KR102010{:0>7}", digits.substr(2)), "as an application of 2010");
    }
  }

  /// The kind codes of an authority's series that the number alone does not tell.
  void add_kinds() {
    for (const char letter : std::string_view("ABCUYTSDEPHI")) {
      const std::string text = country_ + digits_ + letter;
      const std::string_view series = series_id(text).name;
      if (series.empty() || series == all_.front().series) continue;
      if (letter_use(country_, letter).is_listed)
        add(text, fmt::format("with kind code {}", letter));
    }
  }

  /// Files have numbers under the wrong country: JP 02/043615 A2 has the form of a number of WO,
  /// and EP 408327594 the form of a Japanese one.
  void add_other_countries() {
    if (!letters_.empty()) return;
    const auto add_as = [&](std::string_view country) {
      const std::string text = fmt::format("{}{}{}", country, digits_, kind_);
      if (year_of_number(text) == 0) return;
      add(text, fmt::format("the country may be wrong: {} has numbers of this form", country));
    };
    const bool has_world_kind = kind_ == "A1" || kind_ == "A2" || kind_ == "A3";
    if (country_ == kJapanese && number_.before_dash() == 2 && has_world_kind)
      add_as(kInternational);
    if (country_ == kEuropean && number_.before_dash() == 2 && has_world_kind) {
      add_as(kInternational);
    }
    if (country_ == kEuropean && number_.digits.size() > 7) {
      add_as(kJapanese);
      add_as(kInternational);
    }
  }

  PatentNumber number_;  // views the text that was written
  bool is_patent_ = false;
  std::string digits_, country_, letters_, kind_;
  std::vector<NumberReading> all_;
};

}  // namespace

unsigned year_of_number(std::string_view docno) noexcept {
  constexpr unsigned kTurn = 40;  // two digits of year from here on are of the 20th century
  PatentNumber number;
  DocnoBuffer compacted, japanese;
  if (!read_patent_number(docno, number, compacted)) return 0;
  const PatentSeries* const series = series_of(number, japanese);
  if (number.country == kJapanese && number.letters.empty()) return japanese_year(number.digits);
  if (series == nullptr || series->year == 0) return 0;
  const std::size_t begin = series->starts.size();
  if (number.digits.size() < begin + series->year) return 0;
  const unsigned year = value_of_digits(number.digits.substr(begin, series->year));
  if (series->year == 4) return year;
  return year < kTurn ? 2000 + year : 1900 + year;
}

bool has_several_years(std::string_view docno) noexcept {
  PatentNumber number;
  DocnoBuffer compacted;
  if (!read_patent_number(docno, number, compacted) || !number.letters.empty()) return false;
  const std::size_t digits = number.digits.size();
  if (number.country == kJapanese) return digits <= 8 || number.digits[0] > '2';
  if (number.country == kEuropean) return digits > 7 || number.before_dash() == 2;
  return (number.country == kInternational || number.country == kKorean) && digits == 8;
}

NumberReadings read_number(std::string_view written, unsigned published_in) {
  Readings readings(written);
  readings.add_all();
  NumberReadings result{.all = std::move(readings.all())};
  const auto has_year = [&](const NumberReading& reading) { return reading.year == published_in; };
  const NumberReading& usual = result.all.front();
  if (result.all.size() == 1) {
    result.why = "it has no other reading";
  } else if (published_in == 0) {
    result.why = "it is the usual reading; the year of publication would decide";
  } else if (has_year(usual)) {
    result.why = fmt::format("it is the usual reading, and its year is {}", published_in);
  } else {
    const auto found = std::ranges::find_if(result.all, has_year);
    result.taken =
        found == result.all.end() ? 0 : static_cast<std::size_t>(found - result.all.begin());
    result.why = found == result.all.end()
                     ? fmt::format("it is the usual reading; none has the year {}", published_in)
                     : fmt::format("its year is {}, when the document was published", published_in);
  }
  return result;
}

}  // namespace prescope
