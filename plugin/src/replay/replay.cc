#include "replay/replay.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "base/hash.h"
#include "base/split_mix.h"
#include "live/ledger/ledger.h"
#include "prescope/error.h"
#include "prescope/experiment.h"
#include "replay/engines.h"
#include "replay/replay_options.h"

namespace prescope {

namespace {

/// Room for every observation of the whole replay, so that a full queue cannot drop any.
std::size_t queue_bytes(const Qrels& qrels, std::size_t arms) {
  constexpr std::size_t kLeast = std::size_t{64} << 10U, kMost = std::size_t{1} << 30U;
  constexpr std::size_t kObservation = 256, kJudgement = 8;
  const std::size_t bytes =
      arms * (qrels.topics().size() * kObservation + qrels.num_judgements() * kJudgement);
  return std::clamp(bytes, kLeast, kMost);
}

ExperimentOptions experiment_options(const ReplayOptions& options, const Qrels& qrels) {
  ExperimentOptions result;
  result.name = options.name;
  for (const ReplayArm& arm : options.arms) result.arms.push_back(arm.config.id.text());
  for (const Measure& measure : options.measures) result.measures.push_back(measure.name());
  result.recording.queue_bytes = queue_bytes(qrels, options.arms.size());
  return result;
}

/// What logs say of the arms.
std::map<std::string, ArmDescription> descriptions(const ReplayOptions& options,
                                                   std::span<Engine* const> engines) {
  std::map<std::string, ArmDescription> all;
  for (std::size_t i = 0; i < options.arms.size(); ++i) {
    const ReplayArm& arm = options.arms[i];
    all[arm.config.id.text()] = {.config = arm_toml(options, arm),
                                 .engine = std::string(engines[i]->name()),
                                 .engine_version = std::string(engines[i]->version()),
                                 .index = arm.index.string()};
  }
  return all;
}

using Searchers = std::vector<std::unique_ptr<ArmSearcher>>;

/// The order in which a topic's arms are run: depends on nothing but seed and topic.
std::vector<std::size_t> arm_order(std::uint64_t seed, const TopicId& topic, std::size_t arms) {
  std::vector<std::size_t> order(arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix random(seed ^ fnv_1a(topic.text()));
  for (std::size_t i = arms; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  return order;
}

/// The query threads: each takes the next topic, until none is left or a query fails.
class Workers {
 public:
  Workers(const ReplayOptions& options, Experiment& experiment, const Searchers& searchers,
          const std::vector<ReplayTopic>& topics, const ReplayWatch& watch)
      : options_(options),
        experiment_(experiment),
        searchers_(searchers),
        topics_(topics),
        watch_(watch) {}

  void run() {
    if (watch_.on_progress) watch_.on_progress(0, topics_.size());
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t i = 1; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() noexcept {
    try {
      for (std::size_t i = next_++; i < topics_.size() && !stop_; i = next_++) {
        run_topic(i);
        const std::lock_guard lock(mutex_);
        ++done_;
        if (watch_.on_progress) watch_.on_progress(done_, topics_.size());
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  void run_topic(std::size_t position) {
    const ReplayTopic& topic = topics_[position];
    std::vector<std::vector<Hit>> hits(searchers_.size());
    for (const std::size_t arm : arm_order(options_.seed, topic.topic.id, searchers_.size())) {
      search(topic, arm, watch_.runs == nullptr ? nullptr : &hits[arm]);
    }
    if (watch_.runs != nullptr) watch_.runs->add(position, topic.topic.id, std::move(hits));
  }

  void search(const ReplayTopic& topic, std::size_t arm, std::vector<Hit>* hits) {
    try {
      const QueryScope scope(experiment_, topic.topic.id);
      searchers_[arm]->search(topic.topic.text, topic.exclude, options_.depth, hits);
    } catch (const std::exception& error) {
      throw Error(ErrorCode::kEngine,
                  fmt::format("topic '{}', arm '{}': {}", topic.topic.id.text(),
                              options_.arms[arm].config.id.text(), error.what()));
    }
  }

  const ReplayOptions& options_;
  Experiment& experiment_;
  const Searchers& searchers_;
  const std::vector<ReplayTopic>& topics_;
  const ReplayWatch& watch_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of what follows
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

/// A replay whose queries were not all observed has no result.
void check_complete(const Summary& summary, std::size_t topics) {
  for (const ArmSummary& arm : summary.arms) {
    const Health& health = summary.health;
    if (arm.topics_seen == topics && health.dropped_queue_full == 0 &&
        health.recorder_failures == 0 && health.adapter_failures == 0) {
      continue;
    }
    throw Error(
        ErrorCode::kEngine,
        fmt::format("arm '{}': {} of {} topics observed ({} queries dropped, {} failures in "
                    "the engine adapter, {} in the recorder, {} rankings unmatched); expected "
                    "all: does the engine module search through its observed searcher?",
                    arm.id.text(), arm.topics_seen, topics, health.dropped_queue_full,
                    health.adapter_failures, health.recorder_failures, health.unmatched_rankings));
  }
}

/// Nor has one that was not all written.
void check_logs(std::span<const std::shared_ptr<ObservationLog>> logs) {
  for (const auto& log : logs) {
    const bool written = log->flush();
    const LogProgress progress = log->progress();
    const std::uint64_t lost = progress.dropped_queue_full + progress.dropped_write_failures;
    if (written && lost == 0) continue;
    throw Error(ErrorCode::kIo,
                fmt::format("what was observed could not all be written: {} of {} observations; is "
                            "there room where --store and --log are?",
                            progress.acknowledged, progress.accepted + lost));
  }
}

}  // namespace

ReplayResult replay(const ReplayOptions& options, const ReplayWatch& watch) {
  const std::vector<Engine*> engines = load_engines(options.arms);
  Qrels qrels = Qrels::load(options.qrels, options.qrels_options);
  TopicFiles files = load_topic_files(options);
  ExperimentOptions watched = experiment_options(options, qrels);
  watched.on_observation = watch.on_observation;
  watched.logs = watch.logs;
  watched.services = watch.services;
  watched.descriptions = descriptions(options, engines);
  Experiment experiment(std::move(qrels), watched);
  const ReplayIndexes indexes(options.arms, engines, experiment);
  const Searchers searchers = indexes.searchers();

  ReplayResult result{
      .indexes = indexes.describe(),
      .topics = choose_topics(options, std::move(files), experiment.qrels(), indexes),
      .qrels = experiment.qrels(),
      .summary = nullptr};
  Workers(options, experiment, searchers, result.topics.run, watch).run();
  result.summary = experiment.summary();
  check_complete(*result.summary, result.topics.run.size());
  check_logs(watch.logs);
  if (watch.on_end) watch.on_end(experiment, result);
  return result;
}

namespace {

/// What the arm served for a topic.
struct Served {
  JudgedRanking ranking{};
  std::optional<std::chrono::nanoseconds> latency{};
};

Served served_of(const Observation& observation) {
  return {.ranking = {.num_ret = observation.num_ret,
                      .duplicates = observation.duplicates,
                      .hits = {observation.hits.begin(), observation.hits.end()}},
          .latency = is_timed(observation) ? std::optional(observation.latency) : std::nullopt};
}

/// An observation that could not be kept is missing from the record without a trace.
void check_all_kept(const Summary& summary) {
  if (summary.health.listener_failures == 0) return;
  throw Error(ErrorCode::kEngine,
              fmt::format("{} observations of the replay could not be kept: out of memory?",
                          summary.health.listener_failures));
}

IndexVersion index_version(const ReplayResult& result, const QrelsVersion& qrels) {
  const IndexDescription& index = result.indexes.front();
  IndexVersion version{
      .engine = index.engine, .engine_version = index.engine_version, .place = index.path.string()};
  if (index.documents > 0) version.documents = index.documents;
  const auto missing = result.summary->arms.front().relevant_missing;
  if (missing) version.judged_found = qrels.relevant - *missing;
  return version;
}

/// Relevant judgements of `qrels` that the arm's index carries; 0 if the engine does not say.
std::uint64_t carried(Qrels qrels, const ReplayArm& arm) {
  const std::uint64_t relevant = qrels_version(qrels).relevant;
  ExperimentOptions options;
  options.arms = {arm.config.id.text()};
  Experiment experiment(std::move(qrels), options);
  const std::span<const ReplayArm> arms(&arm, 1);
  const ReplayIndexes indexes(arms, load_engines(arms), experiment);
  const auto searchers = indexes.searchers();
  const auto missing = experiment.summary()->arms.front().relevant_missing;
  return missing ? relevant - *missing : 0;
}

/// The coarser docno policy under which the arm's index carries most of the relevant judgements, if
/// that is worth a word. Opens the index once for each policy.
std::optional<DocnoHint> index_docno_hint(const Qrels& qrels, const ReplayArm& arm,
                                          std::uint64_t found) {
  DocnoHint best{.policy = qrels.docnos().policy(),
                 .judged = qrels_version(qrels).relevant,
                 .matched = found,
                 .would_match = found};
  for (const DocnoPolicy policy : coarser_policies(best.policy)) {
    const std::uint64_t would_match = carried(under_policy(qrels, policy), arm);
    if (would_match <= best.would_match) continue;
    best.policy = policy;
    best.would_match = would_match;
  }
  return is_worth_a_word(best.matched, best.would_match) ? std::optional(best) : std::nullopt;
}

}  // namespace

EvaluationRecord record_of_replay(const ReplayOptions& options, const std::string& file,
                                  ReplayWatch watch) {
  std::map<TopicIndex, Served> observed;
  watch.on_observation = [&](const Observation& one) {
    if (one.topic != kUnjudgedTopic) observed[one.topic] = served_of(one);
  };
  const ReplayResult result = replay(options, watch);
  check_all_kept(*result.summary);

  const ReplayArm& arm = options.arms.front();
  EvaluationRecord record{.arm = arm.config.id.text(),
                          .source = fmt::format("replay {}", file),
                          .config = arm_toml(options, arm),
                          .qrels = qrels_version(result.qrels),
                          .depth = options.depth,
                          .measures = options.measures,
                          .topics = unserved_topics(result.qrels)};
  record.index = index_version(result, record.qrels);
  for (const auto& [index, served] : observed) {
    EvaluationRecord::Topic& topic = record.topics[index.value()];
    set_served(result.qrels.topic(index), served.ranking, topic);
    topic.latency = served.latency;
    if (topic.latency) record.latency.add(*topic.latency);
  }
  if (record.index.judged_found && *record.index.judged_found < record.qrels.relevant) {
    record.docno_hint = index_docno_hint(result.qrels, arm, *record.index.judged_found);
  }
  return record;
}

}  // namespace prescope
