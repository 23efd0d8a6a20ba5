#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <system_error>
#include <utility>

#include "prescope/error.h"
#include "prescope/pending_folder.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw Error(ErrorCode::kIo, folder.string() + ": " + why);
}

/// Returns true if an open folder is still at its path.
bool is_still_at(int descriptor, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
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
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(workplace_, ignored);
  ::close(lock_);
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
  const int descriptor = ::open(workplace_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) refuse(workplace_, "cannot be opened");
  // Another builder may have published the folder between our opening and our locking it.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !is_still_at(descriptor, workplace_)) {
    ::close(descriptor);
    refuse(folder_,
           "locked by an index writer that makes a new index for it; wait until it has "
           "finished, or choose another folder");
  }
  lock_ = descriptor;
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
  ::close(lock_);
  lock_ = -1;
  std::error_code ignored;
  fs::remove_all(old, ignored);
}

}  // namespace prescope
