#pragma once

#include <cstring>
#include <span>
#include <string>

#include "base/errors.h"
#include "base/hash.h"
#include "base/varint.h"

namespace prescope {

using Bytes = std::span<const unsigned char>;

/// Returns the number at `at`, low byte first, which need not be aligned.
template <class T>
[[nodiscard]] T load(const unsigned char* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Appends the bytes of a number or of a structure without padding.
template <class T>
void append_raw(std::string& bytes, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

[[nodiscard]] inline std::string_view text_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline Bytes bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

/// Returns a hash of the two numbers, in this order.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  return folded_product(a ^ 0x9e3779b97f4a7c15U, (b + 0xd6e8feb86659fd93U) | 1U) ^ b;
}

/// Bytes of a piece. Checksums are made piece by piece, so that a writer keeps one in memory.
inline constexpr std::size_t kChecksumPiece = std::size_t{1} << 16U;

/// Returns the checksum of `bytes`. Pass the checksum of the whole pieces before them to continue
/// it.
[[nodiscard]] inline std::uint64_t checksum_of(std::string_view bytes,
                                               std::uint64_t before = 0) noexcept {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kChecksumPiece))) {
    before = mixed(before, key_hash(bytes.substr(0, kChecksumPiece)));
  }
  return before;
}

/// Takes numbers and texts from the front of bytes that may be damaged.
class ByteReader {
 public:
  /// `name`: of the file, for messages; must outlive the reader.
  ByteReader(Bytes bytes, const std::string& name) : left_(text_of(bytes)), name_(&name) {}

  [[nodiscard]] std::string_view text(std::uint64_t size) {
    if (size > left_.size()) damaged();
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  template <class T>
  [[nodiscard]] T raw() {
    return load<T>(bytes_of(text(sizeof(T))).data());
  }
  /// Returns `count` structures of `size` bytes.
  [[nodiscard]] Bytes array(std::uint64_t count, std::size_t size) {
    if (count > left_.size() / size) damaged();
    return bytes_of(text(count * size));
  }
  [[nodiscard]] std::uint64_t varint() {
    const auto number = take_varint(left_);
    if (!number) damaged();
    return *number;
  }
  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }
  [[nodiscard]] std::string_view rest() const noexcept { return left_; }
  [[noreturn]] void damaged() const {
    throw bad_input_error(
        "{}: the directory of the citation store is damaged; import the files "
        "again into a new store",
        *name_);
  }

 private:
  std::string_view left_;
  const std::string* name_;
};

}  // namespace prescope
