#pragma once

#include <string>
#include <vector>

#include "structure/layers.h"

namespace prescope::structure {

/// No function has more lines than this, from its opening to its closing brace.
inline constexpr std::size_t kMostLines = 60;

/// The functions of a formatted source that are longer: `path:line: what`.
[[nodiscard]] std::vector<std::string> long_functions(const Source& source);

/// What only one compiler, processor or system understands: intrinsics, vendor attributes, `#if` on
/// a compiler or processor. `path:line: what`. Comments are not read, and some files are exempt:
/// how run files are read fast, how judged documents are matched fast, and what an engine module
/// exports.
[[nodiscard]] std::vector<std::string> machine_specific(const Source& source);

}  // namespace prescope::structure
