#pragma once

#include <cstdint>
#include <span>

#include "prescope/observation.h"

namespace prescope {

/// An observation of a topic, in the ledger's judgements whatever those it was made in.
struct Visit {
  const Observation* observation = nullptr;
  std::span<const JudgedHit> hits{};
  /// Documents whose rank in it is not known, though that of all others is up to `judged_depth`.
  std::span<const JudgementIndex> unlocated{};
  std::uint32_t judged_depth = 0;

  [[nodiscard]] bool is_decided() const noexcept { return unlocated.empty(); }
};

}  // namespace prescope
