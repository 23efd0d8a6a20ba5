#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/columns.h"
#include "core/run_scan/lines_by_topic.h"
#include "core/run_scan/run_line.h"
#include "core/run_scan/run_part.h"
#include "core/run_scan/text_window.h"
#include "core/run_scan/topic_lines.h"

namespace prescope {
namespace {

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

  explicit TopicDirectory(const Qrels& qrels) : qrels_(&qrels), slots_(kFirstSlots) {}

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

class Interleaved {
 public:
  Interleaved(const LineReading& reading, ByteReader& bytes)
      : reading_(reading),
        window_(bytes),
        directory_(reading.qrels),
        lines_(reading.qrels, reading.precision, reading.scan.count_greater) {}

  RunPart read() {
    const char* at = window_.begin();
    bool at_beginning = true;
    for (bool more = true; more;) {
      more = window_.read_on(at);
      if (!more) window_.end_last_line();
      at = window_.begin();
      if (at_beginning) at = behind_byte_order_mark(at, window_.end());
      at_beginning = false;
      at = take_lines(at, window_.end_of_lines(at));
    }
    finish_topics();
    return std::move(part_);
  }

 private:
  static constexpr std::size_t kAtOnce = 64;

  /// A line whose topic was not looked for yet.
  struct Waiting {
    std::string_view topic;
    TopicDirectory::Key key;
    std::string_view docno;
    double score = 0.0;
    TopicDirectory::Found found{};
  };

  const char* take_lines(const char* at, const char* end) {
    last_score_end_ = nullptr;
    while (at < end) at = take_line(at, end);
    place_waiting();
    if (last_score_end_ != nullptr) {
      part_.facts.tag = first_column(last_score_end_ + std::strspn(last_score_end_, " \t"));
    }
    return at;
  }

  const char* take_line(const char* at, const char* end) {
    ++part_.lines;
    RegularLine regular;
    if (const char* const next = reading_.scan.split(at, end, regular)) {
      add({.topic = {at, regular.topic_size},
           .docno = {at + regular.docno, regular.docno_size},
           .score = {at + regular.score, regular.score_size},
           .tag = {}});
      return next;
    }
    const auto* const feed =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
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
    waiting_[num_waiting_++] = {.topic = hit.topic,
                                .key = TopicDirectory::Key(hit.topic),
                                .docno = hit.docno,
                                .score = score_of(hit.score)};
    if (num_waiting_ == waiting_.size()) place_waiting();
  }

  /// Topics lie anywhere in memory: looking for many at once, without reading text in between, lets
  /// the machine wait for several at a time.
  void place_waiting() {
    for (Waiting& one : std::span(waiting_).first(num_waiting_)) {
      one.found = directory_.find(one.topic, one.key);
    }
    for (const Waiting& one : std::span(waiting_).first(num_waiting_)) {
      if (one.found.is_judged) scored_.add(one.found.position, one.docno, one.score);
    }
    num_waiting_ = 0;
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
      add_lines_of(i);
      lines_.finish(part_.facts);
    }
  }

  /// The docnos of a topic are put together for it.
  void add_lines_of(std::uint32_t topic) {
    using Line = LinesByTopic::Line;
    std::size_t size = 0;
    scored_.for_each(topic, [&](const Line& line) { size += line.docno_size; });
    docnos_.resize(std::max(docnos_.size(), size + kPadding));
    lines_.set_text(docnos_.data());
    std::size_t place = 0;
    scored_.for_each(topic, [&](const Line& line) {
      char* const docno = docnos_.data() + place;
      if (line.is_short()) {
        std::memcpy(docno, line.docno, sizeof line.docno);
      } else {
        std::memcpy(docno, line.long_docno(), line.docno_size);
      }
      TopicEntry entry = TopicEntry::of_line(place, line.docno_size, place);
      entry.hash = lines_.hash_of({docno, line.docno_size});
      lines_.add_scored(entry, line.score);
      place += line.docno_size;
    });
  }

  const LineReading& reading_;
  TextWindow window_;
  TopicDirectory directory_;
  TopicLines lines_;
  LinesByTopic scored_;
  std::vector<char> docnos_;
  std::array<Waiting, kAtOnce> waiting_;
  std::size_t num_waiting_ = 0;
  const char* last_score_end_ = nullptr;
  RunPart part_;
};

}  // namespace

RunPart read_interleaved(const LineReading& reading, ByteReader& bytes) {
  return Interleaved(reading, bytes).read();
}

}  // namespace prescope
