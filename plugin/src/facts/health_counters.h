#pragma once

#include <span>
#include <string>

#include "prescope/summary.h"

namespace prescope {

/// Where reports in text and JSON name a counter that is above 0.
enum class HealthReport {
  kNone,     ///< nowhere, or in a sentence of its own
  kLeftOut,  ///< among what is left out of scores, comparisons or latencies
  kOddity,   ///< among what is worth knowing
};

/// The things that a counter counts.
struct CountedNoun {
  std::string_view singular, plural;
};

/// A counter of Health, with its name and words for every reader.
struct HealthCounter {
  std::uint64_t Health::*member;
  std::string_view name;   ///< in JSON and in the tables of stores and fleets
  std::string_view group;  ///< on the page: "lost", "fault", "expected", "comparison", "flow"
  HealthReport report;
  CountedNoun noun;
  std::string_view what;    ///< follows the number and the noun: "left out by sampling"
  std::string_view metric;  ///< the name of a HealthMetric
  std::string_view label{};
};
/// All counters, in the order of JSON.
[[nodiscard]] std::span<const HealthCounter> health_counters() noexcept;
/// Returns what a counter counts: "Rankings left out by sampling."
[[nodiscard]] std::string sentence(const HealthCounter& counter);

/// A family of metrics for Prometheus, made of one or more counters. It is a gauge unless its name
/// ends with "_total".
struct HealthMetric {
  std::string_view name;
  std::string_view label{};  ///< has a value for each counter; empty if there is one only
  std::string_view help{};   ///< empty if the sentence of the one counter says it
};
[[nodiscard]] std::span<const HealthMetric> health_metrics() noexcept;

}  // namespace prescope
