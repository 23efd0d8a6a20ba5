// The query path: from the served hits to a queued observation. No allocation, no lock, no system
// call beyond the clock, no exception.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "core/judged_positions.h"
#include "live/experiment_state.h"
#include "prescope/experiment.h"
#include "prescope/query_scope.h"

namespace prescope {
namespace {

// initial-exec: reading it never allocates, not even in a library that was loaded at run time.
[[gnu::tls_model("initial-exec")]] thread_local QueryScope* current_scope = nullptr;

}  // namespace

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic) noexcept
    : experiment_(&experiment),
      outer_(current_scope),
      topic_(topic),
      started_(std::chrono::steady_clock::now()) {
  current_scope = this;
}

QueryScope::QueryScope(Experiment& experiment, std::string_view topic) noexcept
    : QueryScope(experiment, experiment.qrels().find(topic).value_or(kUnjudgedTopic)) {}

QueryScope::QueryScope(Experiment& experiment, const TopicId& topic, const ArmId& arm) noexcept
    : QueryScope(experiment, topic) {
  arm_ = experiment.find_arm(arm.text());
  if (!arm_) count(experiment.state_->counters.unknown_arm);
}

QueryScope::~QueryScope() {
  current_scope = outer_;
  if (!observed_) count(experiment_->state_->counters.queries_without_ranking);
}

QueryScope* QueryScope::current() noexcept { return current_scope; }

RankingObserver::RankingObserver(Experiment& experiment, const Ranking& ranking) noexcept
    : next_rank_(ranking.first_rank), began_(std::chrono::steady_clock::now()) {
  QueryScope* scope = QueryScope::current();
  if (scope == nullptr || &scope->experiment() != &experiment) {
    count(experiment.state_->counters.queries_without_scope);
    return;
  }
  state_ = experiment.state_.get();
  if (scope->topic() != kUnjudgedTopic) match_with(scope->topic(), ranking);
  const auto started =
      std::exchange(scope->observed_, true) ? ranking.search_started : scope->started_;
  if (!claim()) return;
  describe(ranking, ranking.search_ended.value_or(began_) - started);
  if (scope->arm()) record_->observation.arm = *scope->arm();
  record_->observation.flags = ranking.flags | scope->flags_;
  add(ranking.docids);
  add(ranking.docnos);
}

void RankingObserver::match_with(TopicIndex topic, const Ranking& ranking) noexcept {
  if (ranking.kind == HitKind::kDocids) {
    if (ranking.resolved == nullptr || topic.value() >= ranking.resolved->num_topics()) {
      count(state_->counters.unmatched_rankings);
      return;
    }
    resolved_ = &ranking.resolved->topic(topic);
  }
  topic_ = topic;
  judged_ = &state_->qrels.topic(topic);
}

bool RankingObserver::claim() noexcept {
  const std::size_t judgements = judged_ == nullptr ? 0 : judged_->judgements().size();
  std::byte* room = state_->ring.claim(Record::bytes(judgements));
  if (room == nullptr) {
    count(state_->counters.dropped_queue_full);
    return false;
  }
  record_ = new (room) Record;
  record_->judgements = static_cast<std::uint32_t>(judgements);
  return true;
}

void RankingObserver::describe(const Ranking& ranking, std::chrono::nanoseconds latency) noexcept {
  Observation& observation = record_->observation;
  observation.topic = topic_;
  observation.arm = ranking.arm;
  const bool by_table = ranking.kind == HitKind::kDocids && ranking.resolved != nullptr;
  observation.generation = by_table ? ranking.resolved->generation() : ranking.generation;
  observation.collection_size =
      by_table ? ranking.resolved->collection_size() : ranking.collection_size;
  observation.total_hits = ranking.total_hits;
  observation.latency = latency;
  observation.first_rank = ranking.first_rank;
  observation.requested_depth = ranking.requested_depth;
  observation.flags = ranking.flags;
}

void RankingObserver::add(std::span<const DocId> docids) noexcept {
  const Rank first = next_rank_;
  next_rank_ += static_cast<Rank>(docids.size());
  if (record_ == nullptr || resolved_ == nullptr) return;
  const std::span<const ResolvedQrels::Entry> entries = resolved_->entries;
  constexpr std::size_t kAtOnce = 1024;
  std::array<std::uint32_t, kAtOnce> positions;
  for (std::size_t begin = 0; begin < docids.size(); begin += kAtOnce) {
    const auto part = docids.subspan(begin, std::min(kAtOnce, docids.size() - begin));
    const std::size_t found = judged_positions(*resolved_, part, positions.data());
    for (std::size_t i = 0; i < found; ++i) {
      const auto entry =
          std::ranges::lower_bound(entries, part[positions[i]], {}, &ResolvedQrels::Entry::docid);
      hit(entry->judgement, first + static_cast<Rank>(begin) + positions[i]);
    }
  }
}

void RankingObserver::add(std::span<const std::string_view> docnos) noexcept {
  const Rank first = next_rank_;
  next_rank_ += static_cast<Rank>(docnos.size());
  if (record_ == nullptr || judged_ == nullptr || resolved_ != nullptr) return;
  const DocnoNormalizer& normalizer = state_->judged.docnos();
  DocnoBuffer buffer;
  for (std::size_t i = 0; i < docnos.size(); ++i) {
    const std::uint32_t key = state_->judged.find(normalizer.key(docnos[i], buffer));
    if (key == JudgedDocnos::kNotJudged) continue;
    for (const JudgedDocnos::Use& use : state_->judged.uses(key)) {
      if (use.topic == topic_) hit(use.judgement, first + static_cast<Rank>(i));
    }
  }
}

void RankingObserver::hit(JudgementIndex judgement, Rank rank) noexcept {
  // A document counts at its first rank, however many docids or repeats carry it.
  std::uint64_t& word = record_->seen()[judgement.value() / 64];
  const std::uint64_t bit = std::uint64_t{1} << (judgement.value() % 64);
  if ((word & bit) != 0) {
    ++record_->observation.duplicates;
    return;
  }
  word |= bit;
  record_->hits()[record_->num_hits++] = {rank, judgement};
}

void RankingObserver::abandon() noexcept {
  if (state_ == nullptr) return;
  count(state_->counters.adapter_failures);
  judged_ = nullptr;
  if (record_ == nullptr) return;
  // What is claimed must be committed.
  record_->abandoned = true;
  ObservationRing::commit(reinterpret_cast<std::byte*>(std::exchange(record_, nullptr)));
}

RankingObserver::~RankingObserver() {
  if (record_ == nullptr) return;
  Observation& observation = record_->observation;
  observation.num_ret = next_rank_ - observation.first_rank;
  observation.self_time = std::chrono::steady_clock::now() - began_;
  count(state_->counters.pushed);
  ObservationRing::commit(reinterpret_cast<std::byte*>(record_));
}

}  // namespace prescope
