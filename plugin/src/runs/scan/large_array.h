#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

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

}  // namespace prescope
