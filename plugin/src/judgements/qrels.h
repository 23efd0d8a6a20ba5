#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/qrels.h"
#include "prescope/types.h"

namespace prescope {

/// The judgements of one topic as they came, before those of one document are one. Their texts
/// stand one behind the other, so that a line costs no allocation.
class JudgedLines {
 public:
  struct Line {
    std::size_t docno = 0, docno_size = 0;  // within the texts
    std::size_t key = 0, key_size = 0;
    Grade grade = 0;
    std::uint64_t number = 0;  ///< of the line in its file
  };

  /// `key` is that of the docno under the qrels' policy, and may be a view of the same bytes.
  void add(std::string_view docno, std::string_view key, Grade grade, std::uint64_t number);
  /// Keeps its memory.
  void clear() noexcept;

  [[nodiscard]] std::span<const Line> lines() const noexcept { return lines_; }
  [[nodiscard]] std::string_view docno(const Line& line) const noexcept {
    return std::string_view(texts_).substr(line.docno, line.docno_size);
  }
  [[nodiscard]] std::string_view key(const Line& line) const noexcept {
    return std::string_view(texts_).substr(line.key, line.key_size);
  }

 private:
  std::string texts_;
  std::vector<Line> lines_;
};

/// Folds what was judged more than once, a topic at a time.
class JudgementFolding {
 public:
  /// `path` is where the lines came from, for errors; empty where it was memory.
  JudgementFolding(Grade min_grade, std::string path)
      : min_grade_(min_grade), path_(std::move(path)) {}

  /// All lines of a topic. Throws Error(kBadInput) where one spelling has two grades.
  void add_topic(const TopicId& topic, const JudgedLines& lines);
  /// Topics that come behind these.
  void append(JudgementFolding&& part);

  std::vector<TopicQrels> topics{};
  std::size_t repeated = 0;
  std::size_t merged = 0;

 private:
  using Line = JudgedLines::Line;
  /// A line beside the beginning of its key, which nearly always tells two lines apart.
  struct Sorted {
    std::uint64_t beginning = 0;
    const Line* line = nullptr;
  };

  void sort(const JudgedLines& lines);
  [[nodiscard]] Line folded(const TopicId& topic, const JudgedLines& lines,
                            std::span<const Sorted> same_key);
  void refuse_contradiction(const TopicId& topic, std::string_view docno, const Line& first,
                            const Line& second) const;
  [[nodiscard]] std::string place(const Line& line) const;

  std::vector<Sorted> sorted_;
  Grade min_grade_;
  std::string path_;
};

}  // namespace prescope
