#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "prescope/error.h"

namespace prescope::testing {

/// A folder of one test, removed with all in it at the end of its scope.
class ScratchFolder {
 public:
  ScratchFolder() {
    do {
      path_ = std::filesystem::temp_directory_path() / next_name();
    } while (!std::filesystem::create_directory(path_));  // a killed test leaves its own behind
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  [[nodiscard]] std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

  [[nodiscard]] std::filesystem::path write_gzip(const std::string& name,
                                                 std::string_view bytes) const {
    gzFile file = gzopen((path_ / name).c_str(), "wb");
    EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path_ / name;
  }

 private:
  static std::string next_name() {
    static int count = 0;
    return "prescope-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  }

  std::filesystem::path path_;
};

[[nodiscard]] inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The error of a refused call, to be compared as a whole.
struct Refusal {
  ErrorCode code = ErrorCode::kUsage;
  std::string message = "nothing was thrown";
};

template <class Call>
[[nodiscard]] Refusal refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

}  // namespace prescope::testing
