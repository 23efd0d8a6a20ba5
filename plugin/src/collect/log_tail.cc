#include "collect/log_tail.h"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "base/errors.h"

namespace prescope {

namespace {

Error cannot_read(const std::filesystem::path& path) {
  return io_error("{}: cannot be read: {}", path.string(), std::strerror(errno));
}

}  // namespace

LogTail::LogTail(std::filesystem::path path, const std::optional<LogPosition>& position,
                 Options options)
    : path_(std::move(path)), options_(std::move(options)) {
  if (position) find(*position);
}

LogTail::~LogTail() { close(); }

void LogTail::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

/// Opens the file that was read before, wherever it is now.
void LogTail::find(const LogPosition& position) {
  std::vector<std::filesystem::path> places = siblings(Names::kAll);
  places.push_back(path_);
  for (const std::filesystem::path& place : places) {
    const auto identity = FileIdentity::of(place);
    if (!identity || identity->text() != position.file) continue;
    open(place, position.offset);
    position_.line = position.line;
    return;
  }
  options_.warn(
      fmt::format("{}: the file that was read before is gone, and what was not read of it; the "
                  "present one is read from its beginning",
                  path_.string()));
}

void LogTail::open(const std::filesystem::path& path, std::uint64_t offset) {
  close();
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw cannot_read(path);
  identity_ = FileIdentity::of(descriptor_);
  position_ = {.file = identity_ ? identity_->text() : "", .offset = offset, .line = 0};
  lines_ = {};
  renamed_.reset();
}

/// Returns files of the log's folder, the oldest first: all, or those that a rotation has made of
/// the log.
std::vector<std::filesystem::path> LogTail::siblings(Names names) const {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> found;
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string(), log = path_.filename().string();
    const bool is_of_rotation = name.size() > log.size() + 1 && name.starts_with(log) &&
                                (name[log.size()] == '.' || name[log.size()] == '-') &&
                                std::isdigit(static_cast<unsigned char>(name[log.size() + 1])) != 0;
    if (name == log || (names == Names::kOfRotations && !is_of_rotation)) continue;
    const auto identity = FileIdentity::of(entry.path());
    if (identity && entry.is_regular_file(ignored)) {
      found.emplace_back(identity->born_ns(), entry.path());
    }
  }
  std::ranges::sort(found);
  std::vector<std::filesystem::path> paths;
  for (auto& [born, path] : found) paths.push_back(std::move(path));
  return paths;
}

bool LogTail::open_next() {
  if (!identity_) {
    if (!FileIdentity::of(path_)) return false;
    open(path_, 0);
    return true;
  }
  const auto now = FileIdentity::of(path_);
  if (!now || now == identity_) return false;
  const std::uint64_t born = identity_->born_ns();
  for (const std::filesystem::path& path : siblings(Names::kOfRotations)) {
    const auto identity = FileIdentity::of(path);
    if (!identity || identity->born_ns() <= born || identity == now) continue;
    if (path.extension() == ".gz" || path.extension() == ".xz" || path.extension() == ".zst") {
      options_.warn(fmt::format("{}: is compressed already, and is not read", path.string()));
      continue;
    }
    open(path, 0);
    return true;
  }
  open(path_, 0);
  return true;
}

/// Returns what the file has behind what was read; empty at its end.
std::string LogTail::read_piece() {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw cannot_read(path_);
  if (static_cast<std::uint64_t>(status.st_size) < read_to()) {
    options_.warn(fmt::format("{}: became shorter; it is read from its beginning", path_.string()));
    position_.offset = position_.line = 0;
    lines_ = {};
  }
  std::string piece(kPiece, '\0');
  ssize_t bytes = -1;
  do {
    bytes = ::pread(descriptor_, piece.data(), kPiece, static_cast<off_t>(read_to()));
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) throw cannot_read(path_);
  piece.resize(static_cast<std::size_t>(bytes));
  return piece;
}

bool LogTail::has_ended() {
  const auto now = FileIdentity::of(path_);
  if (!now || now == identity_) {
    renamed_.reset();
    return false;
  }
  if (!renamed_) renamed_ = Clock::now();
  return Clock::now() - *renamed_ >= options_.patience;
}

std::string LogTail::read() {
  while (descriptor_ >= 0 || open_next()) {
    const std::string piece = read_piece();
    const std::uint64_t end = read_to() + piece.size();
    std::string lines = lines_.add(piece);
    if (piece.empty()) {
      if (!has_ended()) return {};
      lines = lines_.rest();
      if (!lines.empty()) lines += '\n';  // of the last line, which may lack it
    } else {
      renamed_.reset();
    }
    if (!lines.empty()) {
      position_.offset = end - lines_.waiting();
      position_.line += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
      return lines;
    }
    if (piece.empty() && !open_next()) return {};
  }
  return {};
}

}  // namespace prescope
