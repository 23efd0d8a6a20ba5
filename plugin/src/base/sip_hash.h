#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace prescope {

/// SipHash-2-4 with a key of zeros (Aumasson, Bernstein 2012), for a machine that stores the low
/// byte first. ClickHouse's function `sipHash64` returns the same for a text.
class SipHash {
 public:
  [[nodiscard]] static std::uint64_t of(std::string_view bytes) noexcept {
    SipHash hash;
    std::uint64_t word = 0;
    const std::uint64_t length = bytes.size();
    for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
      std::memcpy(&word, bytes.data(), sizeof word);
      hash.add(word);
    }
    word = 0;
    if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
    hash.add(word | length << 56U);
    hash.c_ ^= 0xFFU;
    for (int i = 0; i < 4; ++i) hash.mix();
    return hash.a_ ^ hash.b_ ^ hash.c_ ^ hash.d_;
  }

 private:
  void add(std::uint64_t word) noexcept {
    d_ ^= word;
    mix();
    mix();
    a_ ^= word;
  }
  void mix() noexcept {
    a_ += b_;
    b_ = std::rotl(b_, 13) ^ a_;
    a_ = std::rotl(a_, 32);
    c_ += d_;
    d_ = std::rotl(d_, 16) ^ c_;
    a_ += d_;
    d_ = std::rotl(d_, 21) ^ a_;
    c_ += b_;
    b_ = std::rotl(b_, 17) ^ c_;
    c_ = std::rotl(c_, 32);
  }

  std::uint64_t a_ = 0x736f6d6570736575U, b_ = 0x646f72616e646f6dU, c_ = 0x6c7967656e657261U,
                d_ = 0x7465646279746573U;
};

}  // namespace prescope
