#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/columns.h"
#include "core/run_scan/large_array.h"
#include "core/run_scan/lines_by_topic.h"
#include "core/run_scan/run_line.h"
#include "core/run_scan/run_part.h"
#include "core/run_scan/topic_lines.h"

namespace prescope {
namespace {

/// All of a run's bytes, ended by a line feed, with kPadding bytes behind them.
class WholeText {
 public:
  explicit WholeText(const RunInput& input) {
    text_ = input.in_memory();
    if (text_.ends_with('\n')) return;
    const auto reader = input.reader();
    std::size_t used = 0;
    std::size_t room = input.has_random_access() ? input.size() : kFirstRoom;
    LargeArray<char> bytes(room + 1 + kPadding);
    for (;;) {
      const std::size_t got = reader->read(bytes.data() + used, std::min(room - used, kBlock));
      used += got;
      if (got == 0 && used < room) break;
      if (used < room) continue;
      if (input.has_random_access()) break;
      room *= 2;
      LargeArray<char> larger(room + 1 + kPadding);
      std::memcpy(larger.data(), bytes.data(), used);
      bytes = std::move(larger);
    }
    if (used != 0 && bytes[used - 1] != '\n') bytes[used++] = '\n';
    std::memset(bytes.data() + used, 0, kPadding);
    text_ = {bytes.data(), used};
    owned_.emplace(std::move(bytes));
  }

  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
  [[nodiscard]] const char* begin() const noexcept { return text_.data(); }
  [[nodiscard]] const char* end() const noexcept { return text_.data() + text_.size(); }

 private:
  static constexpr std::size_t kFirstRoom = std::size_t{1} << 24U, kBlock = std::size_t{1} << 18U;

  std::optional<LargeArray<char>> owned_;
  std::string_view text_;
};

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

  explicit TopicDirectory(const Qrels& qrels) : qrels_(&qrels), slots_(kFirstSlots) {}

  /// kPadding bytes behind the name can be read.
  Found find(std::string_view name) {
    const Key key(name);
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
  /// A name of up to 16 bytes, or so much of a longer one, to be compared without looking
  /// elsewhere.
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

class Interleaved {
 public:
  Interleaved(const LineReading& reading, const RunInput& input)
      : reading_(reading),
        text_(input),
        directory_(reading.qrels),
        lines_(reading.qrels, reading.precision, reading.scan.count_greater),
        scored_(text_.size() / kShortestLine) {
    lines_.set_text(text_.begin());
  }

  RunPart read() {
    const char* at = behind_byte_order_mark(text_.begin(), text_.end());
    while (at < text_.end()) at = take_line(at);
    if (last_score_end_ != nullptr) {
      part_.facts.tag = first_column(last_score_end_ + std::strspn(last_score_end_, " \t"));
    }
    finish_topics();
    return std::move(part_);
  }

 private:
  static constexpr std::size_t kShortestLine = 12;

  const char* take_line(const char* at) {
    ++part_.lines;
    RegularLine regular;
    if (const char* const next = reading_.scan.split(at, text_.end(), regular)) {
      const std::string_view score(at + regular.score, regular.score_size);
      add({.topic = {at, regular.topic_size},
           .docno = {at + regular.docno, regular.docno_size},
           .score = score,
           .tag = {}});
      return next;
    }
    const auto* const feed =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(text_.end() - at)));
    RunLine hit;
    std::string problem;
    const LineKind kind = parse_run_line({at, static_cast<std::size_t>(feed - at)}, hit, problem);
    if (kind == LineKind::kHit) add(hit);
    if (kind == LineKind::kBad) part_.bad_lines.add(part_.lines, std::move(problem));
    return feed + 1;
  }

  void add(const RunLine& hit) {
    ++part_.facts.lines;
    last_score_end_ = hit.score.data() + hit.score.size();
    const TopicDirectory::Found topic = directory_.find(hit.topic);
    if (!topic.is_judged) return;
    const auto place = static_cast<std::size_t>(hit.docno.data() - text_.begin());
    scored_.add(
        topic.position,
        {.docno_and_size = TopicEntry::of_line(place, hit.docno.size(), place).docno_and_size,
         .hash = lines_.hash_of(hit.docno),
         .score = score_of(hit.score)});
  }

  static double score_of(std::string_view text) noexcept {
    double score = 0.0;
    return read_plain_score(text.data(), score) ? score : parse_score(text).value_or(0.0);
  }

  void finish_topics() {
    for (std::uint32_t i = 0; i < directory_.topics().size(); ++i) {
      const TopicDirectory::Topic& topic = directory_.topics()[i];
      if (!topic.index) {
        part_.unjudged.add(topic.name);
        continue;
      }
      lines_.begin(topic.name, topic.index);
      scored_.for_each(i, [this](const ScoredLine& line) {
        lines_.add_scored({.hash = line.hash, .docno_and_size = line.docno_and_size}, line.score);
      });
      lines_.finish(part_.facts);
    }
  }

  const LineReading& reading_;
  WholeText text_;
  TopicDirectory directory_;
  TopicLines lines_;
  LinesByTopic scored_;
  const char* last_score_end_ = nullptr;
  RunPart part_;
};

}  // namespace

RunPart read_interleaved(const LineReading& reading, const RunInput& input) {
  return Interleaved(reading, input).read();
}

}  // namespace prescope
