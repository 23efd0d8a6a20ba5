#pragma once

#include "store/sqlite/database.h"

namespace prescope {

/// The schema version of the stores that this prescope reads and writes.
inline constexpr std::int64_t kStoreVersion = 3;

/// Connects to a store. For writing, the file is created if it is missing, and filled if it is
/// empty. Throws Error, and leaves the file unchanged: kIo (missing, a folder, no permission),
/// kBadInput (another program's, damaged, written by a newer prescope; for reading also: empty, or
/// of an older schema).
[[nodiscard]] Database open_store_file(
    const std::filesystem::path& path, Database::Access access,
    Database::Durability durability = Database::Durability::kFull);

}  // namespace prescope
