#include "runs/evaluation.h"

#include <cmath>

namespace prescope {

namespace {

/// trec_eval's lower limit of scores whose logarithm is taken.
constexpr double kLeastOfGeometricMean = 1e-5;

bool is_geometric(const Measure& measure) noexcept {
  return measure.definition().mean == MeasureDefinition::Mean::kGeometric;
}

/// Numbers the remaining documents from 1. Documents that tied still do.
void close_ranks(std::vector<RankedJudgement>& judged) {
  for (std::size_t begin = 0; begin < judged.size();) {
    std::size_t end = begin;
    const Rank group = judged[begin].first_tied;
    while (end < judged.size() && judged[end].first_tied == group) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      judged[i].rank = static_cast<Rank>(i + 1);
      judged[i].first_tied = static_cast<Rank>(begin + 1);
      judged[i].last_tied = static_cast<Rank>(end);
    }
    begin = end;
  }
}

/// Ranks the documents of each score by grade, at the first or at the last of their lines.
void rank_ties(std::span<const Judgement> judgements, bool best_first,
               std::vector<RankedJudgement>& judged) {
  const auto grade = [&](const RankedJudgement& document) {
    return judgements[document.judgement.value()].grade;
  };
  for (auto begin = judged.begin(), end = begin; begin != judged.end(); begin = end) {
    const Rank first = begin->first_tied, last = begin->last_tied;
    end = std::ranges::find_if(begin, judged.end(), [&](const RankedJudgement& document) {
      return document.first_tied != first;
    });
    const auto size = static_cast<Rank>(end - begin);
    Rank rank = best_first ? first : last + 1 - size;
    best_first ? std::ranges::stable_sort(begin, end, std::greater{}, grade)
               : std::ranges::stable_sort(begin, end, {}, grade);
    for (auto document = begin; document != end; ++document) document->rank = rank++;
  }
}

}  // namespace

std::optional<Rank> end_of_run(const RunFacts& facts) noexcept {
  constexpr std::uint32_t kRound = 10;
  if (facts.topics.size() < 2) return std::nullopt;
  const std::uint32_t longest =
      std::ranges::max_element(facts.topics, {}, &RunFacts::Topic::num_ret)->num_ret;
  const auto at_end = static_cast<std::size_t>(
      std::ranges::count(facts.topics, longest, &RunFacts::Topic::num_ret));
  const bool is_cut_off = longest % kRound == 0 && at_end * 5 >= facts.topics.size();
  return is_cut_off ? std::optional(longest) : std::nullopt;
}

std::optional<Rank> end_before(const Measure& measure, const RunFacts& facts) noexcept {
  const std::optional<Rank> end = end_of_run(facts);
  return end && measure.cutoff() && measure.cutoff()->value() > *end ? end : std::nullopt;
}

TopicRanking rank_topic(const Qrels& qrels, const RunFacts& facts, const RunFacts::Topic& topic,
                        const RankOptions& options) {
  const std::span<const Judgement> judgements = qrels.topic(topic.topic).judgements();
  TopicRanking ranking;
  std::vector<RankedJudgement>& judged = ranking.judged;
  const bool by_file = options.order == RunOrder::kFile;
  for (const Retrieved& document : facts.of(topic)) {
    if (options.judged_only && judgements[document.judgement.value()].grade < 0) continue;
    const Rank rank = by_file ? document.file_rank : document.trec_rank;
    judged.push_back({{rank, document.judgement},
                      by_file ? rank : document.first_tied,
                      by_file ? rank : document.last_tied});
  }
  if (by_file) std::ranges::sort(judged, {}, &RankedJudgement::rank);
  if (!by_file && options.ties != TieOrder::kDocno) {
    rank_ties(judgements, options.ties == TieOrder::kBestFirst, judged);
  }
  const auto end = std::ranges::upper_bound(judged, options.depth, {}, &RankedJudgement::rank);
  judged.erase(end, judged.end());
  if (options.judged_only) close_ranks(judged);
  ranking.num_ret = options.judged_only ? static_cast<std::uint32_t>(judged.size())
                                        : std::min(topic.num_ret, options.depth);
  return ranking;
}

