#include "pending_index.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "prescope/error.h"
#include "text.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/IndexFileNameFilter.h>

namespace prescope::lucenepp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWriteLock = "write.lock";

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw Error(ErrorCode::kIo, folder.string() + ": " + why);
}

bool made_by_prescope(const fs::path& folder) {
  try {
    auto marks =
        Lucene::IndexReader::getCommitUserData(Lucene::FSDirectory::open(to_wide(folder.string())));
    return marks && marks.get(kMadeBy) == kPrescope;
  } catch (const Lucene::LuceneException&) {
    return false;
  }
}

/// Whether an open folder still is what its path names.
bool is_still_at(int descriptor, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

PendingIndex::PendingIndex(const fs::path& folder) {
  std::error_code failed;
  folder_ = fs::weakly_canonical(folder, failed);
  if (failed) refuse(folder, failed.message());
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  if (!folder_.has_filename()) refuse(folder, "not a folder that an index can replace");
  workplace_ = neighbour("partial");
  require_replaceable();
  lock_workplace();
}

PendingIndex::~PendingIndex() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(workplace_, ignored);
  ::close(lock_);
}

fs::path PendingIndex::neighbour(const char* role) const {
  return folder_.parent_path() / ("." + folder_.filename().string() + ".prescope-" + role);
}

void PendingIndex::require_replaceable() const {
  if (!fs::exists(folder_)) return;
  if (!fs::is_directory(folder_)) refuse(folder_, "is a file; expected a folder for the index");
  if (fs::is_empty(folder_)) return;
  // Lucene++ 3.0.8 loses the lock on the file as soon as it has it (it closes a second descriptor),
  // so the file itself is all that tells of a writer.
  if (fs::exists(folder_ / kWriteLock)) {
    refuse(folder_,
           "locked by an index writer; wait until it has finished, or, where none is running any "
           "more, remove its file write.lock");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!Lucene::IndexFileNameFilter::accept(L"", to_wide(name))) {
      refuse(folder_, "holds '" + name +
                          "', which is no part of an index; choose an empty or new "
                          "folder");
    }
  }
  if (!made_by_prescope(folder_)) {
    refuse(folder_,
           "holds an index that prescope did not make, or a damaged one; choose another "
           "folder, or remove it first");
  }
}

/// The lock ends with the process, so that what a killed one left is no obstacle.
void PendingIndex::lock_workplace() {
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

void PendingIndex::publish() {
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

}  // namespace prescope::lucenepp
