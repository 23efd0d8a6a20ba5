#pragma once

#include <cstdint>

#include "nightly/record/evaluation_record.h"

/// Random evaluations for tests that store and list them.
namespace prescope {

struct MadeUpEvaluation {
  /// Names of patents, or names with quotation marks, backslashes and accents.
  enum class Names { kPatents, kAwkward };

  std::uint32_t seed = 1;
  std::uint32_t topics = 20;
  std::uint32_t most_found = 12;  ///< relevant documents found of a topic, at most
  std::string arm = "bm25";
  UtcTime time{};
  std::string measures = "PRES@100,R@1000,AP@1000";
  Names names = Names::kAwkward;
};

/// The same record for the same wishes. Topics without relevant documents, without found ones, not
/// served and untimed ones are among them.
[[nodiscard]] EvaluationRecord made_up(const MadeUpEvaluation& wishes);

/// Every member, with a line for each that differs.
void expect_same(const EvaluationRecord& actual, const EvaluationRecord& expected);

}  // namespace prescope
