#include "studies/test_plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"
#include "runs/comparison.h"
#include "statistics/evidence.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

void check(const TestPlanOptions& options, const PilotFacts& pilot) {
  const auto is_share = [](double value) { return value > 0.0 && value < 1.0; };
  if (!is_share(options.alpha)) {
    throw usage_error("alpha is {}; expected a share between 0 and 1", options.alpha);
  }
  if (!(options.power >= 0.5 && options.power < 1.0)) {
    throw usage_error("power is {}; expected 0.5 or more, and less than 1", options.power);
  }
  constexpr double kLeastStep = 0.01;
  const auto is_too_near = [](double a, double b) { return b - a < kLeastStep - 1e-9; };
  const auto& looks = options.looks;
  if (looks.empty() || looks.size() > 20 || looks.front() < kLeastStep || looks.back() != 1.0 ||
      std::ranges::adjacent_find(looks, is_too_near) != looks.end()) {
    throw usage_error(
        "looks are shares of the topics, rising to 1 by {} or more, at most 20 of them, such as "
        "0.5,0.75,1",
        kLeastStep);
  }
  if (pilot.sd && !(*pilot.sd > 0.0 && *pilot.sd <= 1.0)) {
    throw usage_error("the standard deviation is {}; expected above 0 and at most 1", *pilot.sd);
  }
  for (const double difference : options.differences) {
    if (difference >= 1e-6 && difference <= 1.0) continue;
    throw usage_error("a difference of {}; expected from 0.000001 to 1", difference);
  }
  if (options.margin && !(*options.margin > 0.0 && *options.margin <= 1.0)) {
    throw usage_error("a margin of {}; expected above 0 and at most 1", *options.margin);
  }
  if (options.per_day && !(*options.per_day > 0.0 && *options.per_day < 1e12)) {
    throw usage_error("{} new topics a day; expected more than 0", *options.per_day);
  }
}

/// Returns b squared of the confidence sequence that live verdicts are read from.
double b_squared_of(VerdictWay way) noexcept {
  const Mode mode = way == VerdictWay::kAlwaysValid ? Mode::kPaired : Mode::kSplit;
  const BaselineScores baseline =
      way == VerdictWay::kSplit ? BaselineScores::kNone : BaselineScores::kKnown;
  return score_statement(mode, baseline, 0.05).b_squared;
}

/// Returns the topics that a way needs for a difference; nothing if the pilot does not say enough.
/// `drift` is the planned test's.
std::optional<double> needed(VerdictWay way, double difference, const PilotFacts& pilot,
                             const TestPlanOptions& options, double drift) {
  const bool is_split = way == VerdictWay::kSplit || way == VerdictWay::kSplitBaseline;
  if (!is_split && !pilot.sd) return std::nullopt;
  const TestGoal goal{difference, pilot.sd.value_or(0.0), options.alpha, options.power};
  const auto split = [&](double sd) {
    TestGoal half = goal;
    half.difference /= 2.0;
    half.sd = sd / 2.0;
    return topics_for_sequence(half, b_squared_of(way));
  };
  if (pilot.split_sd) {
    const bool is_like_the_pilot = pilot.has_baseline == (way == VerdictWay::kSplitBaseline);
    return is_split && is_like_the_pilot ? std::optional(split(*pilot.split_sd)) : std::nullopt;
  }
  switch (way) {
    case VerdictWay::kOneLook:
      return topics_for_one_look(goal);
    case VerdictWay::kPlanned:
      return topics_for_plan(goal, drift);
    case VerdictWay::kAlwaysValid:
      return topics_for_sequence(goal, b_squared_of(way));
    case VerdictWay::kSplitBaseline:
      // A's own scores are the baseline; B's are as far from it as the differences are from 0.
      if (!pilot.sd) return std::nullopt;
      return split(split_sd(0.0, std::hypot(*pilot.sd, difference), difference));
    case VerdictWay::kSplit:
      if (!pilot.sd_a || !pilot.sd_b) return std::nullopt;
      return split(split_sd(*pilot.sd_a, *pilot.sd_b, difference));
  }
  return std::nullopt;
}

/// Returns nothing for an infinite number of topics.
std::optional<double> finite(const std::optional<double>& topics) noexcept {
  return topics && std::isfinite(*topics) ? topics : std::nullopt;
}

[[noreturn]] void refuse_few(std::string_view side) {
  throw bad_input_error("the pilot has fewer than two topics with a value in both {}s", side);
}
[[noreturn]] void refuse_equal() {
  throw bad_input_error("the pilot says nothing: all its differences are equal");
}

