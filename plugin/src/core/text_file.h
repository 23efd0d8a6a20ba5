#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "prescope/error.h"

namespace prescope {

/// A text file line by line, plain or gzip (told by its content), LF or CRLF, UTF-8; `-` is
/// standard input.
class TextFile {
 public:
  /// The bytes [begin, end) of a plain file, from the beginning of a line to that of another.
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t end = UINT64_MAX;
  };

  /// Throws Error(kIo): missing, a folder, unreadable.
  explicit TextFile(const std::filesystem::path& path) : TextFile(path, Part{}) {}
  /// Lines are numbered from the beginning of the part.
  TextFile(const std::filesystem::path& path, const Part& part);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// The next line without its end, valid until the next call; false at the end of the file. The
  /// byte-order mark is skipped. Throws Error(kBadInput) for invalid UTF-8 or a NUL byte,
  /// Error(kIo) for a read error or a gzip file that ends early or is damaged.
  bool next(std::string_view& line);
  /// Of the line last returned, from 1.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }

  /// An Error(kBadInput) that reads `file:line: MESSAGE`.
  [[nodiscard]] Error bad_line(std::string_view message) const;

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::filesystem::path path_;
  bool begins_file_ = true;
  std::uint64_t line_number_ = 0;
};

}  // namespace prescope
