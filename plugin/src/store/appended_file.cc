#include "store/appended_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "prescope/error.h"

namespace prescope {
namespace {

constexpr std::chrono::seconds kBetweenLooks{1};

Error cannot_append(const std::filesystem::path& path, int error) {
  return {ErrorCode::kIo, fmt::format("{}: cannot be appended to: {}; expected a file, or a name "
                                      "in a folder, that may be written",
                                      path.string(), std::strerror(error))};
}

/// What a file that was written to its end ends with.
bool ends_with_line_feed(const std::filesystem::path& path, off_t size) {
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (reader < 0) return true;  // not ours to read: taken to be whole
  char last = '\n';
  const bool was_read = ::pread(reader, &last, 1, size - 1) == 1;
  ::close(reader);
  return !was_read || last == '\n';
}

}  // namespace

AppendedFile::AppendedFile(std::filesystem::path path) : path_(std::move(path)) { open(); }

AppendedFile::~AppendedFile() { close(); }

void AppendedFile::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void AppendedFile::open() {
  constexpr mode_t kMode = 0644;
  const int opened = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
  if (opened < 0) throw cannot_append(path_, errno);
  close();
  descriptor_ = opened;
  next_look_ = std::chrono::steady_clock::now() + kBetweenLooks;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw cannot_append(path_, errno);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  const bool may_end_in_the_middle = S_ISREG(status.st_mode) && status.st_size > 0;
  if (may_end_in_the_middle && !ends_with_line_feed(path_, status.st_size)) append("\n");
}

std::size_t AppendedFile::append(std::string_view text) {
  ssize_t written = -1;
  do {
    written = ::write(descriptor_, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written > 0) return static_cast<std::size_t>(written);
  throw cannot_append(path_, written < 0 ? errno : ENOSPC);
}

bool AppendedFile::is_at_path() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool AppendedFile::follow_path() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return false;
  next_look_ = now + kBetweenLooks;
  if (is_at_path()) return false;
  next_look_ = now;  // until it has been opened
  open();
  return true;
}

}  // namespace prescope
