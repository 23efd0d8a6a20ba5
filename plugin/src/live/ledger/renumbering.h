#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prescope/observation.h"
#include "prescope/qrels.h"

namespace prescope {

/// The judgements of one topic in two versions. Keeps its buffers from topic to topic.
class Renumbering {
 public:
  /// O(judgements), by key.
  void between(const TopicQrels& before, const TopicQrels& now);

  /// Whether anything that scores depend on differs: documents or grades.
  [[nodiscard]] bool has_changes() const noexcept { return changed_; }
  /// Documents that are judged now and were not before.
  [[nodiscard]] std::span<const JudgementIndex> added() const noexcept { return added_; }
  /// Nothing for a judgement that was withdrawn.
  [[nodiscard]] std::optional<JudgementIndex> now(JudgementIndex before) const noexcept;
  /// Those that are still judged, in their order.
  void renumber(std::span<const JudgedHit> hits, std::vector<JudgedHit>& out) const;

 private:
  static constexpr std::uint32_t kWithdrawn = UINT32_MAX;
  std::vector<std::uint32_t> now_;  // by JudgementIndex before
  std::vector<JudgementIndex> added_;
  bool changed_ = false;
};

/// Finds documents in the first hits of a ranking, captured as hashes of keys: moves those that are
/// there from `unlocated` to `hits`, which ascend by rank again. `keys[0]` was served at
/// `first_rank`.
void locate_by_key(const TopicQrels& topic, std::span<const std::uint64_t> keys, Rank first_rank,
                   std::vector<JudgementIndex>& unlocated, std::vector<JudgedHit>& hits);

}  // namespace prescope
