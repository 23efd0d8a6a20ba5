#include "nightly/gate/gate_rules.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <type_traits>

#include "base/errors.h"
#include "measures/definitions.h"

namespace prescope {

namespace {

constexpr std::string_view kShareRange = "a number in [0, 1]";
constexpr std::string_view kSwitchRange = "true or false";

constexpr bool is_share(double value) { return value >= 0.0 && value <= 1.0; }

/// `Path` names the members that lead to the value.
template <auto... Path>
constexpr GateRuleKey make_key(std::string_view key, std::string_view range,
                               std::string_view meaning, bool (*allows)(double) = nullptr) {
  using Value = std::decay_t<decltype((std::declval<GateRules&>().*....*Path))>;
  return {.key = key,
          .range = range,
          .meaning = meaning,
          .get = [](const GateRules& rules) -> GateRuleValue { return (rules.*....*Path); },
          .set = [](GateRules& rules,
                    const GateRuleValue& value) { (rules.*....*Path) = std::get<Value>(value); },
          .allows = allows};
}

using Catastrophe = GateRules::Catastrophe;
using Input = GateRules::Input;
using Slices = GateRules::Slices;

constexpr std::array kKeys = {
    make_key<&GateRules::margin>("margin", kMarginRange,
                                 "Largest mean loss accepted of a measure that names no other",
                                 is_margin),
    make_key<&GateRules::confidence>("confidence", "a number in (0.5, 1)",
                                     "One-sided confidence of each bound, of scores and of latency",
                                     [](double value) { return value > 0.5 && value < 1.0; }),
    make_key<&GateRules::catastrophe, &Catastrophe::must_find>(
        "catastrophe.must_find", kSwitchRange, "A pinned citation that is lost fails the gate"),
    make_key<&GateRules::catastrophe, &Catastrophe::emptied>(
        "catastrophe.emptied", kSwitchRange,
        "A topic that found something and now finds nothing fails the gate"),
    make_key<&GateRules::catastrophe, &Catastrophe::emptied_allowed>(
        "catastrophe.emptied_allowed", "an array of topic ids",
        "Topics that may find nothing all the same"),
    make_key<&GateRules::catastrophe, &Catastrophe::hard_loss_share>(
        "catastrophe.hard_loss_share", kShareRange,
        "Topics that may lose a citation from the first 80 % of the cutoff, one at least",
        is_share),
    make_key<&GateRules::catastrophe, &Catastrophe::fall>(
        "catastrophe.fall", "a number in (0, 1]",
        "Loss of PRES from which a topic counts as fallen",
        [](double value) { return value > 0.0 && value <= 1.0; }),
    make_key<&GateRules::catastrophe, &Catastrophe::fall_share>(
        "catastrophe.fall_share", kShareRange, "Topics that may have fallen, one at least",
        is_share),
    make_key<&GateRules::slices, &Slices::path>(
        "slices.path", "a path, from the folder of this file on",
        "File of slices of the topics; each slice has a rule"),
    make_key<&GateRules::slices, &Slices::by>(
        "slices.by", "an array of texts",
        "Dimensions of the slices, such as section; relevant needs no file"),
    make_key<&GateRules::slices, &Slices::margin>(
        "slices.margin", "a number in (0, 1), or false",
        "Largest mean loss accepted of a slice; false: the first margin", is_margin),
    make_key<&GateRules::slices, &Slices::must_decide>(
        "slices.must_decide", kSwitchRange,
        "A slice that may have lost more than the margin leaves the gate undecided"),
    make_key<&GateRules::latency, &GateRules::Latency::ratio>(
        "latency.ratio", "a number above 0, or false",
        "Largest ratio of latency accepted, tonight over baseline; false: no rule",
        [](double value) { return value > 0.0 && std::isfinite(value); }),
    make_key<&GateRules::input, &Input::judged_found_fall>(
        "input.judged_found_fall", kShareRange,
        "Largest fall accepted of the share of judged documents in the index", is_share),
    make_key<&GateRules::input, &Input::documents_change>(
        "input.documents_change", "a number from 0 on",
        "Largest change accepted of the number of documents in the index, as a share",
        [](double value) { return value >= 0.0 && std::isfinite(value); }),
    make_key<&GateRules::input, &Input::topics_missing>(
        "input.topics_missing", "an integer in [0, 4294967295]",
        "Topics served at the baseline that may be missing tonight"),
    make_key<&GateRules::input, &Input::duplicates_share>(
        "input.duplicates_share", kShareRange,
        "Share of hits that may repeat a document of the same ranking", is_share),
};

/// Returns the value as a number if a range applies to it, else std::nullopt.
std::optional<double> checked_number(const GateRuleValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::optional<double>>(&value)) return *number;
  return std::nullopt;
}

/// Returns all problems of the rules by themselves, a sentence each.
std::vector<std::string> problems_of(const GateRules& rules) {
  std::vector<std::string> problems;
  for (const GateRuleKey& key : kKeys) {
    const GateRuleValue value = key.get(rules);
    if (is_allowed(key, value)) continue;
    problems.push_back(out_of_range_message(key.key, *checked_number(value), key.range));
  }
  std::vector<Measure> earlier;
  for (const auto& [measure, margin] : rules.decisions) {
    if (!is_margin(margin)) {
      problems.push_back(out_of_range_message("margin of " + measure.name(), margin, kMarginRange));
    }
    if (auto why_not = why_not_a_decision(measure)) problems.push_back(std::move(*why_not));
    if (std::ranges::count(earlier, measure) > 0)
      problems.push_back(decides_twice_message(measure));
    earlier.push_back(measure);
  }
  const GateRules::Slices& slices = rules.slices;
  if (!slices.are_named() && (slices.margin || slices.must_decide)) {
    problems.push_back(fmt::format(
        "slices.{} has no meaning without slices; name slices.path or slices.by, or give --slices "
        "or --slice-by",
        slices.must_decide ? "must_decide" : "margin"));
  }
  return problems;
}

std::string measure_names(const std::vector<Measure>& measures) {
  return fmt::format("{}", fmt::join(measures | std::views::transform(&Measure::name), ", "));
}

/// PRES and R at the first cutoff for which the baseline has PRES. A PRES with a min grade of its
/// own cannot decide.
std::vector<GateRules::Decision> default_decisions(const Baseline& baseline, double margin) {
  for (const Measure& measure : baseline.evaluation.measures) {
    if (measure.definition().name != kPres.name || measure.min_grade()) continue;
    const Measure recall =
        Measure::parse(fmt::format("{}@{}", kRecall.name, measure.cutoff()->value()));
    return {{measure, margin}, {recall, margin}};
  }
  return {};
}

void add_unknown_measures(const Baseline& baseline, const GateRules& rules,
                          std::vector<std::string>& problems) {
  const std::vector<Measure>& known = baseline.evaluation.measures;
  for (const GateRules::Decision& decision : rules.decisions) {
    if (std::ranges::find(known, decision.measure) != known.end()) continue;
    problems.push_back(fmt::format(
        "baseline '{}' was not made for {}; it has {}: name one of these, or pin a baseline for "
        "{}",
        baseline.name, decision.measure.name(), measure_names(known), decision.measure.name()));
  }
}

/// Returns the first measure of the family with credits.
std::optional<Measure> first_of(const MeasureDefinition& family, const GateRules& rules) {
  for (const GateRules::Decision& decision : rules.decisions) {
    const Measure& measure = decision.measure;
    if (measure.definition().name != family.name || measure.min_grade()) continue;
    if (measure.cutoff()) return measure;
  }
  return std::nullopt;
}

}  // namespace

