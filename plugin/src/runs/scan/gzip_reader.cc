#include "runs/scan/gzip_reader.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/threads.h"
#include "prescope/error.h"

namespace prescope {

namespace {

constexpr std::size_t kInflatedBlock = std::size_t{1} << 18U;
constexpr std::size_t kBlocksAhead = 4;

Error damaged(const std::string& path, gzFile file) {
  int status = Z_OK;
  const char* const message = gzerror(file, &status);
  if (status == Z_BUF_ERROR) {
    return {ErrorCode::kIo, fmt::format("{}: gzip data ends early; fetch the file again", path)};
  }
  if (status == Z_ERRNO) {
    return {ErrorCode::kIo, fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  }
  return {ErrorCode::kIo,
          fmt::format("{}: gzip data is damaged ({}); fetch the file again", path, message)};
}

}  // namespace

GzipReader::GzipReader(int file, std::string path) : path_(std::move(path)) {
  if (file < 0) {
    throw Error(ErrorCode::kIo, fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
  }
  try {
    thread_ = start_thread("prescope-gunzip", [this, file] { decompress(file); });
  } catch (...) {
    ::close(file);
    throw;
  }
}

GzipReader::~GzipReader() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
}

void GzipReader::decompress(int descriptor) {
  const gzFile file = gzdopen(descriptor, "rb");
  std::exception_ptr failure;
  try {
    if (file == nullptr) {
      ::close(descriptor);
      throw std::bad_alloc();
    }
    gzbuffer(file, static_cast<unsigned>(kInflatedBlock));
    for (;;) {
      std::vector<char> block(kInflatedBlock);
      const int got = gzread(file, block.data(), static_cast<unsigned>(kInflatedBlock));
      block.resize(static_cast<std::size_t>(std::max(got, 0)));
      const bool last = block.empty();
      if (!last && !hand_over(std::move(block))) break;
      int status = Z_OK;
      gzerror(file, &status);  // of a truncated file zlib gives what there is, then no more
      if (got < 0 || (last && status != Z_OK)) throw damaged(path_, file);
      if (last) break;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (file != nullptr) gzclose_r(file);
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  ended_ = true;
  changed_.notify_all();
}

bool GzipReader::hand_over(std::vector<char> block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return abandoned_ || blocks_.size() < kBlocksAhead; });
  if (abandoned_) return false;
  blocks_.push_back(std::move(block));
  changed_.notify_all();
  return true;
}

std::size_t GzipReader::read(char* into, std::size_t size) {
  if (taken_ == current_.size()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !blocks_.empty(); });
    if (blocks_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return 0;
    }
    current_ = std::move(blocks_.front());
    blocks_.pop_front();
    taken_ = 0;
    changed_.notify_all();
  }
  const std::size_t count = std::min(size, current_.size() - taken_);
  std::memcpy(into, current_.data() + taken_, count);
  taken_ += count;
  return count;
}

}  // namespace prescope
