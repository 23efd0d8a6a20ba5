#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace prescope {

/// A list that shares its elements with its copies. Replacing an element of a copy costs three
/// small blocks, about 3 KB for elements of 16 bytes, and not a copy of the list. Readers on any
/// thread, as long as nobody calls `set`.
template <class T>
class SharedList {
 public:
  class Iterator;
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = T;

  SharedList() = default;
  explicit SharedList(std::vector<T> elements) : size_(elements.size()) {
    for (std::size_t i = 0; i < size_;) {
      Branch branch;
      while (i < size_ && branch.size() < kWidth) {
        const std::size_t end = std::min(i + kWidth, size_);
        Leaf leaf;
        leaf.reserve(end - i);
        for (; i < end; ++i) leaf.push_back(std::move(elements[i]));
        branch.push_back(std::make_shared<const Leaf>(std::move(leaf)));
      }
      root_.push_back(std::make_shared<const Branch>(std::move(branch)));
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// O(1); three dependent reads of memory.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return (*leaf(i))[i % kWidth]; }
  [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {this, static_cast<std::ptrdiff_t>(size_)}; }

  /// Replaces element `i`, for this list only. O(size / 4096).
  void set(std::size_t i, T element) {
    Branch branch = *root_[i / kBranch];
    std::shared_ptr<const Leaf>& old = branch[i / kWidth % kWidth];
    Leaf leaf = *old;
    leaf[i % kWidth] = std::move(element);
    old = std::make_shared<const Leaf>(std::move(leaf));
    root_[i / kBranch] = std::make_shared<const Branch>(std::move(branch));
  }

  /// Calls `use(i)`, ascending, for all elements that may differ from those of `other`: those of
  /// the blocks that the two lists do not share. O(size / 64) comparisons of pointers.
  template <class Use>
  void for_each_unshared(const SharedList& other, Use use) const {
    for (std::size_t begin = 0; begin < size_; begin += kWidth) {
      if (begin < other.size_ && leaf(begin) == other.leaf(begin)) continue;
      for (std::size_t i = begin; i < std::min(begin + kWidth, size_); ++i) use(i);
    }
  }

 private:
  static constexpr std::size_t kWidth = 64, kBranch = kWidth * kWidth;
  using Leaf = std::vector<T>;
  using Branch = std::vector<std::shared_ptr<const Leaf>>;

  [[nodiscard]] const Leaf* leaf(std::size_t i) const noexcept {
    return (*root_[i / kBranch])[i / kWidth % kWidth].get();
  }

  std::vector<std::shared_ptr<const Branch>> root_;
  std::size_t size_ = 0;
};

/// Random access, valid for as long as the list is not destroyed or changed.
template <class T>
class SharedList<T>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = const T&;

  Iterator() = default;
  Iterator(const SharedList* list, std::ptrdiff_t at) noexcept : list_(list), at_(at) {}

  reference operator*() const noexcept { return (*list_)[static_cast<std::size_t>(at_)]; }
  pointer operator->() const noexcept { return &**this; }
  reference operator[](std::ptrdiff_t n) const noexcept { return *(*this + n); }
  Iterator& operator+=(std::ptrdiff_t n) noexcept { return at_ += n, *this; }
  Iterator& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  Iterator& operator++() noexcept { return *this += 1; }
  Iterator& operator--() noexcept { return *this -= 1; }
  Iterator operator++(int) noexcept { return {list_, at_++}; }
  Iterator operator--(int) noexcept { return {list_, at_--}; }
  friend Iterator operator+(Iterator it, std::ptrdiff_t n) noexcept { return it += n; }
  friend Iterator operator+(std::ptrdiff_t n, Iterator it) noexcept { return it += n; }
  friend Iterator operator-(Iterator it, std::ptrdiff_t n) noexcept { return it -= n; }
  friend std::ptrdiff_t operator-(Iterator a, Iterator b) noexcept { return a.at_ - b.at_; }
  friend bool operator==(Iterator a, Iterator b) noexcept { return a.at_ == b.at_; }
  friend auto operator<=>(Iterator a, Iterator b) noexcept { return a.at_ <=> b.at_; }

 private:
  const SharedList* list_ = nullptr;
  std::ptrdiff_t at_ = 0;
};

}  // namespace prescope
#pragma GCC visibility pop
