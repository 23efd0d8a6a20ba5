#include "replay/replay.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>

#include "base/errors.h"
#include "base/hash.h"
#include "base/split_mix.h"
#include "base/threads.h"
#include "facts/observation_rules.h"
#include "judgements/judgement_line.h"
#include "prescope/slices.h"
#include "store/sessions/log_queue.h"

namespace prescope {

namespace {

/// Returns a queue size with room for every observation of the replay, so that none is dropped.
std::size_t queue_bytes(const Qrels& qrels, std::size_t arms) {
  constexpr std::size_t kLeast = std::size_t{64} << 10U, kMost = std::size_t{1} << 30U;
  constexpr std::size_t kObservation = 256, kJudgement = 8;
  const std::size_t bytes =
      arms * (qrels.topics().size() * kObservation + qrels.num_judgements() * kJudgement);
  return std::clamp(bytes, kLeast, kMost);
}

ExperimentOptions experiment_options(const ReplayOptions& options, const Qrels& qrels,
                                     const ReplayWatch& watch) {
  ExperimentOptions result = replay_experiment(options);
  result.recording.queue_bytes = queue_bytes(qrels, options.arms.size());
  result.on_observation = watch.on_observation;
  result.logs = watch.logs;
  result.services = watch.services;
  return result;
}

using Searchers = std::vector<std::unique_ptr<ArmSearcher>>;

/// Returns the order of a topic's arms, which depends on seed and topic only.
std::vector<std::size_t> arm_order(std::uint64_t seed, const TopicId& topic, std::size_t arms) {
  std::vector<std::size_t> order(arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix random(seed ^ fnv_1a(topic.text()));
  for (std::size_t i = arms; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  return order;
}

/// All arms of one topic, in random order. Returns their hits if `keeps_hits`.
std::vector<std::vector<Hit>> run_topic(const ReplayOptions& options, Experiment& experiment,
                                        const Searchers& searchers, const ReplayTopic& topic,
                                        bool keeps_hits) {
  const TopicId& id = topic.topic.id;
  std::vector<std::vector<Hit>> hits(searchers.size());
  for (const std::size_t arm : arm_order(options.seed, id, searchers.size())) {
    try {
      const QueryScope scope(experiment, id);
      searchers[arm]->search({.topic = id.text(),
                              .text = topic.topic.text,
                              .exclude = topic.exclude,
                              .depth = options.depth},
                             keeps_hits ? &hits[arm] : nullptr);
    } catch (const std::exception& error) {
      throw engine_error("topic '{}', arm '{}': {}", id.text(), options.arms[arm].config.id.text(),
                         error.what());
    }
  }
  return hits;
}

/// Runs all topics, or as many as are begun before a query fails.
void run_topics(const ReplayOptions& options, Experiment& experiment, const Searchers& searchers,
                const std::vector<ReplayTopic>& topics, const ReplayWatch& watch) {
  std::atomic<bool> has_failed = false;
  std::mutex mutex;
  std::size_t done = 0;
  if (watch.on_progress) watch.on_progress(0, topics.size());
  in_parallel(topics.size(), options.threads, [&](std::size_t position) {
    if (has_failed) return;
    try {
      const ReplayTopic& topic = topics[position];
      auto hits = run_topic(options, experiment, searchers, topic, watch.runs != nullptr);
      if (watch.runs != nullptr) watch.runs->add(position, topic.topic.id, std::move(hits));
    } catch (...) {
      has_failed = true;
      throw;
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (watch.on_progress) watch.on_progress(done, topics.size());
  });
}

/// Keeps at most so many topics, spread over all.
void keep_spread(std::vector<ReplayTopic>& topics, std::size_t most) {
  if (topics.size() <= most) return;
  std::vector<ReplayTopic> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(topics[i * topics.size() / most]);
  topics = std::move(kept);
}

std::vector<Docno> relevant_documents(const Qrels& qrels) {
  std::vector<Docno> relevant;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) {
      if (judgement.grade >= qrels.min_grade()) relevant.push_back(judgement.docno);
    }
  }
  return relevant;
}

/// Returns at most 200 of the documents, each once: those whose keys have the smallest hashes, so
/// that other nights look at the same ones.
std::vector<Docno> sample_of(const std::vector<Docno>& documents, const DocnoNormalizer& docnos) {
  constexpr std::size_t kMost = 200;
  std::map<std::uint64_t, Docno> by_hash;
  for (const Docno& docno : documents) {
    by_hash.emplace(fnv_1a(docnos.key(docno)), docno);
    if (by_hash.size() > kMost) by_hash.erase(std::prev(by_hash.end()));
  }
  std::vector<Docno> sample;
  for (auto& [hash, docno] : by_hash) sample.push_back(std::move(docno));
  return sample;
}

ReplayResult::Relevant relevant_in(const Qrels& qrels, const ReplayIndexes& indexes) {
  const std::vector<Docno> relevant = relevant_documents(qrels);
  const auto is_there = indexes.contains(0, relevant);
  if (!is_there) return {};
  std::vector<Docno> missing, found;
  for (std::size_t i = 0; i < relevant.size(); ++i) {
    ((*is_there)[i] ? found : missing).push_back(relevant[i]);
  }
  return {.missing = std::move(missing),
          .samples = indexes.samples(0, sample_of(found, qrels.docnos()))};
}

/// Returns the sentences of all arms, each once.
std::vector<std::string> notes_of(const Searchers& searchers) {
  std::vector<std::string> notes;
  for (const auto& searcher : searchers) {
    for (std::string& note : searcher->notes()) {
      if (std::ranges::count(notes, note) == 0) notes.push_back(std::move(note));
    }
  }
  return notes;
}

/// Returns the summary without the series that an index lacks, because `match_reports` says more.
std::shared_ptr<const Summary> summary_of(Experiment& experiment) {
  auto summary = std::make_shared<Summary>(*experiment.summary());
  for (ArmSummary& arm : summary->arms) arm.missing_series.clear();
  return summary;
}

/// A replay whose queries were not all observed has no result.
void check_complete(const Summary& summary, std::size_t topics) {
  for (const ArmSummary& arm : summary.arms) {
    const Health& health = summary.health;
    if (arm.topics_seen == topics && health.dropped_queue_full == 0 &&
        health.recorder_failures == 0 && health.adapter_failures == 0) {
      continue;
    }
    throw engine_error(
        "arm '{}': {} of {} topics observed ({} queries dropped, {} failures in the engine "
        "adapter, {} in the recorder, {} rankings unmatched); expected all; an engine module must "
        "search through its observed searcher",
        arm.id.text(), arm.topics_seen, topics, health.dropped_queue_full, health.adapter_failures,
        health.recorder_failures, health.unmatched_rankings);
  }
}

/// Returns the number of relevant judgements of `qrels` that the arm's index has; 0 if its engine
/// cannot tell.
std::uint64_t carried(Qrels qrels, const ReplayArm& arm) {
  ExperimentOptions options;
  options.arms = {arm.config.id.text()};
  Experiment experiment(std::move(qrels), options);
  const ReplayIndexes indexes({&arm, 1}, experiment);
  const auto searchers = indexes.searchers();
  const auto is_there = indexes.contains(0, relevant_documents(experiment.qrels()));
  return is_there ? static_cast<std::uint64_t>(std::ranges::count(*is_there, true)) : 0;
}

/// The coarser docno policy under which the arm's index carries most of the relevant judgements, if
/// it carries more. Opens the index once for each policy.
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
  return best.would_match > best.matched ? std::optional(best) : std::nullopt;
}

}  // namespace

OrderedRuns::OrderedRuns(std::filesystem::path folder, std::span<const ReplayArm> arms)
    : folder_(std::move(folder)) {
  std::error_code failed;
  created_folder_ = std::filesystem::create_directories(folder_, failed);
  if (failed) {
    throw io_error("{}: cannot be made a folder for runs: {}", folder_.string(), failed.message());
  }
  for (const ReplayArm& arm : arms) {
    const std::string& name = arm.config.id.text();
    files_.push_back(folder_ / (name + ".run"));
    writers_.emplace_back(files_.back(), name);
  }
}

OrderedRuns::~OrderedRuns() {
  writers_.clear();
  std::error_code not_empty;
  if (created_folder_) std::filesystem::remove(folder_, not_empty);
}

void OrderedRuns::add(std::size_t position, const TopicId& topic,
                      std::vector<std::vector<Hit>> hits_by_arm) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(position, std::pair(topic, std::move(hits_by_arm)));
  for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
    const auto& [id, hits] = first->second;
    for (std::size_t arm = 0; arm < writers_.size(); ++arm) writers_[arm].add(id, hits[arm]);
    waiting_.erase(first);
    ++next_;
  }
}

