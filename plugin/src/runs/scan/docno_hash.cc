#include "runs/scan/docno_hash.h"

#include <array>
#include <string>

namespace prescope {

std::uint64_t hash_copied(std::string_view text) {
  std::array<char, 2 * kPadding> room{};
  if (text.size() + kPadding <= room.size()) {
    std::memcpy(room.data(), text.data(), text.size());
    return hash_padded(room.data(), text.size());
  }
  std::string copy(text);
  copy.resize(text.size() + kPadding);
  return hash_padded(copy.data(), text.size());
}

}  // namespace prescope
