#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/evaluation_record.h"
#include "prescope/experiment_options.h"
#include "prescope/observation.h"
#include "prescope/observation_log.h"

namespace prescope {

/// Copies of observations, and of what changed between them, in their order. Keeps its room.
class LogBatch {
 public:
  struct Change {
    std::size_t before = 0;  ///< position of the observation that follows it
    ExperimentChange::Kind kind{};
    ArmIndex arm{};
    std::optional<ArmDescription> description{};
    std::uint32_t judgements_version = 0;
  };

  /// What `add` would need more, in bytes.
  [[nodiscard]] static std::size_t bytes_of(const Observation& observation) noexcept;

  /// Strong guarantee.
  void add(const Observation& observation, UtcTime time);
  void add(const ExperimentChange& change);
  void clear() noexcept;

  [[nodiscard]] bool empty() const noexcept { return entries_.empty() && changes_.empty(); }
  /// In observations.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Refers to this batch, which must not change meanwhile.
  [[nodiscard]] Observation observation(std::size_t i) const noexcept;
  [[nodiscard]] UtcTime time(std::size_t i) const noexcept { return entries_[i].time; }
  /// Ascending by position.
  [[nodiscard]] const std::vector<Change>& changes() const noexcept { return changes_; }

 private:
  /// Its spans are empty: they are what begins here.
  struct Entry {
    Observation observation;
    UtcTime time;
    std::size_t hits, docids, keys;
    std::uint32_t num_hits, num_docids, num_keys;
  };

  std::vector<Entry> entries_;
  std::vector<Change> changes_;
  std::vector<JudgedHit> hits_;
  std::vector<DocId> docids_;
  std::vector<std::uint64_t> keys_;
  std::size_t bytes_ = 0;
};

}  // namespace prescope
