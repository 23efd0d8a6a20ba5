#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/columns.h"
#include "core/run_scan/key_hashes.h"
#include "core/run_scan/lines_by_topic.h"
#include "core/run_scan/run_line.h"
#include "core/run_scan/run_part.h"
#include "core/run_scan/scattered_facts.h"
#include "core/run_scan/text_window.h"
#include "core/run_scan/topic_directory.h"
#include "prescope/error.h"

namespace prescope {
namespace {

class Interleaved {
 public:
  Interleaved(const LineReading& reading, const RunInput& input)
      : reading_(reading),
        input_(input),
        bytes_(input.reader()),
        window_(*bytes_, kBlock),
        directory_(reading.qrels),
        hashes_(reading.qrels.docnos()) {}

  RunPart read() {
    const char* at = window_.begin();
    bool at_beginning = true;
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
    if (!part_.bad_lines.any()) add_topics();
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
      part_.lines += count;
      if (count < regular_.size() && at < end) at = take_irregular_line(at, end);
    }
    place_waiting();
    if (last_score_end_ != nullptr) {
      part_.facts.tag = first_column(last_score_end_ + std::strspn(last_score_end_, " \t"));
    }
    return at;
  }

  const char* take_irregular_line(const char* at, const char* end) {
    ++part_.lines;
    const auto* const feed =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    RunLine hit;
    std::string problem;
    const LineKind kind = parse_run_line({at, static_cast<std::size_t>(feed - at)}, hit, problem);
    if (kind == LineKind::kHit) add(at, hit.topic, hit.docno, hit.score);
    if (kind == LineKind::kBad) part_.bad_lines.add(part_.lines, std::move(problem));
    return feed + 1;
  }

  void add(const char* line, std::string_view topic, std::string_view docno,
           std::string_view score) {
    ++part_.facts.lines;
    last_score_end_ = score.data() + score.size();
    Waiting& waiting = waiting_[num_waiting_++];
    waiting.topic = topic;
    waiting.key = TopicDirectory::Key(topic);
    directory_.prepare(waiting.key.hash());
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
      one.found = directory_.find(one.topic, one.key);
      scattered_.prepare(one.found.position);
    }
    for (const Waiting& one : lines) scattered_.prepare_place(one.found.position);
    for (const Waiting& one : lines) {
      if (!one.found.is_judged) continue;
      scattered_.add(one.found.position, ScatteredLine::of(one.score, one.place, one.docno_hash));
    }
    num_waiting_ = 0;
  }

  [[nodiscard]] double score_of(std::string_view text) const noexcept {
    double score = 0.0;
    if (!read_plain_score(text.data(), score)) score = parse_score(text).value_or(0.0);
    return reading_.precision == ScorePrecision::kFloat ? double{static_cast<float>(score)} : score;
  }

  void add_topics() {
    ScatteredFacts facts(reading_, input_, scattered_, part_.facts);
    for (std::uint32_t i = 0; i < directory_.topics().size(); ++i) {
      const TopicDirectory::Topic& topic = directory_.topics()[i];
      if (topic.index) {
        facts.add(*topic.index, i);
      } else {
        part_.unjudged.add(topic.name);
      }
    }
    facts.finish();
  }

  const LineReading& reading_;
  const RunInput& input_;
  std::unique_ptr<ByteReader> bytes_;
  TextWindow window_;
  std::uint64_t begin_ = 0;  // of the window
  TopicDirectory directory_;
  KeyHashes hashes_;
  LinesByTopic scattered_;
  std::array<RegularLine, kSplitAtOnce> regular_;
  std::array<Waiting, kAtOnce> waiting_;
  std::size_t num_waiting_ = 0;
  const char* last_score_end_ = nullptr;
  RunPart part_;
};

}  // namespace

RunPart read_interleaved(const LineReading& reading, const RunInput& input) {
  return Interleaved(reading, input).read();
}

}  // namespace prescope
