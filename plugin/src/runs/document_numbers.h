#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

/// Documents numbered from 0 in the order in which their names came. About 20 bytes a document and
/// its name; O(1), 30 ns where it is in the cache. Single-threaded; readers may share it.
class DocumentNumbers {
 public:
  /// Its number, a new one for a new name.
  std::uint32_t number(std::string_view name);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  /// View into this object, until the next new name.
  [[nodiscard]] std::string_view name(std::uint32_t number) const noexcept {
    return std::string_view(names_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(hashes_.size());
  }

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view name, std::uint64_t hash) const noexcept;
  void grow();

  std::string names_;                 // one behind the other
  std::vector<std::size_t> ends_{0};  // in names_: where each begins, and the last one's end
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);  // number + 1; 0: free
};

}  // namespace prescope
