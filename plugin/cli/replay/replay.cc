#include "cli/replay/replay.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/hash.h"
#include "base/split_mix.h"
#include "base/text_file.h"
#include "cli/options/terminal.h"
#include "prescope/error.h"
#include "prescope/experiment.h"
#include "replay/engine_module.h"
#include "replay/experiment_file.h"

namespace prescope::cli {

std::vector<Engine*> load_engines(std::span<const ReplayArm> arms) {
  std::map<std::string, Engine*> loaded;
  std::vector<Engine*> engines;
  for (const ReplayArm& arm : arms) {
    const auto [known, is_new] = loaded.try_emplace(arm.engine, nullptr);
    if (is_new) known->second = &load_engine(arm.engine);
    engines.push_back(known->second);
  }
  return engines;
}

ReplayIndexes::ReplayIndexes(std::span<const ReplayArm> arms, std::span<Engine* const> engines,
                             Experiment& experiment)
    : arms_(arms) {
  for (std::size_t a = 0; a < arms.size(); ++a) {
    of_arm_.push_back(position(arms[a], engines[a], experiment));
  }
}

std::size_t ReplayIndexes::position(const ReplayArm& arm, Engine* engine, Experiment& experiment) {
  const auto known = std::find_if(opened_.begin(), opened_.end(), [&](const Opened& one) {
    return one.engine == engine && one.path == arm.index;
  });
  const auto found = static_cast<std::size_t>(known - opened_.begin());
  if (known == opened_.end()) {
    opened_.push_back({arm.index, engine, engine->open(arm.index, experiment)});
  }
  return found;
}

std::vector<std::unique_ptr<ArmSearcher>> ReplayIndexes::searchers() const {
  std::vector<std::unique_ptr<ArmSearcher>> searchers;
  std::vector<std::string> refused;
  // Every arm is tried, so that the user hears of all wrong settings at once.
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    try {
      searchers.push_back(opened_[of_arm_[a]].index->searcher(arms_[a].config));
    } catch (const Error& error) {
      refused.emplace_back(error.what());
    }
  }
  if (!refused.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("{}", fmt::join(refused, "\n")));
  }
  return searchers;
}

std::optional<PatentDocument> ReplayIndexes::document(const Docno& docno) const {
  for (const Opened& one : opened_) {
    if (auto document = one.index->document(docno)) return document;
  }
  return std::nullopt;
}

std::vector<IndexDescription> ReplayIndexes::describe() const {
  std::vector<IndexDescription> described;
  for (const Opened& one : opened_) {
    described.push_back({.engine = std::string(one.engine->name()),
                         .engine_version = std::string(one.engine->version()),
                         .path = one.path,
                         .documents = one.index->num_documents()});
  }
  return described;
}

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

/// The query threads: each takes the next topic, until none is left or a query fails.
class Workers {
 public:
  Workers(const ReplayOptions& options, Experiment& experiment, const Searchers& searchers,
          const std::vector<ReplayTopic>& topics, OrderedRuns* runs)
      : options_(options),
        experiment_(experiment),
        searchers_(searchers),
        topics_(topics),
        runs_(runs),
        progress_("topic", topics.size()) {}

  void run() {
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t i = 1; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    progress_.finish();
  }

