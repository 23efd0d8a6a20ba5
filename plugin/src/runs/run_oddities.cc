#include "runs/run_oddities.h"

#include <set>

#include "measures/definitions.h"
#include "runs/scan/topics_of_run.h"

namespace prescope {

namespace {

using AtCutoff = RunOddities::AtCutoff;

/// Returns the cutoffs of the measures, and the depth, behind which nothing counts.
std::vector<AtCutoff> at_cutoffs(const std::vector<Measure>& measures, const RankOptions& options) {
  std::set<Rank> cutoffs;
  for (const Measure& measure : measures) {
    if (measure.cutoff()) cutoffs.insert(std::min(measure.cutoff()->value(), options.depth));
  }
  if (options.depth != RankOptions{}.depth) cutoffs.insert(options.depth);
  std::vector<AtCutoff> result;
  for (const Rank cutoff : cutoffs) result.push_back({.cutoff = cutoff});
  return result;
}

void look_at(AtCutoff& at, const TopicQrels& qrels, const TopicRanking& ranking) {
  const std::uint32_t num_ret = std::min(ranking.num_ret, at.cutoff);
  std::uint32_t judged = 0, tied = 0;
  for (const RankedJudgement& document : ranking.judged) {
    if (document.first_tied > at.cutoff) break;
    const bool is_judged = qrels.judgements()[document.judgement.value()].grade >= 0;
    judged += document.rank <= at.cutoff && is_judged ? 1 : 0;
    tied += document.last_tied > at.cutoff && qrels.is_relevant(document.judgement) ? 1 : 0;
  }
  at.num_ret += num_ret;
  at.unjudged += num_ret - judged;
  at.tied += tied;
  at.tied_topics += tied > 0 ? 1 : 0;
}

/// Ranks of all lines of relevant documents, ascending.
std::vector<Rank> relevant_lines(const Qrels& qrels, const TopicQrels& judged,
                                 const TopicLines& lines, const RankOptions& options) {
  const std::vector<std::uint32_t> order = lines.ranked(options.order);
  std::vector<Rank> ranks;
  DocnoBuffer buffer;
  for (std::uint32_t i = 0; i < std::min(lines.size(), options.depth); ++i) {
    const std::string_view docno = lines.docno(order[i]);
    const auto judgement = judged.find(qrels.docnos().key(docno, buffer));
    if (judgement && judged.is_relevant(*judgement)) ranks.push_back(i + 1);
  }
  return ranks;
}

}  // namespace

RunOddities run_oddities(const Qrels& qrels, const RankOptions& options,
                         const Evaluation& evaluation) {
  RunOddities result;
  const RunFacts& facts = *evaluation.facts;
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    if (facts.find(TopicIndex(i)) == nullptr) result.missing.emplace_back(i);
  }
  result.at_cutoffs = at_cutoffs(evaluation.measures, options);
  RankOptions with_ties = options;
  // Without the depth, ties across it are seen, too. Under judged_only it must stay, because it
  // counts ranks before documents are removed.
  if (!options.judged_only) with_ties.depth = RankOptions{}.depth;
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
    const TopicRanking ranking = rank_topic(qrels, facts, *topic.facts, with_ties);
    for (AtCutoff& at : result.at_cutoffs) look_at(at, judged, ranking);
  }
  return result;
}

QrelsOddities qrels_oddities(const Qrels& qrels) {
  QrelsOddities result;
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const TopicQrels& topic = qrels.topics()[i];
    result.judgements += topic.judgements().size();
    result.relevant += topic.num_rel();
    if (topic.num_rel() == 0) result.without_relevant.emplace_back(i);
  }
  return result;
}

OrderEffect order_effect(const Qrels& qrels, const Scorer& scorer, const RankOptions& options,
                         const Evaluation& evaluation) {
  OrderEffect effect;
  effect.other = options.order == RunOrder::kTrec ? RunOrder::kFile : RunOrder::kTrec;
  RankOptions other_options = options;
  other_options.order = effect.other;
  TopicRanks ranks(qrels, other_options);
  Evaluation other;
  const std::size_t columns = evaluation.measures.size();
  for (std::size_t t = 0; t < evaluation.topics.size(); ++t) {
    const RunFacts::Topic* topic = evaluation.topics[t].facts;
    if (topic == nullptr || !topic->orders_differ) continue;
    if (effect.topics++ == 0) other = evaluation;
    scorer.score(ranks.of(*evaluation.facts, topic->topic),
                 std::span(other.scores).subspan(t * columns, columns));
  }
  if (effect.topics > 0) add_means(other);
  effect.means = effect.topics > 0 ? other.means : evaluation.means;
  return effect;
}

bool counts_lines(const Measure& measure) noexcept {
  const MeasureDefinition* definition = &measure.definition();
  if (measure.min_grade()) return false;
  return definition == &kPres || definition == &kRecall || definition == &kAveragePrecision;
}

std::vector<std::optional<double>> means_of_every_line(const Qrels& qrels,
                                                       const std::filesystem::path& path,
                                                       const std::vector<Measure>& measures,
                                                       const EvaluateOptions& options,
                                                       ScorePrecision precision) {
  Evaluation every;
  every.measures = measures;
  every.topics.resize(qrels.topics().size());
  every.scores.resize(every.topics.size() * measures.size());
  const auto score = [&](TopicIndex topic, std::span<const Rank> relevant) {
    const JudgedRanks ranks{.num_rel = qrels.topic(topic).num_rel(), .relevant = relevant};
    for (std::size_t m = 0; m < measures.size(); ++m) {
      if (!counts_lines(measures[m])) continue;
      every.scores[topic.value() * measures.size() + m] = measures[m].score(ranks);
    }
  };
  if (options.topics == EvaluateOptions::Topics::kAll) {
    for (std::uint32_t i = 0; i < every.topics.size(); ++i) score(TopicIndex(i), {});
  }
  TopicReading reading{.precision = precision, .scattered = true};
  reading.is_wanted = [&](std::string_view topic) { return qrels.find(topic).has_value(); };
  reading.take = [&](std::string_view topic, const TopicLines& lines) {
    const TopicIndex index = *qrels.find(topic);
    score(index, relevant_lines(qrels, qrels.topic(index), lines, options.ranks));
  };
  (void)read_whole_run(path, reading, [] {});
  add_means(every);
  return every.means;
}

}  // namespace prescope
