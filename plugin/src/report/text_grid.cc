#include "report/text_grid.h"

#include <algorithm>
#include <numeric>

namespace prescope {
namespace {

constexpr std::size_t kGap = 2;

std::string_view escape(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kStrong:
      return "\x1b[1m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kFaint:
      return "\x1b[2m";
  }
  return "";
}

std::string rule(std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < width; ++i) line += "─";
  return line;
}

void drop_trailing_spaces(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

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

void TextGrid::add_titles(std::vector<std::string> titles) {
  std::vector<Cell> row;
  for (std::string& title : titles) row.push_back({std::move(title), Style::kStrong});
  rows_.insert(rows_.begin(), std::move(row));
  has_titles_ = true;
}

std::vector<std::size_t> TextGrid::widths() const {
  std::vector<std::size_t> widths(columns_.size());
  for (const std::vector<Cell>& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], text_width(row[c].text));
    }
  }
  return widths;
}

std::string TextGrid::to_string(TableOptions::Color color, std::size_t indent) const {
  const std::vector<std::size_t> widths = this->widths();
  std::string out;
  for (const std::vector<Cell>& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - text_width(row[c].text), ' ');
      if (c > 0) line.append(kGap, ' ');
      if (columns_[c] == Align::kRight) line += padding;
      line += paint(row[c].text, row[c].style, color);
      if (columns_[c] == Align::kLeft) line += padding;
    }
    drop_trailing_spaces(line);
    out += line + '\n';
    if (has_titles_ && &row == &rows_.front()) {
      const std::size_t width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
      out += std::string(indent, ' ') + rule(width + kGap * (widths.size() - 1)) + '\n';
    }
  }
  return out;
}

}  // namespace prescope
