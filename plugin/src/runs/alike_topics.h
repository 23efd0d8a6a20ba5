#pragma once

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "base/split_mix.h"
#include "prescope/types.h"

namespace prescope {

/// Counts topics that look like near-duplicates of another one, such as two members of a patent
/// family: their relevant documents have the same ranks in both systems. Each topic is known by its
/// signature. Memory grows with the number of different signatures.
class AlikeTopics {
 public:
  /// A topic that is not counted.
  static constexpr std::uint64_t kNone = 0;

  /// Returns a hash of the ranks of a topic's relevant documents in two systems, ascending, or
  /// kNone if two topics that have nothing to do with each other often share such ranks: if the
  /// ranks are the same in both systems, or if their product is below 1024.
  template <std::ranges::forward_range Ranks>
  [[nodiscard]] static std::uint64_t signature(Ranks a, Ranks b) {
    if (std::ranges::equal(a, b)) return kNone;
    constexpr std::uint64_t kLeastProduct = 1024;
    std::uint64_t product = 1, hash = 0;
    for (Ranks* const ranks : {&a, &b}) {
      for (const Rank rank : *ranks) {
        product = std::min(product * rank, kLeastProduct);
        hash = SplitMix(hash ^ rank).next();
      }
      hash = ~hash;  // the end of a system's ranks
    }
    return product < kLeastProduct ? kNone : hash | 1U;
  }

  void add(std::uint64_t signature) {
    if (signature == kNone) return;
    const std::uint32_t same = ++counts_[signature];
    ++topics_;
    alike_ += same == 2 ? 2U : same > 2 ? 1U : 0U;
  }
  /// Takes back an `add`.
  void remove(std::uint64_t signature) noexcept {
    const auto at = counts_.find(signature);
    if (at == counts_.end()) return;
    const std::uint32_t same = at->second--;
    --topics_;
    alike_ -= same == 2 ? 2U : same > 2 ? 1U : 0U;
    if (same == 1) counts_.erase(at);
  }

  /// Returns the number of topics that are counted.
  [[nodiscard]] std::uint32_t topics() const noexcept { return topics_; }
  /// Returns how many of them have the signature of another one.
  [[nodiscard]] std::uint32_t alike() const noexcept { return alike_; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
  std::uint32_t topics_ = 0, alike_ = 0;
};

}  // namespace prescope
