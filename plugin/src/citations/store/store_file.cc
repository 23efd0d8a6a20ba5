#include "citations/store/store_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

#include "base/random_bits.h"

namespace prescope {
namespace {

constexpr std::string_view kTemporaryEnd = ".partial";

std::string words_of(int reason) { return std::generic_category().message(reason); }

std::filesystem::path folder_beside(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).parent_path();
}

std::string temporary_begin(const std::filesystem::path& path) {
  return "." + path.filename().string() + ".";
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  return folder_beside(path) /
         fmt::format("{}{:016x}{}", temporary_begin(path), random_bits(), kTemporaryEnd);
}

void sync_folder_of(const std::filesystem::path& path) {
  // A file system that cannot do so has no better way.
  StoreFile folder(folder_beside(path), O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) ::fsync(folder.descriptor());
}

}  // namespace

std::uint64_t HeaderSlot::right_checksum() const noexcept {
  std::string fields;
  append_raw(fields, *this);
  return checksum_of(std::string_view(fields).substr(0, sizeof *this - sizeof checksum));
}

StoreFile::StoreFile(const std::filesystem::path& path, int flags)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)), name_(path.string()) {}

StoreFile::~StoreFile() {
  if (is_open()) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

StoreFile::StoreFile(StoreFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, {})) {}

StoreFile& StoreFile::operator=(StoreFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(temporary_, other.temporary_);
  return *this;
}

StoreFile StoreFile::temporary_beside(const std::filesystem::path& path) {
  const std::filesystem::path folder = folder_beside(path);
  StoreFile file(folder, O_TMPFILE | O_RDWR);
  if (!file.is_open()) {
    const std::filesystem::path name = temporary_name(path);
    file = StoreFile(name, O_CREAT | O_EXCL | O_RDWR);
    const int reason = errno;
    if (!file.is_open()) {
      throw io_error("{}: no file can be made in this folder: {}", folder.string(),
                     words_of(reason));
    }
    file.temporary_ = name;
  }
  file.name_ = path.string();
  return file;
}

void StoreFile::publish_as(const std::filesystem::path& path, bool replaces) {
  const auto give_name = [&](const std::filesystem::path& name) {
    if (!temporary_.empty()) return ::link(temporary_.c_str(), name.c_str());
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  };
  const auto named = replaces ? temporary_name(path) : path;
  if (give_name(named) != 0) cannot_write(errno);
  if (replaces && ::rename(named.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(named.c_str());
    cannot_write(reason);
  }
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
  sync_folder_of(path);
}

void StoreFile::cannot_write(int reason) const {
  throw io_error("{}: cannot be written: {}; the store is unchanged", name_, words_of(reason));
}

std::uint64_t StoreFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    throw io_error("{}: cannot be read: {}", name_, words_of(errno));
  }
  return static_cast<std::uint64_t>(status.st_size);
}

void StoreFile::write(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) cannot_write(written < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void StoreFile::sync() {
  if (::fsync(descriptor_) != 0) cannot_write(errno);
}

void StoreFile::truncate(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) cannot_write(errno);
}

bool StoreFile::lock() {
  int failed = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  while (failed != 0 && errno == EINTR) failed = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  if (failed != 0 && errno != EWOULDBLOCK) {
    throw io_error("{}: cannot be locked: {}", name_, words_of(errno));
  }
  return failed == 0;
}

void remove_temporary_files_beside(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string begin = temporary_begin(path);
  for (const auto& entry : std::filesystem::directory_iterator(folder_beside(path), ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_temporary = name.size() == begin.size() + 16 + kTemporaryEnd.size() &&
                              name.starts_with(begin) && name.ends_with(kTemporaryEnd);
    if (is_temporary) std::filesystem::remove(entry.path(), ignored);
  }
}

MappedFile::MappedFile(const StoreFile& file, std::uint64_t size) : size_(size) {
  if (size == 0) return;
  void* const begin = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (begin == MAP_FAILED) {
    throw io_error("{}: cannot be mapped: {}", file.name(), words_of(errno));
  }
  begin_ = static_cast<const unsigned char*>(begin);
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) ::munmap(const_cast<unsigned char*>(begin_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

NewestSlot newest_slot(const StoreFile& file) {
  NewestSlot newest;
  std::optional<std::uint32_t> other_version;
  bool is_store = false, is_whole = false;
  for (const std::uint64_t offset : {std::uint64_t{0}, kSlotDistance}) {
    std::array<unsigned char, sizeof(HeaderSlot)> bytes{};
    const ssize_t size =
        ::pread(file.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (size < 0) throw io_error("{}: cannot be read: {}", file.name(), words_of(errno));
    const auto slot = load<HeaderSlot>(bytes.data());
    const bool is_right =
        slot.magic == HeaderSlot::kMagic && slot.checksum == slot.right_checksum();
    const bool is_empty = std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0; });
    newest.has_damaged_other = newest.has_damaged_other || (!is_right && !is_empty);
    if (slot.magic != HeaderSlot::kMagic) continue;
    is_store = true;
    if (slot.version != kCitationStoreVersion || slot.byte_order != HeaderSlot::kByteOrder) {
      other_version = slot.version;
    } else if (is_right && (!is_whole || slot.sequence > newest.slot.sequence)) {
      is_whole = true;
      newest.slot = slot;
    }
  }
  if (is_whole) return newest;
  if (other_version) {
    throw bad_input_error(
        "{}: a citation store of format {}; this program reads format {} with low bytes first; "
        "import the files again into a new store",
        file.name(), *other_version, kCitationStoreVersion);
  }
  if (!is_store) {
    throw bad_input_error(
        "{}: not a citation store; expected a file that 'prescope citations import' wrote",
        file.name());
  }
  throw bad_input_error(
      "{}: both headers of the citation store have a wrong checksum; import the files again into "
      "a new store",
      file.name());
}

void FileSink::write_pieces() {
  const std::size_t whole = buffer_.size() / kChecksumPiece * kChecksumPiece;
  const std::string_view pieces = std::string_view(buffer_).substr(0, whole);
  checksum_ = checksum_of(pieces, checksum_);
  file_->write(written_, pieces);
  written_ += whole;
  buffer_.erase(0, whole);
}

std::uint64_t FileSink::finish() {
  write_pieces();
  checksum_ = checksum_of(buffer_, checksum_);
  file_->write(written_, buffer_);
  written_ += buffer_.size();
  buffer_.clear();
  return checksum_;
}

}  // namespace prescope
