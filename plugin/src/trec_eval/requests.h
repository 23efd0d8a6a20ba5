#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prescope/measure.h"
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

/// What was asked for with -m.
struct Requests {
  std::vector<Request> families;  ///< in the order of the table
  std::vector<Measure> own;       ///< prescope's own, in the order asked for
};

/// Reads measures as `Options::measures` has them. Throws Error(kUsage).
[[nodiscard]] Requests parse_requests(std::span<const std::string> measures);

/// Computes the values of one request, topic by topic. Keeps buffers, so each thread has its own.
class RequestScorer {
 public:
  explicit RequestScorer(Request request);

  [[nodiscard]] const Family& family() const noexcept { return *request_.family; }
  /// Of its values, as printed: "P_5", "P_10". None of OfRun; one of OfText, which has no value.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] bool has_values() const noexcept;
  /// Whether `by_grade` is looked at when scoring.
  [[nodiscard]] bool reads_gains() const noexcept;
  /// A value for each name. `by_grade` is set to the same ranks, with gains as they are.
  void score(const JudgedRanks& ranks, const GainScale& by_grade, std::span<double> values);
  /// Of OfText; valid until the next call.
  [[nodiscard]] const std::string& text(const JudgedRanks& ranks);
  /// Whether a topic that the run has not is given 0, or no text, instead.
  [[nodiscard]] bool zero_where_missing() const noexcept;

 private:
  const GainScale& scale(const JudgedRanks& ranks, const GainScale& by_grade);

  Request request_;
  std::vector<std::string> names_;
  GainScale gains_;
  Powers powers_;
  std::string text_;
};

}  // namespace prescope::trec_eval
