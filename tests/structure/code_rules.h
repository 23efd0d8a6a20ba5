#pragma once

#include <string>
#include <vector>

#include "structure/layers.h"

namespace prescope::structure {

/// No function has more lines than this, from its opening to its closing brace.
inline constexpr std::size_t kMostLines = 60;

/// Returns the functions of a formatted source that are too long: `path:line: what`.
[[nodiscard]] std::vector<std::string> long_functions(const Source& source);

/// Returns the code that only one compiler, processor or system understands, as `path:line: what`:
/// intrinsics, vendor attributes, `#if` on a compiler or processor. Comments are not read. Fast
/// reading of run files is exempt, and so is visibility, which says what a library exports.
[[nodiscard]] std::vector<std::string> machine_specific(const Source& source);

}  // namespace prescope::structure
