#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "prescope/engine.h"

namespace prescope {

/// Reads patents from JSON lines, plain or gzip, and passes each to `use` in file order. Known
/// fields: id (required), title, abstract, claims, description (strings; claims may be an array of
/// strings), ipc, family (arrays of strings, or one string). Unknown fields and nulls are ignored.
/// Returns the number of documents. Throws Error(kIo), Error(kBadInput) with `file:line: ...`;
/// exceptions of `use` pass through.
std::uint64_t for_each_patent(const std::filesystem::path& path,
                              const std::function<void(const PatentDocument&)>& use);

}  // namespace prescope
