#pragma once

#include <array>
#include <atomic>
#include <shared_mutex>
#include <unordered_map>

#include "base/hash.h"
#include "prescope/qrels.h"

namespace prescope {

/// The topics that a source has judged so far, in the order in which they were first asked for. Any
/// thread. A topic keeps its position and its address.
class FoundTopics {
 public:
  /// `most`: topics that are kept, up to Qrels::kMostFound.
  FoundTopics(std::shared_ptr<JudgementSource> source, QrelsOptions options,
              std::size_t most = Qrels::kMostFound);

  [[nodiscard]] const JudgementSource& source() const noexcept { return *source_; }
  [[nodiscard]] std::optional<TopicIndex> find(std::string_view topic) const noexcept;
  /// See Qrels::look_up.
  [[nodiscard]] std::optional<TopicIndex> look_up(std::string_view topic) noexcept;
  /// `i` must have been returned by one of the above.
  [[nodiscard]] const TopicQrels& topic(TopicIndex i) const noexcept { return at(i).qrels; }
  [[nodiscard]] std::string_view family_name(TopicIndex i) const noexcept { return at(i).family; }
  [[nodiscard]] FamilyIndex family(TopicIndex i) const noexcept { return at(i).family_index; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t num_families() const noexcept { return num_families_; }
  [[nodiscard]] Qrels::Totals totals() const noexcept {
    const std::shared_lock lock(mutex_);
    return totals_;
  }
  [[nodiscard]] Qrels::Lookups lookups() const noexcept {
    return {.failed = failed_, .without_room = without_room_};
  }

 private:
  struct Found {
    TopicQrels qrels;
    std::string family;
    FamilyIndex family_index;
  };
  static constexpr std::size_t kBlock = 1024;
  using Block = std::array<std::optional<Found>, kBlock>;

  [[nodiscard]] const Found& at(TopicIndex i) const noexcept {
    return *(*blocks_[i.value() / kBlock])[i.value() % kBlock];
  }
  [[nodiscard]] std::optional<TopicIndex> find_name(std::string_view name) const;
  [[nodiscard]] Qrels qrels_of(const JudgementSource::Judged& judged) const;
  std::optional<TopicIndex> add(const std::string& name, JudgementSource::Judged judged);

  std::shared_ptr<JudgementSource> source_;
  QrelsOptions options_;
  std::size_t most_;
  std::mutex source_mutex_;          // of the source; taken first
  mutable std::shared_mutex mutex_;  // of the names and totals
  std::unordered_map<std::string, TopicIndex, TextHash, std::equal_to<>> names_;
  std::unordered_map<std::string, FamilyIndex> families_;  // of source_mutex_
  std::array<std::unique_ptr<Block>, Qrels::kMostFound / kBlock> blocks_;
  std::atomic<std::size_t> size_{0}, num_families_{0};
  Qrels::Totals totals_;
  std::atomic<std::uint64_t> failed_{0}, without_room_{0};
};

}  // namespace prescope
