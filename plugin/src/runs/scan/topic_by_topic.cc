#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "runs/scan/run_line.h"
#include "runs/scan/run_part.h"
#include "runs/scan/text_window.h"
#include "runs/scan/topic_lines.h"

namespace prescope {

namespace {

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
      at = take_lines(at, window_.end_of_lines(at));
    }
    if (topic_is_open_) {
      if (lines_.size() != 0) part_.facts.tag = lines_.last_tag();
      close_topic();
    }
    return std::move(part_);
  }

 private:
  const char* take_lines(const char* at, const char* end) {
    while (at < end && !part_.interleaved) {
      if (topic_is_open_) {
        const std::uint32_t before = lines_.size();
        at = no_further(reading_.scan.add_lines(lines_, at, end), end);
        part_.lines += lines_.size() - before;
        if (at == end) break;
      }
      const char* const feed = line_feed(at, end);
      if (feed == nullptr) return end;
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
  TextWindow window_;
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
