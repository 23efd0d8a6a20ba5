#include "judgements/match_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "base/text_file.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

constexpr std::size_t kYear = 4;
/// Series with fewer documents may be found by none by chance.
constexpr std::uint64_t kFewestJudged = 10;
/// So many documents of a series would be found if it was like the others.
constexpr double kFewestExpected = 5.0;
/// One in so many documents that were found is chance, as in `should_suggest`.
constexpr std::uint64_t kLeastGained = 50;

bool begins_with_year(std::string_view digits) noexcept {
  return digits.size() >= 2 * kYear && (digits.starts_with("19") || digits.starts_with("20"));
}

std::string_view without_zeros(std::string_view digits) noexcept {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// "with a zero behind the year", if serial numbers behind the same year differ by zeros.
std::string zeros_behind_year(std::string_view serial, std::string_view other) {
  const bool is_longer = other.size() > serial.size();
  const std::size_t zeros = is_longer ? other.size() - serial.size() : serial.size() - other.size();
  if (is_longer) {
    return zeros == 1 ? "with a zero behind the year"
                      : fmt::format("with {} zeros behind the year", zeros);
  }
  return zeros == 1 ? "without the zero behind the year" : "without the zeros behind the year";
}

/// Returns whether the first has two digits of the year of the second, and the same serial number.
bool has_short_year(std::string_view digits, std::string_view other) noexcept {
  return digits.size() > 2 && begins_with_year(other) &&
         digits.substr(0, 2) == other.substr(2, 2) &&
         without_zeros(digits.substr(2)) == without_zeros(other.substr(kYear));
}

std::string digits_difference(std::string_view digits, std::string_view other) {
  const bool same_year = begins_with_year(digits) && begins_with_year(other) &&
                         digits.substr(0, kYear) == other.substr(0, kYear);
  if (same_year) {
    const std::string_view serial = digits.substr(kYear), other_serial = other.substr(kYear);
    return without_zeros(serial) == without_zeros(other_serial)
               ? zeros_behind_year(serial, other_serial)
               : "";
  }
  if (has_short_year(digits, other)) return "with a year of four digits";
  if (has_short_year(other, digits)) return "with a year of two digits";
  if (without_zeros(digits) != without_zeros(other)) return "";
  return digits.size() < other.size() ? "with leading zeros" : "without leading zeros";
}

bool begins_with_era(const PatentNumber& number) noexcept {
  return number.letters.size() == 1 &&
         std::string_view("MTSHR").find(number.letters[0]) != std::string_view::npos;
}

std::string japanese_difference(const PatentNumber& other) {
  if (begins_with_era(other)) return "with the era of the year";
  return begins_with_year(other.digits) ? "with a western year" : "without the era of the year";
}

std::string kind_difference(std::string_view kind, std::string_view other) {
  if (kind.empty()) return "with a kind code";
  return other.empty() ? "without the kind code" : "with another kind code";
}

std::string number_difference(const PatentNumber& number, const PatentNumber& other) {
  if (number.country == "JP" && begins_with_era(number) != begins_with_era(other)) {
    return japanese_difference(other);
  }
  if (number.letters != other.letters) return "";
  if (number.digits != other.digits) return digits_difference(number.digits, other.digits);
  return number.kind != other.kind ? kind_difference(number.kind, other.kind)
                                   : "in another spelling";
}

/// The documents of one series, and how those in another form differ.
struct SeriesTally {
  SeriesMatch match{};
  struct Difference {
    std::uint64_t count = 0;
    std::string in_qrels{}, there{};  ///< of the first
  };
  std::map<std::string, Difference> differences{};
  std::string unfound{};  ///< the first

  void add(const JudgedMatch& one) {
    ++match.judged;
    if (one.is_found) {
      ++match.found;
      return;
    }
    if (unfound.empty()) unfound = one.docno;
    if (one.form == OtherForm::kNone) return;
    ++match.would_match;
    match.form = std::max(match.form, one.form);
    if (one.other.empty()) return;
    Difference& difference = differences[form_difference(one.docno, one.other)];
    if (difference.count++ > 0) return;
    difference.in_qrels = one.docno;
    difference.there = one.other;
  }
  SeriesMatch finish() {
    match.in_qrels = unfound;
    const auto most = std::ranges::max_element(
        differences, {}, [](const auto& difference) { return difference.second.count; });
    if (most == differences.end()) return std::move(match);
    match.words = most->first;
    match.in_qrels = most->second.in_qrels;
    match.there = most->second.there;
    return std::move(match);
  }
};

std::string remedy_words(OtherForm form) {
  if (form == OtherForm::kDigits) return "write both in one form";
  return docno_advice(form == OtherForm::kPublication ? DocnoPolicy::kPublication
                                                      : DocnoPolicy::kPatent);
}

std::string subject_of(const SeriesMatch& series) {
  const bool all = series.found + series.would_match == series.judged;
  if (all) return series.found == 0 ? "they" : "the others";
  return fmt::format("{} more", series.would_match);
}

/// "they would match with a zero behind the year (US... in the qrels, US... in the run): use ...".
std::string form_words(const SeriesMatch& series, MatchPlace place) {
  const std::string would = subject_of(series) + " would match";
  if (series.there.empty()) {
    return fmt::format("{}: {}", would, remedy_words(series.form));
  }
  return fmt::format("{} {} ({} in the qrels, {} in the {}): {}", would,
                     series.words.empty() ? "in another form" : series.words, series.in_qrels,
                     series.there, place == MatchPlace::kRun ? "run" : "index",
                     remedy_words(series.form));
}

struct FoundShare {
  std::uint64_t judged = 0, found = 0;

  [[nodiscard]] double share() const noexcept {
    return judged == 0 ? 0.0 : static_cast<double>(found) / static_cast<double>(judged);
  }
};

bool would_gain(const SeriesMatch& series) noexcept {
  return series.would_match > 0 && series.would_match * kLeastGained >= series.found;
}

/// Returns whether documents of the series are found so seldom that it is no chance.
bool is_seldom_found(const SeriesMatch& series, const FoundShare& others,
                     MatchPlace place) noexcept {
  const double expected = others.share() * static_cast<double>(series.judged);
  if (series.judged < kFewestJudged || expected < kFewestExpected) return false;
  return series.found == 0 ||
         (place == MatchPlace::kIndex && 2.0 * static_cast<double>(series.found) < expected);
}

}  // namespace

