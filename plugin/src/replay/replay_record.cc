#include "replay/replay_record.h"

#include <fmt/format.h>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "live/ledger/ledger.h"
#include "prescope/error.h"
#include "prescope/experiment.h"
#include "replay/engines.h"
#include "replay/experiment_file.h"

namespace prescope {

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
