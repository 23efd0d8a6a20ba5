#include "live/ledger/stages.h"

#include <algorithm>

namespace prescope {

namespace {

void add_each_once(std::vector<JudgementIndex>& known, std::span<const JudgedHit> hits,
                   const TopicQrels& topic) {
  for (const JudgedHit& hit : hits) {
    const bool is_known = std::ranges::find(known, hit.judgement) != known.end();
    if (!is_known && topic.is_relevant(hit.judgement)) known.push_back(hit.judgement);
  }
}

}  // namespace

std::vector<JudgementIndex>& StageCoverage::found_at(Topic& topic, Stage stage) {
  const auto known = std::ranges::find(topic.stages, stage, &Found::stage);
  return known != topic.stages.end() ? known->relevant
                                     : topic.stages.emplace_back(Found{.stage = stage}).relevant;
}

void StageCoverage::add(const Observation& ranking, std::uint64_t visit, const TopicQrels& topic) {
  if (visit == 0 || static_cast<std::size_t>(ranking.stage) >= kMostStages) return;
  const bool is_inner_stage = is_inner(ranking.stage);
  if (topics_.empty() && !is_inner_stage) return;
  const std::size_t index = ranking.topic.value();
  if (index >= topics_.size()) topics_.resize(index + 1);
  Topic& state = topics_[index];
  count(state, -1);
  if (state.visit != visit) {
    state = {.visit = visit, .num_rel = topic.num_rel()};
  }
  const bool is_named = ranking.stage == Stage::kServed;
  if (is_inner_stage) {
    add_each_once(found_at(state, ranking.stage), ranking.hits, topic);
  } else if (is_named || !state.is_named) {
    std::vector<JudgementIndex>& served = found_at(state, Stage::kServed);
    if (ranking.first_rank == 1) served.clear();
    add_each_once(served, ranking.hits, topic);
    state.is_served = true;
    state.is_named = is_named;
  }
  count(state, 1);
}

void StageCoverage::forget(TopicIndex topic) noexcept {
  if (topic.value() >= topics_.size()) return;
  Topic& state = topics_[topic.value()];
  count(state, -1);
  state = Topic();
}

void StageCoverage::count(const Topic& topic, std::int64_t times) noexcept {
  if (!topic.is_served) return;
  const auto served = std::ranges::find(topic.stages, Stage::kServed, &Found::stage);
  for (const Found& stage : topic.stages) {
    if (!is_inner(stage.stage)) continue;
    const auto kept = std::ranges::count_if(stage.relevant, [&](JudgementIndex one) {
      return std::ranges::find(served->relevant, one) != served->relevant.end();
    });
    Totals& totals = totals_[static_cast<std::size_t>(stage.stage)];
    const auto add = [times](auto& total, auto value) {
      total += static_cast<std::remove_reference_t<decltype(total)>>(
          times * static_cast<std::int64_t>(value));
    };
    add(totals.topics, 1);
    add(totals.relevant, topic.num_rel);
    add(totals.found, stage.relevant.size());
    add(totals.kept, kept);
    add(totals.served, served->relevant.size());
  }
}

}  // namespace prescope
