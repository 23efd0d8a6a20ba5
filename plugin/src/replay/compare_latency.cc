#include <cmath>

#include "base/errors.h"
#include "facts/observation_rules.h"
#include "replay/replay.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTopics = 400;

/// Returns the time of the last change of a file, or of the newest file in a folder.
UtcTime last_change(const fs::path& path) {
  const auto changed = [](const fs::path& file) {
    const auto time = fs::file_time_type::clock::to_sys(fs::last_write_time(file));
    return std::chrono::floor<UtcTime::duration>(time);
  };
  UtcTime last = changed(path);
  if (!fs::is_directory(path)) return last;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) last = std::max(last, UtcTime(changed(entry.path())));
  }
  return last;
}

/// Throws Error if the place of the baseline's index has another one by now.
void require_unchanged(const EvaluationRecord& baseline) {
  const std::string& path = baseline.index.path;
  if (is_url(path)) {
    throw io_error("whether its index at '{}' has changed since cannot be told", path);
  }
  std::error_code unreadable;
  if (!fs::exists(path, unreadable)) {
    throw io_error("its index is not at '{}' any more", path);
  }
  if (last_change(path) > baseline.time) {
    throw io_error("its index at '{}' has changed since", path);
  }
}

/// Tonight's arm, then the baseline's under a name that differs.
std::vector<ReplayArm> both_arms(const ReplayArm& tonight, const EvaluationRecord& baseline,
                                 const fs::path& baseline_index) {
  if (baseline.config.empty()) throw usage_error("it is no replay");
  if (baseline_index.empty()) require_unchanged(baseline);
  ReplayArm before = read_arm_toml(baseline.config);
  before.config.id = ArmId(tonight.config.id.text() + " (baseline)");
  before.index = baseline_index.empty() ? fs::path(baseline.index.path) : baseline_index;
  return {tonight, std::move(before)};
}

/// Collects the pairs of one pass.
struct Pairs {
  std::map<TopicIndex, double> waiting{};
  std::vector<double> log_ratios{};

  void add(const Observation& one) {
    if (one.topic == kUnjudgedTopic || !is_timed(one) || one.latency.count() == 0) return;
    const double log_ns = std::log(static_cast<double>(one.latency.count()));
    const auto [other, is_first] = waiting.try_emplace(one.topic, log_ns);
    if (is_first) return;
    const double difference = log_ns - other->second;
    log_ratios.push_back(one.arm == ArmIndex(0) ? difference : -difference);
  }
};

std::vector<double> run_pass(const ReplayOptions& options, const EvaluationRecord& baseline) {
  Pairs pairs;
  const ReplayResult result =
      replay(options, {.reports_matches = false,
                       .most_topics = kMostTopics,
                       .on_observation = [&](const Observation& one) { pairs.add(one); }});
  const std::optional<std::uint64_t> documents = result.indexes.back().documents;
  if (result.indexes.size() == 2 && documents != baseline.index.documents) {
    throw usage_error("the index at '{}' has {} documents, the baseline's had {}",
                      result.indexes.back().path, documents.value_or(0),
                      baseline.index.documents.value_or(0));
  }
  return pairs.log_ratios;
}

}  // namespace

LatencyPairs compare_latency(ReplayOptions options, const EvaluationRecord& baseline,
                             const fs::path& baseline_index) {
  try {
    options.arms = both_arms(options.arms.front(), baseline, baseline_index);
    options.threads = 1;
    static_cast<void>(run_pass(options, baseline));
    return {.log_ratios = run_pass(options, baseline)};
  } catch (const std::exception& error) {
    return {.why_none = fmt::format("The baseline could not be searched beside tonight: {}.",
                                    error.what())};
  }
}

}  // namespace prescope
