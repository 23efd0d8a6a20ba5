#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace prescope {

/// Appends a number in 1 to 10 bytes of 7 bits, the low ones first; the high bit says that more
/// follow (LEB128).
inline void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80U; number >>= 7U) bytes += static_cast<char>(number | 0x80U);
  bytes += static_cast<char>(number);
}

/// Removes a number from the front of `bytes`. Returns std::nullopt if they end within it, or if it
/// has more than 64 bits or more bytes than it needs.
inline std::optional<std::uint64_t> take_varint(std::string_view& bytes) noexcept {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const std::uint64_t byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::uint64_t low = byte & 0x7FU;
    if (shift == 63 && low > 1) return std::nullopt;
    number |= low << shift;
    if (byte < 0x80U) return byte == 0 && shift > 0 ? std::nullopt : std::optional(number);
  }
  return std::nullopt;
}

}  // namespace prescope
