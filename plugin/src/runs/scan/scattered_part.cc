#include "runs/scan/scattered_part.h"

#include <fmt/format.h>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/text_file.h"
#include "prescope/error.h"
#include "runs/scan/key_hashes.h"
#include "runs/scan/run_line.h"
#include "runs/scan/text_window.h"

namespace prescope {

namespace {

class ScatteredReader {
 public:
  ScatteredReader(const LineReading& reading, const RunInput& input, std::uint64_t begin,
                  std::uint64_t end)
      : reading_(reading),
        input_(input),
        bytes_(input.reader(begin, end)),
        window_(*bytes_, kBlock),
        begin_(begin),
        hashes_(reading.qrels.docnos()),
        part_(std::make_unique<ScatteredPart>(reading.qrels)) {}

  std::unique_ptr<ScatteredPart> read() {
    const char* at = window_.begin();
    bool at_beginning = begin_ == 0;
    for (bool more = true; more;) {
      begin_ += static_cast<std::uint64_t>(at - window_.begin());
      more = window_.read_on(at);
      if (!more) window_.end_last_line();
      refuse_beyond_places();
      at = window_.begin();
      if (at_beginning) at = behind_byte_order_mark(at, window_.end());
      at_beginning = false;
      at = take_lines(at, window_.end_of_lines(at));
    }
    for (const TopicDirectory::Topic& topic : part_->topics.topics()) {
      if (!topic.index) part_->part.unjudged.add(topic.name);
    }
    return std::move(part_);
  }

 private:
  /// Small, so that it leaves the nearest cache to the topics.
  static constexpr std::size_t kBlock = std::size_t{1} << 16U;
  static constexpr std::size_t kAtOnce = 64, kSplitAtOnce = 512;

  /// A line whose topic was not looked for yet.
  struct Waiting {
    std::string_view topic;
    TopicDirectory::Key key;
    std::uint64_t place = 0;
    std::uint64_t docno_hash = 0;
    double score = 0.0;
    TopicDirectory::Found found{};
  };

  void refuse_beyond_places() const {
    if (begin_ + static_cast<std::uint64_t>(window_.end() - window_.begin()) <
        ScatteredLine::kEndOfPlaces)
      return;
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: the lines of its topics are not together, and it has more than "
                            "1 TB; sort it by topic",
                            input_.name()));
  }

  const char* take_lines(const char* at, const char* end) {
    last_score_end_ = nullptr;
    while (at < end) {
      const std::size_t count = reading_.scan.split(at, end, regular_);
      for (const RegularLine& line : std::span(regular_).first(count)) {
        add(at, {at, line.topic_size}, {at + line.docno, line.docno_size},
            {at + line.score, line.score_size});
        at += line.size;
      }
      at = no_further(at, end);
      part_->part.lines += count;
      if (count < regular_.size() && at < end) at = take_irregular_line(at, end);
    }
    place_waiting();
    if (last_score_end_ != nullptr) {
      part_->part.facts.tag = first_column(last_score_end_ + std::strspn(last_score_end_, " \t"));
    }
    return at;
  }

  const char* take_irregular_line(const char* at, const char* end) {
    ++part_->part.lines;
    const char* const feed = line_feed(at, end);
    if (feed == nullptr) return end;
    RunLine hit;
    std::string problem;
    const LineKind kind = parse_run_line({at, static_cast<std::size_t>(feed - at)}, hit, problem);
    if (kind == LineKind::kHit) add(at, hit.topic, hit.docno, hit.score);
    if (kind == LineKind::kBad) part_->part.bad_lines.add(part_->part.lines, std::move(problem));
    return feed + 1;
  }

  void add(const char* line, std::string_view topic, std::string_view docno,
           std::string_view score) {
    ++part_->part.facts.lines;
    last_score_end_ = score.data() + score.size();
    Waiting& waiting = waiting_[num_waiting_++];
    waiting.topic = topic;
    waiting.key = TopicDirectory::Key(topic);
    part_->topics.prepare(waiting.key.hash());
    waiting.place = begin_ + static_cast<std::uint64_t>(line - window_.begin());
    waiting.docno_hash = hashes_.of(docno);
    waiting.score = score_of(score);
    if (num_waiting_ == waiting_.size()) place_waiting();
  }

  /// Topics lie anywhere in memory: looking for many at once, without reading text in between, lets
  /// the machine wait for several at a time.
  void place_waiting() {
    const std::span<Waiting> lines = std::span(waiting_).first(num_waiting_);
    for (Waiting& one : lines) {
      one.found = part_->topics.find(one.topic, one.key);
      part_->lines.prepare(one.found.position);
    }
    for (const Waiting& one : lines) part_->lines.prepare_place(one.found.position);
    for (const Waiting& one : lines) {
      if (!one.found.is_judged) continue;
      part_->lines.add(one.found.position, ScatteredLine::of(one.score, one.place, one.docno_hash));
    }
    num_waiting_ = 0;
  }

  [[nodiscard]] double score_of(std::string_view text) const noexcept {
    double score = 0.0;
    if (!read_plain_score(text.data(), score)) score = parse_score(text).value_or(0.0);
    return reading_.precision == ScorePrecision::kFloat ? double{static_cast<float>(score)} : score;
  }

  const LineReading& reading_;
  const RunInput& input_;
  std::unique_ptr<ByteReader> bytes_;
  TextWindow window_;
  std::uint64_t begin_;  // of the window
  KeyHashes hashes_;
  std::array<RegularLine, kSplitAtOnce> regular_;
  std::array<Waiting, kAtOnce> waiting_;
  std::size_t num_waiting_ = 0;
  const char* last_score_end_ = nullptr;
  std::unique_ptr<ScatteredPart> part_;
};

}  // namespace

std::unique_ptr<ScatteredPart> read_scattered(const LineReading& reading, const RunInput& input,
                                              std::uint64_t begin, std::uint64_t end) {
  return ScatteredReader(reading, input, begin, end).read();
}

}  // namespace prescope
