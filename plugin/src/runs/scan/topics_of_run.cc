#include "runs/scan/topics_of_run.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_set>

#include "base/hash.h"
#include "prescope/key_slots.h"

namespace prescope {

namespace {

/// Topics one after the other, each passed on when the next one begins.
class TogetherTopics {
 public:
  explicit TogetherTopics(const TopicReading& reading) : reading_(reading) {}

  /// Where the topic's lines go; null if it is not wanted.
  TopicLines* lines_of(std::string_view topic) {
    finish();
    is_wanted_ = reading_.is_wanted(topic);
    came_again_ = is_wanted_ && !seen_.emplace(topic).second;
    lines_.clear(topic);
    return is_wanted_ && !came_again_ ? &lines_ : nullptr;
  }
  [[nodiscard]] bool came_again() const noexcept { return came_again_; }
  void finish() {
    if (lines_.size() != 0) reading_.take(lines_);
  }

 private:
  const TopicReading& reading_;
  TopicLines lines_;
  std::unordered_set<std::string> seen_;
  bool is_wanted_ = false, came_again_ = false;
};

/// Topics whose lines are anywhere, found by name and passed on at the end.
class ScatteredTopics {
 public:
  explicit ScatteredTopics(const TopicReading& reading) : reading_(reading) {}

  TopicLines* lines_of(std::string_view topic) {
    const std::uint32_t next = static_cast<std::uint32_t>(topics_.size());
    const std::uint32_t found = slots_.find_or_add(key_hash(topic), next, [&](std::uint32_t i) {
      return same_text(topics_[i].lines.topic(), topic);
    });
    if (found != KeySlots::kNone) return topics_[found].is_wanted ? &topics_[found].lines : nullptr;
    Topic& added = topics_.emplace_back();
    added.lines.clear(topic);
    added.is_wanted = reading_.is_wanted(topic);
    return added.is_wanted ? &added.lines : nullptr;
  }
  [[nodiscard]] static bool came_again() noexcept { return false; }
  void finish() {
    for (; !topics_.empty(); topics_.pop_front()) {
      if (topics_.front().is_wanted) reading_.take(topics_.front().lines);
    }
  }

 private:
  struct Topic {
    TopicLines lines;
    bool is_wanted = false;
  };

  const TopicReading& reading_;
  std::deque<Topic> topics_;
  KeySlots slots_;
};

template <class Topics>
RunTotals read_into(Topics topics, ByteSource& bytes, const TopicReading& reading) {
  RunTotals totals;
  RunLines lines(bytes, reading.find_masks, reading.size);
  const bool as_float = reading.precision == ScorePrecision::kFloat;
  std::string topic;
  TopicLines* own = nullptr;
  for (auto hits = lines.next(); !hits.empty() && !totals.came_again; hits = lines.next()) {
    for (const RunLine& hit : hits) {
      if (!same_text(hit.topic, topic)) {
        topic = hit.topic;
        own = topics.lines_of(topic);
        totals.came_again = topics.came_again();
        if (totals.came_again) break;
      }
      if (own != nullptr) {
        own->add(hit.docno, as_float ? double{static_cast<float>(hit.score)} : hit.score);
      }
    }
    totals.hits += hits.size();
    totals.tag = hits.back().tag();
  }
  if (!totals.came_again) topics.finish();
  totals.lines = lines.count();
  totals.bad_lines = lines.bad_lines();
  return totals;
}

}  // namespace

std::vector<std::uint32_t> TopicLines::trec_order() const {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order,
                           [this](std::uint32_t a, std::uint32_t b) { return ranks_before(a, b); });
  return order;
}

RunTotals read_topics(ByteSource& bytes, const TopicReading& reading) {
  return reading.scattered ? read_into(ScatteredTopics(reading), bytes, reading)
                           : read_into(TogetherTopics(reading), bytes, reading);
}

}  // namespace prescope
