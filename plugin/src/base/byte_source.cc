#include "base/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "prescope/error.h"

namespace prescope {

namespace {

constexpr unsigned kInflatedBlock = 1U << 18U;

Error io_error(const std::string& name, std::string_view message) {
  return {ErrorCode::kIo, fmt::format("{}: {}", name, message)};
}

Error cannot_be_read(const std::string& name) {
  return io_error(name, fmt::format("cannot be read: {}", std::strerror(errno)));
}

bool begins_as_gzip(int file) noexcept {
  unsigned char magic[2] = {};
  return ::pread(file, magic, sizeof magic, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
}

std::string failure_of(int status) {
  if (status == Z_BUF_ERROR) return "gzip data ends early";
  if (status == Z_ERRNO) return fmt::format("read error ({})", std::strerror(errno));
  return "gzip data is damaged";
}

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& path)
    : path_(path.string()), name_(path == "-" ? "standard input" : path_) {
  const bool is_standard_input = path == "-";
  descriptor_ =
      is_standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw cannot_be_read(name_);
  if (::fstat(descriptor_, &opened_) != 0 || S_ISDIR(opened_.st_mode)) {
    const Error error = S_ISDIR(opened_.st_mode) ? io_error(name_, "is a folder; give a file")
                                                 : cannot_be_read(name_);
    ::close(descriptor_);
    throw error;
  }
  if (is_regular() && !begins_as_gzip(descriptor_)) return;
  gzip_ = gzdopen(descriptor_, "rb");
  if (gzip_ == nullptr) {
    ::close(descriptor_);
    throw std::bad_alloc();
  }
  gzbuffer(gzip_, kInflatedBlock);
}

ByteSource::ByteSource(const ByteSource& file, std::uint64_t begin)
    : path_(file.path_),
      name_(file.name_),
      descriptor_(::dup(file.descriptor_)),
      opened_(file.opened_),
      at_(begin) {
  if (descriptor_ < 0) throw cannot_be_read(name_);
}

ByteSource::~ByteSource() {
  if (gzip_ != nullptr) {
    gzclose_r(gzip_);
  } else if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

std::unique_ptr<ByteSource> ByteSource::from(std::uint64_t begin) const {
  return std::unique_ptr<ByteSource>(new ByteSource(*this, begin));
}

std::unique_ptr<ByteSource> ByteSource::reopened() const {
  return has_random_access() ? from(0) : std::make_unique<ByteSource>(path_);
}

std::size_t ByteSource::read(char* into, std::size_t size, std::uint64_t line) {
  if (gzip_ == nullptr) return read_plain(into, size);
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  const int got = gzread(gzip_, into, static_cast<unsigned>(std::min(size, kMost)));
  if (got > 0) return static_cast<std::size_t>(got);
  int status = Z_OK;
  gzerror(gzip_, &status);  // from a truncated file zlib returns the readable part, then nothing
  if (status == Z_OK || status == Z_STREAM_END) return 0;
  throw io_error(name_,
                 fmt::format("{} after line {}; fetch the file again", failure_of(status), line));
}

std::size_t ByteSource::read_plain(char* into, std::size_t size) {
  const ssize_t got = ::pread(descriptor_, into, size, static_cast<off_t>(at_));
  if (got < 0) throw cannot_be_read(name_);
  if (got == 0 && at_ < this->size()) {
    throw io_error(name_, "became shorter while it was read; run again when it is complete");
  }
  at_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

void ByteSource::check_unchanged() const {
  if (!is_regular()) return;
  struct stat now {};
  const bool same = ::fstat(descriptor_, &now) == 0 && now.st_size == opened_.st_size &&
                    now.st_mtim.tv_sec == opened_.st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec;
  if (same) return;
  throw io_error(name_, fmt::format("changed while it was read ({} bytes, then {}); run again when "
                                    "it is complete",
                                    opened_.st_size, now.st_size));
}

}  // namespace prescope
