#include "citations/formats/office_words.h"

#include <algorithm>

#include "base/text_file.h"
#include "base/unicode.h"

namespace prescope {

namespace {

[[nodiscard]] bool is_latin_letter(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
[[nodiscard]] bool is_space(char c) noexcept { return is_blank(c) || c == '\n'; }
[[nodiscard]] std::string_view without_space(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns the number that the digits write, at most four.
[[nodiscard]] unsigned value_of_digits(std::string_view digits) noexcept {
  unsigned value = 0;
  for (const char c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

[[nodiscard]] std::optional<PartialDate> office_date(unsigned year, unsigned month,
                                                     unsigned day) noexcept {
  constexpr unsigned kFirst = 1700, kLast = 2199, kMonths = 12, kDays = 31;
  if (year == 0) return PartialDate{};
  if (year < kFirst || year > kLast || month > kMonths || day > kDays) return std::nullopt;
  if (month == 0) day = 0;
  return PartialDate{.year = static_cast<std::uint16_t>(year),
                     .month = static_cast<std::uint8_t>(month),
                     .day = static_cast<std::uint8_t>(day)};
}

/// Reads a date with separators between its parts.
[[nodiscard]] std::optional<PartialDate> separated_date(std::string_view text) noexcept {
  constexpr std::size_t kParts = 3, kLongest = 4;
  std::string_view parts[kParts];
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < text.size() && count < kParts;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    parts[count] = text.substr(begin, end - begin);
    if (parts[count].empty() || parts[count].size() > kLongest) return std::nullopt;
    ++count;
    // The time behind a date, "1995-12-01T00:00:00", does not matter.
    if (count == kParts && end < text.size() && text[end] != 'T' && text[end] != ' ') {
      return std::nullopt;
    }
    if (end < text.size() && count < kParts &&
        std::string_view("-/.").find(text[end]) == std::string_view::npos) {
      return std::nullopt;
    }
    begin = end + 1;
  }
  if (count < 2) return std::nullopt;
  const bool has_year_first = parts[0].size() == kLongest;
  if (has_year_first)
    return office_date(value_of_digits(parts[0]), value_of_digits(parts[1]),
                       value_of_digits(parts[2]));
  if (parts[count - 1].size() != kLongest) return std::nullopt;
  if (count == 2) return office_date(value_of_digits(parts[1]), value_of_digits(parts[0]), 0);
  const bool has_day_first = text[parts[0].size()] == '.';
  return office_date(value_of_digits(parts[2]), value_of_digits(parts[has_day_first ? 1 : 0]),
                     value_of_digits(parts[has_day_first ? 0 : 1]));
}

struct OfficeCode {
  std::string_view code, phase, source;
};

/// Codes for the origin of a citation, as MAREC, PATSTAT and Google's tables have them.
constexpr OfficeCode kOfficeCodes[] = {
    {"SEA", "search", "examiner"},         {"PRS", "search", "examiner"},
    {"SUP", "search", "examiner"},         {"ISR", "international search", "examiner"},
    {"EXA", "examination", "examiner"},    {"CH2", "examination", "examiner"},
    {"OPP", "opposition", "examiner"},     {"FOP", "opposition", "examiner"},
    {"APL", "appeal", "examiner"},         {"APP", "filing", "applicant"},
    {"115", "examination", "third party"}, {"TPO", "examination", "third party"}};

/// Procedures by the words of the EPO's exchange documents and Register.
constexpr std::pair<std::string_view, std::string_view> kPhases[] = {
    {"search", "search"},
    {"national-search-report", "search"},
    {"national-search", "search"},
    {"supplementary-search", "search"},
    {"supplementary-search-report", "search"},
    {"supplementary-national-search-report", "search"},
    {"pre-search", "search"},
    {"pre-grant-search", "search"},
    {"international-search-report", "international search"},
    {"international-search", "international search"},
    {"supplementary-international-search-report", "international search"},
    {"international-type-search-report", "international search"},
    {"examination", "examination"},
    {"national-examination", "examination"},
    {"international-preliminary-examination", "examination"},
    {"international-examination", "examination"},
    {"opposition", "opposition"},
    {"filed-opposition", "opposition"},
    {"description", "filing"},
    {"filing", "filing"},
    {"applicant", "filing"}};

/// Words for a fact that is not known.
[[nodiscard]] bool is_unknown(std::string_view word) noexcept {
  return word.empty() || word == "undefined" || word == "unknown" || word == "null" ||
         word == "none" || word == "n/a";
}

}  // namespace

std::string collapsed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : without_space(text)) {
    if (!is_space(c)) {
      out += c;
    } else if (out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), ascii_lower);
  return out;
}

std::string utf8_or_latin1(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  for (const char c : text) (void)append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

std::optional<PartialDate> parse_date(std::string_view text) noexcept {
  constexpr std::size_t kYear = 4, kMonth = 6, kDay = 8;
  text = without_space(text);
  if (text.empty() || text == "0") return PartialDate{};
  if (!std::ranges::all_of(text, is_digit)) return separated_date(text);
  const unsigned year = value_of_digits(text.substr(0, kYear));
  if (text.size() == kYear) return office_date(year, 0, 0);
  if (text.size() == kMonth) return office_date(year, value_of_digits(text.substr(kYear)), 0);
  if (text.size() != kDay) return std::nullopt;
  return office_date(year, value_of_digits(text.substr(kYear, 2)),
                     value_of_digits(text.substr(kMonth)));
}

void keep_earlier(PartialDate& date, PartialDate other) noexcept {
  if (other.is_known() && (!date.is_known() || other < date)) date = other;
}

std::string class_symbol(std::string_view text) {
  constexpr std::size_t kSubclass = 4, kMainGroup = 3;
  text = without_space(text);
  const bool has_subclass = text.size() > kSubclass && is_latin_letter(text[0]) &&
                            is_digit(text[1]) && is_digit(text[2]) && is_latin_letter(text[3]);
  if (!has_subclass) {
    std::string out(text.substr(0, std::min(text.find(' '), text.size())));
    return out;
  }
  std::string out(text.substr(0, kSubclass));
  std::ranges::transform(out, out.begin(), ascii_upper);
  std::string_view rest = text.substr(kSubclass);
  const auto take_digits = [&rest] {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::string_view digits = rest.substr(0, end);
    rest.remove_prefix(end);
    return digits;
  };
  std::string_view columns = rest;
  std::string_view main_group = take_digits();
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  std::string_view subgroup;
  if (rest.starts_with('/')) {
    rest.remove_prefix(1);
    subgroup = take_digits();
  } else if (columns.size() > kMainGroup) {
    main_group = without_space(columns.substr(0, kMainGroup));
    subgroup = columns.substr(kMainGroup);
    subgroup =
        subgroup.substr(0, std::min(subgroup.find_first_not_of("0123456789"), subgroup.size()));
  }
  while (main_group.size() > 1 && main_group.front() == '0') main_group.remove_prefix(1);
  if (main_group.empty()) return out;
  out += main_group;
  if (subgroup.empty()) return out;
  out += '/';
  return out += subgroup;
}

void add_class(std::vector<std::string>& classes, std::string symbol) {
  constexpr std::size_t kMost = 1000;
  if (symbol.empty() || classes.size() >= kMost) return;
  if (std::ranges::find(classes, symbol) != classes.end()) return;
  classes.push_back(std::move(symbol));
}

void add_categories(std::string& categories, std::string_view text) {
  constexpr std::size_t kMostLetters = 4;
  const auto is_category = [](char c) { return is_latin_letter(c) || c == '&'; };
  constexpr std::size_t kMostBytes = 100;
  const auto add = [&categories](std::string_view token) {
    if (categories.size() + token.size() >= kMostBytes) return;
    for (std::size_t begin = 0; begin < categories.size();) {
      const std::size_t end = std::min(categories.find(',', begin), categories.size());
      if (std::string_view(categories).substr(begin, end - begin) == token) return;
      begin = end + 1;
    }
    if (!categories.empty()) categories += ',';
    categories += token;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at]) || text[at] == ',' || text[at] == ';' || text[at] == '/') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,;/", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    const bool is_letters = word.size() <= kMostLetters && std::ranges::all_of(word, is_category);
    if (is_letters) {
      for (const char c : word) {
        const char letter = ascii_upper(c);
        add({&letter, 1});
      }
    } else {
      std::string upper_word(word);
      std::ranges::transform(upper_word, upper_word.begin(), ascii_upper);
      add(upper_word);
    }
  }
}

