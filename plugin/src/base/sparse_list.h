#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace prescope {

/// A list of rows that are mostly never written. Four neighbouring rows share a block, which costs
/// a pointer until one of the rows is written. An element that was not written has the value
/// `none`, or T() if T cannot be copied. Reading never allocates. Not thread-safe.
template <class T>
class SparseList {
 public:
  /// An empty list.
  SparseList() = default;
  explicit SparseList(std::size_t rows, std::size_t columns = 1,
                      const T& none = T()) requires std::is_copy_constructible_v<T>
      : blocks_((rows + kBlock - 1) / kBlock), rows_(rows), none_(columns, none) {}
  explicit SparseList(std::size_t rows) requires(!std::is_copy_constructible_v<T>)
      : blocks_((rows + kBlock - 1) / kBlock), rows_(rows), none_(1) {}

  /// Returns the number of rows.
  [[nodiscard]] std::size_t size() const noexcept { return rows_; }
  [[nodiscard]] bool empty() const noexcept { return rows_ == 0; }

  [[nodiscard]] std::span<const T> row(std::size_t i) const noexcept {
    const T* const block = blocks_[i / kBlock].get();
    return {block == nullptr ? none_.data() : block + i % kBlock * none_.size(), none_.size()};
  }
  /// Returns the first element of a row.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return row(i).front(); }

  /// Returns a row to be written. Throws std::bad_alloc, but not if its block has room.
  [[nodiscard]] std::span<T> row_at(std::size_t i) {
    std::unique_ptr<T[]>& block = blocks_[i / kBlock];
    if (block == nullptr) block = new_block();
    return {block.get() + i % kBlock * none_.size(), none_.size()};
  }
  [[nodiscard]] T& at(std::size_t i) { return row_at(i).front(); }
  /// Allocates the row's block if it has none. Throws std::bad_alloc.
  void make_room(std::size_t i) { static_cast<void>(row_at(i)); }
  [[nodiscard]] bool has_room(std::size_t i) const noexcept {
    return blocks_[i / kBlock] != nullptr;
  }

  /// Calls `use(i)`, ascending, for each row that has room: rows written, and rows of their blocks.
  template <class Use>
  void for_each_row(Use use) const {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b] == nullptr) continue;
      const std::size_t end = std::min((b + 1) * kBlock, rows_);
      for (std::size_t i = b * kBlock; i < end; ++i) use(i);
    }
  }

 private:
  static constexpr std::size_t kBlock = 4;

  [[nodiscard]] std::unique_ptr<T[]> new_block() const {
    auto block = std::make_unique<T[]>(kBlock * none_.size());
    if constexpr (std::is_copy_constructible_v<T>) {
      std::fill_n(block.get(), kBlock * none_.size(), none_.front());
    }
    return block;
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t rows_ = 0;
  std::vector<T> none_;  // a row
};

}  // namespace prescope
