#include "base/text_file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/unicode.h"

namespace prescope {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error io_error(const std::filesystem::path& path, std::string_view message) {
  return {ErrorCode::kIo, fmt::format("{}: {}", path.string(), message)};
}

/// ASCII without NUL, told eight bytes at a time; false also for a few other texts.
bool is_plain(std::string_view text) noexcept {
  constexpr std::uint64_t kHighs = 0x8080808080808080U, kOnes = 0x0101010101010101U;
  std::uint64_t suspicious = 0;
  const auto look_at = [&](std::uint64_t bytes) { suspicious |= bytes | (bytes - kOnes); };
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, 8);
    look_at(bytes);
  }
  std::uint64_t rest = kOnes;
  std::memcpy(&rest, text.data() + i, text.size() - i);
  look_at(rest);
  return (suspicious & kHighs) == 0;
}

gzFile open_to_read(const std::filesystem::path& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) {
    throw io_error(path, "is a folder; give a file");
  }
  errno = 0;
  gzFile file = path == "-" ? gzdopen(::dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    throw io_error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  gzbuffer(file, static_cast<unsigned>(kChunk));
  return file;
}

}  // namespace

/// The decompressed bytes that have been read and not yet handed out.
struct TextFile::Stream {
  Stream(const std::filesystem::path& path, const Part& part)
      : file(open_to_read(path)), left(part.end - part.begin) {
    // Moves within a plain file as soon as zlib has seen that it is one.
    if (part.begin == 0) return;
    if (gzdirect(file) == 0 || gzseek(file, static_cast<z_off_t>(part.begin), SEEK_SET) < 0) {
      gzclose_r(file);
      throw io_error(path, "cannot be read from its middle; run again when it is complete");
    }
  }
  ~Stream() { gzclose_r(file); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Up to the next line feed, or to the end of the file; false where nothing is left.
  bool take_line(std::string_view& line) {
    std::size_t searched = begin;
    for (;;) {
      const void* feed = std::memchr(buffer.get() + searched, '\n', end - searched);
      if (feed != nullptr) {
        const auto at = static_cast<std::size_t>(static_cast<const char*>(feed) - buffer.get());
        line = {buffer.get() + begin, at - begin};
        begin = at + 1;
        return true;
      }
      const std::size_t pending = end - begin;
      if (!fill()) break;
      searched = begin + pending;
    }
    line = {buffer.get() + begin, end - begin};
    begin = end;
    return !line.empty();
  }

  /// Makes room behind what is left and reads on; false at the end of the file.
  bool fill() {
    std::memmove(buffer.get(), buffer.get() + begin, end - begin);
    end -= begin;
    begin = 0;
    if (end == room) double_room();
    const int read =
        gzread(file, buffer.get() + end,
               static_cast<unsigned>(std::min<std::uint64_t>({room - end, kChunk, left})));
    if (read > 0) {
      end += static_cast<std::size_t>(read);
      left -= static_cast<std::uint64_t>(read);
      return true;
    }
    gzerror(file, &status);  // of a truncated gzip file zlib reads what there is, then no more
    return false;
  }

  void double_room() {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * room);
    std::memcpy(larger.get(), buffer.get(), end);
    buffer = std::move(larger);
    room *= 2;
  }

  [[nodiscard]] std::string what_failed() {
    if (status == Z_BUF_ERROR) return "gzip data ends early";
    if (status == Z_ERRNO) return fmt::format("read error ({})", std::strerror(errno));
    return "gzip data is damaged";
  }

  // Not set before it is read into: most files are smaller.
  std::unique_ptr<char[]> buffer = std::make_unique_for_overwrite<char[]>(kChunk);
  std::size_t room = kChunk, begin = 0, end = 0;
  gzFile file;
  int status = Z_OK;
  std::uint64_t left;  // bytes not yet read
};

TextFile::TextFile(const std::filesystem::path& path, const Part& part)
    : stream_(std::make_unique<Stream>(path, part)),
      path_(path == "-" ? "standard input" : path),
      begins_file_(part.begin == 0) {}

TextFile::~TextFile() = default;

bool TextFile::next(std::string_view& line) {
  const bool found = stream_->take_line(line);
  if (stream_->status != Z_OK) {
    throw io_error(path_, fmt::format("{} after line {}; fetch the file again",
                                      stream_->what_failed(), line_number_));
  }
  if (!found) return false;
  ++line_number_;
  if (line_number_ == 1 && begins_file_ && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (is_plain(line)) return true;
  if (line.find('\0') != std::string_view::npos) {
    throw bad_line("a NUL byte; expected text in UTF-8 (is this a binary file?)");
  }
  if (!is_utf8(line)) {
    throw bad_line("invalid UTF-8; convert the file to UTF-8");
  }
  return true;
}

Error TextFile::bad_line(std::string_view message) const {
  return {ErrorCode::kBadInput, fmt::format("{}:{}: {}", path_.string(), line_number_, message)};
}

}  // namespace prescope
