#include "runs/document_numbers.h"

#include "runs/scan/docno_hash.h"

namespace prescope {

std::size_t DocumentNumbers::slot_of(std::string_view name, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const std::uint32_t number = slots_[slot] - 1;
    if (hashes_[number] == hash && this->name(number) == name) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t DocumentNumbers::number(std::string_view name) {
  const std::uint64_t hash = hash_copied(name);
  const std::size_t slot = slot_of(name, hash);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  hashes_.push_back(hash);
  names_ += name;
  ends_.push_back(names_.size());
  slots_[slot] = size();
  if (2 * hashes_.size() > slots_.size()) grow();
  return size() - 1;
}

std::optional<std::uint32_t> DocumentNumbers::find(std::string_view name) const {
  const std::uint32_t number = slots_[slot_of(name, hash_copied(name))];
  return number == 0 ? std::nullopt : std::optional(number - 1);
}

void DocumentNumbers::grow() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

}  // namespace prescope
