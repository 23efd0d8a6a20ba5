#pragma once

#include <cstdint>
#include <string_view>

namespace prescope {

/// Of no bytes.
inline constexpr std::uint64_t kFnvOffset = 0xCBF29CE484222325U;

/// The 64-bit FNV-1a hash of `bytes` (Fowler, Noll, Vo 1991): the same on every machine. With the
/// hash of the bytes before them, that of all.
constexpr std::uint64_t fnv_1a(std::string_view bytes, std::uint64_t hash = kFnvOffset) noexcept {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x00000100000001B3U;
  }
  return hash;
}

}  // namespace prescope
