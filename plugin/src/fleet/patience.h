#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "fleet/clickhouse.h"

namespace prescope {

/// How long to wait after a failure: twice as long after each, up to 30 s.
class BackOff {
 public:
  std::chrono::milliseconds next() {
    return wait_ = std::min(wait_ * 2, std::chrono::milliseconds(30'000));
  }

 private:
  std::chrono::milliseconds wait_{25};
};

/// Calls `call`, again and again while it throws FleetUnavailable, of which `on_failure` is told.
/// Throws it when `patience` is over.
void patiently(std::chrono::milliseconds patience, const auto& call,
               const std::function<void(const FleetUnavailable&)>& on_failure = {}) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (BackOff back_off;;) {
    try {
      return call();
    } catch (const FleetUnavailable& error) {
      const auto left = give_up - std::chrono::steady_clock::now();
      if (left.count() <= 0) throw;
      if (on_failure) on_failure(error);
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(back_off.next(), left));
    }
  }
}

}  // namespace prescope
