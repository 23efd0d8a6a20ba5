#pragma once

#include <filesystem>
#include <string_view>

namespace prescope::conformance {

/// A folder of one test's run files; removed with the object.
class RunFolder {
 public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Writes the finished file under its name at once, as the writer of a run should.
  void write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace prescope::conformance
