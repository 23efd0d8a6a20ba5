#include "runs/scan/rankings.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "prescope/error.h"
#include "runs/scan/bad_lines.h"
#include "runs/scan/line_scan.h"
#include "runs/scan/run_input.h"
#include "runs/scan/run_line.h"
#include "runs/scan/run_part.h"
#include "runs/scan/text_window.h"

namespace prescope {

namespace {

double score_of(const char* at, std::string_view text, ScorePrecision precision) noexcept {
  double score = 0.0;
  if (!read_plain_score(at, score)) score = parse_score(text).value_or(0.0);
  return precision == ScorePrecision::kFloat ? double{static_cast<float>(score)} : score;
}

/// The hits of a topic: places of docnos in a text, and scores.
class Hits {
 public:
  struct Hit {
    double score;
    std::size_t docno;
    std::uint32_t size;
  };

  void clear() noexcept {
    hits_.clear();
    is_ranked_ = true;
  }
  [[nodiscard]] bool empty() const noexcept { return hits_.empty(); }

  /// `text` is where places count from.
  void add(const Hit& hit, const char* text, RunOrder order) {
    if (order == RunOrder::kTrec && is_ranked_ && !hits_.empty()) {
      is_ranked_ = !stands_before(hit, hits_.back(), text);
    }
    hits_.push_back(hit);
  }

  /// The docnos of the first ones, under score and docno where they came otherwise.
  std::span<const std::string_view> ranking(const char* text, std::uint32_t depth) {
    if (!is_ranked_) {
      std::ranges::stable_sort(
          hits_, [&](const Hit& a, const Hit& b) { return stands_before(a, b, text); });
    }
    docnos_.clear();
    for (std::size_t i = 0; i < hits_.size() && i < depth; ++i) {
      docnos_.push_back(docno(hits_[i], text));
    }
    return docnos_;
  }

 private:
  static std::string_view docno(const Hit& hit, const char* text) noexcept {
    return {text + hit.docno, hit.size};
  }
  static bool stands_before(const Hit& a, const Hit& b, const char* text) noexcept {
    return a.score != b.score ? a.score > b.score : docno(a, text) > docno(b, text);
  }

  std::vector<Hit> hits_;
  std::vector<std::string_view> docnos_;
  bool is_ranked_ = true;
};

using Use = std::function<void(const ReadRanking&)>;

/// Reads a run topic by topic, as far as each topic's lines stand together.
class Rankings {
 public:
  Rankings(const ReadRankingsOptions& options, ByteReader& bytes, const Use& use)
      : options_(options), use_(use), window_(bytes), scan_(best_line_scan()) {}

  /// False where a topic comes again.
  bool read() {
    const char* at = window_.begin();
    bool at_beginning = true;
    for (bool more = true; more && !interleaved_;) {
      const char* const needed = topic_.empty() ? at : text_;
      const auto behind = at - needed;
      more = window_.read_on(needed);
      if (!more) window_.end_last_line();
      text_ = window_.begin();
      at = window_.begin() + behind;
      if (at_beginning) at = behind_byte_order_mark(at, window_.end());
      at_beginning = false;
      at = take_lines(at, window_.end_of_lines(at));
    }
    if (!interleaved_) close_topic();
    return !interleaved_;
  }

  [[nodiscard]] const BadLines& bad_lines() const noexcept { return bad_lines_; }
  [[nodiscard]] bool has_hits() const noexcept { return !seen_.empty(); }

 private:
  const char* take_lines(const char* at, const char* end) {
    std::array<RegularLine, 256> lines;
    while (at < end && !interleaved_) {
      const std::size_t count = scan_.split(at, end, lines);
      for (std::size_t i = 0; i < count && !interleaved_; ++i) {
        const RegularLine& line = lines[i];
        add({.topic = {at, line.topic_size},
             .docno = {at + line.docno, line.docno_size},
             .score = {at + line.score, line.score_size},
             .tag = {}},
            at);
        at += line.size;
        ++line_number_;
      }
      at = no_further(at, end);
      if (count == 0) at = take_any_line(at, end);
    }
    return at;
  }

  const char* take_any_line(const char* at, const char* end) {
    const char* const feed = line_feed(at, end);
    if (feed == nullptr) return end;
    ++line_number_;
    RunLine hit;
    std::string problem;
    const std::string_view line(at, static_cast<std::size_t>(feed - at));
    const LineKind kind = parse_run_line(line, hit, problem);
    if (kind == LineKind::kBad) bad_lines_.add(line_number_, std::move(problem));
    if (kind == LineKind::kHit) add(hit, at);
    return feed + 1;
  }

