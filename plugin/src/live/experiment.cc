#include "prescope/experiment.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/start_thread.h"
#include "live/experiment_checks.h"
#include "live/experiment_state.h"
#include "live/processor_counter.h"
#include "prescope/error.h"

namespace prescope {
namespace {

std::size_t queue_capacity(const Qrels& qrels, const RecordingOptions& recording) {
  // The ring takes records up to a quarter of its size; a topic's largest is to fit a few times.
  return std::bit_ceil(std::max(recording.queue_bytes, 8 * largest_record(qrels, recording)));
}

LedgerOptions ledger_options(const ExperimentOptions& options) {
  return {.mode = options.mode,
          .epochs = options.epochs,
          .shadow_latency = options.shadow.latency,
          .baseline = options.split.baseline};
}

}  // namespace

std::size_t largest_record(const Qrels& qrels, const RecordingOptions& recording) noexcept {
  RankingObserver::Record::Room largest{.keys = recording.capture_depth};
  for (const TopicQrels& topic : qrels.topics()) {
    largest.judgements = std::max(largest.judgements, topic.judgements().size());
  }
  return RankingObserver::Record::bytes(largest);
}

Experiment::State::State(Qrels first, ExperimentOptions of)
    : scorer(checked_measures(of, first)),
      options(std::move(of)),
      judgements(std::move(first)),
      sampling(options.recording.sampling),
      capture_depth(options.recording.capture_depth),
      arms(options.arms),
      ring(queue_capacity(qrels(), options.recording)),
      ledger(judged(), scorer, arms.size(), ledger_options(options)) {
  measure_counter();
  ledger.on_epoch_end = [this](const Ledger& ended) { keep_epoch(ended); };
  publish();
  recorder = start_thread("prescope-record", [this](const std::stop_token& stop) { run(stop); });
}

Experiment::Experiment(Qrels qrels, ExperimentOptions options)
    : state_(std::make_unique<State>(std::move(qrels), std::move(options))) {
  begin_logs();
  try {
    state_->shadows = state_->new_shadows(*this);
    begin_services();
  } catch (...) {
    end();
    throw;
  }
}

Experiment::~Experiment() { end(); }

void Experiment::end() noexcept {
  while (!state_->services.empty()) state_->services.pop_back();
  if (state_->shadows) state_->shadows->stop();
  // Once it has recorded the rest, nothing is written to the logs any more.
  state_->recorder.request_stop();
  state_->recorder.join();
  for (const auto& log : state_->options.logs) log->end();
}

const Qrels& Experiment::qrels() const noexcept { return state_->qrels(); }
const Qrels& Experiment::qrels(std::uint32_t version) const {
  return state_->judgements.at(version).qrels;
}
const ExperimentOptions& Experiment::options() const noexcept { return state_->options; }
const JudgedDocnos& Experiment::judged() const noexcept { return state_->judged(); }
std::span<const ArmId> Experiment::arms() const noexcept { return state_->arms.names(); }
ArmStatus Experiment::status(ArmIndex arm) const noexcept { return state_->arms.status(arm); }
std::span<const Measure> Experiment::measures() const noexcept { return state_->scorer.measures(); }

std::optional<ArmIndex> Experiment::find_arm(std::string_view name) const noexcept {
  return state_->arms.find(name);
}

ArmIndex Experiment::arm(std::string_view name) const {
  if (const std::optional<ArmIndex> found = find_arm(name)) return *found;
  std::vector<std::string_view> names;
  for (const ArmId& id : arms()) names.push_back(id.text());
  throw Error(ErrorCode::kUsage, unknown_name_message("arm", name, names));
}

std::uint64_t Experiment::next_generation() noexcept {
  return state_->generations.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Experiment::observe(const Ranking& ranking) noexcept {
  const RankingObserver records_when_it_ends(*this, ranking);
}

void Experiment::count_adapter_failure() noexcept { count(state_->counters.adapter_failures); }

void Experiment::flush() { state_->flush(); }

std::shared_ptr<const Summary> Experiment::latest() const noexcept {
  const std::lock_guard lock(state_->latest_mutex);
  return state_->latest;
}

}  // namespace prescope
