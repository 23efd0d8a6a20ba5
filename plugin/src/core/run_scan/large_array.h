#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace prescope {

/// Room for `count` values that are not set. Where it is large it lies on pages of 2 MB if the
/// system has them, so that going through it in any order seldom misses the table of pages.
/// Throws std::bad_alloc.
[[nodiscard]] void* allocate_large(std::size_t bytes);

template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit LargeArray(std::size_t count)
      : values_(static_cast<T*>(allocate_large(count * sizeof(T)))) {}

  [[nodiscard]] T* data() const noexcept { return values_.get(); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return values_.get()[i]; }

 private:
  struct Free {
    void operator()(T* values) const noexcept { std::free(values); }
  };
  std::unique_ptr<T, Free> values_;
};

/// Values in the order in which they were appended. Grows without moving any.
template <class T>
class AppendedValues {
 public:
  /// `most` is what will be appended at most, as far as that is known.
  explicit AppendedValues(std::size_t most) : first_room_(most < kChunk ? most + 1 : kChunk) {}

  void push_back(const T& value) {
    if ((size_ & kWithin) == 0) chunks_.emplace_back(chunks_.empty() ? first_room_ : kChunk);
    chunks_.back()[size_++ & kWithin] = value;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return chunks_[i / kChunk][i & kWithin];
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 18U, kWithin = kChunk - 1;

  std::size_t first_room_;
  std::size_t size_ = 0;
  std::vector<LargeArray<T>> chunks_;
};

}  // namespace prescope
