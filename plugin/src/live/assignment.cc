#include "live/assignment.h"

#include "core/fnv_1a.h"
#include "core/statistics/split_mix.h"

namespace prescope {
namespace {

std::uint64_t mixed(std::uint64_t number) noexcept { return SplitMix(number).next(); }

}  // namespace

ArmDraw::ArmDraw(std::string_view salt, std::string_view unit) noexcept
    : salt_(mixed(fnv_1a(salt))), unit_(fnv_1a(unit)) {}

void ArmDraw::enter(ArmIndex arm, std::string_view name) noexcept {
  const std::uint64_t number = mixed(mixed(salt_ ^ fnv_1a(name)) ^ unit_);
  if (winner_ && number <= highest_) return;
  highest_ = number;
  winner_ = arm;
}

}  // namespace prescope
