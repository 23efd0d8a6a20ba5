#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "store/sqlite/database.h"

namespace prescope {

/// What makes a file of version `version` out of one of `version - 1`.
struct SchemaStep {
  std::int64_t version = 1;
  std::string sql{};  ///< statements separated by `;`, without BEGIN and COMMIT
};

/// Marks a file as prescope's: "PRES", in the header of the SQLite file.
inline constexpr std::int64_t kStoreApplicationId = 0x50524553;

/// All steps there are, from version 1; a store is at the version of the last one.
[[nodiscard]] std::span<const SchemaStep> store_schema();

/// Makes the steps that the file has not, in one transaction with its version: all or none. Throws
/// Error(kBadInput), and changes nothing, for a file that is newer than the last step.
void migrate(Database& database, std::span<const SchemaStep> steps);

/// The sentence for a file that a newer prescope wrote.
[[nodiscard]] std::string newer_store_sentence(const std::filesystem::path& path,
                                               std::int64_t version, std::int64_t newest);

/// A connection to a store of the current schema. For writing, the file is made where there is none
/// or an empty one, and migrated where it is older. Throws Error, and leaves the file as it is: kIo
/// (missing, a folder, no permission), kBadInput (another program's, damaged, written by a newer
/// prescope; for reading also: empty, or of an older schema).
[[nodiscard]] Database open_store_file(
    const std::filesystem::path& path, Database::Access access,
    Database::Durability durability = Database::Durability::kFull,
    std::span<const SchemaStep> schema = store_schema());

}  // namespace prescope