  void add(const RunLine& line, const char* begin) {
    if (line.topic != topic_) {
      close_topic();
      if (!seen_.emplace(line.topic).second) {
        interleaved_ = true;
        return;
      }
      topic_ = line.topic;
      text_ = begin;
    }
    const bool by_score = options_.order == RunOrder::kTrec;
    hits_.add({.score = by_score ? score_of(line.score.data(), line.score, options_.score) : 0.0,
               .docno = static_cast<std::size_t>(line.docno.data() - text_),
               .size = static_cast<std::uint32_t>(line.docno.size())},
              text_, options_.order);
  }

  void close_topic() {
    if (!hits_.empty()) use_({.topic = topic_, .docnos = hits_.ranking(text_, options_.depth)});
    hits_.clear();
    topic_.clear();
  }

  const ReadRankingsOptions& options_;
  const Use& use_;
  TextWindow window_;
  const LineScan& scan_;
  std::string topic_;
  const char* text_ = nullptr;  // of the topic
  Hits hits_;
  std::unordered_set<std::string> seen_;
  BadLines bad_lines_;
  std::uint64_t line_number_ = 0;
  bool interleaved_ = false;
};

/// The same for topics whose lines are anywhere.
class ScatteredRankings {
 public:
  explicit ScatteredRankings(const ReadRankingsOptions& options) : options_(options) {}

  void read(ByteReader& bytes) {
    TextWindow window(bytes);
    const char* at = window.begin();
    bool at_beginning = true;
    for (bool more = true; more;) {
      const auto left = window.end() - at;
      more = window.read_on(window.end() - left);
      if (!more) window.end_last_line();
      at = window.begin();
      if (at_beginning) at = behind_byte_order_mark(at, window.end());
      at_beginning = false;
      const char* const end = window.end_of_lines(at);
      while (at < end) at = take_line(at, end);
    }
  }

  void give(const Use& use) {
    for (const std::string* name : order_) {
      Topic& topic = topics_.at(*name);
      use({.topic = *name, .docnos = topic.hits.ranking(topic.text.data(), options_.depth)});
    }
  }

  [[nodiscard]] const BadLines& bad_lines() const noexcept { return bad_lines_; }

 private:
  struct Topic {
    std::string text;  // docnos, one behind the other
    Hits hits;
  };

  const char* take_line(const char* at, const char* end) {
    const char* const feed = line_feed(at, end);
    if (feed == nullptr) return end;
    ++line_number_;
    RunLine hit;
    std::string problem;
    const LineKind kind = parse_run_line({at, static_cast<std::size_t>(feed - at)}, hit, problem);
    if (kind == LineKind::kBad) bad_lines_.add(line_number_, std::move(problem));
    if (kind == LineKind::kHit) add(hit);
    return feed + 1;
  }

  void add(const RunLine& line) {
    const auto [at, is_new] = topics_.try_emplace(std::string(line.topic));
    if (is_new) order_.push_back(&at->first);
    Topic& topic = at->second;
    const bool by_score = options_.order == RunOrder::kTrec;
    const std::size_t place = topic.text.size();
    topic.text += line.docno;
    topic.hits.add(
        {.score = by_score ? score_of(line.score.data(), line.score, options_.score) : 0.0,
         .docno = place,
         .size = static_cast<std::uint32_t>(line.docno.size())},
        topic.text.data(), options_.order);
  }

  const ReadRankingsOptions& options_;
  std::unordered_map<std::string, Topic> topics_;
  std::vector<const std::string*> order_;
  BadLines bad_lines_;
  std::uint64_t line_number_ = 0;
};

}  // namespace

void read_rankings(const std::filesystem::path& path, const ReadRankingsOptions& options,
                   const std::function<void()>& begin_again, const Use& use) {
  const RunInput input(path);
  const std::unique_ptr<ByteReader> bytes = input.reader();
  Rankings rankings(options, *bytes, use);
  const bool together = rankings.read();
  input.check_unchanged();
  if (together) {
    rankings.bad_lines().throw_if_any(input.name());
    if (rankings.has_hits()) return;
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: no rankings; {} lines", input.name(), kExpectedRunLine));
  }
  begin_again();
  ScatteredRankings scattered(options);
  scattered.read(*input.reader());
  input.check_unchanged();
  scattered.bad_lines().throw_if_any(input.name());
  scattered.give(use);
}

}  // namespace prescope
