#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "prescope/types.h"

namespace prescope::trec_eval {

/// Means and standard deviations of a measure in a topic over many runs, by which a score is told
/// in standard deviations from the mean (trec_eval -Z).
class ZScores {
 public:
  /// Given where nothing is known of a measure in a topic.
  static constexpr double kUnknown = -1'000'000.0;

  /// Reads lines `topic measure mean deviation`. Throws Error(kIo), Error(kBadInput).
  [[nodiscard]] static ZScores load(const std::filesystem::path& path);
  [[nodiscard]] double convert(const TopicId& topic, std::string_view measure, double value) const;

 private:
  struct Spread {
    double mean = 0.0, deviation = 0.0;
  };
  std::map<TopicId, std::map<std::string, Spread, std::less<>>> spreads_;
};

}  // namespace prescope::trec_eval
