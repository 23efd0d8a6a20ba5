#include "citations/formats/zip_archive.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/errors.h"
#include "base/unicode.h"

namespace prescope {

namespace {

/// Lets minizip read from a file that is open already.
zlib_filefunc64_def functions_of(std::FILE* file) {
  zlib_filefunc64_def functions{};
  functions.opaque = file;
  functions.zopen64_file = [](voidpf opaque, const void*, int) { return opaque; };
  functions.zread_file = [](voidpf, voidpf stream, void* into, uLong size) {
    return static_cast<uLong>(std::fread(into, 1, size, static_cast<std::FILE*>(stream)));
  };
  functions.zwrite_file = [](voidpf, voidpf, const void*, uLong) { return uLong{0}; };
  functions.ztell64_file = [](voidpf, voidpf stream) {
    return static_cast<ZPOS64_T>(::ftello(static_cast<std::FILE*>(stream)));
  };
  functions.zseek64_file = [](voidpf, voidpf stream, ZPOS64_T offset, int origin) {
    constexpr auto kMost = static_cast<ZPOS64_T>(std::numeric_limits<off_t>::max());
    const int from = origin == ZLIB_FILEFUNC_SEEK_SET   ? SEEK_SET
                     : origin == ZLIB_FILEFUNC_SEEK_CUR ? SEEK_CUR
                                                        : SEEK_END;
    if (offset > kMost) return -1L;
    return ::fseeko(static_cast<std::FILE*>(stream), static_cast<off_t>(offset), from) == 0 ? 0L
                                                                                            : -1L;
  };
  functions.zclose_file = [](voidpf, voidpf) { return 0; };
  functions.zerror_file = [](voidpf, voidpf stream) {
    return std::ferror(static_cast<std::FILE*>(stream));
  };
  return functions;
}

struct CloseArchive {
  void operator()(void* archive) const noexcept { unzClose(archive); }
};

/// Describes the member that the archive is at.
ZipMember describe_member(unzFile archive) {
  constexpr uLong kEncrypted = 1;
  unz_file_info64 info{};
  std::array<char, 1024> name{};
  if (unzGetCurrentFileInfo64(archive, &info, name.data(), name.size() - 1, nullptr, 0, nullptr,
                              0) != UNZ_OK) {
    throw DamagedMember("the directory of the archive is damaged");
  }
  ZipMember member{.name = valid_utf8(name.data())};
  if ((info.flag & kEncrypted) != 0) {
    member.problem = "is encrypted";
  } else if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
    member.problem =
        fmt::format("is compressed by method {}; expected deflate", info.compression_method);
  } else if (unzOpenCurrentFile(archive) != UNZ_OK) {
    member.problem = "has a damaged header";
  }
  member.read = [archive](char* into, std::size_t size) {
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    const int got = unzReadCurrentFile(archive, into, static_cast<unsigned>(std::min(size, kMost)));
    if (got < 0) throw DamagedMember("its compressed data is damaged");
    // The checksum is compared at the end.
    if (got == 0 && unzCloseCurrentFile(archive) == UNZ_CRCERROR) {
      throw DamagedMember("its checksum differs from the one in the archive's directory");
    }
    return static_cast<std::size_t>(got);
  };
  return member;
}

}  // namespace

UnpackingLimit::UnpackingLimit(std::uint64_t packed, std::uint64_t most_ratio) noexcept {
  constexpr std::uint64_t kFree = std::uint64_t{64} << 20U;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() - kFree;
  most_ = kFree + (packed != 0 && most_ratio > kMost / packed ? kMost : packed * most_ratio);
}

void UnpackingLimit::add(std::uint64_t bytes, std::string_view place) {
  unpacked_ += bytes;
  if (unpacked_ <= most_) return;
  throw bad_input_error(
      "{}: the archive unpacks to more than {} bytes, which no office's file does; if it is right, "
      "unpack it and give the files inside",
      place, most_);
}

OpenFile open_file(const std::filesystem::path& path) {
  OpenFile file(std::fopen(path.c_str(), "rbe"));
  if (!file) throw io_error("{}: cannot be read: {}", path.string(), std::strerror(errno));
  return file;
}

OpenFile spooled(CitationInput& input) {
  OpenFile file(std::tmpfile());
  if (!file) throw io_error("{}: no temporary file: {}", input.place(), std::strerror(errno));
  do {
    const std::string_view window = input.window();
    if (std::fwrite(window.data(), 1, window.size(), file.get()) != window.size()) {
      throw io_error("{}: cannot be unpacked to a temporary file: {}", input.place(),
                     std::strerror(errno));
    }
    input.take(window.size());
  } while (input.read_more());
  return file;
}

std::uint64_t file_size_of(std::FILE* file) {
  if (::fseeko(file, 0, SEEK_END) != 0) return 0;
  return static_cast<std::uint64_t>(std::max<off_t>(::ftello(file), 0));
}

void for_each_zip_member(std::FILE* file, const std::function<void(ZipMember&)>& use) {
  zlib_filefunc64_def functions = functions_of(file);
  const std::unique_ptr<void, CloseArchive> archive(unzOpen2_64("", &functions));
  if (!archive) throw DamagedMember("the archive has no directory; fetch the file again");
  for (int status = unzGoToFirstFile(archive.get()); status != UNZ_END_OF_LIST_OF_FILE;
       status = unzGoToNextFile(archive.get())) {
    if (status != UNZ_OK) throw DamagedMember("the directory of the archive is damaged");
    ZipMember member = describe_member(archive.get());
    if (!member.name.ends_with('/')) use(member);
    unzCloseCurrentFile(archive.get());
  }
}

CitationInput::Read unpacked_gzip(CitationInput& packed) {
  struct State {
    State() {
      constexpr int kWindowOfGzip = 15 + 16;
      if (inflateInit2(&stream, kWindowOfGzip) != Z_OK) throw std::bad_alloc();
    }
    ~State() { inflateEnd(&stream); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    z_stream stream{};
    bool is_behind_member = false;
  };
  return [state = std::make_shared<State>(), &packed](char* into, std::size_t size) {
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    z_stream& stream = state->stream;
    stream.next_out = reinterpret_cast<Bytef*>(into);
    stream.avail_out = static_cast<uInt>(std::min(size, kMost));
    while (stream.next_out == reinterpret_cast<Bytef*>(into)) {
      if (packed.window().empty() && !packed.read_more()) {
        if (state->is_behind_member) break;
        throw DamagedMember("its gzip data ends early");
      }
      if (std::exchange(state->is_behind_member, false)) inflateReset(&stream);
      const std::string_view window = packed.window();
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(window.data()));
      stream.avail_in = static_cast<uInt>(std::min(window.size(), kMost));
      const uInt given = stream.avail_in;
      const int status = inflate(&stream, Z_NO_FLUSH);
      packed.take(given - stream.avail_in);
      state->is_behind_member = status == Z_STREAM_END;
      if (status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END) {
        throw DamagedMember("its gzip data is damaged");
      }
    }
    return static_cast<std::size_t>(stream.next_out - reinterpret_cast<Bytef*>(into));
  };
}

}  // namespace prescope
