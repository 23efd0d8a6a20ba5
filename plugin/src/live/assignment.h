#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "prescope/types.h"

namespace prescope {

/// Which of several arms a unit of traffic is given to (Mode::kSplit), by rendezvous hashing: each
/// arm draws a number for the unit, and the highest has it. So an arm that goes gives up its own
/// units only, evenly to the others, and takes the same ones back when it returns. The same in
/// every process and on every machine. No allocation.
///
/// The number of an arm: m(m(m(f(salt)) ^ f(arm)) ^ f(unit)), with f the 64-bit FNV-1a of the
/// bytes, and m one step of splitmix64 from its argument as the state.
class ArmDraw {
 public:
  ArmDraw(std::string_view salt, std::string_view unit) noexcept;

  void enter(ArmIndex arm, std::string_view name) noexcept;
  /// Nothing where no arm has entered.
  [[nodiscard]] std::optional<ArmIndex> winner() const noexcept { return winner_; }

 private:
  std::uint64_t salt_;
  std::uint64_t unit_;
  std::uint64_t highest_ = 0;
  std::optional<ArmIndex> winner_;
};

}  // namespace prescope
