#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace prescope {

/// All problems of some options, for one message.
class OptionChecks {
 public:
  void add(std::string problem) {
    if (++count_ <= kMostNamed) texts_.push_back(std::move(problem));
  }

  /// `least` and `most` are valid values.
  template <class Value>
  void check_range(std::string_view option, Value value, Value least, Value most,
                   std::string_view unit = "") {
    if (value >= least && value <= most) return;
    add(fmt::format("{} is {}{}; expected {} to {}{}", option, value, unit, least, most, unit));
  }
  void check_milliseconds(std::string_view option, std::chrono::milliseconds value,
                          std::int64_t least, std::int64_t most) {
    check_range<std::int64_t>(option, value.count(), least, most, " ms");
  }
  /// Above 0; NaN is in no range.
  void check_share(std::string_view option, double value, double most = 1.0) {
    if (value > 0.0 && value <= most) return;
    add(fmt::format("{} is {}; expected above 0, at most {}", option, value, most));
  }

  /// Throws Error(kUsage), `"subject: problem; problem"`, if there are any.
  void refuse_any(std::string_view subject) {
    if (count_ == 0) return;
    if (count_ > kMostNamed) texts_.push_back(fmt::format("and {} more", count_ - kMostNamed));
    throw usage_error("{}: {}", subject, fmt::join(texts_, "; "));
  }

 private:
  static constexpr std::size_t kMostNamed = 50;

  std::vector<std::string> texts_;
  std::size_t count_ = 0;
};

}  // namespace prescope
