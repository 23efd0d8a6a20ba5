#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

namespace prescope {

/// Values by key, of which the oldest is forgotten when there are too many.
template <class Value>
class BoundedMap {
 public:
  /// `most` >= 1.
  explicit BoundedMap(std::size_t most) : most_(most) {}

  /// Returns null for a key that is unknown or forgotten.
  [[nodiscard]] Value* find(std::uint64_t key) noexcept {
    const auto at = places_.find(key);
    return at == places_.end() ? nullptr : &at->second->value;
  }
  /// Sets a value, which is then the newest. Without effect if it throws.
  Value& set(std::uint64_t key, Value value) {
    if (const auto known = places_.find(key); known != places_.end()) {
      make_newest(known->second);
    } else if (places_.size() < most_) {
      entries_.push_back({.key = key});
      try {
        places_.emplace(key, std::prev(entries_.end()));
      } catch (...) {
        entries_.pop_back();
        throw;
      }
    } else {  // the oldest gives its memory
      auto place = places_.extract(std::exchange(entries_.front().key, key));
      place.key() = key;
      places_.insert(std::move(place));
      make_newest(entries_.begin());
    }
    return entries_.back().value = std::move(value);
  }
  void clear() noexcept {
    places_.clear();
    entries_.clear();
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Value value{};
  };
  using Place = typename std::list<Entry>::iterator;
  void make_newest(Place place) noexcept { entries_.splice(entries_.end(), entries_, place); }

  std::size_t most_;
  std::list<Entry> entries_;  // oldest first
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace prescope
