#include "core/run_oddities.h"

#include <algorithm>

namespace prescope {
namespace {

using AtCutoff = RunOddities::AtCutoff;

/// Those of the measures, and the depth, behind which nothing counts either.
std::vector<AtCutoff> at_cutoffs(const std::vector<Measure>& measures, const RankOptions& options) {
  std::vector<Rank> cutoffs;
  for (const Measure& measure : measures) {
    if (measure.cutoff()) cutoffs.push_back(std::min(measure.cutoff()->value(), options.depth));
  }
  if (options.depth != RankOptions{}.depth) cutoffs.push_back(options.depth);
  std::ranges::sort(cutoffs);
  const auto repeats = std::ranges::unique(cutoffs);
  cutoffs.erase(repeats.begin(), repeats.end());
  std::vector<AtCutoff> result;
  for (const Rank cutoff : cutoffs) result.push_back({.cutoff = cutoff});
  return result;
}

bool is_judged(const TopicQrels& qrels, JudgementIndex judgement) {
  return qrels.judgements()[judgement.value()].grade >= 0;
}

void look_at(AtCutoff& at, const TopicQrels& qrels, const TopicRanking& ranking) {
  const std::uint32_t num_ret = std::min(ranking.num_ret, at.cutoff);
  std::uint32_t judged = 0, tied = 0;
  for (const RankedJudgement& document : ranking.judged) {
    if (document.first_tied > at.cutoff) break;
    judged += document.rank <= at.cutoff && is_judged(qrels, document.judgement) ? 1 : 0;
    tied += document.last_tied > at.cutoff && qrels.is_relevant(document.judgement) ? 1 : 0;
  }
  at.num_ret += num_ret;
  at.unjudged += num_ret - judged;
  at.tied += tied;
  at.tied_topics += tied > 0 ? 1 : 0;
}

/// All ranks, so that ties across the depth are seen too.
RankOptions to_the_end(RankOptions options) {
  options.depth = RankOptions{}.depth;
  return options;
}

std::vector<TopicIndex> missing_topics(const Qrels& qrels, const RunFacts& facts) {
  std::vector<TopicIndex> missing;
  auto in_run = facts.topics.begin();
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    if (in_run != facts.topics.end() && in_run->topic == TopicIndex(i)) {
      ++in_run;
    } else {
      missing.emplace_back(i);
    }
  }
  return missing;
}

}  // namespace

RunOddities run_oddities(const Qrels& qrels, const RunFacts& facts, const RankOptions& options,
                         const Evaluation& evaluation) {
  RunOddities result;
  result.missing = missing_topics(qrels, facts);
  result.at_cutoffs = at_cutoffs(evaluation.measures, options);
  TopicRanking ranking;
  for (const Evaluation::Topic& topic : evaluation.topics) {
    const TopicQrels& judged = qrels.topic(topic.topic);
    ++result.topics;
    result.topics_without_relevant += judged.num_rel() == 0 ? 1 : 0;
    result.num_ret += topic.num_ret;
    result.num_rel += judged.num_rel();
    result.num_rel_ret += topic.num_rel_ret;
    if (topic.facts == nullptr) continue;
    result.duplicates += topic.facts->duplicates;
    result.topics_with_duplicates += topic.facts->duplicates > 0 ? 1 : 0;
    rank_topic(qrels, facts, *topic.facts, to_the_end(options), ranking);
    for (AtCutoff& at : result.at_cutoffs) look_at(at, judged, ranking);
  }
  return result;
}

QrelsOddities qrels_oddities(const Qrels& qrels) {
  QrelsOddities result;
  result.repeated = qrels.repeated();
  result.merged = qrels.merged();
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const TopicQrels& topic = qrels.topics()[i];
    result.judgements += topic.judgements().size();
    result.relevant += topic.num_rel();
    if (topic.num_rel() == 0) result.without_relevant.emplace_back(i);
  }
  return result;
}

}  // namespace prescope
