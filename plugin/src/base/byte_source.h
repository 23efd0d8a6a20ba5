#pragma once

#include <sys/stat.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace prescope {

/// The bytes of a file in order, decompressed if its content is gzip; `-` is standard input.
/// Single-threaded; parts of one file may be read by different threads.
class ByteSource {
 public:
  /// The content that a file may have. A reader of archives and XML takes any.
  enum class Content : std::uint8_t { kText, kAny };

  /// Throws Error(kIo): missing, a folder, unreadable; Error(kBadInput) if text is expected and its
  /// content, or the content of its gzip data, is none: see `refusal_of_container`.
  explicit ByteSource(const std::filesystem::path& path, Content allowed = Content::kText);
  /// Returns a source of this text, which is taken as it is. `name`: for messages.
  [[nodiscard]] static std::unique_ptr<ByteSource> of_text(std::string text, std::string name);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Returns the name for messages: the path, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Returns whether the file can be read again by opening it again.
  [[nodiscard]] bool is_regular() const noexcept {
    return S_ISREG(opened_.st_mode) && name_ == path_;
  }
  /// Returns whether reading can begin at any byte, as in a regular file that is not gzip.
  [[nodiscard]] bool has_random_access() const noexcept { return is_regular() && !gzip_; }
  /// Returns the size of the file on disk when it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(opened_.st_size);
  }
  /// Returns the same open file from this byte on. Needs random access.
  [[nodiscard]] std::unique_ptr<ByteSource> from(std::uint64_t begin) const;
  /// Returns a regular file from its beginning. Throws Error(kIo).
  [[nodiscard]] std::unique_ptr<ByteSource> reopened() const;

  /// Reads up to `size` bytes; returns their number, 0 only at the end. Throws Error(kIo) if a read
  /// fails, a plain file became shorter, or gzip data is damaged, ends early or has other bytes
  /// behind it; it names `line`, the last one that was read.
  std::size_t read(char* into, std::size_t size, std::uint64_t line);
  /// Throws Error(kIo) if a regular file has changed since it was opened.
  void check_unchanged() const;

 private:
  struct Gzip;

  ByteSource(std::string text, std::string name);
  ByteSource(const ByteSource& file, std::uint64_t begin);
  void look_at_content();
  void refuse_container(std::string_view head, std::string_view place) const;
  std::size_t read_plain(char* into, std::size_t size);
  bool read_input();

  std::string path_, name_;
  int descriptor_ = -1;  // none: all is in `input_`
  Content allowed_ = Content::kText;
  struct stat opened_ {};
  std::uint64_t at_ = 0;
  std::string input_;           // of a source without random access: read, and not yet taken
  std::unique_ptr<Gzip> gzip_;  // null if the content is plain
  std::string unpacked_;        // of gzip data: decompressed, and not yet taken
};

}  // namespace prescope
