#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace prescope {

/// Numbers things in the order in which they are first seen, so that a SeenList needs no row for a
/// thing that was never seen. Costs 4 bytes for each thing up to the last one that was seen. Not
/// thread-safe.
class SeenOrder {
 public:
  static constexpr std::uint32_t kNotSeen = UINT32_MAX;

  [[nodiscard]] bool has_seen(std::size_t thing) const noexcept {
    return number(thing) != kNotSeen;
  }
  /// Returns the number of a thing, or kNotSeen.
  [[nodiscard]] std::uint32_t number(std::size_t thing) const noexcept {
    return thing < numbers_.size() ? numbers_[thing] : kNotSeen;
  }
  /// Returns the number of the thing that is seen next.
  [[nodiscard]] std::uint32_t next() const noexcept { return next_; }
  /// Makes room for the thing, before it is seen. Throws std::bad_alloc.
  void make_room(std::size_t thing) {
    if (thing >= numbers_.size()) numbers_.resize(thing + 1, kNotSeen);
  }
  /// `thing` must not have been seen.
  void see(std::size_t thing) noexcept { numbers_[thing] = next_++; }
  /// Forgets everything. O(things).
  void clear() noexcept {
    std::ranges::fill(numbers_, kNotSeen);
    next_ = 0;
  }
  /// Calls `use(thing)`, ascending, for each thing that was seen. O(things).
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t thing = 0; next_ > 0 && thing < numbers_.size(); ++thing) {
      if (has_seen(thing)) use(thing);
    }
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
};

/// A row for each thing that was seen. A row has the value `none`, or T() if T cannot be copied,
/// until it is written; the row of a thing that was not seen has it always. Not thread-safe.
template <class T>
class SeenList {
 public:
  /// A list without things.
  SeenList() = default;
  /// `order` must outlive the list, and not be cleared before it.
  explicit SeenList(const SeenOrder& order, std::size_t columns = 1,
                    const T& none = T()) requires std::is_copy_constructible_v<T>
      : order_(&order), none_(columns, none) {}
  explicit SeenList(const SeenOrder& order) requires(!std::is_copy_constructible_v<T>)
      : order_(&order), none_(1) {}

  [[nodiscard]] bool empty() const noexcept { return order_ == nullptr; }

  [[nodiscard]] std::span<const T> row(std::size_t thing) const noexcept {
    const std::uint32_t number = order_->number(thing);
    return {number == SeenOrder::kNotSeen ? none_.data() : place_of(number), none_.size()};
  }
  /// Returns the first element of a row.
  [[nodiscard]] const T& operator[](std::size_t thing) const noexcept { return row(thing).front(); }

  /// Returns the row of a thing that was seen, to be written.
  [[nodiscard]] std::span<T> row_at(std::size_t thing) noexcept {
    return {place_of(order_->number(thing)), none_.size()};
  }
  [[nodiscard]] T& at(std::size_t thing) noexcept { return row_at(thing).front(); }

  /// Makes room for the thing that is seen next. Throws std::bad_alloc.
  void make_room() {
    if (order_->next() / kRows < blocks_.size()) return;
    auto block = std::make_unique<T[]>(kRows * none_.size());
    if constexpr (std::is_copy_constructible_v<T>) {
      std::fill_n(block.get(), kRows * none_.size(), none_.front());
    }
    blocks_.push_back(std::move(block));
  }

 private:
  static constexpr std::size_t kRows = 64;  // of a block, which are next to each other

  [[nodiscard]] T* place_of(std::uint32_t number) const noexcept {
    return blocks_[number / kRows].get() + number % kRows * none_.size();
  }

  const SeenOrder* order_ = nullptr;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::vector<T> none_;  // a row
};

}  // namespace prescope
