#include "measures/scorer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "measures/definitions.h"

namespace prescope {

Scorer::Scorer(std::vector<Measure> measures) : measures_(std::move(measures)) {
  using Value = double (*)(const FoundRelevant&, std::uint32_t num_rel, Rank last);
  constexpr std::pair<const MeasureDefinition*, Value> kHitByHit[] = {
      {&kPres,
       [](const FoundRelevant& hits, std::uint32_t n, Rank last) { return hits.pres(n, last); }},
      {&kPresEst, [](const FoundRelevant& hits, std::uint32_t n,
                     Rank last) { return hits.pres_estimate(n, last); }},
      {&kRecall, [](const FoundRelevant& hits, std::uint32_t n, Rank) { return hits.recall(n); }},
      {&kAveragePrecision,
       [](const FoundRelevant& hits, std::uint32_t n, Rank) { return hits.average_precision(n); }}};
  for (std::uint32_t i = 0; i < measures_.size(); ++i) {
    const auto* const known = std::ranges::find(kHitByHit, &measures_[i].definition(),
                                                &std::pair<const MeasureDefinition*, Value>::first);
    if (known == std::end(kHitByHit)) {
      on_their_own_.push_back(i);
    } else {
      one_pass_.push_back({last_rank(measures_[i]), i, known->second});
    }
  }
  std::ranges::stable_sort(one_pass_, {}, &Reading::last_rank);
}

void Scorer::score(const JudgedRanks& ranks, std::span<std::optional<double>> out) const {
  if (ranks.num_rel == 0) {
    std::ranges::fill(out, std::nullopt);
    return;
  }
  FoundRelevant hits;
  auto next = ranks.relevant.begin();
  for (const Reading& reading : one_pass_) {
    while (next != ranks.relevant.end() && *next <= reading.last_rank) hits.add(*next++);
    out[reading.measure] = reading.value(hits, ranks.num_rel, reading.last_rank);
  }
  for (const std::uint32_t i : on_their_own_) out[i] = measures_[i].score(ranks);
}

void RankBuffer::reserve(const TopicQrels& topic) {
  const std::size_t most = topic.judgements().size();
  judged_.reserve(most);
  relevant_.reserve(most);
  grades_.reserve(most);
}

JudgedRanks RankBuffer::of(const TopicQrels& topic, Grade min_grade, const JudgedRanking& ranking,
                           std::uint64_t collection_size) {
  judged_.clear();
  relevant_.clear();
  grades_.clear();
  for (const JudgedHit& hit : ranking.hits) {
    const Grade grade = topic.judgements()[hit.judgement.value()].grade;
    judged_.push_back({hit.rank, grade});
    if (grade >= min_grade) relevant_.push_back(hit.rank);
  }
  for (const Judgement& judgement : topic.judgements()) grades_.push_back(judgement.grade);
  std::ranges::sort(grades_, std::ranges::greater());
  return {.num_rel = topic.num_rel(),
          .relevant = relevant_,
          .num_ret = ranking.num_ret,
          .collection_size = collection_size,
          .judged = judged_,
          .grades = grades_,
          .min_grade = min_grade};
}

}  // namespace prescope
