#pragma once

#include <variant>

#include "nightly/record/evaluation_record.h"

namespace prescope {

/// The rules that tonight's evaluation must keep to pass. As TOML: `docs/gate.md`. `gate_rule_keys`
/// names the range of each value.
struct GateRules {
  struct Decision {
    Measure measure;
    double margin = 0.01;  ///< largest mean loss that is accepted, (0, 1)
    friend bool operator==(const Decision&, const Decision&) = default;
  };
  /// Catastrophes concern these topics, not topics like these, so no chance is involved. All of
  /// them are about the ranks up to the cutoff of the first deciding PRES@N, or else R@N.
  struct Catastrophe {
    bool must_find = true;  ///< a pinned citation lost
    bool emptied = true;    ///< a topic whose recall fell to 0, from the first 80 % of N_max
    std::vector<TopicId> emptied_allowed{};
    /// Share of topics that may lose a citation from the first 80 % of N_max, one topic at least.
    double hard_loss_share = 0.01;
    double fall = 0.2;         ///< topics whose PRES fell by this much or more ...
    double fall_share = 0.01;  ///< ... and the accepted share of them; at least one topic
    friend bool operator==(const Catastrophe&, const Catastrophe&) = default;
  };
  /// Groups of the topics that are judged by the first deciding measure, too.
  struct Slices {
    std::string path{};              ///< as SliceSource::file; of a rules file, from its folder on
    std::vector<std::string> by{};   ///< as SliceSource::by; both empty: no slices
    std::optional<double> margin{};  ///< std::nullopt: the one of the first deciding measure
    /// A slice that cannot rule out a loss beyond its margin makes the gate inconclusive.
    bool must_decide = false;

    [[nodiscard]] bool are_named() const noexcept { return !path.empty() || !by.empty(); }
    friend bool operator==(const Slices&, const Slices&) = default;
  };
  struct Latency {
    std::optional<double> ratio = 1.2;  ///< tonight over baseline; std::nullopt: not checked
    friend bool operator==(const Latency&, const Latency&) = default;
  };
  struct Input {
    double judged_found_fall = 0.01;  ///< share of judged docnos in the index may fall by this much
    double documents_change = 0.2;    ///< relative, either way
    std::uint32_t topics_missing = 0;  ///< served at the baseline, not tonight
    double duplicates_share = 0.001;   ///< of hits
    friend bool operator==(const Input&, const Input&) = default;
  };

  /// Empty: PRES and R at the first cutoff of the baseline's PRES.
  std::vector<Decision> decisions{};
  double margin = 0.01;      ///< for decisions that name none
  double confidence = 0.95;  ///< one-sided, of non-inferiority and of latency, (0.5, 1)
  Catastrophe catastrophe{};
  Slices slices{};
  Latency latency{};
  Input input{};
  friend bool operator==(const GateRules&, const GateRules&) = default;
};

/// A citation that must be found, whatever the means.
struct MustFind {
  TopicId topic{};
  Docno docno{};
  friend bool operator==(const MustFind&, const MustFind&) = default;
};

/// A pinned evaluation.
struct Baseline {
  std::string name{};
  std::optional<std::int64_t> number{};  ///< number of the evaluation in its store
  EvaluationRecord evaluation{};
  std::vector<MustFind> must_find{};
  std::string pinned_by{}, why{};
  UtcTime pinned{};
};

/// A value of the rules, with the type of its member. An optional number without a value is written
/// `false`.
using GateRuleValue = std::variant<bool, double, std::optional<double>, std::uint32_t, std::string,
                                   std::vector<std::string>, std::vector<TopicId>>;

/// One value of the rules with its name, used to read, write, check and document it; all but
/// `decisions`.
struct GateRuleKey {
  std::string_view key;      ///< "input.topics_missing": topics_missing of the table [input]
  std::string_view range;    ///< "a number in (0, 1)"
  std::string_view meaning;  ///< one line
  GateRuleValue (*get)(const GateRules& rules) = nullptr;
  /// `value` must be of the type that `get` gives.
  void (*set)(GateRules& rules, const GateRuleValue& value) = nullptr;
  bool (*allows)(double number) = nullptr;  ///< for numbers; every other value is allowed
};

/// Returns the keys in the order in which they are written; those outside tables first.
[[nodiscard]] std::span<const GateRuleKey> gate_rule_keys() noexcept;

/// Returns true if the value is in the key's range; NaN never is.
[[nodiscard]] bool is_allowed(const GateRuleKey& key, const GateRuleValue& value) noexcept;

/// "margin is -0.01; expected a number in (0, 1)".
[[nodiscard]] std::string out_of_range_message(std::string_view name, double value,
                                               std::string_view range);

/// The range of every margin.
inline constexpr std::string_view kMarginRange = "a number in (0, 1)";
[[nodiscard]] constexpr bool is_margin(double value) noexcept { return value > 0.0 && value < 1.0; }

/// Returns why a measure cannot decide: its mean is no mean of differences, or it has no value from
/// the ranks of relevant documents alone. Returns std::nullopt if it can.
[[nodiscard]] std::optional<std::string> why_not_a_decision(const Measure& measure);

[[nodiscard]] std::string decides_twice_message(const Measure& measure);

/// Returns the rules for this baseline with every default filled in. Throws Error(kUsage), all
/// problems at once: a value out of its range, a measure that cannot decide or that the baseline
/// was not made for, a baseline without PRES if no measure is named.
[[nodiscard]] GateRules applied_rules(const Baseline& baseline, const GateRules& rules);

/// The measure by which citations are counted: the first deciding PRES@N, or else the first R@N.
[[nodiscard]] std::optional<Measure> moving_measure(const GateRules& applied);

/// Reads the rules of a gate (TOML; `docs/gate.md` explains each key). Keys that the file does not
/// name have their defaults. Throws Error: kIo (cannot be read), kBadInput (not TOML), kUsage with
/// a line `file:line: ...` for each problem: unknown keys, with the nearest; wrong types; values
/// out of their range; measures that cannot decide. A relative path begins at the folder of the
/// file.
[[nodiscard]] GateRules read_gate_rules(const std::filesystem::path& path);

/// Reads such a text; place: "the rules:LINE".
[[nodiscard]] GateRules gate_rules_of(std::string_view toml);

/// Writes the rules as such a file, every key with its meaning; reading it gives the same rules.
[[nodiscard]] std::string gate_rules_toml(const GateRules& rules);

/// Returns the citations of a qrels file that later evaluations must find, as the evaluation spells
/// them; documents that the file judges not relevant are left out. Docnos are matched under the
/// evaluation's policy, for kFamily with `family_map`. Throws as Qrels::load, and Error(kBadInput)
/// with the first few citations that the evaluation did not find, and their number.
[[nodiscard]] std::vector<MustFind> load_must_find(const std::filesystem::path& path,
                                                   const std::filesystem::path& family_map,
                                                   const EvaluationRecord& evaluation);

}  // namespace prescope
