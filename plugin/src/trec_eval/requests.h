#pragma once

#include "measures/scorer.h"
#include "trec_eval/families.h"

namespace prescope::trec_eval {

/// A family with its parameters, read.
struct Request {
  const Family* family = nullptr;
  std::string parameters;         ///< as written behind the '.'; empty for the defaults
  std::vector<double> numbers{};  ///< cutoffs and shares ascend
  std::vector<LevelGain> gains{};
  double persistence = 0.9;
  std::vector<std::string> names{};  ///< of its values, as printed: "P_5", "P_10"

  /// Sets a value for each name, unless the family has a text.
  void score(const JudgedRanks& ranks, std::span<double> values) const;
  /// The text of OfText.
  [[nodiscard]] std::string text(const JudgedRanks& ranks) const;
  /// Returns whether a topic that is not in the run gets 0, or no text, instead.
  [[nodiscard]] bool zero_if_missing() const noexcept;
};

/// The measures asked for with -m.
struct Requests {
  std::vector<Request> families;  ///< in the order of the table
  Scorer own;                     ///< prescope's own, in the order asked for
};

/// Reads measures as `Options::measures` has them. Throws Error(kUsage).
[[nodiscard]] Requests parse_requests(std::span<const std::string> measures);

}  // namespace prescope::trec_eval
