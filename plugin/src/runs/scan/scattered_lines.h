#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "prescope/qrels.h"
#include "runs/scan/scattered_part.h"

namespace prescope {

/// The lines of all parts of a run, by topic. Immutable, so that threads can share it.
class ScatteredLines {
 public:
  /// `parts` are in the order of the run.
  ScatteredLines(const Qrels& qrels, std::vector<std::unique_ptr<ScatteredPart>> parts);

  /// Those of the qrels that the run has, ascending.
  [[nodiscard]] std::span<const TopicIndex> topics() const noexcept { return topics_; }
  /// Appends a topic's lines to `lines`, in the order of the run.
  void copy(TopicIndex topic, std::vector<ScatteredLine>& lines) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<std::unique_ptr<ScatteredPart>> parts_;
  std::vector<TopicIndex> topics_;
  // Of each topic of the qrels its number in each part.
  std::vector<std::uint32_t> numbers_;
};

}  // namespace prescope
