#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "prescope/visit.h"

namespace prescope {

/// The first visit of each topic in an epoch, from its announcement to its first observation. A
/// host may have failed to answer a visit that it announced and never mentioned again, so the visit
/// counts as unseen. Verdicts are about first visits, so later ones are not watched. Any thread may
/// call `announce` and `answered`, which are lock-free.
class AnnouncedVisits {
 public:
  /// `topics`: the end of their positions.
  explicit AnnouncedVisits(std::size_t topics) : visits_(topics), waiting_(topics) {}

  /// Judged visits only.
  void announce(const Visit& visit) noexcept {
    One& one = visits_[visit.topic.value()];
    std::uint64_t none = 0;
    if (one.number.load(std::memory_order_relaxed) != 0) return;
    if (one.number.compare_exchange_strong(none, visit.number)) one.key = visit.key;
  }
  /// Says that something was observed for a visit of the topic. Returns the visit that was
  /// announced before it and left nothing, if there is one.
  [[nodiscard]] std::optional<Visit> answered(TopicIndex topic, std::uint64_t number) noexcept {
    One& one = visits_[topic.value()];
    if (one.number.load(std::memory_order_relaxed) == kAnswered) return std::nullopt;
    const std::uint64_t first = one.number.exchange(kAnswered);
    if (first == 0 || first == kAnswered || first == number) return std::nullopt;
    return visit_of(topic, first);
  }

  enum class Which { kAll, kSinceLastTime };
  /// Calls `use(visit)` with the visits that left nothing, once: all, or those that had left
  /// nothing when this was last called. Only the first `topics` topics are looked at. One thread at
  /// a time (the ledger mutex). O(topics).
  template <class Use>
  void take_unanswered(Which which, std::size_t topics, const Use& use) noexcept {
    for (std::uint32_t t = 0; t < std::min(topics, visits_.size()); ++t) {
      std::uint64_t number = visits_[t].number.load(std::memory_order_relaxed);
      if (number == 0 || number == kAnswered) continue;
      const bool has_waited = std::exchange(waiting_[t], number) == number;
      if (!has_waited && which == Which::kSinceLastTime) continue;
      if (!visits_[t].number.compare_exchange_strong(number, kAnswered)) continue;
      use(visit_of(TopicIndex(t), number));
    }
  }

  void begin_epoch() noexcept {
    for (One& one : visits_) one.number = 0;
  }

 private:
  static constexpr std::uint64_t kAnswered = std::numeric_limits<std::uint64_t>::max();
  struct One {
    std::atomic<std::uint64_t> number{0}, key{0};
  };

  [[nodiscard]] Visit visit_of(TopicIndex topic, std::uint64_t number) const noexcept {
    return {.topic = topic, .number = number, .key = visits_[topic.value()].key};
  }

  std::vector<One> visits_;             // by topic
  std::vector<std::uint64_t> waiting_;  // the number of the last call of take_unanswered
};

}  // namespace prescope
