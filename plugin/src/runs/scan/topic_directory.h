#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/qrels.h"
#include "runs/scan/docno_hash.h"

namespace prescope {

/// The topics of a text by name.
class TopicDirectory {
 public:
  struct Topic {
    std::string name;
    std::optional<TopicIndex> index;
  };
  /// What each line asks of its topic.
  struct Found {
    std::uint32_t position : 31 = 0;  ///< among `topics()`
    std::uint32_t is_judged : 1 = 0;
  };

  /// A name of up to 16 bytes, or so much of a longer one, to be compared without looking
  /// elsewhere. kPadding bytes behind the name can be read.
  struct Key {
    Key() = default;
    explicit Key(std::string_view name) noexcept : size(static_cast<std::uint32_t>(name.size())) {
      const std::size_t rest = name.size() > 8 ? name.size() - 8 : 0;
      first = docno_hash::word(name.data()) & docno_hash::bytes_of(name.size());
      second = rest != 0 ? docno_hash::word(name.data() + 8) & docno_hash::bytes_of(rest) : 0;
    }
    [[nodiscard]] bool is_whole() const noexcept { return size <= 16; }
    [[nodiscard]] std::uint64_t hash() const noexcept {
      return docno_hash::folded(first ^ docno_hash::kFirst, second ^ docno_hash::kSecond ^ size);
    }
    friend bool operator==(const Key&, const Key&) = default;

    std::uint64_t first = 0, second = 0;
    std::uint32_t size = 0;
  };

  /// `qrels` must outlive this.
  explicit TopicDirectory(const Qrels& qrels) : qrels_(&qrels), slots_(kFirstSlots) {}

  /// Tells the machine that `find` will be called.
  void prepare(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  /// `key` is the name's.
  Found find(std::string_view name, const Key& key) {
    for (std::size_t i = key.hash();; ++i) {
      Slot& slot = slots_[i & (slots_.size() - 1)];
      if (!slot.is_used()) return add(name, key, slot);
      const bool same =
          slot.key == key && (key.is_whole() || topics_[slot.found.position].name == name);
      if (same) return slot.found;
    }
  }
  [[nodiscard]] const std::vector<Topic>& topics() const noexcept { return topics_; }

 private:
  struct Slot {
    Key key;
    Found found;

    [[nodiscard]] bool is_used() const noexcept { return key.size != 0; }
  };
  static constexpr std::size_t kFirstSlots = 1024;
  static constexpr std::uint32_t kMostTopics = (1U << 31U) - 1;

  Found add(std::string_view name, const Key& key, Slot& slot) {
    topics_.push_back({std::string(name), qrels_->find(name)});
    Found found;
    found.position = static_cast<std::uint32_t>(topics_.size() - 1) & kMostTopics;
    found.is_judged = topics_.back().index.has_value();
    slot = {.key = key, .found = found};
    if (2 * topics_.size() > slots_.size()) grow();
    return found;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (!slot.is_used()) continue;
      std::size_t i = slot.key.hash();
      while (slots_[i & (slots_.size() - 1)].is_used()) ++i;
      slots_[i & (slots_.size() - 1)] = slot;
    }
  }

  const Qrels* qrels_;
  std::vector<Slot> slots_;
  std::vector<Topic> topics_;
};

}  // namespace prescope
