#include "runs/scan/topics_of_run.h"

#include <fmt/format.h>
#include <numeric>

#include "base/hash.h"
#include "base/text_file.h"

namespace prescope {

namespace {

/// Quicker than ==, which calls a function.
bool same_text(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (a.size() != b.size()) return false;
  if (a.size() < kWord) return a == b;
  const std::size_t last = a.size() - kWord;
  return word_at(a.data()) == word_at(b.data()) &&
         word_at(a.data() + last) == word_at(b.data() + last) && (a.size() <= 2 * kWord || a == b);
}

}  // namespace

void TopicLines::grow(std::size_t bytes) {
  if (used_ + bytes > UINT32_MAX) throw std::length_error("docnos of a topic");
  docnos_.resize(2 * docnos_.size() + bytes);
}

std::vector<std::uint32_t> TopicLines::ranked(RunOrder order) const {
  std::vector<std::uint32_t> lines(size());
  std::iota(lines.begin(), lines.end(), 0U);
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return score(a) != score(b) ? score(a) > score(b) : docno(a) > docno(b);
  };
  if (order == RunOrder::kTrec) std::ranges::stable_sort(lines, before);
  return lines;
}

TopicLines* TopicsOfRun::lines_of(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(topics_.size());
  const std::uint32_t found = slots_.find_or_add(
      key_hash(name), next, [&](std::uint32_t i) { return topics_[i].name == name; });
  if (found != KeySlots::kNone) {
    Topic& known = topics_[found];
    came_again_ = known.is_wanted && !reading_.scattered && found != current_;
    return known.is_wanted && !came_again_ ? &known.lines : nullptr;
  }
  Topic& added = topics_.emplace_back(Topic{std::string(name), reading_.is_wanted(name), {}});
  if (!added.is_wanted) return nullptr;
  if (!reading_.scattered) pass_on_current(added);
  current_ = next;
  return &added.lines;
}

void TopicsOfRun::finish() {
  for (Topic& topic : topics_) {
    if (topic.lines.size() != 0) reading_.take(topic.name, topic.lines);
  }
}

void TopicsOfRun::pass_on_current(Topic& next) {
  if (current_ == KeySlots::kNone) return;
  Topic& current = topics_[current_];
  reading_.take(current.name, current.lines);
  next.lines = std::exchange(current.lines, {});
  next.lines.clear();
}

RunTotals read_topics(ByteSource& bytes, const TopicReading& reading) {
  RunTotals totals;
  RunLines lines(bytes, reading.size);
  TopicsOfRun topics(reading);
  std::string topic;
  TopicLines* own = nullptr;
  std::uint64_t hits = 0;
  const bool rounds = reading.precision == ScorePrecision::kFloat;
  for (RunLine hit; lines.next(hit); ++hits) {
    if (!same_text(hit.topic, topic)) {
      topic = without_mark(hit.topic);
      own = topics.lines_of(topic);
      totals.came_again = topics.came_again();
      if (totals.came_again) return totals;
    }
    if (own == nullptr) continue;
    own->add(hit.docno, rounds ? static_cast<float>(hit.score) : hit.score);
  }
  topics.finish();
  totals.hits = hits;
  totals.lines = lines.count();
  totals.tag = lines.last_tag();
  totals.tags = lines.tags();
  totals.columns = lines.columns();
  totals.has_unusual_bytes = lines.has_marks();
  totals.bad_lines = lines.bad_lines();
  return totals;
}

void check_run(const ByteSource& file, const RunTotals& totals) {
  file.check_unchanged();
  totals.bad_lines.throw_if_any(file.name());
  if (totals.hits != 0) return;
  throw Error(ErrorCode::kBadInput,
              fmt::format("{}: no rankings; {} lines", file.name(), kExpectedRunLine));
}

RunTotals read_whole_run(const std::filesystem::path& path, TopicReading reading,
                         const std::function<void()>& begin_again) {
  ByteSource file(path);
  // A source that cannot be read again is kept in memory at once.
  reading.scattered = reading.scattered || !file.is_regular();
  RunTotals totals = read_topics(file, reading);
  if (totals.came_again) {
    begin_again();
    reading.scattered = true;
    totals = read_topics(*file.reopened(), reading);
  }
  check_run(file, totals);
  return totals;
}

}  // namespace prescope
