#include <algorithm>
#include <set>

#include "base/errors.h"
#include "base/utc_time.h"
#include "live/experiment_state.h"
#include "live/option_checks.h"
#include "live/summary/checks.h"
#include "measures/definitions.h"

namespace prescope {

namespace {

void check_arms(const std::vector<std::string>& arms, OptionChecks& problems) {
  if (arms.empty()) problems.add("no arms; name at least one");
  if (arms.size() > ArmTable::kMost) {
    problems.add(fmt::format("{} arms; expected at most {}", arms.size(), ArmTable::kMost));
  }
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].empty()) problems.add(fmt::format("arm {} has an empty name", i + 1));
    const auto here = arms.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(arms.begin(), here, arms[i]) != here) {
      problems.add(fmt::format("arm '{}' is there twice; names must differ", arms[i]));
    }
  }
}

void check_stages(const std::vector<std::string>& stages, OptionChecks& problems) {
  if (stages.size() > kMostOwnStages) {
    problems.add(fmt::format("{} stages; expected at most {}", stages.size(), kMostOwnStages));
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].empty()) problems.add(fmt::format("stage {} has an empty name", i + 1));
    if (find_stage(stages[i], std::span(stages).first(i))) {
      problems.add(
          fmt::format("stage '{}' is there twice; names must differ, and 'candidates' and "
                      "'served' are there already",
                      stages[i]));
    }
  }
}

void check_logs_and_services(const ExperimentOptions& options, OptionChecks& problems) {
  for (std::size_t i = 0; i < options.logs.size(); ++i) {
    if (options.logs[i] == nullptr) problems.add(fmt::format("log {} is null", i + 1));
  }
  const std::vector<std::string_view> arms(options.arms.begin(), options.arms.end());
  for (const auto& [name, description] : options.descriptions) {
    if (std::ranges::find(arms, name) != arms.end()) continue;
    problems.add(fmt::format("described arm '{}' is none of the arms; did you mean '{}'?", name,
                             nearest_name(name, arms)));
  }
  for (std::size_t i = 0; i < options.services.size(); ++i) {
    if (!options.services[i]) problems.add(fmt::format("service {} is empty", i + 1));
  }
}

