#include "cli/replay/replay_record.h"

#include <fmt/format.h>
#include <optional>

#include "cli/commands/index_command.h"
#include "cli/options/terminal.h"
#include "cli/replay/replay.h"
#include "cli/replay/replay_report.h"
#include "live/ledger/ledger.h"
#include "nightly/evaluation_record.h"
#include "prescope/error.h"
#include "replay/experiment_file.h"

namespace prescope::cli {

void ReplayFacts::add(const Observation& observation) {
  if (observation.topic == kUnjudgedTopic) return;
  served_[observation.topic] = {
      .num_ret = observation.num_ret,
      .duplicates = observation.duplicates,
      .hits = {observation.hits.begin(), observation.hits.end()},
      .latency = is_timed(observation) ? std::optional(observation.latency) : std::nullopt};
}

std::vector<EvaluationRecord::Topic> ReplayFacts::topics(const Qrels& qrels) const {
  std::vector<EvaluationRecord::Topic> topics = unserved_topics(qrels);
  for (const auto& [index, served] : served_) {
    const TopicQrels& judged = qrels.topic(index);
    EvaluationRecord::Topic& topic = topics[index.value()];
    topic.served = true;
    topic.num_ret = served.num_ret;
    topic.duplicates = served.duplicates;
    topic.latency = served.latency;
    for (const JudgedHit& hit : served.hits) {
      if (!judged.is_relevant(hit.judgement)) continue;
      topic.found.push_back({judged.judgements()[hit.judgement.value()].docno, hit.rank});
    }
  }
  return topics;
}

namespace {

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

}  // namespace

EvaluationRecord record_of_replay(const ReplayOptions& options, const std::string& file) {
  ReplayFacts facts;
  const ReplayResult result = replay(
      options, {.on_observation = [&](const Observation& observation) { facts.add(observation); }});
  check_all_kept(*result.summary);
  const std::string skipped = skipped_topics_note(result.topics);
  if (!skipped.empty()) print_note(skipped);

  const ReplayArm& arm = options.arms.front();
  EvaluationRecord record{.arm = arm.config.id.text(),
                          .source = fmt::format("replay {}", file),
                          .config = arm_toml(options, arm),
                          .qrels = qrels_version(result.qrels),
                          .depth = options.depth,
                          .measures = options.measures,
                          .topics = facts.topics(result.qrels)};
  record.index = index_version(result, record.qrels);
  for (const EvaluationRecord::Topic& topic : record.topics) {
    if (topic.latency) record.latency.add(*topic.latency);
  }
  if (record.index.judged_found && *record.index.judged_found < record.qrels.relevant) {
    record.docno_hint = index_docno_hint(result.qrels, arm, *record.index.judged_found);
  }
  return record;
}

}  // namespace prescope::cli
