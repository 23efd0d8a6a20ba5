#pragma once

#include <string>
#include <string_view>

/// Cells of tables for programs.
namespace prescope {

/// RFC 4180: quoted where it has to be, quotation marks doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);
/// Text that tabs and line ends cannot part: they become spaces.
[[nodiscard]] std::string tsv_cell(std::string_view text);

}  // namespace prescope
