#include "report/text/tables.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "report/text/clean_text.h"

namespace prescope {

namespace {

constexpr const char* kNoValue = "-";
constexpr double kHalfOfLastDigit = 0.00005;

/// Digits behind the dot for three digits in all.
int decimals_of(double value) { return value < 10.0 ? 2 : value < 100.0 ? 1 : 0; }

}  // namespace

std::string fixed_text(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : kNoValue;
}

std::string score_text(std::optional<double> score) { return fixed_text(score, 4); }

std::string difference_text(std::optional<double> difference) {
  if (!difference) return kNoValue;
  if (std::abs(*difference) < kHalfOfLastDigit) return "0.0000";
  return fmt::format("{:+.4f}", *difference);
}

std::string interval_text(std::optional<double> low, std::optional<double> high) {
  if (!low || !high) return kNoValue;
  return fmt::format("[{}, {}]", difference_text(low), difference_text(high));
}

std::string p_value_text(std::optional<double> p) {
  if (!p) return kNoValue;
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::string milliseconds_text(std::optional<double> ms) {
  return fixed_text(ms, decimals_of(ms.value_or(0.0)));
}

std::string percent_text(std::optional<double> share) {
  return share ? fmt::format("{:.3f} %", *share * 100.0) : kNoValue;
}

std::string grouped_text(std::uint64_t count) {
  constexpr std::size_t kGroup = 3;
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > kGroup; at -= kGroup) text.insert(at - kGroup, 1, ',');
  return text;
}

std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", grouped_text(count), singular)
                        : fmt::format("{} {}", grouped_text(count), plural);
}

namespace {

constexpr std::size_t kGap = 2;

std::string_view escape(Style style) {
  return word_of(style, {"", "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[2m"});
}

std::string rule(std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < width; ++i) line += "─";
  return line;
}

}  // namespace

std::string paint(std::string_view text, Style style, TableOptions::Color color) {
  if (color == TableOptions::Color::kNever || style == Style::kPlain) return std::string(text);
  return std::string(escape(style)).append(text).append("\x1b[0m");
}

std::size_t text_width(std::string_view utf8) noexcept {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

Cell change_cell(double difference) {
  return {difference_text(difference), difference > 0.0   ? Style::kGood
                                       : difference < 0.0 ? Style::kBad
                                                          : Style::kPlain};
}

ReportTable table_of(std::string title, const std::vector<std::string>& text_columns,
                     const std::vector<std::string>& number_columns) {
  ReportTable table{.title = std::move(title)};
  for (const std::string& column : text_columns) table.columns.push_back({column, Align::kLeft});
  for (const std::string& column : number_columns) table.columns.push_back({column});
  return table;
}

namespace {

using Rows = std::vector<std::vector<Cell>>;

std::vector<std::size_t> widths_of(const ReportTable& table, const Rows& rows) {
  std::vector<std::size_t> widths(table.columns.size());
  for (const std::vector<Cell>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], text_width(row[c].text));
    }
  }
  return widths;
}

/// `rows` under the table's columns; the first is that of the titles if `has_titles`.
std::string lined_up(const ReportTable& table, Rows rows, bool has_titles,
                     TableOptions::Color color, std::size_t indent) {
  for (std::vector<Cell>& row : rows) {
    for (Cell& cell : row) cell.text = one_line(cell.text);
  }
  const std::vector<std::size_t> widths = widths_of(table, rows);
  std::string out;
  for (const std::vector<Cell>& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - text_width(row[c].text), ' ');
      if (c > 0) line.append(kGap, ' ');
      if (table.columns[c].align == Align::kRight) line += padding;
      line += paint(row[c].text, row[c].style, color);
      if (table.columns[c].align == Align::kLeft) line += padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
    if (has_titles && &row == &rows.front()) {
      const std::size_t width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
      out += std::string(indent, ' ') + rule(width + kGap * (widths.size() - 1)) + '\n';
    }
  }
  return out;
}

}  // namespace

std::string rows_text(const ReportTable& table, TableOptions::Color color, std::size_t indent) {
  return lined_up(table, table.rows, false, color, indent);
}

std::string table_text(const ReportTable& table, TableOptions::Color color, std::size_t indent) {
  Rows rows(1);
  for (const auto& column : table.columns) rows[0].push_back({column.title, Style::kStrong});
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return (table.title.empty() ? "" : paint(one_line(table.title), Style::kStrong, color) + '\n') +
         lined_up(table, std::move(rows), true, color, indent);
}

std::string tables_text(const std::vector<ReportTable>& tables, TableOptions::Color color,
                        const std::vector<std::string>& about) {
  std::string out;
  for (const ReportTable& table : tables) out += table_text(table, color) + '\n';
  return about.empty() ? out : out + small_print(about, color) + '\n';
}

