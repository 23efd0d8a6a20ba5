#pragma once

#include "store/sqlite/database.h"

namespace prescope {

/// Makes a file of version `version` out of one of `version - 1`.
struct SchemaStep {
  std::int64_t version = 1;
  std::string sql{};  ///< statements separated by `;`, without BEGIN and COMMIT
};

/// All steps there are, from version 1; a store is at the version of the last one.
[[nodiscard]] std::span<const SchemaStep> store_schema();

/// A connection to a store of the current schema. For writing, the file is made if there is none or
/// an empty one, and migrated if it is older. Throws Error, and leaves the file as it is: kIo
/// (missing, a folder, no permission), kBadInput (another program's, damaged, written by a newer
/// prescope; for reading also: empty, or of an older schema).
[[nodiscard]] Database open_store_file(
    const std::filesystem::path& path, Database::Access access,
    Database::Durability durability = Database::Durability::kFull,
    std::span<const SchemaStep> schema = store_schema());

}  // namespace prescope