void OrderedRuns::finish() {
  std::size_t finished = 0;
  try {
    for (; finished < writers_.size(); ++finished) writers_[finished].finish();
  } catch (const Error&) {
    // Removes the finished ones: some of the runs could be taken for all of them.
    for (std::size_t i = 0; i < finished; ++i) std::filesystem::remove(files_[i]);
    throw;
  }
}

std::vector<std::string> replay_notes(const ReplayResult& result) {
  std::vector<std::string> notes = result.notes;
  notes.insert(notes.end(), result.match_report.begin(), result.match_report.end());
  std::string families = without_family_words(result.qrels);
  if (!families.empty()) notes.push_back(std::move(families));
  return notes;
}

ExperimentOptions replay_experiment(const ReplayOptions& options) {
  ExperimentOptions result;
  result.name = options.name;
  for (const ReplayArm& arm : options.arms) {
    const Engine& engine = load_engine(arm.engine);
    const std::string& name = result.arms.emplace_back(arm.config.id.text());
    result.descriptions[name] = {.config = arm_toml(options, arm),
                                 .engine = std::string(engine.name()),
                                 .engine_version = std::string(engine.version()),
                                 .index = arm.index.string()};
  }
  for (const Measure& measure : options.measures) result.measures.push_back(measure.name());
  return result;
}