/// `side`: "run" or "arm".
PilotFacts facts_of(const std::vector<double>& a, const std::vector<double>& b,
                    const std::vector<double>& differences, std::string_view side) {
  const auto t = paired_t(differences);
  if (!t) refuse_few(side);
  if (t->sd == 0.0) refuse_equal();
  const auto sd_of = [](const std::vector<double>& values) { return paired_t(values)->sd; };
  return {.sd = t->sd,
          .difference = t->mean,
          .sd_a = sd_of(a),
          .sd_b = sd_of(b),
          .zeros = count_differences(differences).ties,
          .compared = t->n};
}

PilotFacts facts_of_split(const Summary& session, const std::optional<LiveVerdict>& live) {
  if (!live || !live->sd) refuse_few("arm");
  if (*live->sd == 0.0) refuse_equal();
  return {.difference = live->mean,
          .split_sd = live->sd,
          .has_baseline = session.has_baseline,
          .compared = live->topics};
}

/// The facts of topics in which both arms have a mean.
PilotFacts facts_of_rows(const Summary& session, const ArmPair& pair, std::size_t measure) {
  std::vector<double> in_a, in_b, differences;
  for (const TopicRow& row : session.rows) {
    const auto mean_of = [&](ArmIndex arm) {
      const auto& means = row.arms[arm.value()].means;  // empty without a visit
      return measure < means.size() ? means[measure] : std::nullopt;
    };
    const std::optional<double> a = mean_of(pair.a), b = mean_of(pair.b);
    if (!a || !b) continue;
    in_a.push_back(*a);
    in_b.push_back(*b);
    differences.push_back(clean_difference(*b, *a));
  }
  return facts_of(in_a, in_b, differences, "arm");
}

}  // namespace

std::string_view words_of(VerdictWay way) noexcept {
  constexpr std::array<std::string_view, 5> kWords{
      "one look (compare, gate)", "planned looks", "always valid, paired",
      "always valid, split, with a baseline", "always valid, split"};
  return kWords[place_of(way)];
}

std::string_view key_of(VerdictWay way) noexcept {
  constexpr std::array<std::string_view, 5> kKeys{"one_look", "planned", "always_valid",
                                                  "split_baseline", "split"};
  return kKeys[place_of(way)];
}

PilotFacts pilot_facts(const Evaluation& a, const Evaluation& b, std::size_t measure) {
  const PairedScores scores = paired_scores(a, b, measure);
  PilotFacts pilot = facts_of(scores.a(), scores.b(), scores.differences(), "run");
  pilot.topics = pilot.compared;
  return pilot;
}

PilotFacts pilot_facts(const Summary& session, ArmIndex b, std::size_t measure) {
  const ArmPair& pair = *std::ranges::find(session.pairs, b, &ArmPair::b);
  const std::optional<LiveVerdict>& live = pair.differences[measure].live;
  PilotFacts pilot = session.mode == Mode::kSplit ? facts_of_split(session, live)
                                                  : facts_of_rows(session, pair, measure);
  if (session.mode == Mode::kPaired && session.families && live && live->sd) {
    pilot.sd = live->sd;
    pilot.difference = live->mean;
    pilot.compared = live->topics;
    pilot.zeros = 0;
  }
  pilot.are_families = session.families.has_value();
  pilot.topics = session.families.value_or(session.topics - session.topics_without_relevant);
  return pilot;
}

TestPlan plan_test(const PilotFacts& pilot, const TestPlanOptions& options) {
  check(options, pilot);
  const GroupSequential looks(options.looks, options.alpha, options.spending);
  const double drift = looks.drift_of(options.power);
  TestPlan plan{.pilot = pilot,
                .options = options,
                .boundaries = {looks.boundaries().begin(), looks.boundaries().end()},
                .average_share = looks.expected_share(drift),
                .final_width = looks.final_width()};
  const auto row_of = [&](double difference) {
    TestPlan::Needed row{.difference = difference};
    for (const VerdictWay way : kVerdictWays) {
      row.topics[place_of(way)] = finite(needed(way, difference, pilot, options, drift));
    }
    return row;
  };
  std::set<double> differences{0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1};
  differences.insert(options.differences.begin(), options.differences.end());
  for (const double difference : options.differences) plan.needed.push_back(row_of(difference));
  for (const double difference : differences) plan.curve.push_back(row_of(difference));
  for (const VerdictWay way : kVerdictWays) {
    const bool is_known = pilot.topics > 2 && needed(way, 0.5, pilot, options, drift).has_value();
    if (!is_known) continue;
    plan.detectable[place_of(way)] = detectable_with(pilot.topics, [&](double difference) {
      return *needed(way, difference, pilot, options, drift);
    });
  }
  if (options.margin && pilot.sd) {
    const double one_sided = options.alpha;
    plan.not_worse = topics_for_not_worse(*pilot.sd, *options.margin, one_sided, options.power);
    plan.equivalent = topics_for_equivalence(*pilot.sd, *options.margin, one_sided, options.power);
  }
  return plan;
}

}  // namespace prescope
