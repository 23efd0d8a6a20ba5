#pragma once

#include <filesystem>
#include <string>

namespace prescope::xapian {

/// Why a folder must not be replaced by a new database (see PendingFolder), or nothing: it may hold
/// nothing but a database that prescope made, and no writer may be at work there.
[[nodiscard]] std::string objection_to_replacing(const std::filesystem::path& folder);

/// The database metadata by which prescope knows its own.
inline constexpr const char* kMadeBy = "made by";
inline constexpr const char* kPrescope = "prescope";

}  // namespace prescope::xapian