void set_source(Citation& citation, std::string_view text) {
  constexpr std::string_view kCitedBy = "cited by ";
  text = without_space(text);
  // The words of nearly every citation of the USPTO.
  if (text == "cited by examiner") return void(citation.source = "examiner");
  if (text == "cited by applicant") return void(citation.source = "applicant");
  std::string word = in_lower_case(text);
  if (word.starts_with(kCitedBy)) word.erase(0, kCitedBy.size());
  if (word == "third-party" || word == "3rd party") word = "third party";
  if (word == "exm" || word == "ex") word = "examiner";
  if (word == "app") word = "applicant";
  citation.source = is_unknown(word) || word == "unk" ? "" : collapsed(word);
}

void set_phase(Citation& citation, std::string_view text) {
  text = without_space(text);
  for (const auto& [word, phase] : kPhases) {
    if (text == word) return void(citation.phase = phase);
  }
  for (const OfficeCode& code : kOfficeCodes) {
    if (text == code.code) return void(citation.phase = code.phase);
  }
  const std::string word = in_lower_case(text);
  citation.phase = is_unknown(word) ? "" : collapsed(word);
}

bool set_office_code(Citation& citation, std::string_view code) {
  constexpr std::size_t kSize = 3;
  code = without_space(code);
  if (code.size() != kSize) return false;
  const char upper_code[] = {ascii_upper(code[0]), ascii_upper(code[1]), ascii_upper(code[2])};
  for (const OfficeCode& known : kOfficeCodes) {
    if (known.code != std::string_view(upper_code, kSize)) continue;
    citation.phase = known.phase;
    citation.source = known.source;
    return true;
  }
  return false;
}

void infer_source(Citation& citation) {
  if (!citation.source.empty()) return;
  const std::string& phase = citation.phase;
  if (phase == "search" || phase == "international search" || phase == "examination" ||
      phase == "opposition") {
    citation.source = "examiner";
  } else if (phase == "filing") {
    citation.source = "applicant";
  }
}

void add_remark(Citation& citation, std::string_view text) {
  constexpr std::size_t kShortWord = 4;
  text = without_space(text);
  if (text.empty()) return;
  // A grade is no code, as 115 of third parties is.
  if (whole_number<int>(text)) return void(citation.categories = text);
  if (set_office_code(citation, text)) return;
  const bool is_word = text.size() > kShortWord &&
                       text.find_first_of(",;/") == std::string_view::npos &&
                       is_latin_letter(text.front());
  if (is_word) return set_source(citation, text);
  if (!is_unknown(text)) add_categories(citation.categories, text);
}

}  // namespace prescope
