#include "runs/scan/run_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "prescope/error.h"
#include "runs/scan/docno_hash.h"
#include "runs/scan/gzip_reader.h"
#include "runs/scan/mapped_window.h"

namespace prescope {

namespace {

Error io_error(const std::string& path, std::string_view message) {
  return {ErrorCode::kIo, fmt::format("{}: {}", path, message)};
}

/// A part of an open file, read without moving its position, so that threads can share it.
class FileReader : public ByteReader {
 public:
  FileReader(int file, std::string path, std::uint64_t begin, std::uint64_t end)
      : file_(file), path_(std::move(path)), at_(begin), end_(end) {}

  std::size_t read(char* into, std::size_t size) override {
    if (window_.was_cut()) throw became_shorter();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - at_));
    if (wanted == 0) return 0;
    const ssize_t got = ::pread(file_, into, wanted, static_cast<off_t>(at_));
    if (got < 0) throw io_error(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) throw became_shorter();
    at_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

  std::string_view map(std::size_t again) override {
    if (window_.was_cut()) throw became_shorter();
    // The last line may have to be ended, and few bytes are not worth it.
    constexpr std::uint64_t kLeft = std::uint64_t{1} << 12U, kWorth = std::uint64_t{1} << 16U;
    if (end_ - at_ < kLeft + kWorth || again > MappedWindow::kReach) return {};
    const std::string_view mapped = window_.move_to(file_, at_ - again, at_, end_ - kLeft);
    if (!mapped.empty()) at_ += mapped.size() - again;
    return mapped;
  }

 private:
  [[nodiscard]] Error became_shorter() const {
    return io_error(path_, "became shorter while it was read; run again when it is complete");
  }

  int file_;
  std::string path_;
  std::uint64_t at_, end_;
  MappedWindow window_;
};

class MemoryReader : public ByteReader {
 public:
  MemoryReader(const char* begin, const char* end) : at_(begin), end_(end) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t count = std::min(size, static_cast<std::size_t>(end_ - at_));
    std::memcpy(into, at_, count);
    at_ += count;
    return count;
  }

 private:
  const char *at_, *end_;
};

bool is_gzip(int file) {
  unsigned char magic[2] = {};
  return ::pread(file, magic, sizeof magic, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
}

/// All that an open file gives, decompressed where it is gzip, and kPadding bytes more.
std::vector<char> read_to_end(int file, const std::string& path) {
  constexpr std::size_t kStep = std::size_t{1} << 20U;
  GzipReader reader(file, path);
  std::vector<char> bytes;
  for (std::size_t used = 0;;) {
    if (bytes.size() - used < kStep) bytes.resize(std::max(bytes.size() * 2, 2 * kStep));
    const std::size_t got = reader.read(bytes.data() + used, bytes.size() - used);
    used += got;
    if (got == 0) {
      bytes.resize(used + kPadding);
      return bytes;
    }
  }
}

}  // namespace

struct RunInput::File {
  std::string path;
  int descriptor = -1;
  bool in_memory = false, gzip = false;
  struct stat opened {};
  std::vector<char> memory;

  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

RunInput::RunInput(const std::filesystem::path& path) : file_(std::make_unique<File>()) {
  file_->path = path.string();
  if (path == "-") {
    file_->path = "standard input";
    file_->in_memory = true;
    file_->memory = read_to_end(::dup(STDIN_FILENO), file_->path);
    return;
  }
  file_->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_->descriptor < 0 || ::fstat(file_->descriptor, &file_->opened) != 0) {
    throw io_error(file_->path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (S_ISDIR(file_->opened.st_mode)) throw io_error(file_->path, "is a folder; give a file");
  if (S_ISREG(file_->opened.st_mode)) {
    file_->gzip = is_gzip(file_->descriptor);
    return;
  }
  // A pipe or a device gives its bytes once.
  file_->memory = read_to_end(::dup(file_->descriptor), file_->path);
  file_->in_memory = true;
}

RunInput::RunInput(std::unique_ptr<File> file) noexcept : file_(std::move(file)) {}

RunInput RunInput::of_text(std::string_view text) {
  auto file = std::make_unique<File>();
  file->path = "memory";
  file->in_memory = true;
  file->memory.assign(text.begin(), text.end());
  file->memory.resize(text.size() + kPadding);
  return RunInput(std::move(file));
}

RunInput::RunInput(RunInput&&) noexcept = default;

RunInput::~RunInput() = default;

const std::string& RunInput::name() const noexcept { return file_->path; }

bool RunInput::has_random_access() const noexcept { return !file_->gzip; }

std::uint64_t RunInput::size() const noexcept {
  return file_->in_memory ? file_->memory.size() - kPadding
                          : static_cast<std::uint64_t>(file_->opened.st_size);
}

std::unique_ptr<ByteReader> RunInput::reader(std::uint64_t begin, std::uint64_t end) const {
  if (file_->gzip) {
    return std::make_unique<GzipReader>(::open(file_->path.c_str(), O_RDONLY | O_CLOEXEC),
                                        file_->path);
  }
  end = std::min(end, size());
  begin = std::min(begin, end);
  if (file_->in_memory) {
    return std::make_unique<MemoryReader>(file_->memory.data() + begin, file_->memory.data() + end);
  }
  return std::make_unique<FileReader>(file_->descriptor, file_->path, begin, end);
}

void RunInput::check_unchanged() const {
  if (file_->descriptor < 0 || file_->in_memory) return;
  struct stat now {};
  const struct stat& opened = file_->opened;
  const bool same = ::fstat(file_->descriptor, &now) == 0 && now.st_size == opened.st_size &&
                    now.st_mtim.tv_sec == opened.st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == opened.st_mtim.tv_nsec;
  if (!same) {
    throw io_error(
        file_->path,
        fmt::format("changed while it was read ({} bytes, then {}); run again when it is "
                    "complete",
                    opened.st_size, now.st_size));
  }
}

}  // namespace prescope
