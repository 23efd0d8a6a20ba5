#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace prescope {

/// The answers to the lines of one posted body. Each line has one of four.
struct CollectAnswer {
  struct Refused {
    std::uint64_t line = 0;  ///< from 1
    std::string why{};       ///< a sentence without a full stop
  };
  std::uint64_t accepted = 0;    ///< new, and in the store
  std::uint64_t duplicates = 0;  ///< of an id that the store had, or another line of the body
  std::vector<Refused> refused{};
  std::vector<std::uint64_t> not_stored{};  ///< lines that the client should send again

  /// Returns the number of lines.
  [[nodiscard]] std::uint64_t lines() const noexcept {
    return accepted + duplicates + refused.size() + not_stored.size();
  }
};

/// Counts of all lines since the collector began.
struct CollectCounts {
  std::uint64_t accepted = 0, duplicates = 0, refused = 0, not_stored = 0;
  /// Accepted lines that did not say when the ranking was served, how long the user waited, how
  /// many hits were asked for, and how many documents matched.
  std::uint64_t without_time = 0, without_latency = 0, without_depth = 0, without_total = 0;
  std::uint64_t failed = 0;    ///< accepted lines of searches that failed or timed out
  std::uint64_t unjudged = 0;  ///< accepted lines of topics without judgements
  /// Visits of mode paired that were given up before their time, because too many waited.
  std::uint64_t crowded_out = 0;
};

/// Returns how many lines there were and what they did not say, a sentence each without a full
/// stop.
[[nodiscard]] std::vector<std::string> collect_sentences(const CollectCounts& counts);

}  // namespace prescope
