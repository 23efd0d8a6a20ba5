#include "report/latency_text.h"

#include <fmt/format.h>

#include <cmath>

#include "report/number_text.h"
#include "report/sections.h"

namespace prescope {
namespace {

std::string end_text(const std::optional<double>& ms) {
  return ms && std::isinf(*ms) ? "failed" : milliseconds_text(ms);
}

}  // namespace

std::string quantile_text(const LatencyQuantile& quantile) { return end_text(quantile.ms); }

std::string quantile_interval_text(const LatencyQuantile& quantile) {
  const auto& [ms, low, high] = quantile;
  if (low && high) return fmt::format("[{}, {}]", end_text(low), end_text(high));
  if (low) return "≥ " + end_text(low);
  if (high) return "≤ " + end_text(high);
  return "-";
}

std::optional<double> own_share(std::optional<double> self_us, const LatencySummary& latency) {
  constexpr double kUsPerMs = 1000.0;
  if (!self_us || !latency.p50.ms || !std::isfinite(*latency.p50.ms) || *latency.p50.ms <= 0.0) {
    return std::nullopt;
  }
  return *self_us / (*latency.p50.ms * kUsPerMs);
}

}  // namespace prescope
