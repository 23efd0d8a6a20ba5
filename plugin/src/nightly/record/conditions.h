#pragma once

#include "nightly/record/evaluation_record.h"

namespace prescope {

/// Returns every condition of an evaluation, ascending by name: those that it keeps, and its
/// engine, the settings of its arm and what its index says of itself.
[[nodiscard]] std::vector<Condition> conditions_of(const EvaluationRecord& record);

/// A condition with different values in two evaluations.
struct ChangedCondition {
  std::string name{};
  std::optional<std::string> before{}, after{};  ///< std::nullopt: not among the conditions
  friend bool operator==(const ChangedCondition&, const ChangedCondition&) = default;
};

/// Returns the conditions that differ, ascending by name, as both lists must be.
[[nodiscard]] std::vector<ChangedCondition> changed_conditions(std::span<const Condition> before,
                                                               std::span<const Condition> after);

/// "run.order was file and is trec, arm.k1 was 1.2 and is not set".
[[nodiscard]] std::string changed_words(std::span<const ChangedCondition> changes);

/// A kind of conditions, by the beginning of their names.
struct ConditionKind {
  std::string_view prefix;
  std::string_view rule;  ///< the rule of the gate that compares them
};
/// Returns the kind of a condition. One of no other kind is of the last.
[[nodiscard]] const ConditionKind& kind_of(std::string_view condition) noexcept;

/// The rules that compare conditions.
inline constexpr std::string_view kConditionsRule = "input.conditions";
inline constexpr std::string_view kArmRule = "input.arm";
inline constexpr std::string_view kIndexRule = "input.index";

}  // namespace prescope