Qrels replay_judgements(const ReplayOptions& options, const TopicFiles& files) {
  return load_judgements(options.qrels, options.qrels_options, [&] {
    std::vector<std::string> ids;
    for (const auto& [id, text] : files.texts) ids.push_back(id.text());
    return ids;
  });
}

void check_logs(std::span<const std::shared_ptr<ObservationLog>> logs) {
  for (const auto& log : logs) {
    const bool written = log->flush();
    const LogProgress progress = log->progress();
    const std::uint64_t lost = progress.dropped_queue_full + progress.dropped_write_failures;
    if (written && lost == 0) continue;
    throw io_error(
        "what was observed could not all be written: {} of {} observations; is there room where "
        "--store and --log are?",
        progress.acknowledged, progress.accepted + lost);
  }
}

ReplayResult replay(const ReplayOptions& options, const ReplayWatch& watch) {
  // An engine that cannot be loaded is heard of before judgements are read.
  for (const ReplayArm& arm : options.arms) static_cast<void>(load_engine(arm.engine));
  TopicFiles files = load_topic_files(options);
  Qrels qrels = replay_judgements(options, files);
  TopicSlices slices = read_slices(options.slices, qrels);  // refused before a topic is searched
  const ExperimentOptions watched = experiment_options(options, qrels, watch);
  Experiment experiment(std::move(qrels), watched);
  const ReplayIndexes indexes(options.arms, experiment);
  const Searchers searchers = indexes.searchers();

  ReplayResult result{
      .indexes = indexes.describe(),
      .topics = choose_topics(options, std::move(files), experiment.qrels(), indexes),
      .qrels = experiment.qrels(),
      .slices = std::move(slices),
      .summary = nullptr};
  keep_spread(result.topics.run, watch.most_topics);
  if (watch.looks_at_index) result.relevant = relevant_in(result.qrels, indexes);
  if (watch.reports_matches) result.match_report = match_reports(options, result.qrels, indexes);
  run_topics(options, experiment, searchers, result.topics.run, watch);
  result.notes = notes_of(searchers);
  result.summary = summary_of(experiment);
  check_complete(*result.summary, result.topics.run.size());
  check_logs(watch.logs);
  if (watch.on_end) watch.on_end(experiment, result);
  return result;
}

EvaluationRecord record_of_replay(const ReplayOptions& options, const std::string& file,
                                  ReplayWatch watch) {
  std::map<TopicIndex, LoggedObservation> observed;
  watch.on_observation = [&](const Observation& one) {
    if (one.topic == kUnjudgedTopic) return;
    observed.insert_or_assign(one.topic, LoggedObservation(one));
  };
  watch.looks_at_index = true;
  const ReplayResult result = replay(options, watch);
  if (const auto lost = result.summary->health.listener_failures; lost > 0) {
    throw engine_error("{} observations of the replay could not be kept: out of memory?", lost);
  }

  const ReplayArm& arm = options.arms.front();
  EvaluationRecord record{.arm = arm.config.id.text(),
                          .source = fmt::format("replay {}", file),
                          .config = arm_toml(options, arm),
                          .qrels = evaluation_qrels_version(result.qrels),
                          .depth = options.depth,
                          .measures = options.measures,
                          .topics = unserved_topics(result.qrels)};
  record.index = result.indexes.front();
  if (const auto& missing = result.relevant.missing) {
    record.index.judged_found = record.qrels.relevant - missing->size();
    record.missing = *missing;
  }
  record.samples = result.relevant.samples;
  record.conditions = replay_conditions(options, result.qrels);
  add_rule(result.qrels, record);
  record.index_notes = result.notes;
  record.input = series_findings(result.match_report);
  record.docnos = result.qrels.docnos();
  for (const ReplayTopic& run : result.topics.run) {
    if (const auto index = result.qrels.find(run.topic.id.text())) {
      record.topics[index->value()].text = run.hash;
    }
  }
  for (const auto& [index, logged] : observed) {
    const Observation& one = logged.observation;
    EvaluationRecord::Topic& topic = record.topics[index.value()];
    set_served(result.qrels.topic(index),
               {.num_ret = one.num_ret,
                .duplicates = one.duplicates,
                .hits = {one.hits.begin(), one.hits.end()}},
               topic);
    if (!is_timed(one)) continue;
    topic.latency = one.latency;
    record.latency.add(one.latency);
  }
  if (record.index.judged_found && *record.index.judged_found < record.qrels.relevant) {
    record.docno_hint = index_docno_hint(result.qrels, arm, *record.index.judged_found);
  }
  return record;
}

}  // namespace prescope