void check_recording(const RecordingOptions& recording, OptionChecks& problems) {
  constexpr std::size_t kLeastQueue = std::size_t{64} << 10U, kMostQueue = std::size_t{1} << 30U;
  problems.check_range("queue_bytes", recording.queue_bytes, kLeastQueue, kMostQueue);
  problems.check_milliseconds("drain_interval", recording.drain_interval, 1, 1000);
  problems.check_share("recording.sampling", recording.sampling);
  problems.check_range("capture_depth", recording.capture_depth, 0U, 100'000U);
  problems.check_milliseconds("publish_interval", recording.publish_interval, 10, 3'600'000);
  constexpr auto kLeftOut =
      RankingFlags::kSorted | RankingFlags::kFiltered | RankingFlags::kCollapsed;
  if ((std::uint32_t(recording.scored_flags) & ~std::uint32_t(kLeftOut)) != 0) {
    problems.add(
        "scored_flags has a flag whose rankings are not left out; expected kSorted, "
        "kFiltered, kCollapsed or several of them");
  }
}

void check_overlap(const OverlapOptions& overlap, Mode mode, OptionChecks& problems) {
  problems.check_range("shadow.overlap.sampling", overlap.sampling, 0.0, 1.0);
  problems.check_range("shadow.overlap.depth", overlap.depth, 1U, 1000U);
  if (!(overlap.persistence > 0.0 && overlap.persistence < 1.0)) {
    problems.add(fmt::format("shadow.overlap.persistence is {}; expected above 0, below 1",
                             overlap.persistence));
  }
  if (overlap.sampling > 0.0 && mode != Mode::kPaired) {
    problems.add(
        "shadow.overlap.sampling is above 0, and arms search the same visit in Mode::kPaired only; "
        "expected that mode, or 0");
  }
}

void check_shadow(const ShadowOptions& shadow, OptionChecks& problems) {
  problems.check_range("shadow.threads", shadow.threads, 1U, 64U);
  problems.check_range("shadow.queue", shadow.queue, std::size_t{1}, std::size_t{65536});
  problems.check_milliseconds("shadow.deadline", shadow.deadline, 1, 3'600'000);
  problems.check_share("shadow.sampling", shadow.sampling);
}

void check_limits(const VerdictLimits& limits, OptionChecks& problems) {
  for (const auto& [name, limit] : kVerdictLimits) {
    problems.check_range(fmt::format("limits.{}", name), limits.*limit, 0.0, 1.0);
  }
}

void check_slices(const TopicSlices& slices, const Qrels& qrels, OptionChecks& problems) {
  const auto is_judged = [&](TopicIndex topic) { return qrels.has(topic); };
  for (const TopicSlices::Dimension& dimension : slices.dimensions) {
    const auto is_known = [&](const TopicSlices::Slice& slice) {
      return std::ranges::all_of(slice.topics, is_judged);
    };
    if (std::ranges::all_of(dimension.slices, is_known) &&
        std::ranges::all_of(dimension.unsliced, is_judged)) {
      continue;
    }
    problems.add(
        fmt::format("dimension '{}' has topics that are not of the qrels; read the slices "
                    "for the qrels of the experiment",
                    dimension.name));
    return;
  }
  const std::size_t followed = FollowedSlices(slices, qrels).all().size();
  if (followed > kMostSlices) {
    problems.add(
        fmt::format("{} slices of {} topics or more; expected at most {}; choose "
                    "dimensions with fewer slices",
                    followed, kUnitsShown, kMostSlices));
  }
}

std::optional<Measure> parsed(const std::string& text, OptionChecks& problems) {
  try {
    return Measure::parse(text);
  } catch (const Error& error) {
    problems.add(error.what());
    return std::nullopt;
  }
}

std::vector<Measure> measures_of(const ExperimentOptions& options, OptionChecks& problems) {
  std::vector<Measure> measures;
  const auto add = [&](const std::string& text) {
    const std::optional<Measure> measure = parsed(text, problems);
    if (measure && std::ranges::find(measures, *measure) == measures.end()) {
      measures.push_back(*measure);
    }
  };
  for (const std::string& text : options.measures) add(text);
  if (!options.measures.empty()) return measures;
  if (options.cutoffs.empty()) problems.add("no cutoffs; name at least one, such as 100");
  for (const char* name : {"PRES", "R", "AP"}) {
    for (const std::uint32_t cutoff : options.cutoffs) add(fmt::format("{}@{}", name, cutoff));
  }
  return measures;
}

void check_plan(const PlanOptions& plan, double alpha, OptionChecks& problems) {
  const std::string why_not = why_not_planned(plan);
  if (!why_not.empty()) problems.add(why_not);
  if (!(plan.live_alpha >= 0.0 && plan.live_alpha < alpha)) {
    problems.add(fmt::format("plan.live_alpha is {}; expected 0 to below alpha, {}",
                             plan.live_alpha, alpha));
  }
}

void check_latency_guardrail(double margin, Mode mode, OptionChecks& problems) {
  if (!(margin > 1.0 && margin <= 100.0)) {
    problems.add(
        fmt::format("the guardrail about latency has the margin {}; expected a ratio "
                    "above 1, such as 1.1",
                    margin));
  }
  if (mode != Mode::kPaired) {
    problems.add("a guardrail about latency needs mode paired, which compares latencies");
  }
}

void check_measure_guardrail(const Guardrail& guardrail, std::span<const Measure> measures,
                             OptionChecks& problems) {
  if (!(guardrail.margin > 0.0 && guardrail.margin < 1.0)) {
    problems.add(fmt::format("guardrail '{}' has the margin {}; expected above 0, below 1",
                             guardrail.measure, guardrail.margin));
  }
  const std::optional<Measure> measure = parsed(guardrail.measure, problems);
  if (!measure || measures.empty()) return;
  if (const auto why = why_not_compared(*measure)) {
    problems.add(fmt::format("guardrail '{}' cannot be compared: {}", guardrail.measure, *why));
  }
  if (std::ranges::find(measures, *measure) != measures.end()) return;
  std::vector<std::string> names{std::string(kLatencyGuardrail)};
  for (const Measure& one : measures) names.push_back(one.name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  problems.add(fmt::format("guardrail '{}' is none of the measures; did you mean '{}'?",
                           guardrail.measure, nearest_name(guardrail.measure, known)));
}

void check_test(const ExperimentOptions& options, std::span<const Measure> measures,
                OptionChecks& problems) {
  const TestOptions& test = options.test;
  const bool asks = test.plan.topics > 0 || !test.guardrails.empty() || test.same_within != 0.0;
  if (asks && options.mode == Mode::kObserve) {
    problems.add(
        "a plan, guardrails and same_within need mode paired or split: nobody chose at "
        "random which arm serves observed traffic");
  }
  check_plan(test.plan, options.alpha, problems);
  constexpr std::size_t kMostGuardrails = 20;
  if (test.guardrails.size() > kMostGuardrails) {
    problems.add(
        fmt::format("{} guardrails; expected at most {}", test.guardrails.size(), kMostGuardrails));
  }
  std::set<std::string> names;
  for (const Guardrail& guardrail : test.guardrails) {
    if (guardrail.measure == kLatencyGuardrail) {
      check_latency_guardrail(guardrail.margin, options.mode, problems);
    } else {
      check_measure_guardrail(guardrail, measures, problems);
    }
    if (names.insert(guardrail.measure).second) continue;
    problems.add(fmt::format("guardrail '{}' is there twice; keep one", guardrail.measure));
  }
  if (!(test.same_within >= 0.0 && test.same_within < 1.0)) {
    problems.add(fmt::format("same_within is {}; expected 0 to below 1", test.same_within));
  }
}

void check_primary(const std::string& primary, std::span<const Measure> measures,
                   OptionChecks& problems) {
  if (primary.empty()) return;
  const std::optional<Measure> measure = parsed(primary, problems);
  if (!measure || measures.empty()) return;
  if (std::ranges::find(measures, *measure) != measures.end()) return;
  std::vector<std::string> names;
  for (const Measure& one : measures) names.push_back(one.name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  problems.add(fmt::format("primary '{}' is none of the measures; did you mean '{}'?", primary,
                           nearest_name(primary, known)));
}

void check_shares(const ExperimentOptions& options, OptionChecks& problems) {
  constexpr double kLeast = 0.001, kMost = 1000.0;
  if (!options.split.shares.empty() && options.mode != Mode::kSplit) {
    problems.add("shares: only in mode split does each arm serve a share of the topics");
  }
  const std::vector<std::string_view> arms(options.arms.begin(), options.arms.end());
  for (const auto& [name, share] : options.split.shares) {
    if (!arms.empty() && std::ranges::find(arms, name) == arms.end()) {
      problems.add(fmt::format("shares: '{}' is none of the arms; did you mean '{}'?", name,
                               nearest_name(name, arms)));
    }
    if (!(share >= kLeast && share <= kMost)) {
      problems.add(
          fmt::format("share of arm '{}' is {}; expected {} to {}", name, share, kLeast, kMost));
    }
  }
}

/// A baseline may be of more topics and measures than the experiment, but not of others only.
void check_baseline(const SplitOptions& split, std::span<const Measure> measures,
                    const Qrels& qrels, OptionChecks& problems) {
  std::map<std::pair<TopicIndex, std::size_t>, double> scores;  // measure by its place
  std::map<std::string, std::optional<Measure>> by_text;        // parsed once; errors are reported
  for (const BaselineScore& one : split.baseline) {
    if (!(one.score >= 0.0 && one.score <= 1.0)) {
      problems.add(fmt::format("baseline: {} of topic '{}' is {}; expected 0 to 1", one.measure,
                               one.topic.text(), one.score));
    }
    const auto [at, is_new] = by_text.try_emplace(one.measure);
    if (is_new) at->second = parsed(one.measure, problems);
    if (!at->second) continue;
    const auto measure = std::ranges::find(measures, *at->second);
    const std::optional<TopicIndex> topic = qrels.look_up(one.topic.text());
    if (!topic || measure == measures.end()) continue;
    const auto m = static_cast<std::size_t>(measure - measures.begin());
    const auto [known, is_first] = scores.try_emplace({*topic, m}, one.score);
    if (is_first || known->second == one.score) continue;
    problems.add(fmt::format("baseline: {} of topic '{}' is {} and {}; keep one", one.measure,
                             one.topic.text(), known->second, one.score));
  }
  if (!split.baseline.empty() && scores.empty()) {
    const std::string example =
        qrels.finds_topics() ? std::string()
                             : fmt::format(", such as topic '{}'", qrels.topics()[0].id().text());
    problems.add(
        fmt::format("baseline: none of its {} scores is of a topic and a measure of the "
                    "experiment{}",
                    split.baseline.size(), example));
  }
}

}  // namespace

std::vector<Measure> checked_measures(const ExperimentOptions& options, const Qrels& qrels) {
  OptionChecks problems;
  check_arms(options.arms, problems);
  check_stages(options.stages, problems);
  std::vector<Measure> measures = measures_of(options, problems);
  check_primary(options.primary, measures, problems);
  problems.check_share("alpha", options.alpha, 0.5);
  check_limits(options.limits, problems);
  check_logs_and_services(options, problems);
  check_recording(options.recording, problems);
  check_shadow(options.shadow, problems);
  check_overlap(options.shadow.overlap, options.mode, problems);
  check_slices(options.slices, qrels, problems);
  check_test(options, measures, problems);
  check_shares(options, problems);
  const bool may_have_topics = !qrels.topics().empty() || qrels.finds_topics();
  if (may_have_topics) check_baseline(options.split, measures, qrels, problems);
  problems.refuse_any(fmt::format("experiment '{}'", options.name));
  const Measure& primary = measures[primary_measure(options, measures)];
  if (const auto why = why_not_compared(primary); why && options.mode != Mode::kObserve) {
    throw usage_error("experiment '{}': primary '{}' cannot decide: {}", options.name,
                      primary.name(), *why);
  }
  if (!may_have_topics) {
    throw bad_input_error("the qrels have no topic; expected at least one judgement");
  }
  return measures;
}

std::size_t primary_measure(const ExperimentOptions& options, std::span<const Measure> measures) {
  if (options.primary.empty()) return 0;
  const auto primary = std::ranges::find(measures, Measure::parse(options.primary));
  return static_cast<std::size_t>(primary - measures.begin());
}

ExperimentOptions with_defaults(ExperimentOptions options) {
  if (!options.epochs) {
    options.epochs =
        options.mode == Mode::kObserve ? EpochRule::kGeneration : EpochRule::kConfiguration;
  }
  if (options.mode == Mode::kSplit && options.split.salt.empty()) {
    constexpr std::size_t kSeconds = std::string_view("2026-11-23T13:41:00").size();
    options.split.salt = fmt::format("{}|{:.{}}Z", options.name, utc_text(utc_now()), kSeconds);
  }
  return options;
}

}  // namespace prescope
