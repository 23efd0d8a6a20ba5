#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "core/run_scan/run_line.h"
#include "core/run_scan/run_part.h"
#include "core/run_scan/topic_lines.h"

namespace prescope {
namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 18U;

/// A window of text that moves over the bytes: it begins with the first byte still needed.
class Window {
 public:
  explicit Window(ByteReader& bytes) : bytes_(&bytes) { make_room(kReadBlock); }

  [[nodiscard]] const char* begin() const noexcept { return buffer_.get(); }
  [[nodiscard]] const char* end() const noexcept { return buffer_.get() + used_; }
  /// Forgets what is before `needed` and reads on; false at the end of the bytes.
  bool read_on(const char* needed) {
    used_ -= static_cast<std::size_t>(needed - buffer_.get());
    std::memmove(buffer_.get(), needed, used_);
    if (used_ > room_ / 2) make_room(2 * room_);
    const std::size_t got = bytes_->read(buffer_.get() + used_, room_ - used_);
    used_ += got;
    return got != 0;
  }
  /// Ends the last line of a file that does not.
  void end_last_line() {
    if (used_ != 0 && buffer_[used_ - 1] != '\n') buffer_[used_++] = '\n';
  }

 private:
  /// And for the end of the last line, and for scanners that read on.
  void make_room(std::size_t room) {
    std::unique_ptr<char[]> larger(new char[room + 1 + kPadding]);
    if (used_ != 0) std::memcpy(larger.get(), buffer_.get(), used_);
    std::memset(larger.get() + room, 0, 1 + kPadding);
    buffer_ = std::move(larger);
    room_ = room;
  }

  ByteReader* bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t room_ = 0, used_ = 0;
};

class TopicByTopic {
 public:
  TopicByTopic(const LineReading& reading, ByteReader& bytes)
      : reading_(reading),
        window_(bytes),
        lines_(reading.qrels, reading.precision, reading.scan.count_greater),
        seen_(reading.qrels.topics().size()) {}

  RunPart read() {
    const char* at = window_.begin();
    bool at_beginning = true;
    for (bool more = true; more && !part_.interleaved;) {
      const char* const needed = topic_is_open_ ? lines_.text() : at;
      const auto behind = at - needed;
      more = window_.read_on(needed);
      if (!more) window_.end_last_line();
      if (topic_is_open_) lines_.set_text(window_.begin());
      at = window_.begin() + behind;
      if (at_beginning) at = behind_byte_order_mark(at, window_.end());
      at_beginning = false;
      at = take_lines(at, end_of_lines(at));
    }
    if (topic_is_open_) {
      if (lines_.size() != 0) part_.facts.tag = lines_.last_tag();
      close_topic();
    }
    return std::move(part_);
  }

 private:
  /// Behind the last line feed.
  [[nodiscard]] const char* end_of_lines(const char* at) const noexcept {
    const auto size = static_cast<std::size_t>(window_.end() - at);
    const void* const feed = ::memrchr(at, '\n', size);
    return feed == nullptr ? at : static_cast<const char*>(feed) + 1;
  }

  const char* take_lines(const char* at, const char* end) {
    while (at < end && !part_.interleaved) {
      if (topic_is_open_) {
        const std::uint32_t before = lines_.size();
        at = reading_.scan.add_lines(lines_, at, end);
        part_.lines += lines_.size() - before;
        if (at == end) break;
      }
      const auto* const feed =
          static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      take_line(at, feed);
      at = feed + 1;
    }
    return at;
  }

  /// Any line, by the parser that understands all of them.
  void take_line(const char* begin, const char* end) {
    ++part_.lines;
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    RunLine hit;
    std::string problem;
    const LineKind kind = parse_run_line(line, hit, problem);
    if (kind == LineKind::kBad) part_.bad_lines.add(part_.lines, std::move(problem));
    if (kind != LineKind::kHit) return;
    if (!topic_is_open_ || hit.topic != lines_.topic()) {
      if (topic_is_open_) close_topic();
      if (!open_topic(hit.topic, begin)) return;
    }
    const auto place = [this](std::string_view column) {
      return static_cast<std::size_t>(column.data() - lines_.text());
    };
    lines_.add(TopicEntry::of_line(place(hit.docno), hit.docno.size(), place(hit.score)));
  }

  bool open_topic(std::string_view topic, const char* text) {
    const std::optional<TopicIndex> index = find(topic);
    if (!index) {
      part_.unjudged.add(topic);
    } else if (seen_[index->value()]) {
      part_.interleaved = true;
      return false;
    } else {
      seen_[index->value()] = true;
      expected_ = index->value() + 1;
    }
    lines_.begin(topic, index);
    lines_.set_text(text);
    topic_is_open_ = true;
    return true;
  }

  void close_topic() {
    part_.facts.lines += lines_.size();
    lines_.finish(part_.facts);
    topic_is_open_ = false;
  }

  /// Runs nearly always have the topics in the order of the qrels.
  [[nodiscard]] std::optional<TopicIndex> find(std::string_view topic) const {
    const auto topics = reading_.qrels.topics();
    if (expected_ < topics.size() && topics[expected_].id().text() == topic) {
      return TopicIndex(expected_);
    }
    return reading_.qrels.find(topic);
  }

  const LineReading& reading_;
  Window window_;
  TopicLines lines_;
  std::vector<bool> seen_;
  std::uint32_t expected_ = 0;
  bool topic_is_open_ = false;
  RunPart part_;
};

}  // namespace

RunPart read_topic_by_topic(const LineReading& reading, ByteReader& bytes) {
  return TopicByTopic(reading, bytes).read();
}

}  // namespace prescope
