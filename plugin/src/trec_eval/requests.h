#pragma once

#include "trec_eval/families.h"

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

/// The measures asked for with -m.
struct Requests {
  std::vector<Request> families;  ///< in the order of the table
  std::vector<Measure> own;       ///< prescope's own, in the order asked for
};

/// Reads measures as `Options::measures` has them. Throws Error(kUsage).
[[nodiscard]] Requests parse_requests(std::span<const std::string> measures);

/// Computes the values of one request.
class RequestScorer {
 public:
  explicit RequestScorer(Request request);

  [[nodiscard]] const Family& family() const noexcept { return *request_.family; }
  /// The names of its values, as printed: "P_5", "P_10".
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Sets a value for each name, unless the family has a text.
  void score(const JudgedRanks& ranks, std::span<double> values) const;
  /// The text of OfText.
  [[nodiscard]] std::string text(const JudgedRanks& ranks) const;
  /// Returns whether a topic that is not in the run gets 0, or no text, instead.
  [[nodiscard]] bool zero_if_missing() const noexcept;

 private:
  Request request_;
  std::vector<std::string> names_;
};

}  // namespace prescope::trec_eval