std::string docno_advice(DocnoPolicy policy) {
  return fmt::format("use --docno {}", to_string(policy));
}

std::string form_difference(std::string_view docno, std::string_view other) {
  PatentNumber number, other_number;
  DocnoBuffer buffer, other_buffer;
  const bool is_number = read_patent_number(docno, number, buffer);
  const bool is_other = read_patent_number(other, other_number, other_buffer);
  if (!is_number && is_other) return "with the country code";
  if (is_number && !is_other) return "without the country code";
  return is_number ? number_difference(number, other_number) : "";
}

bool has_country(std::string_view docno) noexcept {
  PatentNumber number;
  DocnoBuffer buffer;
  return read_patent_number(docno, number, buffer);
}

std::string digits_of(std::string_view docno) {
  constexpr std::size_t kFewest = 6;
  constexpr std::string_view kAnyCountry = "XX";
  DocnoBuffer key_buffer, buffer;
  PatentNumber number;
  const std::string text = has_country(docno)
                               ? std::string(patent_key(docno, DocnoPolicy::kPatent, key_buffer))
                               : std::string(kAnyCountry).append(docno);
  if (!read_patent_number(text, number, buffer)) return {};
  std::string digits;
  if (begins_with_year(number.digits)) digits = number.digits.substr(0, kYear);
  digits += without_zeros(number.digits.substr(digits.size()));
  return digits.size() < kFewest ? std::string() : digits;
}

std::vector<SeriesMatch> series_matches(std::span<const JudgedMatch> judged) {
  std::map<SeriesId, SeriesTally> tallies;
  for (const JudgedMatch& one : judged) tallies[series_id(one.docno)].add(one);
  std::vector<SeriesMatch> series;
  for (auto& [id, tally] : tallies) {
    series.push_back(tally.finish());
    series.back().series = series_text(id);
  }
  return series;
}

std::vector<std::string> match_report(std::span<const SeriesMatch> series, MatchPlace place) {
  FoundShare all;
  for (const SeriesMatch& one : series) {
    all.judged += one.judged;
    all.found += one.found;
  }
  std::vector<std::string> sentences;
  for (const SeriesMatch& one : series) {
    const FoundShare others{all.judged - one.judged, all.found - one.found};
    const std::string found =
        fmt::format("{}: {} of {} judged documents found", one.series, one.found, one.judged);
    if (would_gain(one)) {
      sentences.push_back(fmt::format("{}; {}", found, form_words(one, place)));
    } else if (is_seldom_found(one, others, place)) {
      sentences.push_back(fmt::format(
          "{}, of the other series {} of {}; are they written in another form than '{}'?", found,
          others.found, others.judged, one.in_qrels));
    }
  }
  return sentences;
}

}  // namespace prescope
