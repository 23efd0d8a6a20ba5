#pragma once

#include <filesystem>
#include <optional>

#include "citations/store/store_bytes.h"

namespace prescope {

// A store's file begins with two slots. The one with the higher sequence number and a right
// checksum says where the newest state's directory is. A commit appends, then overwrites the other
// slot.

inline constexpr std::uint32_t kCitationStoreVersion = 1;
inline constexpr std::uint64_t kSlotDistance = 4096;
inline constexpr std::uint64_t kFirstByte = 2 * kSlotDistance;

struct HeaderSlot {
  static constexpr std::uint64_t kMagic = 0x5449434552500A89U;  // "\x89\nPRECIT"
  static constexpr std::uint32_t kByteOrder = 0x01020304;

  std::uint64_t magic = kMagic;
  std::uint32_t version = kCitationStoreVersion;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t sequence = 0;
  std::uint64_t directory_offset = 0, directory_size = 0, directory_checksum = 0;
  std::uint64_t file_size = 0;  ///< bytes behind it are not part of the state
  std::uint64_t checksum = 0;   ///< of the fields above

  [[nodiscard]] std::uint64_t right_checksum() const noexcept;
};

/// An open file; closed at the end of its life.
class StoreFile {
 public:
  StoreFile() = default;
  /// Opens the file at the path; see open(2). Check `is_open`.
  StoreFile(const std::filesystem::path& path, int flags);
  ~StoreFile();
  StoreFile(StoreFile&& other) noexcept;
  StoreFile& operator=(StoreFile&& other) noexcept;

  /// Opens a new file that has no name, if the file system can do so, else one with a name of its
  /// own. Throws Error(kIo).
  [[nodiscard]] static StoreFile temporary_beside(const std::filesystem::path& path);
  /// Gives a temporary file, which must be complete, the name `path`, in place of a file that has
  /// it. Throws Error(kIo).
  void publish_as(const std::filesystem::path& path, bool replaces);

  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Names the file in messages.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const;
  void write(std::uint64_t offset, std::string_view bytes);
  void sync();
  void truncate(std::uint64_t size);
  /// Returns false if another object has locked the file.
  [[nodiscard]] bool lock();

 private:
  [[noreturn]] void cannot_write(int reason) const;

  int descriptor_ = -1;
  std::string name_;
  std::filesystem::path temporary_{};  // its name, if it has one
};

/// Removes temporary files of the store at the path that a killed process left. Only for the one
/// who has locked the store.
void remove_temporary_files_beside(const std::filesystem::path& path);

/// Bytes of a file in memory, which can only be read.
class MappedFile {
 public:
  MappedFile() = default;
  /// Maps the first `size` bytes, which the file must have. Throws Error(kIo).
  MappedFile(const StoreFile& file, std::uint64_t size);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  [[nodiscard]] Bytes bytes() const noexcept { return {begin_, size_}; }

 private:
  const unsigned char* begin_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The newest slot that is whole.
struct NewestSlot {
  HeaderSlot slot{};
  bool has_damaged_other = false;  ///< the other one was written, and may be of a newer state
};
/// Reads both slots. Throws Error(kBadInput) if none is whole, or it has another version than this
/// program reads.
[[nodiscard]] NewestSlot newest_slot(const StoreFile& file);

/// Appends to a file in large pieces, and computes the checksum.
class FileSink {
 public:
  FileSink(StoreFile& file, std::uint64_t begin) : file_(&file), begin_(begin), written_(begin) {}

  void append(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBuffer) write_pieces();
  }
  /// Returns the number of bytes appended.
  [[nodiscard]] std::uint64_t size() const noexcept { return written_ + buffer_.size() - begin_; }
  /// Writes what is left. Returns the checksum of all bytes.
  std::uint64_t finish();

 private:
  static constexpr std::size_t kBuffer = 16 * kChecksumPiece;

  void write_pieces();

  StoreFile* file_;
  std::uint64_t begin_, written_;
  std::uint64_t checksum_ = 0;
  std::string buffer_;
};

}  // namespace prescope
