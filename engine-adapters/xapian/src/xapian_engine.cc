#include "xapian_engine.h"

#include "index_builder.h"
#include "prescope/error.h"
#include "prescope/xapian/ranker.h"
#include "search_index.h"

namespace prescope::xapian {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(ErrorCode code, const fs::path& path, std::string_view what,
                         const Xapian::Error& failure) {
  std::string message = path.string();
  message += ": ";
  message += what;
  message += failure.get_description();
  throw Error(code, message);
}

}  // namespace

std::string_view XapianEngine::version() const noexcept { return Xapian::version_string(); }

std::span<const std::string_view> XapianEngine::arm_settings() const noexcept {
  return ranker_settings();
}

std::unique_ptr<IndexBuilder> XapianEngine::create(const fs::path& folder) {
  return std::make_unique<XapianIndexBuilder>(folder);
}

std::unique_ptr<SearchIndex> XapianEngine::open(const fs::path& folder, Experiment& experiment) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    throw Error(ErrorCode::kIo, folder.string() +
                                    ": no such folder; expected a Xapian database, as `prescope "
                                    "index` makes it, or a stub file");
  }
  try {
    return std::make_unique<XapianSearchIndex>(folder, experiment);
  } catch (const Xapian::DatabaseNotFoundError& failure) {
    refuse(ErrorCode::kIo, folder,
           "holds no Xapian database; expected one, as `prescope index` makes it: ", failure);
  } catch (const Xapian::NetworkError& failure) {
    refuse(ErrorCode::kIo, folder, "a server does not answer: ", failure);
  } catch (const Xapian::Error& failure) {
    refuse(ErrorCode::kEngine, folder,
           "the database is damaged or not of a version that Xapian reads: ", failure);
  }
}

}  // namespace prescope::xapian