 private:
  void work() noexcept {
    try {
      for (std::size_t i = next_++; i < topics_.size() && !stop_; i = next_++) {
        run_topic(i);
        progress_.tick();
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  void run_topic(std::size_t position) {
    const ReplayTopic& topic = topics_[position];
    std::vector<std::vector<Hit>> hits(searchers_.size());
    for (const std::size_t arm : arm_order(options_.seed, topic.topic.id, searchers_.size())) {
      search(topic, arm, runs_ == nullptr ? nullptr : &hits[arm]);
    }
    if (runs_ != nullptr) runs_->add(position, topic.topic.id, std::move(hits));
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
  OrderedRuns* runs_;
  Progress progress_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
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

std::vector<std::size_t> arm_order(std::uint64_t seed, const TopicId& topic, std::size_t arms) {
  std::vector<std::size_t> order(arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix random(seed ^ fnv_1a(topic.text()));
  for (std::size_t i = arms; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  return order;
}

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
  Workers(options, experiment, searchers, result.topics.run, watch.runs).run();
  result.summary = experiment.summary();
  check_complete(*result.summary, result.topics.run.size());
  check_logs(watch.logs);
  if (watch.on_end) watch.on_end(experiment, result);
  return result;
}

namespace {

std::map<TopicId, std::vector<Docno>> load_pairs(const std::filesystem::path& path) {
  std::map<TopicId, std::vector<Docno>> pairs;
  TextFile file(path);
  std::string_view line;
  while (file.next(line)) {
    const Columns columns = split_columns(line, 2, 2);
    if (columns.count == 0 || columns.text[0].starts_with('#')) continue;
    if (columns.count != 2) {
      throw file.bad_line(fmt::format("{} columns; expected two: topic docno", columns.count));
    }
    pairs[TopicId(columns.text[0])].emplace_back(columns.text[1]);
  }
  return pairs;
}

/// A topic's text and its stored document, each where there is one.
struct Source {
  std::string text;
  std::optional<PatentDocument> document;
  std::string missing;  ///< why there is no text
};

class Chooser {
 public:
  Chooser(const ReplayOptions& options, TopicFiles files, const ReplayIndexes& indexes)
      : options_(options), files_(std::move(files)), indexes_(indexes) {
    for (Topic& topic : files_.topics) texts_.emplace(topic.id, std::move(topic.text));
  }

  ReplayTopics choose(const Qrels& qrels) {
    for (const TopicQrels& judged : qrels.topics()) add(judged, qrels.docnos());
    chosen_.without_judgements = texts_.size();
    if (chosen_.run.empty()) throw nothing_in_common(qrels);
    return std::move(chosen_);
  }

 private:
  void add(const TopicQrels& judged, const DocnoNormalizer& docnos) {
    Source source = options_.topic_source == TopicSource::kFile ? from_file(judged.id())
                                                                : from_index(judged.id());
    if (!source.missing.empty()) {
      chosen_.not_run.push_back({judged.id(), std::move(source.missing)});
      return;
    }
    std::vector<Docno> exclude = excluded(judged.id(), source.document);
    chosen_.relevant_excluded += count_relevant(judged, exclude, docnos);
    chosen_.run.push_back({{judged.id(), std::move(source.text)}, std::move(exclude)});
  }

  Source from_file(const TopicId& id) {
    const auto found = texts_.extract(id);
    if (found.empty()) return {.text = {}, .document = {}, .missing = "not in the topics file"};
    Source source{.text = std::move(found.mapped()), .document = {}, .missing = {}};
    if (options_.exclude == Exclusion::kFamily)
      source.document = indexes_.document(Docno(id.text()));
    return source;
  }

  [[nodiscard]] Source from_index(const TopicId& id) const {
    Source source{.text = {}, .document = indexes_.document(Docno(id.text())), .missing = {}};
    if (!source.document) {
      source.missing = "no document of this id in the index";
      return source;
    }
    const PatentDocument& document = *source.document;
    source.text = document.title;
    if (!source.text.empty() && !document.abstract.empty()) source.text += ' ';
    source.text += document.abstract;
    if (source.text.empty()) source.missing = "its document has neither title nor abstract";
    return source;
  }

  [[nodiscard]] std::vector<Docno> excluded(const TopicId& id,
                                            const std::optional<PatentDocument>& document) const {
    std::vector<Docno> exclude;
    if (options_.exclude != Exclusion::kNone) exclude.emplace_back(id.text());
    if (options_.exclude == Exclusion::kFamily && document) {
      exclude.insert(exclude.end(), document->family.begin(), document->family.end());
    }
    const auto pairs = files_.excluded_pairs.find(id);
    if (pairs != files_.excluded_pairs.end()) {
      exclude.insert(exclude.end(), pairs->second.begin(), pairs->second.end());
    }
    return exclude;
  }

  static std::uint64_t count_relevant(const TopicQrels& judged, const std::vector<Docno>& exclude,
                                      const DocnoNormalizer& docnos) {
    std::set<JudgementIndex> relevant;
    for (const Docno& docno : exclude) {
      const auto judgement = judged.find(docnos.key(docno));
      if (judgement && judged.is_relevant(*judgement)) relevant.insert(*judgement);
    }
    return relevant.size();
  }

  [[nodiscard]] Error nothing_in_common(const Qrels& qrels) const {
    const std::string& judged = qrels.topics().front().id().text();
    if (options_.topic_source == TopicSource::kFile) {
      const std::string other = texts_.empty() ? "" : texts_.begin()->first.text();
      return {
          ErrorCode::kBadInput,
          fmt::format("{} and {} have no topic in common: one has '{}', the other '{}'; expected "
                      "the same ids, byte for byte",
                      options_.qrels.string(), options_.topics.string(), judged, other)};
    }
    return {
        ErrorCode::kBadInput,
        fmt::format("no topic of {} can be run: '{}': {} ({}); expected ids of documents, or set "
                    "topics.path",
                    options_.qrels.string(), judged, chosen_.not_run.front().reason,
                    options_.arms.front().index.string())};
  }

  const ReplayOptions& options_;
  TopicFiles files_;
  const ReplayIndexes& indexes_;
  std::map<TopicId, std::string> texts_;  // those not yet met in the qrels
  ReplayTopics chosen_;
};

}  // namespace

TopicFiles load_topic_files(const ReplayOptions& options) {
  TopicFiles files;
  if (options.topic_source == TopicSource::kFile) {
    files.topics = load_topics(options.topics);
    if (files.topics.empty()) {
      throw Error(ErrorCode::kBadInput, fmt::format("{}: no topics; expected lines 'id TAB text'",
                                                    options.topics.string()));
    }
  }
  if (!options.exclude_pairs.empty()) files.excluded_pairs = load_pairs(options.exclude_pairs);
  return files;
}

ReplayTopics choose_topics(const ReplayOptions& options, TopicFiles files, const Qrels& qrels,
                           const ReplayIndexes& indexes) {
  return Chooser(options, std::move(files), indexes).choose(qrels);
}

}  // namespace prescope::cli
