#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "citations/formats/input.h"

namespace prescope {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// Bytes that an archive and the archives within it have unpacked to, and may.
class UnpackingLimit {
 public:
  /// `packed`: size of the outermost archive.
  UnpackingLimit(std::uint64_t packed, std::uint64_t most_ratio) noexcept;
  /// Counts bytes. Throws Error(kBadInput) if they are more than may be; it names the place.
  void add(std::uint64_t bytes, std::string_view place);

 private:
  std::uint64_t unpacked_ = 0, most_;
};

/// Opens a file. Throws Error(kIo).
[[nodiscard]] OpenFile open_file(const std::filesystem::path& path);
/// Returns a file without a name that holds all bytes of the input. Throws as the input does, and
/// Error(kIo) if there is no room.
[[nodiscard]] OpenFile spooled(CitationInput& input);
/// Returns its size in bytes.
[[nodiscard]] std::uint64_t file_size_of(std::FILE* file);

/// A member of an archive.
struct ZipMember {
  std::string name{};          ///< "2016/a.xml", valid UTF-8
  std::string problem{};       ///< why it cannot be read; empty if it can
  CitationInput::Read read{};  ///< throws DamagedMember
};

/// Calls `use` for each file in a zip archive, in the order of its directory; folders are left out.
/// Throws DamagedMember if it is no zip archive or its directory is damaged.
void for_each_zip_member(std::FILE* archive, const std::function<void(ZipMember&)>& use);

/// Returns the decompressed bytes of a member that is gzip data.
[[nodiscard]] CitationInput::Read unpacked_gzip(CitationInput& packed);

}  // namespace prescope
