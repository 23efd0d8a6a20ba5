#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace prescope {

/// Bytes behind a text that `hash_padded` and the line scanners may read.
inline constexpr std::size_t kPadding = 64;

namespace docno_hash {

inline constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15U, kSecond = 0xd6e8feb86659fd93U;

inline std::uint64_t word(const char* from) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline std::uint64_t folded(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// The bytes of a word that a text of this size has.
inline std::uint64_t bytes_of(std::size_t size) noexcept {
  return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
}

}  // namespace docno_hash

/// 64 bits of each of many texts of one size, of which 16 bytes from the beginning can be read
/// whatever the size.
class HashOfSize {
 public:
  explicit HashOfSize(std::size_t size) noexcept {
    using namespace docno_hash;
    seed_ = size * kFirst;
    whole_words_ = size > 16 ? (size - 9) / 8 : 0;  // leaves 9 to 16 bytes
    const std::size_t rest = size - 8 * whole_words_;
    low_ = bytes_of(rest);
    high_ = rest > 8 ? bytes_of(rest - 8) : 0;
  }

  [[nodiscard]] std::uint64_t operator()(const char* text) const noexcept {
    using namespace docno_hash;
    std::uint64_t hash = seed_;
    for (std::size_t i = 0; i < whole_words_; ++i, text += 8) {
      hash = folded(hash ^ word(text), kSecond);
    }
    return folded(hash ^ (word(text) & low_) ^ kSecond, (word(text + 8) & high_) ^ kFirst);
  }

 private:
  std::uint64_t seed_, low_, high_;
  std::size_t whole_words_;
};

[[nodiscard]] inline std::uint64_t hash_padded(const char* text, std::size_t size) noexcept {
  return HashOfSize(size)(text);
}

/// The same for a text that is followed by anything or nothing.
[[nodiscard]] std::uint64_t hash_copied(std::string_view text);

}  // namespace prescope
