#pragma once

#include <deque>

#include "prescope/key_slots.h"
#include "prescope/run.h"
#include "runs/scan/run_facts.h"
#include "runs/scan/run_lines.h"

namespace prescope {

/// The lines of one topic of a run, in the order of the file.
class TopicLines {
 public:
  /// Adds a line; kPadding bytes behind `docno` can be read. Throws std::length_error above 4 GB.
  void add(std::string_view docno, double score) {
    constexpr std::size_t kQuick = 16;  // quicker than as many bytes as there are
    static_assert(kQuick <= kPadding);
    if (docnos_.size() < used_ + docno.size() + kQuick) grow(docno.size() + kQuick);
    std::memcpy(docnos_.data() + used_, docno.data(), kQuick);
    if (docno.size() > kQuick) std::memcpy(docnos_.data() + used_, docno.data(), docno.size());
    used_ += docno.size();
    lines_.push_back({static_cast<std::uint32_t>(used_ - docno.size()),
                      static_cast<std::uint32_t>(docno.size()), score});
  }
  /// Adds a line; nothing behind `docno` is read.
  void add_exactly(std::string_view docno, double score) {
    if (docnos_.size() < used_ + docno.size()) grow(docno.size());
    std::ranges::copy(docno, docnos_.begin() + static_cast<std::ptrdiff_t>(used_));
    lines_.push_back(
        {static_cast<std::uint32_t>(used_), static_cast<std::uint32_t>(docno.size()), score});
    used_ += docno.size();
  }
  /// Removes all lines, and keeps their memory.
  void clear() noexcept {
    lines_.clear();
    used_ = 0;
  }

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(lines_.size());
  }
  [[nodiscard]] double score(std::uint32_t line) const noexcept { return lines_[line].score; }
  [[nodiscard]] std::string_view docno(std::uint32_t line) const noexcept {
    return {docnos_.data() + lines_[line].docno, lines_[line].docno_size};
  }
  /// Returns the lines in this order.
  [[nodiscard]] std::vector<std::uint32_t> ranked(RunOrder order) const;

 private:
  struct Line {
    std::uint32_t docno = 0, docno_size = 0;  // its place in docnos_
    double score = 0.0;
  };

  void grow(std::size_t bytes);

  std::vector<Line> lines_;
  std::vector<char> docnos_;  // one behind the other
  std::size_t used_ = 0;
};

struct TopicReading {
  ScorePrecision precision = ScorePrecision::kDouble;
  /// If true, the lines of a topic may be anywhere, and all lines of the run are kept in memory to
  /// its end; otherwise the lines of one topic are kept.
  bool scattered = false;
  std::uint64_t size = UINT64_MAX;  ///< bytes to read, to the end of a line
  /// Asked once for each topic. The lines of a topic that is not wanted are counted only.
  std::function<bool(std::string_view topic)> is_wanted = [](std::string_view) { return true; };
  /// Receives each topic that is wanted, in the order of their first lines.
  std::function<void(std::string_view topic, const TopicLines& lines)> take{};
};

/// The topics of a run so far, found by name. If they are not scattered, each is passed on when the
/// next one begins, and leaves it its memory.
class TopicsOfRun {
 public:
  /// `reading` must outlive this.
  explicit TopicsOfRun(const TopicReading& reading) : reading_(reading) {}

  /// Returns the list for the topic's lines; null if it is not wanted, or may not come again.
  [[nodiscard]] TopicLines* lines_of(std::string_view name);
  [[nodiscard]] bool came_again() const noexcept { return came_again_; }
  /// Passes on the topics that were not.
  void finish();

 private:
  struct Topic {
    std::string name;
    bool is_wanted = false;
    TopicLines lines;
  };

  void pass_on_current(Topic& next);

  const TopicReading& reading_;
  std::deque<Topic> topics_;
  std::uint32_t current_ = KeySlots::kNone;  // the last wanted topic that began
  KeySlots slots_;
  bool came_again_ = false;
};

/// Totals of a run beside its topics.
struct RunTotals {
  std::uint64_t hits = 0;
  std::uint64_t lines = 0;  ///< of any kind
  std::string tag;          ///< of the last hit
  RunTags tags{};
  std::size_t columns = 0;  ///< of the first hit
  bool has_unusual_bytes = false;
  BadLines bad_lines;
  /// Reading ended where a wanted topic came again, because lines were not to be scattered.
  bool came_again = false;
};

/// Reads a run, or a part of it. Throws Error(kIo).
[[nodiscard]] RunTotals read_topics(ByteSource& bytes, const TopicReading& reading);

/// Throws Error(kBadInput) for malformed lines and for a run without hits, Error(kIo) if the file
/// has changed since it was opened.
void check_run(const ByteSource& file, const RunTotals& totals);

/// Reads a whole run. If a topic comes again after another one, calls `begin_again` and reads the
/// file again, with all of its lines in memory. Throws Error(kIo) and as `check_run`.
RunTotals read_whole_run(const std::filesystem::path& path, TopicReading reading,
                         const std::function<void()>& begin_again);

}  // namespace prescope
