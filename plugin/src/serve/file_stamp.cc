#include "serve/file_stamp.h"

#include <sys/stat.h>
#include <time.h>

#include <cstddef>
#include <string>

namespace prescope::serve {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kSettledAfterNs = kNsPerSecond;

std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t ns_now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return ns_of(time);
}

}  // namespace

FileStamp::FileStamp(const std::filesystem::path& path) {
  std::size_t next = 0;
  for (const std::string& name : {path.string(), path.string() + "-wal"}) {
    struct ::stat file {};
    if (::stat(name.c_str(), &file) == 0) {
      const std::uint64_t written = ns_of(file.st_mtim);
      facts_[next] = file.st_dev;
      facts_[next + 1] = file.st_ino;
      facts_[next + 2] = static_cast<std::uint64_t>(file.st_size);
      facts_[next + 3] = written;
      is_settled_ = is_settled_ && written + kSettledAfterNs < ns_now();
    }
    next += 4;
  }
}

}  // namespace prescope::serve