std::string nested_tables_text(const std::string& heading, const std::vector<ReportTable>& tables,
                               TableOptions::Color color) {
  if (tables.empty()) return {};
  constexpr std::size_t kIndent = 4;
  std::string out = paint(heading, Style::kStrong, color) + '\n';
  for (const ReportTable& table : tables) {
    out += fmt::format("  {}\n{}", paint(table.title, Style::kStrong, color),
                       rows_text(table, color, kIndent));
  }
  return out + '\n';
}

std::string labelled_text(const LabelledLines& lines, TableOptions::Color color) {
  ReportTable table = table_of("", {"", ""});
  for (const auto& [label, words] : lines) table.rows.push_back({{label, Style::kFaint}, words});
  return rows_text(table, color);
}

std::string labelled_markdown(const LabelledLines& lines) {
  std::string out;
  for (const auto& [label, words] : lines) {
    out += fmt::format("- **{}**: {}\n", escaped_markdown(label), escaped_markdown(words));
  }
  return out + '\n';
}

std::string notes_text(const std::vector<std::string>& notes, TableOptions::Color color,
                       std::size_t more_indent) {
  if (notes.empty()) return {};
  std::string out = paint("Worth knowing", Style::kStrong, color) + '\n';
  for (const std::string& note : notes) out += wrapped(note, "  ", 2 + more_indent);
  return out;
}

std::string small_print(const std::vector<std::string>& sentences, TableOptions::Color color) {
  if (sentences.empty()) return {};
  return paint(wrapped(fmt::format("{}", fmt::join(sentences, " ")), "", 0), Style::kFaint, color);
}

std::string listed(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

std::string ended(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
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
      out += line + '\n';
      line.assign(indent, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out + line + '\n';
}

namespace {

std::string markdown_cell(const Cell& cell) {
  const bool is_marked = cell.style == Style::kGood || cell.style == Style::kBad;
  const std::string text = escaped_markdown(cell.text);
  return is_marked && !text.empty() ? fmt::format("**{}**", text) : text;
}

}  // namespace

std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\|`*_<>[]#&~$";
  std::string out;
  for (const char c : one_line(text)) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const ReportTable& table, std::string_view heading) {
  std::string titles = "|", rule = "|", rows;
  for (const ReportTable::Column& column : table.columns) {
    titles += fmt::format(" {} |", escaped_markdown(column.title));
    rule += column.align == Align::kRight ? "---:|" : ":---|";
  }
  for (const auto& row : table.rows) {
    rows += '|';
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      rows += fmt::format(" {} |", c < row.size() ? markdown_cell(row[c]) : "");
    }
    rows += '\n';
  }
  const std::string title =
      heading.empty() ? "" : fmt::format("{} {}\n\n", heading, escaped_markdown(table.title));
  return fmt::format("{}{}\n{}\n{}\n", title, titles, rule, rows);
}

std::string markdown_tables(const std::vector<ReportTable>& tables, std::string_view heading) {
  std::string out;
  for (const ReportTable& table : tables) out += markdown_table(table, heading);
  return out;
}

std::string markdown_list(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) {
    out += fmt::format("- {}\n", escaped_markdown(sentence));
  }
  return sentences.empty() ? out : out + '\n';
}

namespace {

using Values = std::vector<std::optional<double>>;

constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kSameBlock = "▄", kNoBlock = "·";

std::optional<double> mean_of_those_there_are(std::span<const std::optional<double>> values) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const std::optional<double>& value : values) {
    if (!value) continue;
    sum += *value;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

/// Returns at most `most` values, each the mean of consecutive ones.
Values condensed(std::span<const std::optional<double>> values, std::size_t most) {
  if (values.size() <= most) return {values.begin(), values.end()};
  Values columns;
  for (std::size_t c = 0; c < most; ++c) {
    const std::size_t begin = c * values.size() / most, end = (c + 1) * values.size() / most;
    columns.push_back(mean_of_those_there_are(values.subspan(begin, end - begin)));
  }
  return columns;
}

std::string_view block_of(double value, double low, double high) {
  if (low == high) return kSameBlock;
  const double share = (value - low) / (high - low);
  return kBlocks[static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1)))];
}

}  // namespace

std::string sparkline(std::span<const std::optional<double>> values, std::size_t most_columns) {
  const Values columns = condensed(values, most_columns);
  double low = INFINITY, high = -INFINITY;
  for (const std::optional<double>& value : columns) {
    if (!value) continue;
    low = std::min(low, *value);
    high = std::max(high, *value);
  }
  std::string line;
  for (const std::optional<double>& value : columns) {
    line += value ? block_of(*value, low, high) : kNoBlock;
  }
  return line;
}

}  // namespace prescope
