#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/run_scan/docno_hash.h"
#include "core/run_scan/large_array.h"

namespace prescope {

/// Lines that come in any order of topics: each topic's together, in the order in which they came,
/// of which nothing is kept but docno and score. Each is written once, behind the topic's last one,
/// and is not moved.
class LinesByTopic {
 public:
  struct Line {
    double score;
    std::size_t docno_size;
    char docno[16];  ///< where it is longer, the address of its text

    [[nodiscard]] bool is_short() const noexcept { return docno_size <= sizeof docno; }
    [[nodiscard]] const char* long_docno() const noexcept {
      const char* text = nullptr;
      std::memcpy(&text, docno, sizeof text);
      return text;
    }
  };

  /// Topics are numbered from 0. kPadding bytes behind the docno can be read.
  void add(std::uint32_t topic, std::string_view docno, double score) {
    if (topic >= topics_.size()) topics_.resize(topic + 1);
    Topic& of = topics_[topic];
    if (of.free == of.end) add_piece(of);
    Line& line = *of.free++;
    line.score = score;
    line.docno_size = docno.size();
    if (line.is_short()) {
      std::memcpy(line.docno, docno.data(), sizeof line.docno);
    } else {
      const char* const kept = keep(docno);
      std::memcpy(line.docno, &kept, sizeof kept);
    }
  }

  template <class Take>
  void for_each(std::uint32_t topic, Take take) const {
    if (topic >= topics_.size()) return;
    const Topic& of = topics_[topic];
    for (std::uint32_t p = of.first_piece; p != kNone; p = pieces_[p].next) {
      const Piece& piece = pieces_[p];
      const Line* const end = piece.next == kNone ? of.free : piece.begin + piece.size;
      for (const Line* line = piece.begin; line != end; ++line) take(*line);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX, kFirstPiece = 4, kLongestPiece = 64;
  static constexpr std::size_t kBlock = std::size_t{1} << 17U;      // lines
  static constexpr std::size_t kTextBlock = std::size_t{1} << 20U;  // bytes

  struct Piece {
    Line* begin;
    std::uint32_t size, next;
  };
  struct Topic {
    Line *free = nullptr, *end = nullptr;  // of the last piece
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

  const char* keep(std::string_view docno) {
    if (text_blocks_.empty() || docno.size() > text_left_) {
      text_left_ = std::max(docno.size(), kTextBlock);
      text_ = text_blocks_.emplace_back(text_left_).data();
    }
    char* const kept = text_;
    std::memcpy(kept, docno.data(), docno.size());
    text_ += docno.size();
    text_left_ -= docno.size();
    return kept;
  }

  std::size_t used_ = 0;
  std::vector<LargeArray<Line>> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Topic> topics_;

  char* text_ = nullptr;
  std::size_t text_left_ = 0;
  std::vector<LargeArray<char>> text_blocks_;
};

}  // namespace prescope
