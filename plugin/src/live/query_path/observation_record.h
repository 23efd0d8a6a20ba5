#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "live/query_path/processor_counter.h"
#include "prescope/experiment.h"

namespace prescope {

/// As it was taken: making nanoseconds of ticks is left to the recorder, because the scale of the
/// counter would be another line of memory to wait for.
struct RankingObserver::Latency {
  std::int64_t value = 0;
  bool is_in_ticks = false;

  [[nodiscard]] std::chrono::nanoseconds nanoseconds() const noexcept {
    return is_in_ticks ? nanoseconds_of(value) : std::chrono::nanoseconds(value);
  }
};

/// An observation, queued or on its way there: the header, room for each judgement of the topic as
/// a hit, a bit for each judgement that has been hit, and room for the hits that are captured, as
/// docids or as hashes.
struct RankingObserver::Record {
  Observation observation;  ///< but for its times
  Latency latency;
  Ticks self_ticks = 0;
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
  /// With its room, in `bytes(room)` at `place`, aligned as a Record is.
  [[nodiscard]] static Record& make(std::byte* place, const Room& room) noexcept {
    auto* const made = new (place) Record;
    made->judgements = static_cast<std::uint32_t>(room.judgements);
    made->captures_docids = room.docids != 0;
    made->capture_room = static_cast<std::uint32_t>(room.docids + room.keys);
    std::fill(made->seen(), made->keys(), 0);
    return *made;
  }
  [[nodiscard]] Room room() const noexcept {
    return {.judgements = judgements,
            .docids = captures_docids ? capture_room : 0,
            .keys = captures_docids ? 0 : capture_room};
  }
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

  /// A judged document at its rank; it counts at its first, however many docids or repeats carry
  /// it.
  void hit(JudgementIndex judgement, Rank rank) noexcept {
    std::uint64_t& word = seen()[judgement.value() / 64];
    const std::uint64_t bit = std::uint64_t{1} << (judgement.value() % 64);
    if ((word & bit) != 0) {
      ++observation.duplicates;
      return;
    }
    word |= bit;
    hits()[num_hits++] = {rank, judgement};
  }
  /// How many hits are still to be captured, of which `next` is the rank of the first.
  [[nodiscard]] std::size_t room_to_capture(Rank next) const noexcept {
    // Hits that were skipped leave nothing to tell the ranks of the hits behind them by.
    const Rank captured_to = observation.first_rank + num_captured;
    return captured_to == next ? capture_room - num_captured : 0;
  }

  /// Nothing more is hit or captured: no room is needed but for what was.
  void close() noexcept { judgements = num_hits; }
  /// A closed record that captures nothing, at a place with room for it.
  [[nodiscard]] Record& copy_to(std::byte* place) noexcept {
    auto* const copy = new (place) Record(*this);
    for (std::uint32_t i = 0; i < num_hits; ++i) copy->hits()[i] = hits()[i];
    return *copy;
  }

  /// What of the observation is not known before the record is read: its times and its spans.
  void complete() noexcept {
    observation.latency = latency.nanoseconds();
    observation.self_time = nanoseconds_of(self_ticks);
    observation.hits = {hits(), num_hits};
    if (captures_docids) {
      observation.captured_docids = {docids(), num_captured};
    } else {
      observation.captured_keys = {keys(), num_captured};
    }
  }
};

static_assert(alignof(RankingObserver::Record) == 8, "as in the ring, and in an observer");

}  // namespace prescope
