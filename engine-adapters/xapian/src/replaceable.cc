#include "replaceable.h"

#include <xapian.h>

namespace prescope::xapian {
namespace {

namespace fs = std::filesystem;

bool is_database_file(const fs::path& file) {
  return file.extension() == ".glass" || file.filename() == "iamglass" ||
         file.filename() == "flintlock";
}

}  // namespace

std::string objection_to_replacing(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_database_file(entry.path())) continue;
    std::string message = "holds '";
    message += entry.path().filename().string();
    message += "', which is no part of a database; choose an empty or new folder";
    return message;
  }
  try {
    const Xapian::Database database(folder.string());
    if (database.locked()) return "locked by an index writer; wait until it has finished";
    if (database.get_metadata(kMadeBy) == kPrescope) return {};
  } catch (const Xapian::Error&) {  // said below
  }
  return "holds a database that prescope did not make, or a damaged one; choose another folder, or "
         "remove it first";
}

}  // namespace prescope::xapian
