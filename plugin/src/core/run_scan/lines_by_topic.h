#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/run_scan/large_array.h"

namespace prescope {

/// A line of a topic, of which nothing else is needed.
struct ScoredLine {
  std::uint64_t docno_and_size;  ///< as in TopicEntry
  std::uint64_t hash;
  double score;
};

/// Lines that come in any order of topics: each topic's together, in the order in which they came.
/// Each is written once, behind the topic's last one, and is not moved.
class LinesByTopic {
 public:
  /// `most` is what will be added at most, as far as that is known.
  explicit LinesByTopic(std::size_t most) : block_size_(std::min(most + kLongestPiece, kBlock)) {}

  /// Topics are numbered from 0.
  void add(std::uint32_t topic, const ScoredLine& line) {
    if (topic >= topics_.size()) topics_.resize(topic + 1);
    Topic& of = topics_[topic];
    if (of.free == of.end) add_piece(of);
    *of.free++ = line;
  }

  template <class Take>
  void for_each(std::uint32_t topic, Take take) const {
    if (topic >= topics_.size()) return;
    const Topic& of = topics_[topic];
    for (std::uint32_t p = of.first_piece; p != kNone; p = pieces_[p].next) {
      const Piece& piece = pieces_[p];
      const ScoredLine* const end = piece.next == kNone ? of.free : piece.begin + piece.size;
      for (const ScoredLine* line = piece.begin; line != end; ++line) take(*line);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX, kFirstPiece = 4, kLongestPiece = 64;
  static constexpr std::size_t kBlock = std::size_t{1} << 18U;

  struct Piece {
    ScoredLine* begin;
    std::uint32_t size, next;
  };
  struct Topic {
    ScoredLine *free = nullptr, *end = nullptr;  // of the last piece
    std::uint32_t first_piece = kNone, last_piece = kNone;
  };

  void add_piece(Topic& of) {
    const bool is_first = of.last_piece == kNone;
    const std::uint32_t size =
        is_first ? kFirstPiece : std::min(2 * pieces_[of.last_piece].size, kLongestPiece);
    if (blocks_.empty() || used_ + size > block_size_) {
      if (!blocks_.empty()) block_size_ = kBlock;
      blocks_.emplace_back(block_size_);
      used_ = 0;
    }
    of.free = blocks_.back().data() + used_;
    of.end = of.free + size;
    used_ += size;
    const auto number = static_cast<std::uint32_t>(pieces_.size());
    pieces_.push_back({.begin = of.free, .size = size, .next = kNone});
    (is_first ? of.first_piece : pieces_[of.last_piece].next) = number;
    of.last_piece = number;
  }

  std::size_t block_size_, used_ = 0;
  std::vector<LargeArray<ScoredLine>> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Topic> topics_;
};

}  // namespace prescope
