#include "store/schema.h"

#include <fmt/format.h>

#include <array>

#include "prescope/error.h"
#include "store/evaluation_schema.h"
#include "store/observation_schema.h"

namespace prescope {

std::span<const SchemaStep> store_schema() {
  static const std::array kSteps = {
      SchemaStep{.version = 1,
                 .sql = std::string(kEvaluationSchema) + std::string(kObservationSchema)},
  };
  return kSteps;
}

std::string newer_store_sentence(const std::filesystem::path& path, std::int64_t version,
                                 std::int64_t newest) {
  return fmt::format(
      "{}: a newer prescope wrote it (schema version {}, this prescope knows up to {}); use that "
      "prescope, or another file",
      path.string(), version, newest);
}

void migrate(Database& database, std::span<const SchemaStep> steps) {
  const std::int64_t newest = steps.back().version;
  if (database.number("PRAGMA user_version") == newest) return;
  // Begun by the pragma, which only takes effect before the first page is written: a new file
  // appears with all that is in it, or not at all.
  Transaction transaction(database, "BEGIN; PRAGMA auto_vacuum = INCREMENTAL");
  // Another process may have migrated while this one waited for its turn.
  const std::int64_t found = database.number("PRAGMA user_version");
  if (found > newest) {
    throw Error(ErrorCode::kBadInput, newer_store_sentence(database.path(), found, newest));
  }
  for (const SchemaStep& step : steps) {
    if (step.version > found) database.run(step.sql);
  }
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                           kStoreApplicationId, newest));
  transaction.commit();
}

}  // namespace prescope
