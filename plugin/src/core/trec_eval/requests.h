#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trec_eval/family.h"
#include "prescope/measure.h"

namespace prescope::trec_eval {

/// A family with its parameters, read.
struct Request {
  const Family* family = nullptr;
  std::string parameters;                ///< as written behind the '.'; empty for the defaults
  std::vector<std::uint64_t> cutoffs{};  ///< ascending
  std::vector<double> numbers{};
  std::vector<LevelGain> gains{};
  double persistence = 0.9;
};

/// What was asked for with -m.
struct Requests {
  std::vector<Request> families;  ///< in the order of the table
  std::vector<Measure> own;       ///< prescope's own, in the order asked for
};

/// Reads measures as `Options::measures` has them. Throws Error(kUsage).
[[nodiscard]] Requests parse_requests(std::span<const std::string> measures);

}  // namespace prescope::trec_eval
