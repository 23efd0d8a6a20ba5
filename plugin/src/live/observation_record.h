#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "prescope/experiment.h"

namespace prescope {

/// A queued observation: the header, room for each judgement of the topic as a hit, a bit for each
/// judgement that has been hit, and room for the hits that are captured, as docids or as hashes.
struct RankingObserver::Record {
  Observation observation;
  std::uint32_t num_hits = 0;
  std::uint32_t judgements = 0;
  std::uint32_t capture_room = 0;  ///< in hits
  std::uint32_t num_captured = 0;
  bool captures_docids = false;
  bool abandoned = false;

  struct Room {
    std::size_t judgements = 0;
    std::size_t docids = 0, keys = 0;  ///< captured; at most one of them is not 0
  };
  [[nodiscard]] static std::size_t bytes(const Room& room) noexcept {
    return sizeof(Record) + room.judgements * sizeof(JudgedHit) + (room.judgements + 63) / 64 * 8 +
           room.docids * sizeof(DocId) + room.keys * sizeof(std::uint64_t);
  }

  [[nodiscard]] JudgedHit* hits() noexcept { return reinterpret_cast<JudgedHit*>(this + 1); }
  [[nodiscard]] std::uint64_t* seen() noexcept {
    return reinterpret_cast<std::uint64_t*>(hits() + judgements);
  }
  [[nodiscard]] std::uint64_t* keys() noexcept { return seen() + (judgements + 63) / 64; }
  [[nodiscard]] DocId* docids() noexcept { return reinterpret_cast<DocId*>(keys()); }

  /// The spans of the observation, which are not known before the record is read.
  void point_to_what_follows() noexcept {
    observation.hits = {hits(), num_hits};
    if (captures_docids) {
      observation.captured_docids = {docids(), num_captured};
    } else {
      observation.captured_keys = {keys(), num_captured};
    }
  }
};

}  // namespace prescope
