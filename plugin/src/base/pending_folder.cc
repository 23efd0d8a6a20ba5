#include "prescope/pending_folder.h"

#include <system_error>
#include <utility>

#include "base/folder_lock.h"
#include "prescope/error.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw Error(ErrorCode::kIo, folder.string() + ": " + why);
}

}  // namespace

PendingFolder::PendingFolder(const fs::path& folder, Objection objection)
    : objection_(std::move(objection)) {
  std::error_code failed;
  folder_ = fs::weakly_canonical(folder, failed);
  if (failed) refuse(folder, failed.message());
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  if (!folder_.has_filename()) refuse(folder, "not a folder that an index can replace");
  workplace_ = neighbour("partial");
  require_replaceable();
  lock_workplace();
}

PendingFolder::~PendingFolder() {
  if (!lock_) return;
  std::error_code ignored;
  fs::remove_all(workplace_, ignored);
}

fs::path PendingFolder::neighbour(const char* role) const {
  return folder_.parent_path() / ("." + folder_.filename().string() + ".prescope-" + role);
}

void PendingFolder::require_replaceable() const {
  if (!fs::exists(folder_)) return;
  if (!fs::is_directory(folder_)) refuse(folder_, "is a file; expected a folder for the index");
  if (fs::is_empty(folder_)) return;
  const std::string objection = objection_(folder_);
  if (!objection.empty()) refuse(folder_, objection);
}

/// The lock ends with the process, so that leftovers of a killed one can be removed.
void PendingFolder::lock_workplace() {
  std::error_code failed;
  fs::create_directories(workplace_, failed);
  if (failed) refuse(workplace_, "cannot be made: " + failed.message());
  auto lock = std::make_unique<FolderLock>(workplace_);
  if (!lock->is_open()) refuse(workplace_, "cannot be opened");
  // Another builder may have published the folder between our opening and our locking it.
  if (!lock->is_held() || !lock->is_at(workplace_)) {
    refuse(folder_,
           "locked by an index writer that makes a new index for it; wait until it has "
           "finished, or choose another folder");
  }
  lock_ = std::move(lock);
  for (const fs::directory_entry& left_over : fs::directory_iterator(workplace_)) {
    fs::remove_all(left_over.path(), failed);
  }
}

void PendingFolder::publish() {
  require_replaceable();
  const fs::path old = neighbour("old");
  try {
    fs::remove_all(old);
    if (fs::exists(folder_)) fs::rename(folder_, old);
    fs::rename(workplace_, folder_);
  } catch (const fs::filesystem_error& failure) {
    std::error_code ignored;
    if (!fs::exists(folder_, ignored)) fs::rename(old, folder_, ignored);
    refuse(folder_, "cannot be replaced by the new index: " + failure.code().message());
  }
  lock_.reset();
  std::error_code ignored;
  fs::remove_all(old, ignored);
}

}  // namespace prescope
