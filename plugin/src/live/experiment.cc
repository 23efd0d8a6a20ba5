#include "prescope/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "live/experiment_state.h"
#include "prescope/error.h"

namespace prescope {
namespace {

using Problems = std::vector<std::string>;

void check_arms(const std::vector<std::string>& arms, Problems& problems) {
  if (arms.empty()) problems.push_back("no arms; name at least one");
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].empty()) problems.push_back(fmt::format("arm {} has an empty name", i + 1));
    if (std::find(arms.begin(), arms.begin() + static_cast<std::ptrdiff_t>(i), arms[i]) !=
        arms.begin() + static_cast<std::ptrdiff_t>(i)) {
      problems.push_back(fmt::format("arm '{}' is there twice; names must differ", arms[i]));
    }
  }
}

void check_ranges(const ExperimentOptions& options, Problems& problems) {
  constexpr std::size_t kMinQueue = std::size_t{64} << 10U;
  constexpr std::size_t kMaxQueue = std::size_t{1} << 30U;
  if (options.recording.queue_bytes < kMinQueue || options.recording.queue_bytes > kMaxQueue) {
    problems.push_back(fmt::format("queue_bytes is {}; expected {} to {}",
                                   options.recording.queue_bytes, kMinQueue, kMaxQueue));
  }
  if (options.recording.drain_interval.count() < 1 ||
      options.recording.drain_interval.count() > 1000) {
    problems.push_back(fmt::format("drain_interval is {} ms; expected 1 to 1000 ms",
                                   options.recording.drain_interval.count()));
  }
}

std::vector<Measure> measures_of(const ExperimentOptions& options, Problems& problems) {
  std::vector<Measure> measures;
  const auto add = [&](const std::string& text) {
    try {
      const Measure measure = Measure::parse(text);
      if (std::find(measures.begin(), measures.end(), measure) == measures.end()) {
        measures.push_back(measure);
      }
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  };
  if (!options.measures.empty()) {
    for (const std::string& text : options.measures) add(text);
    return measures;
  }
  if (options.cutoffs.empty()) problems.push_back("no cutoffs; name at least one, such as 100");
  for (const char* name : {"PRES", "R", "AP"}) {
    for (const std::uint32_t cutoff : options.cutoffs) add(fmt::format("{}@{}", name, cutoff));
  }
  return measures;
}

/// Throws all problems as one error.
std::vector<Measure> validated_measures(const ExperimentOptions& options) {
  Problems problems;
  check_arms(options.arms, problems);
  check_ranges(options, problems);
  std::vector<Measure> measures = measures_of(options, problems);
  if (!problems.empty()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("experiment '{}': {}", options.name, fmt::join(problems, "; ")));
  }
  return measures;
}

Qrels with_topics(Qrels qrels) {
  if (qrels.topics().empty()) {
    throw Error(ErrorCode::kBadInput, "the qrels have no topic; expected at least one judgement");
  }
  return qrels;
}

std::size_t queue_capacity(const Qrels& qrels, std::size_t wanted) {
  std::size_t judgements = 0;
  for (const TopicQrels& topic : qrels.topics()) {
    judgements = std::max(judgements, topic.judgements().size());
  }
  // The ring takes records up to a quarter of its size; a topic's largest is to fit a few times.
  const std::size_t largest = RankingObserver::Record::bytes(judgements);
  return std::bit_ceil(std::max(wanted, 8 * largest));
}

}  // namespace

Experiment::State::State(Qrels judgements, const ExperimentOptions& options)
    : name(options.name),
      qrels(with_topics(std::move(judgements))),
      judged(qrels),
      arms(options.arms.begin(), options.arms.end()),
      scorer(validated_measures(options)),
      on_observation(options.on_observation),
      ring(queue_capacity(qrels, options.recording.queue_bytes)),
      ledger(judged, scorer, arms.size(),
             {.mode = options.mode,
              .epochs = options.epochs,
              .shadow_latency = options.shadow.latency,
              .baseline = options.split.baseline}),
      resolved(arms.size()) {
  recorder = std::jthread([this, interval = options.recording.drain_interval](
                              const std::stop_token& stop) { run(stop, interval); });
}

void Experiment::State::run(const std::stop_token& stop, std::chrono::milliseconds interval) {
  std::unique_lock lock(ledger_mutex);
  do {
    wake.wait_for(lock, stop, interval, [] { return false; });
    drain();
  } while (!stop.stop_requested());
}

void Experiment::State::drain() {
  ring.drain([this](std::byte* record_bytes) {
    record(*reinterpret_cast<RankingObserver::Record*>(record_bytes));
  });
}

void Experiment::State::record(RankingObserver::Record& queued) noexcept {
  if (queued.abandoned) return;
  Observation& observation = queued.observation;
  observation.hits = {queued.hits(), queued.num_hits};
  if (on_observation) {
    try {
      on_observation(observation);
    } catch (...) {
      ++listener_failures;
    }
  }
  try {
    ledger.record(observation);
    ++recorded;
  } catch (...) {
    ++recorder_failures;
  }
}

Experiment::Experiment(Qrels qrels, ExperimentOptions options)
    : state_(std::make_unique<State>(std::move(qrels), options)) {}

Experiment::~Experiment() = default;

const Qrels& Experiment::qrels() const noexcept { return state_->qrels; }
const JudgedDocnos& Experiment::judged() const noexcept { return state_->judged; }
std::span<const ArmId> Experiment::arms() const noexcept { return state_->arms; }
std::span<const Measure> Experiment::measures() const noexcept { return state_->scorer.measures(); }

std::optional<ArmIndex> Experiment::find_arm(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < state_->arms.size(); ++i) {
    if (state_->arms[i].text() == name) return ArmIndex(static_cast<std::uint32_t>(i));
  }
  return std::nullopt;
}

ArmIndex Experiment::arm(std::string_view name) const {
  if (const std::optional<ArmIndex> found = find_arm(name)) return *found;
  std::vector<std::string_view> names;
  for (const ArmId& id : state_->arms) names.push_back(id.text());
  throw Error(ErrorCode::kUsage, unknown_name_message("arm", name, names));
}

std::uint64_t Experiment::next_generation() noexcept {
  return state_->generations.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Experiment::set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved) {
  const std::lock_guard lock(state_->ledger_mutex);
  state_->resolved.at(arm.value()) = std::move(resolved);
}

void Experiment::observe(const Ranking& ranking) noexcept {
  const RankingObserver records_when_it_ends(*this, ranking);
}

void Experiment::count_adapter_failure() noexcept { count(state_->counters.adapter_failures); }

void Experiment::flush() {
  const std::uint64_t target = state_->ring.claimed();
  while (state_->ring.drained() < target) {
    {
      const std::lock_guard lock(state_->ledger_mutex);
      state_->drain();
    }
    // A query thread may be between claiming and committing.
    std::this_thread::yield();
  }
  // The recorder may still be inside the last record that it drained.
  const std::lock_guard lock(state_->ledger_mutex);
}

std::shared_ptr<const Summary> Experiment::summary(SummaryDetail) {
  flush();
  const std::lock_guard lock(state_->ledger_mutex);
  return std::make_shared<const Summary>(summarize(*state_));
}

}  // namespace prescope
