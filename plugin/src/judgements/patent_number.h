#pragma once

#include <bit>

#include "prescope/docno.h"

namespace prescope {

/// The version of the rules by which docnos become keys under every policy but kRaw. It rises
/// whenever a docno gets another key, and is part of the hash of a qrels version: evaluations under
/// different rules are not comparable.
inline constexpr std::uint32_t kDocnoRules = 2;

/// A docno read as COUNTRY [LETTERS] DIGITS [KIND]: views into its compact text.
struct PatentNumber {
  std::string_view country, letters, digits, kind;
  /// Bit i is set if `-`, `/` or `_` stands before digit i > 0. Dashes tell the year from the
  /// serial number.
  std::uint64_t dashes = 0;

  [[nodiscard]] bool has_dash(std::size_t before_digit) const noexcept {
    return before_digit < digits.size() && (dashes >> before_digit & 1) != 0;
  }
  /// Returns the number of digits before the first dash; 0 if there is none.
  [[nodiscard]] std::size_t before_dash() const noexcept {
    return dashes == 0 ? 0 : static_cast<std::size_t>(std::countr_zero(dashes));
  }
  /// Drops the digits behind the first `count`.
  void keep_digits(std::size_t count) noexcept;
  /// Leaves at least one digit.
  void drop_leading_zeros() noexcept;
};

/// A series of numbers of one authority: how it is written, and how its keys are. An absent
/// condition accepts everything.
struct PatentSeries {
  std::string_view name;     ///< "applications"; in reports behind the country
  std::string_view letters;  ///< written before the digits, alternatives between blanks; - for none
  std::string_view kinds;    ///< beginnings of kind codes, between blanks; - for no kind code
  std::uint8_t min_digits = 1, max_digits = 13;
  std::string_view starts;  ///< leading digits, which the key replaces by `before`
  std::uint8_t year = 0;    ///< digits of the year, 2 or 4; the key has four
  std::uint8_t serial = 0;  ///< digits of the serial number in the key; 0: without leading zeros
  std::string_view before;  ///< begins the number in the key
  std::string_view kind;    ///< ends the key, if the number alone does not tell the series
  bool is_1900s = false;    ///< two digits of year without a dash are 1940 to 1999
};

/// Returns the series of the number by the table of authorities; null if the authority is not in
/// the table, or writes no such number. A Japanese year is rewritten first: `number` then views
/// `japanese`.
[[nodiscard]] const PatentSeries* series_of(PatentNumber& number, DocnoBuffer& japanese) noexcept;

/// How the table of authorities uses a letter.
struct LetterUse {
  bool is_listed = false;       ///< whether the authority is in the table
  bool begins_numbers = false;  ///< alone, as D of US designs
  bool begins_kinds = false;
};
[[nodiscard]] LetterUse letter_use(std::string_view country, char letter) noexcept;

/// Reads what offices and search reports write around a number: the kind code before it, check
/// digits, zeros at its end.
void rewrite_notation(PatentNumber& number) noexcept;

/// Writes the year of a Japanese number, if it has one, as an era's letter and two digits, from
/// 2000 on as four digits, and the serial number with six. `number` then views `text`.
void rewrite_japanese_year(PatentNumber& number, DocnoBuffer& text) noexcept;

/// Returns the key of a docno under kPublication or kPatent, a view into `docno` or `buffer`.
[[nodiscard]] std::string_view patent_key(std::string_view docno, DocnoPolicy policy,
                                          DocnoBuffer& buffer) noexcept;

/// Reads a docno of any spelling: `number` views `docno`, or `buffer`, which then holds the docno
/// without separators and in upper case. Returns false if it is no patent number.
[[nodiscard]] bool read_patent_number(std::string_view docno, PatentNumber& number,
                                      DocnoBuffer& buffer) noexcept;

/// The authority and series of a docno. Ids are in the order of their names.
struct SeriesId {
  std::array<char, 2> country{};  ///< zeros if it is no patent number
  std::string_view name{};        ///< "applications"
  friend auto operator<=>(const SeriesId&, const SeriesId&) = default;
};
[[nodiscard]] SeriesId series_id(std::string_view docno) noexcept;
/// Returns `US applications`, for reports; "other docnos" if the docno is no patent number.
[[nodiscard]] std::string series_text(const SeriesId& series);

}  // namespace prescope
