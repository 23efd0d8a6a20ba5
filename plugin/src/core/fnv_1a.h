#pragma once

#include <cstdint>
#include <string_view>

namespace prescope {

/// The 64-bit FNV-1a hash of `bytes` (Fowler, Noll, Vo 1991): the same on every machine.
constexpr std::uint64_t fnv_1a(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x00000100000001B3U;
  }
  return hash;
}

}  // namespace prescope
