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
    std::list<Entry> newest;
    newest.push_back({key, std::move(value)});
    const auto [at, is_new] = places_.try_emplace(key, newest.begin());
    if (!is_new) entries_.erase(std::exchange(at->second, newest.begin()));
    entries_.splice(entries_.end(), newest);
    if (entries_.size() > most_) {
      places_.erase(entries_.front().key);
      entries_.pop_front();
    }
    return entries_.back().value;
  }
  /// Returns the value that is forgotten next if another key is set now; null while there is room.
  [[nodiscard]] Value* oldest_if_full() noexcept {
    return entries_.size() < most_ ? nullptr : &entries_.front().value;
  }
  void for_each(auto use) noexcept {
    for (Entry& entry : entries_) use(entry.value);
  }
  /// Removes the values for which `matches(value)` holds. O(values).
  template <class Matches>
  void erase_if(Matches matches) noexcept {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      if (matches(entry->value)) {
        places_.erase(entry->key);
        entry = entries_.erase(entry);
      } else {
        ++entry;
      }
    }
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

  std::size_t most_;
  std::list<Entry> entries_;  // oldest first
  std::unordered_map<std::uint64_t, typename std::list<Entry>::iterator> places_;
};

}  // namespace prescope
