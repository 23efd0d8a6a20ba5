#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "prescope/key_slots.h"

namespace prescope {

/// Documents numbered from 0 in the order in which their names came. About 30 bytes a document and
/// its name; O(1). Single-threaded; readers may share it.
class DocumentNumbers {
 public:
  /// Its number, a new one for a new name.
  std::uint32_t number(std::string_view name) {
    const std::uint32_t found = slots_.find_or_add(
        key_hash(name), size(), [&](std::uint32_t i) { return this->name(i) == name; });
    if (found != KeySlots::kNone) return found;
    names_ += name;
    ends_.push_back(names_.size());
    return size() - 1;
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const {
    const std::uint32_t found =
        slots_.find(key_hash(name), [&](std::uint32_t i) { return this->name(i) == name; });
    return found == KeySlots::kNone ? std::nullopt : std::optional(found);
  }
  /// View into this object, until the next new name.
  [[nodiscard]] std::string_view name(std::uint32_t number) const noexcept {
    return std::string_view(names_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(ends_.size() - 1);
  }

 private:
  std::string names_;                 // one behind the other
  std::vector<std::size_t> ends_{0};  // in names_: where each begins, and the last one's end
  KeySlots slots_;
};

}  // namespace prescope
