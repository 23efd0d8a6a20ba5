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

  /// Returns the list for the topic's lines; null if it is not wanted.
  TopicLines* lines_of(std::string_view topic) {
    finish();
    const bool is_wanted = reading_.is_wanted(topic);
    came_again_ = is_wanted && !seen_.emplace(topic).second;
    topic_.topic = topic;
    topic_.lines.clear();
    docnos_.clear();
    return is_wanted && !came_again_ ? &topic_ : nullptr;
  }
  std::string_view kept(std::string_view docno) { return docnos_.add(docno); }
  [[nodiscard]] bool came_again() const noexcept { return came_again_; }
  void finish() {
    if (!topic_.lines.empty()) reading_.take(topic_);
  }

 private:
  const TopicReading& reading_;
  TopicLines topic_;
  DocnoCopies docnos_;
  std::unordered_set<std::string> seen_;
  bool came_again_ = false;
};

/// Topics with scattered lines, found by name and passed on at the end.
class ScatteredTopics {
 public:
  explicit ScatteredTopics(const TopicReading& reading) : reading_(reading) {}

  TopicLines* lines_of(std::string_view topic) {
    const std::uint32_t next = static_cast<std::uint32_t>(topics_.size());
    const std::uint32_t found = slots_.find_or_add(key_hash(topic), next, [&](std::uint32_t i) {
      return same_text(topics_[i].lines.topic, topic);
    });
    if (found != KeySlots::kNone) return topics_[found].is_wanted ? &topics_[found].lines : nullptr;
    Topic& added = topics_.emplace_back();
    added.lines.topic = topic;
    added.is_wanted = reading_.is_wanted(topic);
    return added.is_wanted ? &added.lines : nullptr;
  }
  std::string_view kept(std::string_view docno) { return docnos_.add(docno); }
  [[nodiscard]] static bool came_again() noexcept { return false; }
  void finish() {
    for (const Topic& topic : topics_) {
      if (topic.is_wanted) reading_.take(topic.lines);
    }
  }

 private:
  struct Topic {
    TopicLines lines;
    bool is_wanted = false;
  };

  const TopicReading& reading_;
  std::deque<Topic> topics_;
  DocnoCopies docnos_;
  KeySlots slots_;
};

template <class Topics>
RunTotals read_into(Topics topics, ByteSource& bytes, const TopicReading& reading) {
  RunTotals totals;
  RunLines lines(bytes, reading.find_masks, reading.size);
  const bool as_float = reading.precision == ScorePrecision::kFloat;
  std::string topic;
  TopicLines* own = nullptr;
  for (RunLine hit; lines.next(hit); ++totals.hits) {
    if (!same_text(hit.topic, topic)) {
      topic = hit.topic;
      own = topics.lines_of(topic);
      totals.came_again = topics.came_again();
      if (totals.came_again) return totals;
    }
    if (own == nullptr) continue;
    const double score = as_float ? double{static_cast<float>(hit.score)} : hit.score;
    own->lines.push_back({topics.kept(hit.docno), score});
  }
  topics.finish();
  totals.lines = lines.count();
  totals.tag = lines.last_tag();
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
