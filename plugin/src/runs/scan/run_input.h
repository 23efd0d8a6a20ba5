#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace prescope {

/// Bytes from somewhere, in order.
class ByteReader {
 public:
  ByteReader() = default;
  virtual ~ByteReader() = default;
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// Up to `size` bytes, 0 only at the end. Throws Error(kIo).
  virtual std::size_t read(char* into, std::size_t size) = 0;

  /// The next bytes where they lie, without a copy, and before them the last `again` bytes that
  /// were given; valid until the next call. Empty where they must be read, as the last bytes of a
  /// file are. Throws Error(kIo).
  virtual std::string_view map(std::size_t again) {
    (void)again;
    return {};
  }
};

/// A run's bytes, which can be read more than once: a plain file, a gzip file (told by its content,
/// decompressed by a thread of its own), or standard input, plain or gzip, which is kept in memory.
class RunInput {
 public:
  /// `-` is standard input, read to its end here. Throws Error(kIo): missing, a folder, unreadable.
  explicit RunInput(const std::filesystem::path& path);
  /// A text that is in memory.
  static RunInput of_text(std::string_view text);
  RunInput(RunInput&&) noexcept;
  ~RunInput();
  RunInput(const RunInput&) = delete;
  RunInput& operator=(const RunInput&) = delete;

  /// For messages: the path, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept;
  /// Whether any part can be read without what is before it.
  [[nodiscard]] bool has_random_access() const noexcept;
  /// With random access: bytes there are.
  [[nodiscard]] std::uint64_t size() const noexcept;
  /// The bytes of [begin, end), or all of them where there is no random access. Thread-safe; this
  /// object must outlive the reader.
  [[nodiscard]] std::unique_ptr<ByteReader> reader(std::uint64_t begin = 0,
                                                   std::uint64_t end = UINT64_MAX) const;
  /// Throws Error(kIo) where a plain file has changed since it was opened.
  void check_unchanged() const;

 private:
  struct File;
  explicit RunInput(std::unique_ptr<File> file) noexcept;

  std::unique_ptr<File> file_;
};

}  // namespace prescope
