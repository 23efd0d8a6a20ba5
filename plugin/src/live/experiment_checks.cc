#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "live/experiment_state.h"
#include "prescope/error.h"

namespace prescope {

namespace {

constexpr std::size_t kMostProblemsNamed = 50;

class Problems {
 public:
  void add(std::string problem) {
    if (++count_ <= kMostProblemsNamed) texts_.push_back(std::move(problem));
  }

  /// `least` and `most` belong to what is expected.
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

  /// Above 0; not a number is in no range.
  void check_share(std::string_view option, double value, double most = 1.0) {
    if (value > 0.0 && value <= most) return;
    add(fmt::format("{} is {}; expected above 0, at most {}", option, value, most));
  }

  void refuse_any(const std::string& experiment) {
    if (count_ == 0) return;
    if (count_ > kMostProblemsNamed)
      texts_.push_back(fmt::format("and {} more", count_ - kMostProblemsNamed));
    throw Error(ErrorCode::kUsage,
                fmt::format("experiment '{}': {}", experiment, fmt::join(texts_, "; ")));
  }

 private:
  std::vector<std::string> texts_;
  std::size_t count_ = 0;
};

void check_arms(const std::vector<std::string>& arms, Problems& problems) {
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

void check_services(const ExperimentOptions& options, Problems& problems) {
  for (std::size_t i = 0; i < options.services.size(); ++i) {
    if (!options.services[i]) problems.add(fmt::format("service {} is empty", i + 1));
  }
}

void check_logs(const ExperimentOptions& options, Problems& problems) {
  for (std::size_t i = 0; i < options.logs.size(); ++i) {
    if (options.logs[i] == nullptr) problems.add(fmt::format("log {} is null", i + 1));
  }
  const std::vector<std::string_view> arms(options.arms.begin(), options.arms.end());
  for (const auto& [name, description] : options.descriptions) {
    if (std::ranges::find(arms, name) != arms.end()) continue;
    problems.add(fmt::format("described arm '{}' is none of the arms; did you mean '{}'?", name,
                             nearest_name(name, arms)));
  }
}

void check_recording(const RecordingOptions& recording, Problems& problems) {
  constexpr std::size_t kLeastQueue = std::size_t{64} << 10U, kMostQueue = std::size_t{1} << 30U;
  problems.check_range("queue_bytes", recording.queue_bytes, kLeastQueue, kMostQueue);
  problems.check_milliseconds("drain_interval", recording.drain_interval, 1, 1000);
  problems.check_share("recording.sampling", recording.sampling);
  problems.check_range("capture_depth", recording.capture_depth, 0U, 100'000U);
  problems.check_milliseconds("publish_interval", recording.publish_interval, 10, 3'600'000);
}

void check_shadow(const ShadowOptions& shadow, Problems& problems) {
  problems.check_range("shadow.threads", shadow.threads, 1U, 64U);
  problems.check_range("shadow.queue", shadow.queue, std::size_t{1}, std::size_t{65536});
  problems.check_milliseconds("shadow.deadline", shadow.deadline, 1, 3'600'000);
  problems.check_share("shadow.sampling", shadow.sampling);
}

std::optional<Measure> parsed(const std::string& text, Problems& problems) {
  try {
    return Measure::parse(text);
  } catch (const Error& error) {
    problems.add(error.what());
    return std::nullopt;
  }
}

std::vector<Measure> measures_of(const ExperimentOptions& options, Problems& problems) {
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

/// Scores of an experiment's baseline, by topic and by the measure's place.
using BaselineScores = std::map<std::pair<TopicIndex, std::size_t>, double>;

void check_score(const BaselineScore& one, Problems& problems) {
  if (one.score >= 0.0 && one.score <= 1.0) return;
  problems.add(fmt::format("baseline: {} of topic '{}' is {}; expected 0 to 1", one.measure,
                           one.topic.text(), one.score));
}

/// A baseline may be of more topics and measures than the experiment, but not of others only.
void check_baseline(const SplitOptions& split, std::span<const Measure> measures,
                    const Qrels& qrels, Problems& problems) {
  BaselineScores scores;
  std::map<std::string, std::optional<Measure>> by_text;  // parsed, and complained of, once
  for (const BaselineScore& one : split.baseline) {
    check_score(one, problems);
    const auto [at, is_new] = by_text.try_emplace(one.measure);
    if (is_new) at->second = parsed(one.measure, problems);
    if (!at->second) continue;
    const auto measure = std::ranges::find(measures, *at->second);
    const std::optional<TopicIndex> topic = qrels.find(one.topic.text());
    if (!topic || measure == measures.end()) continue;
    const auto m = static_cast<std::size_t>(measure - measures.begin());
    const auto [known, is_first] = scores.try_emplace({*topic, m}, one.score);
    if (is_first || known->second == one.score) continue;
    problems.add(fmt::format("baseline: {} of topic '{}' is {} and {}; keep one", one.measure,
                             one.topic.text(), known->second, one.score));
  }
  if (!split.baseline.empty() && scores.empty()) {
    problems.add(
        fmt::format("baseline: none of its {} scores is of a topic and a measure of the "
                    "experiment, such as topic '{}'",
                    split.baseline.size(), qrels.topics().front().id().text()));
  }
}

}  // namespace

std::vector<Measure> checked_measures(const ExperimentOptions& options, const Qrels& qrels) {
  Problems problems;
  check_arms(options.arms, problems);
  std::vector<Measure> measures = measures_of(options, problems);
  problems.check_share("alpha", options.alpha, 0.5);
  check_logs(options, problems);
  check_services(options, problems);
  check_recording(options.recording, problems);
  check_shadow(options.shadow, problems);
  if (!qrels.topics().empty()) check_baseline(options.split, measures, qrels, problems);
  problems.refuse_any(options.name);
  if (qrels.topics().empty()) {
    throw Error(ErrorCode::kBadInput, "the qrels have no topic; expected at least one judgement");
  }
  return measures;
}

}  // namespace prescope
