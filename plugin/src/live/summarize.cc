#include "live/summarize.h"

#include <algorithm>
#include <string>
#include <utility>

#include "live/compare_arms.h"
#include "live/summarize_arm.h"
#include "live/topic_moves.h"
#include "live/topic_row.h"

namespace prescope {

std::string_view to_string(EpochReason reason) noexcept {
  switch (reason) {
    case EpochReason::kStart:
      return "start";
    case EpochReason::kGeneration:
      return "generation";
    case EpochReason::kArms:
      return "arms";
    case EpochReason::kJudgements:
      return "judgements";
  }
  return "";
}

namespace {

ArmIndex arm_index(std::size_t arm) { return ArmIndex(static_cast<std::uint32_t>(arm)); }
TopicIndex topic_index(std::size_t topic) { return TopicIndex(static_cast<std::uint32_t>(topic)); }

void add_rows(const Ledger& ledger, std::span<const ArmFacts> arms, Summary& summary) {
  const std::span<const TopicQrels> topics = ledger.qrels().topics();
  for (std::size_t t = 0; t < topics.size(); ++t) {
    TopicRow row = topic_row(ledger, arms, topic_index(t));
    const bool seen =
        std::ranges::any_of(row.arms, [](const TopicRow::Arm& arm) { return arm.seen; });
    if (seen) summary.rows.push_back(std::move(row));
  }
}

void add_pairs(const Ledger& ledger, double alpha, SummaryDetail detail, Summary& summary) {
  const AlphaShares shares = AlphaShares::of(ledger, alpha);
  for (const ArmIndex b : arms_compared(ledger)) {
    ArmPair pair = compare_arms(ledger, b, shares);
    if (detail == SummaryDetail::kEveryTopic) pair.moves = topic_moves(ledger, b);
    summary.pairs.push_back(std::move(pair));
  }
}

Health with_ledgers(Health health, const Ledger& ledger) {
  health.page_gaps += ledger.page_gaps();
  health.late_observations += ledger.late_observations();
  health.clock_steps += ledger.clock_steps();
  return health;
}

}  // namespace

Summary summarize(const Ledger& ledger, SummaryFacts facts, SummaryDetail detail) {
  const Qrels& qrels = ledger.qrels();
  const std::span<const Measure> measures = ledger.scorer().measures();
  Summary summary{.experiment = std::string(facts.experiment),
                  .mode = ledger.options().mode,
                  .detail = detail,
                  .epoch = ledger.epoch(),
                  .past_epochs = std::move(facts.past_epochs),
                  .topics = static_cast<std::uint32_t>(qrels.topics().size()),
                  .judgements = qrels.num_judgements(),
                  .judgements_repeated = qrels.repeated(),
                  .judgements_merged = qrels.merged(),
                  .measures = {measures.begin(), measures.end()},
                  .health = with_ledgers(facts.health, ledger)};
  const auto with_relevant = static_cast<std::uint32_t>(std::ranges::count_if(
      qrels.topics(), [](const TopicQrels& topic) { return topic.num_rel() > 0; }));
  summary.topics_without_relevant = summary.topics - with_relevant;
  for (std::size_t a = 0; a < facts.arms.size(); ++a) {
    summary.arms.push_back(summarize_arm(ledger, arm_index(a), facts.arms[a], with_relevant));
  }
  add_pairs(ledger, facts.alpha, detail, summary);
  if (detail == SummaryDetail::kEveryTopic) add_rows(ledger, facts.arms, summary);
  return summary;
}

PastEpoch past_epoch(const Ledger& ledger, double alpha) {
  PastEpoch past{.epoch = ledger.epoch()};
  const AlphaShares shares = AlphaShares::of(ledger, alpha);
  for (const ArmIndex b : arms_compared(ledger)) {
    for (MeasureDifference& difference : measure_differences(ledger, b, shares)) {
      past.differences.push_back({.b = b,
                                  .measure = difference.measure,
                                  .topics = difference.topics,
                                  .mean = difference.mean,
                                  .live = difference.live});
    }
  }
  return past;
}

}  // namespace prescope
