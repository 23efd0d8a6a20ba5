#include "report/text/tables.h"

#include <utf8proc.h>

#include "base/text_file.h"
#include "base/unicode.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

constexpr std::size_t kGap = 2;

using Rows = std::vector<std::vector<Cell>>;

/// A column of a part of a table, and the columns of the terminal that it takes.
struct PlacedColumn {
  std::size_t column;
  std::size_t width;
};
using Part = std::vector<PlacedColumn>;

class Layout {
 public:
  Layout(const ReportTable& table, Rows rows, const TextLook& look, std::size_t indent)
      : table_(table),
        rows_(std::move(rows)),
        look_(look),
        indent_(indent),
        widths_(table.columns.size()) {
    for (std::vector<Cell>& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        row[c].text = one_line(row[c].text);
        widths_[c] = std::max(widths_[c], text_width(row[c].text));
      }
    }
  }

  /// The first row has the titles.
  [[nodiscard]] std::string titled() const {
    std::string out;
    for (const Part& part : parts()) {
      if (!out.empty()) out += '\n';
      for (const std::vector<Cell>& row : rows_) {
        add_row(out, row, part, indent_);
        if (&row == &rows_.front()) {
          out += fmt::format("{:{}}{:─<{}}\n", "", indent_, "", width_of(part));
        }
      }
    }
    return out;
  }

  [[nodiscard]] std::string untitled() const {
    std::string out;
    Part whole = all();
    const std::vector<Part> parts = fit(whole) ? std::vector<Part>{whole} : folded();
    for (const std::vector<Cell>& row : rows_) {
      add_row(out, row, parts.front(), indent_);
      for (const Part& part : std::span(parts).subspan(1)) {
        if (part.front().column < row.size()) add_row(out, row, part, indent_ + kFold);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kLeastWords = 20, kFold = 4;

  [[nodiscard]] static std::size_t width_of(const Part& part) {
    std::size_t width = part.empty() ? 0 : kGap * (part.size() - 1);
    for (const PlacedColumn& each : part) width += each.width;
    return width;
  }
  [[nodiscard]] bool is_text(std::size_t column) const {
    return table_.columns[column].align == Align::kLeft;
  }

  [[nodiscard]] Part all() const {
    Part part;
    for (std::size_t c = 0; c < widths_.size(); ++c) part.push_back({c, widths_[c]});
    return part;
  }

  [[nodiscard]] bool fits(const Part& part) const {
    return part.empty() || !look_.columns || indent_ + width_of(part) <= *look_.columns;
  }
  /// Narrows the last column to the room that the others leave, if the part is too wide. Returns
  /// false, and changes nothing, if that column is no text or has too little room.
  bool fit(Part& part) const {
    if (fits(part)) return true;
    const std::size_t others = indent_ + width_of(part) - part.back().width;
    if (!is_text(part.back().column) || others + kLeastWords > *look_.columns) return false;
    part.back().width = *look_.columns - others;
    return true;
  }

  [[nodiscard]] std::vector<Part> parts() const {
    if (fits(all())) return {all()};
    const PlacedColumn first{0, std::min(widths_[0], *look_.columns / 3)};
    std::vector<Part> parts = {{first}};
    for (std::size_t c = 1; c < widths_.size(); ++c) {
      Part& part = parts.back();
      part.push_back({c, widths_[c]});
      if (fit(part) || part.size() == 2) continue;  // a column that fits nowhere has its own part
      part.pop_back();
      parts.push_back({first, {c, widths_[c]}});
      fit(parts.back());
    }
    return parts;
  }

  /// The columns in as many lines as they need, all but the first indented further.
  [[nodiscard]] std::vector<Part> folded() const {
    std::vector<Part> lines = {{}};
    for (const PlacedColumn& each : all()) {
      const std::size_t indent = lines.size() == 1 ? indent_ : indent_ + kFold;
      lines.back().push_back(each);
      if (lines.back().size() == 1 || indent + width_of(lines.back()) <= *look_.columns) continue;
      lines.back().pop_back();
      lines.push_back({each});
    }
    return lines;
  }

  /// The lines of a cell: names in the first of several columns are shortened, words broken.
  [[nodiscard]] std::vector<std::string> lines_of(const Cell& cell, const PlacedColumn& at,
                                                  const Part& part) const {
    if (text_width(cell.text) <= at.width) return {cell.text};
    if (at.column == 0 && part.size() > 1) return {shortened(cell.text, at.width)};
    std::vector<std::string> lines = split(wrapped(cell.text, "", 0, at.width), '\n');
    lines.pop_back();  // behind the last line feed
    return lines;
  }

  void add_cell(std::string& line, const std::string& text, Style style,
                const PlacedColumn& at) const {
    const std::string padding(at.width - std::min(at.width, text_width(text)), ' ');
    if (!is_text(at.column)) line += padding;
    line += paint(text, style, look_);
    if (is_text(at.column)) line += padding;
  }

  void add_row(std::string& out, const std::vector<Cell>& row, const Part& part,
               std::size_t indent) const {
    std::size_t lines = 1;
    for (std::size_t i = 0; i < lines; ++i) {
      std::string line(indent, ' ');
      for (const PlacedColumn& at : part) {
        if (at.column >= row.size()) break;
        const Cell& cell = row[at.column];
        const std::vector<std::string> words = lines_of(cell, at, part);
        lines = std::max(lines, words.size());
        if (&at != &part.front()) line.append(kGap, ' ');
        add_cell(line, i < words.size() ? words[i] : "", cell.style, at);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
  }

  const ReportTable& table_;
  Rows rows_;
  const TextLook& look_;
  std::size_t indent_;
  std::vector<std::size_t> widths_;
};

/// Adds a cell to the last row; the first row makes the columns.
ReportTable& with_cell(ReportTable& table, ReportTable::Column column, Cell cell) {
  if (table.rows.size() == 1) table.columns.push_back(std::move(column));
  table.rows.back().push_back(std::move(cell));
  return table;
}

}  // namespace

std::string paint(std::string_view text, Style style, const TextLook& look) {
  if (look.color == TableOptions::Color::kNever || style == Style::kPlain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", word_of(style, {"", "1", "32", "31", "2"}), text);
}

std::size_t text_width(std::string_view utf8) noexcept {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const auto code = take_character(utf8).code;
    width += code < 0 ? 1 : static_cast<std::size_t>(utf8proc_charwidth(code));
  }
  return width;
}

Cell change_cell(double difference) {
  return {difference_text(difference), difference > 0.0   ? Style::kGood
                                       : difference < 0.0 ? Style::kBad
                                                          : Style::kPlain};
}

ReportTable& ReportTable::add_row() {
  rows.emplace_back();
  return *this;
}

ReportTable& ReportTable::left(const std::string& column, Cell cell) {
  return with_cell(*this, {column, Align::kLeft}, std::move(cell));
}

ReportTable& ReportTable::right(const std::string& column, Cell cell) {
  return with_cell(*this, {column}, std::move(cell));
}

ReportTable table_of(std::string title, const std::vector<std::string>& text_columns,
                     const std::vector<std::string>& number_columns,
                     const std::vector<std::string>& last_text_columns) {
  ReportTable table{.title = std::move(title)};
  const auto add = [&](const std::vector<std::string>& titles, Align align) {
    for (const std::string& column : titles) table.columns.push_back({column, align});
  };
  add(text_columns, Align::kLeft);
  add(number_columns, Align::kRight);
  add(last_text_columns, Align::kLeft);
  return table;
}

std::string shortened(const std::string& text, std::size_t columns) {
  if (text_width(text) <= columns) return text;
  std::vector<std::string_view> characters;
  for (std::string_view rest = text; !rest.empty();) {
    characters.push_back(take_character(rest).bytes);
  }
  // Turn by turn, a character from the front and one from the back.
  std::size_t head = 0, tail = characters.size(), width = 1;
  for (bool is_front = true;; is_front = !is_front) {
    width += text_width(is_front ? characters[head] : characters[tail - 1]);
    if (width > columns) break;
    is_front ? ++head : --tail;
  }
  const std::span<const std::string_view> all = characters;
  return fmt::format("{}…{}", fmt::join(all.first(head), ""), fmt::join(all.subspan(tail), ""));
}

std::string rows_text(const ReportTable& table, const TextLook& look, std::size_t indent) {
  return Layout(table, table.rows, look, indent).untitled();
}

std::string table_text(const ReportTable& table, const TextLook& look, std::size_t indent) {
  Rows rows(1);
  for (const auto& column : table.columns) rows[0].push_back({column.title, Style::kStrong});
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return (table.title.empty() ? "" : fitted(table.title, Style::kStrong, look)) +
         Layout(table, std::move(rows), look, indent).titled();
}

std::string labelled_text(const LabelledLines& lines, const TextLook& look) {
  ReportTable table = table_of("", {"", ""});
  for (const auto& [label, words, style] : lines) {
    table.rows.push_back({{label, Style::kFaint}, {words, style}});
  }
  return rows_text(table, look);
}

std::string listed(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

std::string ended(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

std::string fitted(std::string_view text, const TextLook& look, std::string_view label,
                   std::size_t indent) {
  return wrapped(text, label, indent, look.columns.value_or(SIZE_MAX));
}

std::string fitted(std::string_view text, Style style, const TextLook& look, std::string_view label,
                   std::size_t indent) {
  std::string lines = fitted(text, look, label, indent);
  lines.pop_back();
  return std::string(label) + paint(std::string_view(lines).substr(label.size()), style, look) +
         '\n';
}

std::string wrapped(std::string_view text, std::string_view label, std::size_t indent,
                    std::size_t width) {
  const std::string clean = one_line(text);
  text = clean;
  std::string out, line(label);
  bool is_empty = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!is_empty && text_width(line) + 1 + text_width(word) > width) {
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
      line.assign(indent, ' ');
      is_empty = true;
    }
    // Several spaces stand together in a line, and not at its beginning.
    if (is_empty && word.empty() && !out.empty()) {
      text.remove_prefix(1);
      continue;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out + line + '\n';
}

}  // namespace prescope