JudgedRanking judged_ranking(const Qrels& qrels, const RunFacts& facts,
                             const RunFacts::Topic& topic, const RankOptions& options) {
  const TopicRanking ranking = rank_topic(qrels, facts, topic, options);
  return {.num_ret = ranking.num_ret,
          .duplicates = topic.duplicates,
          .hits = {ranking.judged.begin(), ranking.judged.end()}};
}

JudgedRanks TopicRanks::of(const RunFacts& facts, TopicIndex topic) {
  const RunFacts::Topic* const in_run = facts.find(topic);
  const JudgedRanking served =
      in_run == nullptr ? JudgedRanking() : judged_ranking(*qrels_, facts, *in_run, options_);
  return buffer_.of(qrels_->topic(topic), qrels_->min_grade(), served, 0);
}

double on_scale_of_mean(const Measure& measure, double score) noexcept {
  return is_geometric(measure) ? std::log(std::max(score, kLeastOfGeometricMean)) : score;
}

double mean_from_scale(const Measure& measure, double mean) noexcept {
  return is_geometric(measure) ? std::exp(mean) : mean;
}

std::optional<double> mean_over_topics(const Measure& measure, std::span<const double> scores) {
  if (scores.empty()) return std::nullopt;
  double sum = 0.0;
  for (const double score : scores) sum += on_scale_of_mean(measure, score);
  return mean_from_scale(measure, sum / static_cast<double>(scores.size()));
}

void add_means(Evaluation& evaluation) {
  std::vector<double> values;
  evaluation.means.clear();
  evaluation.topics_in_mean.clear();
  for (std::size_t m = 0; m < evaluation.measures.size(); ++m) {
    values.clear();
    for (std::size_t t = 0; t < evaluation.topics.size(); ++t) {
      if (const auto score = evaluation.score(t, m)) values.push_back(*score);
    }
    evaluation.means.push_back(mean_over_topics(evaluation.measures[m], values));
    evaluation.topics_in_mean.push_back(static_cast<std::uint32_t>(values.size()));
  }
}

Evaluation evaluate(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                    const EvaluateOptions& options) {
  Evaluation result;
  result.facts = &facts;
  result.measures.assign(scorer.measures().begin(), scorer.measures().end());
  TopicRanks ranks(qrels, options.ranks);
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const TopicIndex topic(i);
    const RunFacts::Topic* const in_run = facts.find(topic);
    if (in_run == nullptr && options.topics == EvaluateOptions::Topics::kRun) continue;
    const JudgedRanks judged = ranks.of(facts, topic);
    const auto num_rel_ret = static_cast<std::uint32_t>(judged.relevant.size());
    scorer.score(judged,
                 result.add({topic, in_run, judged.num_ret, num_rel_ret, qrels.family(topic)}));
  }
  add_means(result);
  return result;
}

TieRange tie_range(const Qrels& qrels, const RunFacts& facts, const Scorer& scorer,
                   EvaluateOptions options) {
  TieRange range;
  options.ranks.ties = TieOrder::kWorstFirst;
  range.lowest = evaluate(qrels, facts, scorer, options);
  options.ranks.ties = TieOrder::kBestFirst;
  range.highest = evaluate(qrels, facts, scorer, options);
  return range;
}

RankedRuns ranked_runs(const Qrels& qrels, std::span<const RunFacts> runs,
                       const EvaluateOptions& options) {
  RankedRuns ranked{.qrels = qrels, .judged_only = options.ranks.judged_only};
  const bool has_all = options.topics == EvaluateOptions::Topics::kAll;
  for (const RunFacts& facts : runs) {
    RankedRuns::Run& run = ranked.runs.emplace_back(
        qrels.topics().size(), has_all ? std::optional(JudgedRanking()) : std::nullopt);
    for (const RunFacts::Topic& topic : facts.topics) {
      run[topic.topic.value()] = judged_ranking(qrels, facts, topic, options.ranks);
    }
  }
  return ranked;
}

}  // namespace prescope