std::span<const GateRuleKey> gate_rule_keys() noexcept { return kKeys; }

bool is_allowed(const GateRuleKey& key, const GateRuleValue& value) noexcept {
  const std::optional<double> number = checked_number(value);
  return !number || key.allows == nullptr || key.allows(*number);
}

std::string out_of_range_message(std::string_view name, double value, std::string_view range) {
  return fmt::format("{} is {}; expected {}", name, value, range);
}

std::optional<std::string> why_not_a_decision(const Measure& measure) {
  if (const auto why = why_not_compared(measure)) {
    return fmt::format("{} cannot decide: {}", measure.name(), *why);
  }
  const Rank first = 1;
  if (!measure.score({.num_rel = 1, .relevant = {&first, 1}, .num_ret = 1})) {
    return fmt::format(
        "{} cannot decide: it needs more than the ranks of relevant documents, which is all that "
        "is stored; take PRES, R, AP, P or another measure of binary relevance",
        measure.name());
  }
  return std::nullopt;
}

std::string decides_twice_message(const Measure& measure) {
  return fmt::format("{} decides twice; expected each measure once", measure.name());
}

GateRules applied_rules(const Baseline& baseline, const GateRules& rules) {
  std::vector<std::string> problems = problems_of(rules);
  GateRules applied = rules;
  if (rules.decisions.empty()) {
    applied.decisions = default_decisions(baseline, rules.margin);
    if (applied.decisions.empty()) {
      problems.push_back(fmt::format(
          "baseline '{}' has no PRES, only {}; name the measures that decide in the rules",
          baseline.name, measure_names(baseline.evaluation.measures)));
    }
  } else {
    add_unknown_measures(baseline, rules, problems);
  }
  if (!problems.empty()) {
    throw usage_error("{}", fmt::join(problems, "\n"));
  }
  if (applied.slices.are_named() && !applied.slices.margin) {
    applied.slices.margin = applied.decisions.front().margin;
  }
  return applied;
}

std::optional<Measure> moving_measure(const GateRules& applied) {
  if (const std::optional<Measure> pres = first_of(kPres, applied)) return pres;
  return first_of(kRecall, applied);
}

}  // namespace prescope
