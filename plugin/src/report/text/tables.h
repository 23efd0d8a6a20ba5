#pragma once

#include <algorithm>
#include <ranges>

#include "base/count_text.h"
#include "prescope/report.h"

namespace prescope {

/// Formats a number for people: fixed digits, a dot, no locale; "-" for std::nullopt.
[[nodiscard]] std::string fixed_text(std::optional<double> value, int digits);
[[nodiscard]] std::string score_text(std::optional<double> score);            ///< 0.1234
[[nodiscard]] std::string difference_text(std::optional<double> difference);  ///< +0.1234, 0.0000
/// [-0.0123, +0.0456]; "-" if an end is unknown.
[[nodiscard]] std::string interval_text(std::optional<double> low, std::optional<double> high);
[[nodiscard]] std::string p_value_text(std::optional<double> p);        ///< 0.0312, <0.0001
[[nodiscard]] std::string milliseconds_text(std::optional<double> ms);  ///< three digits
/// A share of 1 as per cent with two digits that count: 0.021 %.
[[nodiscard]] std::string percent_text(std::optional<double> share);
/// A share of 1 as per cent, in up to six digits that count: 20 %, 99.5 %.
[[nodiscard]] std::string plain_percent_text(double share);

/// Returns `member` of a test, or std::nullopt if the test was not made.
template <class Test, class Value>
[[nodiscard]] std::optional<double> value_of(const std::optional<Test>& test, Value Test::*member) {
  return test ? std::optional(static_cast<double>((*test).*member)) : std::nullopt;
}

/// "3/12/1": topics won, tied and lost. Any struct with these members has one.
template <class Counts>
[[nodiscard]] std::string outcomes_text(const Counts& counts) {
  return fmt::format("{}/{}/{}", counts.wins, counts.ties, counts.losses);
}

/// Columns that a table keeps to if names allow.
inline constexpr std::size_t kTableWidth = 100;

/// The word at the position of an enumerator.
template <class Enum, std::size_t count>
[[nodiscard]] constexpr std::string_view word_of(Enum value,
                                                 const std::string_view (&words)[count]) noexcept {
  return words[static_cast<std::size_t>(value)];
}

/// How text is laid out where people read it.
struct TextLook {
  TextLook(TableOptions::Color with = TableOptions::Color::kNever,
           std::optional<std::size_t> terminal_columns = {}) noexcept
      : color(with), columns(terminal_columns) {}

  /// Columns of a paragraph.
  [[nodiscard]] std::size_t paragraph_width() const noexcept {
    return std::min(kTableWidth, columns.value_or(kTableWidth));
  }

  TableOptions::Color color;
  /// Of the terminal. Tables that are wider are folded to fit. Nothing: tables are as wide as they
  /// need, and only paragraphs are broken into lines.
  std::optional<std::size_t> columns;
};

enum class Style { kPlain, kStrong, kGood, kBad, kFaint };

/// `text` in the terminal colours of `style`, or unchanged without colours.
[[nodiscard]] std::string paint(std::string_view text, Style style, const TextLook& look);

/// Columns that a UTF-8 text takes on a terminal: two for each wide character, none for marks.
[[nodiscard]] std::size_t text_width(std::string_view utf8) noexcept;

enum class Align { kLeft, kRight };

struct Cell {
  Cell() = default;
  Cell(std::string words, Style look = Style::kPlain) : text(std::move(words)), style(look) {}
  Cell(std::string_view words, Style look = Style::kPlain) : text(words), style(look) {}
  Cell(const char* words, Style look = Style::kPlain) : text(words), style(look) {}

  std::string text{};
  Style style = Style::kPlain;
};

/// The difference as text, good above 0 and bad below.
[[nodiscard]] Cell change_cell(double difference);

/// A table apart from how it is printed: as text here, in other formats by the document writers.
struct ReportTable {
  struct Column {
    std::string title{};
    Align align = Align::kRight;
  };

  std::string title{};
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};  ///< a row may have fewer cells

  /// Begins a row of cells that are added with the titles of their columns, the same in every row.
  ReportTable& add_row();
  ReportTable& left(const std::string& column, Cell cell);   ///< of text, aligned left
  ReportTable& right(const std::string& column, Cell cell);  ///< of numbers, aligned right
};

/// A table without rows. Columns of text are aligned left, those of numbers, between them, right.
[[nodiscard]] ReportTable table_of(std::string title, const std::vector<std::string>& text_columns,
                                   const std::vector<std::string>& number_columns = {},
                                   const std::vector<std::string>& last_text_columns = {});

/// The numbers from 0 to `count` - 1.
[[nodiscard]] inline auto positions(std::size_t count) {
  return std::views::iota(std::size_t{0}, count);
}

/// A list of `of(item)` for each of `items`.
template <class Items, class Of>
[[nodiscard]] auto list_of(const Items& items, const Of& of) {
  std::vector<std::decay_t<decltype(std::invoke(of, *std::begin(items)))>> list;
  for (const auto& item : items) list.push_back(std::invoke(of, item));
  return list;
}

/// Columns of the widest `text_of(item)`; 0 without items.
template <class Items, class TextOf>
[[nodiscard]] std::size_t widest_text(const Items& items, const TextOf& text_of) {
  std::size_t widest = 0;
  for (const auto& item : items) widest = std::max(widest, text_width(std::invoke(text_of, item)));
  return widest;
}

/// `text` with an ellipsis in its middle if it takes more than `columns` (>= 3) columns.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t columns);

/// The rows alone: columns line up, two spaces apart. Lines start with `indent` spaces and have no
/// trailing ones. Names come from strangers' files: every cell is printed as `one_line` has it.
///
/// If rows are wider than the terminal, the last column is broken into lines if it is text;
/// otherwise rows go on in lines that are indented further.
[[nodiscard]] std::string rows_text(const ReportTable& table, const TextLook& look,
                                    std::size_t indent = 0);
/// Title, if there is one, column titles with a rule below, and rows. If the table is wider than
/// the terminal, it is printed in several parts below each other. Each part has the first column;
/// its names are shortened to a third of the width.
[[nodiscard]] std::string table_text(const ReportTable& table, const TextLook& look,
                                     std::size_t indent = 0);

/// A fact behind its label: "qrels", "topics".
struct LabelledLine {
  std::string label, words;
  Style style = Style::kPlain;  ///< of the words
};
using LabelledLines = std::vector<LabelledLine>;

/// A line for each, the labels faint.
[[nodiscard]] std::string labelled_text(const LabelledLines& lines, const TextLook& look);

/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts);
/// The text with one line feed at its end.
[[nodiscard]] std::string ended(std::string text);

/// `text`, as `one_line` has it, in the lines that it takes on a terminal, or else in one. The
/// first line starts with `label`, the others with `indent` spaces.
[[nodiscard]] std::string fitted(std::string_view text, const TextLook& look,
                                 std::string_view label = {}, std::size_t indent = 2);
/// The same in a style.
[[nodiscard]] std::string fitted(std::string_view text, Style style, const TextLook& look,
                                 std::string_view label = {}, std::size_t indent = 2);

/// Breaks `text`, as `one_line` has it, at spaces into lines of at most `width` columns. The first
/// one starts with `label`, the others with `indent` spaces.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view label, std::size_t indent,
                                  std::size_t width = kTableWidth);

}  // namespace prescope
