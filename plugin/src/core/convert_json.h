#pragma once

#include <string>
#include <string_view>

#include "core/convert_lines.h"

namespace prescope {

/// What an object's fields tell. Throws Error(kBadInput) where they do not.
[[nodiscard]] FileKind kind_of_json(std::string_view line, const TextFile& file);

/// Throws Error(kBadInput) that names the line.
[[nodiscard]] FileLine parse_json_line(std::string_view line, FileKind kind, const TextFile& file);

/// Appends the line as a JSON object, with its end.
void append_json_line(std::string& out, const FileLine& line, FileKind kind);

}  // namespace prescope
