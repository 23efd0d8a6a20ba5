#include "base/byte_source.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include "base/containers.h"
#include "base/errors.h"

namespace prescope {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kInputBlock = std::size_t{1} << 17U;

Error cannot_be_read(const std::string& name) {
  return io_error("{}: cannot be read: {}", name, std::strerror(errno));
}

Error bad_gzip(const std::string& name, std::string_view problem, std::uint64_t line) {
  return io_error("{}: {} after line {}; fetch the file again", name, problem, line);
}

constexpr std::string_view kGzip = "\x1F\x8B\x08"sv;

}  // namespace

/// The state of decompression. A file may have several members, one behind the other.
struct ByteSource::Gzip {
  Gzip() {
    constexpr int kWindowOfGzip = 15 + 16;
    if (inflateInit2(&stream, kWindowOfGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() { inflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::size_t read(ByteSource& source, char* into, std::size_t size, std::uint64_t line);
  void begin_next_member(ByteSource& source, std::uint64_t line);

  z_stream stream{};
  bool is_behind_member = false;
};

ByteSource::ByteSource(const std::filesystem::path& path, Content allowed)
    : path_(path.string()), name_(path == "-" ? "standard input" : path_), allowed_(allowed) {
  const bool is_standard_input = path == "-";
  descriptor_ =
      is_standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw cannot_be_read(name_);
  try {
    if (::fstat(descriptor_, &opened_) != 0) throw cannot_be_read(name_);
    if (S_ISDIR(opened_.st_mode)) throw io_error("{}: is a folder; give a file", name_);
    look_at_content();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ByteSource::ByteSource(const ByteSource& file, std::uint64_t begin)
    : path_(file.path_),
      name_(file.name_),
      descriptor_(::dup(file.descriptor_)),
      allowed_(file.allowed_),
      opened_(file.opened_),
      at_(begin) {
  if (descriptor_ < 0) throw cannot_be_read(name_);
}

ByteSource::ByteSource(std::string text, std::string name)
    : name_(std::move(name)), input_(std::move(text)) {}

std::unique_ptr<ByteSource> ByteSource::of_text(std::string text, std::string name) {
  return std::unique_ptr<ByteSource>(new ByteSource(std::move(text), std::move(name)));
}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// Tells the format of the content by its first bytes, compressed and decompressed.
void ByteSource::look_at_content() {
  if (is_regular()) {
    input_.resize(kHeadOfContainer);
    const ssize_t got = ::pread(descriptor_, input_.data(), input_.size(), 0);
    input_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  } else {
    while (input_.size() < kHeadOfContainer && read_input()) continue;
  }
  refuse_container(input_, "");
  if (input_.starts_with(kGzip)) gzip_ = std::make_unique<Gzip>();
  if (is_regular()) input_.clear();  // it is read from its beginning
  if (!gzip_) return;
  std::string head(kHeadOfContainer, '\0');
  std::size_t size = 0;
  try {
    for (std::size_t got = 1; got != 0 && size < head.size(); size += got) {
      got = gzip_->read(*this, head.data() + size, head.size() - size, 0);
    }
  } catch (const Error&) {  // which the next read throws again, and knows the line
  }
  head.resize(size);
  if (head.starts_with(kGzip)) {
    throw bad_input_error("{}: was compressed with gzip twice; decompress it once with gunzip",
                          name_);
  }
  refuse_container(head, "inside its gzip data ");
  unpacked_ = std::move(head);
}

void ByteSource::refuse_container(std::string_view head, std::string_view place) const {
  if (allowed_ == Content::kAny) return;
  const std::string refusal = refusal_of_container(head);
  if (!refusal.empty()) throw bad_input_error("{}: {}{}", name_, place, refusal);
}

std::unique_ptr<ByteSource> ByteSource::from(std::uint64_t begin) const {
  return std::unique_ptr<ByteSource>(new ByteSource(*this, begin));
}

std::unique_ptr<ByteSource> ByteSource::reopened() const {
  return has_random_access() ? from(0) : std::make_unique<ByteSource>(path_, allowed_);
}

std::size_t ByteSource::read(char* into, std::size_t size, std::uint64_t line) {
  if (descriptor_ < 0) {
    const std::size_t taken = input_.copy(into, size, at_);
    at_ += taken;
    return taken;
  }
  if (!unpacked_.empty()) {
    const std::size_t taken = unpacked_.copy(into, size);
    unpacked_.erase(0, taken);
    return taken;
  }
  if (gzip_) return gzip_->read(*this, into, size, line);
  if (has_random_access()) return read_plain(into, size);
  if (input_.empty()) (void)read_input();
  const std::size_t taken = input_.copy(into, size);
  input_.erase(0, taken);
  return taken;
}

/// Appends the next bytes to `input_`; returns false at the end.
bool ByteSource::read_input() {
  const std::size_t before = input_.size();
  input_.resize(before + kInputBlock);
  ssize_t got = -1;
  do {
    got = ::read(descriptor_, input_.data() + before, kInputBlock);
  } while (got < 0 && errno == EINTR);
  input_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) throw cannot_be_read(name_);
  return got > 0;
}

std::size_t ByteSource::Gzip::read(ByteSource& source, char* into, std::size_t size,
                                   std::uint64_t line) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  stream.next_out = reinterpret_cast<Bytef*>(into);
  stream.avail_out = static_cast<uInt>(std::min(size, kMost));
  while (stream.next_out == reinterpret_cast<Bytef*>(into)) {
    if (stream.avail_in == 0) {
      const bool looked_at = stream.next_in == nullptr && !source.input_.empty();
      if (!looked_at) source.input_.clear();
      const bool has_more = looked_at || source.read_input();
      if (!has_more && is_behind_member) return 0;
      if (!has_more) throw bad_gzip(source.name_, "gzip data ends early", line);
      stream.next_in = reinterpret_cast<Bytef*>(source.input_.data());
      stream.avail_in = static_cast<uInt>(source.input_.size());
    }
    if (is_behind_member) {
      begin_next_member(source, line);
      continue;
    }
    const int status = inflate(&stream, Z_NO_FLUSH);
    is_behind_member = status == Z_STREAM_END;
    if (status == Z_OK || status == Z_BUF_ERROR || is_behind_member) continue;
    throw bad_gzip(source.name_, "gzip data is damaged", line);
  }
  return static_cast<std::size_t>(stream.next_out - reinterpret_cast<Bytef*>(into));
}

/// Skips zeros, with which tapes and disks fill up their blocks.
void ByteSource::Gzip::begin_next_member(ByteSource& source, std::uint64_t line) {
  while (stream.avail_in > 0 && *stream.next_in == 0) {
    ++stream.next_in;
    --stream.avail_in;
  }
  if (stream.avail_in == 0) return;
  if (*stream.next_in != static_cast<unsigned char>(kGzip.front())) {
    throw bad_gzip(source.name_, "other bytes behind the end of the gzip data", line);
  }
  inflateReset(&stream);
  is_behind_member = false;
}

std::size_t ByteSource::read_plain(char* into, std::size_t size) {
  const ssize_t got = ::pread(descriptor_, into, size, static_cast<off_t>(at_));
  if (got < 0) throw cannot_be_read(name_);
  if (got == 0 && at_ < this->size()) {
    throw io_error("{}: became shorter while it was read; run again when it is complete", name_);
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
  throw io_error("{}: changed while it was read ({} bytes, then {}); run again when it is complete",
                 name_, opened_.st_size, now.st_size);
}

}  // namespace prescope
