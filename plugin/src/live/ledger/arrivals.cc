#include "live/ledger/arrivals.h"

#include <algorithm>

namespace prescope {

void Arrivals::add(UtcTime time) noexcept {
  if (count_ == 0) first_ = latest_ = time;
  latest_ = std::max(latest_, time);
  if (count_++ % stride_ != 0) return;
  if (kept_ == kMost) {
    kept_ = 0;
    for (std::size_t i = 0; i < kMost; i += 2) times_[kept_++] = times_[i];
    stride_ *= 2;
  }
  times_[kept_++] = latest_;
}

std::optional<double> Arrivals::per_hour(UtcTime now) const noexcept {
  using Hours = std::chrono::duration<double, std::ratio<3600>>;
  constexpr std::uint64_t kFewest = 10;
  const auto span = std::max(now, latest_) - first_;
  if (count_ < kFewest || span < std::chrono::minutes(1)) return std::nullopt;
  const auto since = std::max(now, latest_) - span / 4;
  const auto in_window = std::count_if(times_.begin(), times_.begin() + std::ptrdiff_t(kept_),
                                       [&](UtcTime time) { return time > since; });
  return static_cast<double>(in_window) * static_cast<double>(stride_) / Hours(span / 4).count();
}

}  // namespace prescope
