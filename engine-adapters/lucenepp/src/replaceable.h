#pragma once

#include <filesystem>
#include <string>

namespace prescope::lucenepp {

/// Why a folder must not be replaced by a new index (see PendingFolder), or nothing: it may hold
/// nothing but an index that prescope made, and no writer may be at work there.
[[nodiscard]] std::string objection_to_replacing(const std::filesystem::path& folder);

/// What a commit by prescope is marked with in Lucene++'s commit user data.
inline constexpr const wchar_t* kMadeBy = L"made by";
inline constexpr const wchar_t* kPrescope = L"prescope";

}  // namespace prescope::lucenepp
