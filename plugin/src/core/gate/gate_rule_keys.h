#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/gate/gate_rules.h"

namespace prescope {

/// A value of the rules, of the type that its member has. An optional number that is not there is
/// written `false`.
using GateRuleValue =
    std::variant<bool, double, std::optional<double>, std::uint32_t, std::vector<TopicId>>;

/// One value of the rules with its name: what reads, writes, checks and documents them goes by
/// these, all but `decisions`.
struct GateRuleKey {
  std::string_view key;      ///< "input.topics_missing": topics_missing of the table [input]
  std::string_view range;    ///< "a number in (0, 1)"
  std::string_view meaning;  ///< one line
  GateRuleValue (*get)(const GateRules& rules) = nullptr;
  /// `value` must be of the type that `get` gives.
  void (*set)(GateRules& rules, const GateRuleValue& value) = nullptr;
  bool (*allows)(double number) = nullptr;  ///< of numbers; every other value is allowed
};

/// In the order in which they are written; those of no table first.
[[nodiscard]] std::span<const GateRuleKey> gate_rule_keys() noexcept;

/// Whether the value is in the key's range; NaN never is.
[[nodiscard]] bool is_allowed(const GateRuleKey& key, const GateRuleValue& value) noexcept;

/// "margin is -0.01; expected a number in (0, 1)".
[[nodiscard]] std::string out_of_range_message(std::string_view name, double value,
                                               std::string_view range);

/// The range of every margin.
inline constexpr std::string_view kMarginRange = "a number in (0, 1)";
[[nodiscard]] constexpr bool is_margin(double value) noexcept { return value > 0.0 && value < 1.0; }

/// Why a measure cannot decide: its mean is no mean of differences, or it has no value from the
/// ranks of relevant documents alone. Nothing where it can.
[[nodiscard]] std::optional<std::string> why_not_a_decision(const Measure& measure);

[[nodiscard]] std::string decides_twice_message(const Measure& measure);

/// All that is wrong with the rules by themselves, a sentence each.
[[nodiscard]] std::vector<std::string> problems_of(const GateRules& rules);

}  // namespace prescope
