#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runs/scan/large_array.h"

namespace prescope {

/// What is kept of a line whose topic's other lines are anywhere in the file: its score, where it
/// is, and so much of its docno's hash as nearly always tells it from others of the topic.
class ScatteredLine {
 public:
  static constexpr unsigned kHashBits = 24;
  /// Of the file: no line may begin there or behind.
  static constexpr std::uint64_t kEndOfPlaces = std::uint64_t{1} << (64U - kHashBits);

  /// `hash` is the docno's; `place` is below kEndOfPlaces.
  [[nodiscard]] static ScatteredLine of(double score, std::uint64_t place,
                                        std::uint64_t hash) noexcept {
    return {score, place << kHashBits | short_hash(hash)};
  }
  [[nodiscard]] static std::uint32_t short_hash(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> (64U - kHashBits));
  }

  [[nodiscard]] double score() const noexcept { return score_; }
  /// Bytes from the beginning of the file to that of the line.
  [[nodiscard]] std::uint64_t place() const noexcept { return place_and_hash_ >> kHashBits; }
  /// In [0, 2^kHashBits).
  [[nodiscard]] std::uint32_t hash() const noexcept {
    return static_cast<std::uint32_t>(place_and_hash_) & ((1U << kHashBits) - 1);
  }

 private:
  ScatteredLine(double score, std::uint64_t place_and_hash) noexcept
      : score_(score), place_and_hash_(place_and_hash) {}

  double score_;
  std::uint64_t place_and_hash_;
};

/// Lines that come in any order of topics: each topic's together, in the order in which they came.
/// Each is written once, behind the topic's last one, and is not moved.
class LinesByTopic {
 public:
  /// Topics are numbered from 0.
  void add(std::uint32_t topic, ScatteredLine line) {
    if (topic >= topics_.size()) topics_.resize(topic + 1);
    Topic& of = topics_[topic];
    if (of.free == of.end) add_piece(of);
    *of.free++ = line;
  }

  /// Tells the machine that `add` will be called for the topic: `prepare` for many, then
  /// `prepare_place` for all of them, then `add`.
  void prepare(std::uint32_t topic) const noexcept {
    if (topic < topics_.size()) __builtin_prefetch(&topics_[topic], 1);
  }
  void prepare_place(std::uint32_t topic) const noexcept {
    if (topic < topics_.size()) __builtin_prefetch(topics_[topic].free, 1);
  }

  /// Appends a topic's lines to `lines`.
  void copy(std::uint32_t topic, std::vector<ScatteredLine>& lines) const {
    if (topic >= topics_.size()) return;
    const Topic& of = topics_[topic];
    for (std::uint32_t p = of.first_piece; p != kNone; p = pieces_[p].next) {
      const Piece& piece = pieces_[p];
      const ScatteredLine* const end = piece.next == kNone ? of.free : piece.begin + piece.size;
      lines.insert(lines.end(), static_cast<const ScatteredLine*>(piece.begin), end);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX, kFirstPiece = 4, kLongestPiece = 64;
  static constexpr std::size_t kBlock = std::size_t{1} << 17U;  // lines

  struct Piece {
    ScatteredLine* begin;
    std::uint32_t size, next;
  };
  struct Topic {
    ScatteredLine *free = nullptr, *end = nullptr;  // of the last piece
    std::uint32_t first_piece = kNone, last_piece = kNone;
  };

  void add_piece(Topic& of) {
    const bool is_first = of.last_piece == kNone;
    const std::uint32_t size =
        is_first ? kFirstPiece : std::min(2 * pieces_[of.last_piece].size, kLongestPiece);
    if (blocks_.empty() || used_ + size > kBlock) {
      blocks_.emplace_back(kBlock);
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

  std::size_t used_ = 0;
  std::vector<LargeArray<ScatteredLine>> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Topic> topics_;
};

}  // namespace prescope
