#pragma once

#include <filesystem>
#include <span>

#include "store/database.h"
#include "store/schema.h"

namespace prescope {

/// A connection to a store of the current schema. For writing, the file is made where there is none
/// or an empty one, and migrated where it is older. Throws Error, and leaves the file as it is: kIo
/// (missing, a folder, no permission), kBadInput (another program's, damaged, written by a newer
/// prescope; for reading also: empty, or of an older schema).
[[nodiscard]] Database open_store_file(
    const std::filesystem::path& path, Database::Access access,
    Database::Durability durability = Database::Durability::kFull,
    std::span<const SchemaStep> schema = store_schema());

}  // namespace prescope
