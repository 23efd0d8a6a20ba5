#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace prescope::cli {

/// The name of a result that goes to stdout.
inline constexpr const char* kStandardOutput = "-";

/// A result file that appears under its name only when it is complete. Opened before the work, so
/// that a folder that cannot be written to is heard of at once.
class OutputFile {
 public:
  /// Throws Error(kIo). What exists and is no regular file (a pipe, a terminal) is written to
  /// directly.
  explicit OutputFile(std::filesystem::path path);
  /// Leaves nothing behind unless written.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// All of the file's content, once. Throws Error(kIo), leaving nothing under the final name.
  void write(std::string_view content);
  /// The content piece by piece, then `finish`, instead of `write`. Both throw as that.
  void append(std::string_view piece);
  void finish();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::filesystem::path partial_;  // the same as path_ where it is no regular file
};

/// The file of an output flag, opened at once; nothing where the flag was not given or names
/// standard output. Throws as OutputFile does.
[[nodiscard]] std::optional<OutputFile> output_file(const std::string& path);

}  // namespace prescope::cli
