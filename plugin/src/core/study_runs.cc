#include "core/study_runs.h"

#include <algorithm>

#include "core/in_parallel.h"

namespace prescope {

StudyRuns::StudyRuns(const Qrels& qrels, std::span<const RunFacts> runs,
                     const EvaluateOptions& options, unsigned threads)
    : runs_(runs.size()) {
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const std::uint32_t num_rel = qrels.topics()[i].num_rel();
    if (num_rel > 0) topics_.push_back({TopicIndex(i), num_rel});
  }
  in_parallel(runs.size(), threads,
              [&](std::size_t i) { runs_[i] = placed(qrels, runs[i], options); });
}

StudyRuns::Run StudyRuns::placed(const Qrels& qrels, const RunFacts& facts,
                                 const EvaluateOptions& options) const {
  Run run;
  run.places.reserve(topics_.size());
  TopicRanking ranking;
  auto in_run = facts.topics.begin();
  for (const StudyTopic& topic : topics_) {
    while (in_run != facts.topics.end() && in_run->topic < topic.topic) ++in_run;
    Place place{.first = run.ranks.size()};
    if (in_run == facts.topics.end() || in_run->topic != topic.topic) {
      place.counts = options.topics == EvaluateOptions::Topics::kAll;
      run.places.push_back(place);
      continue;
    }
    rank_topic(qrels, facts, *in_run, options.ranks, ranking);
    const TopicQrels& judged = qrels.topic(topic.topic);
    for (const RankedJudgement& document : ranking.judged) {
      if (!judged.is_relevant(document.judgement)) continue;
      run.ranks.push_back(document.rank);
      run.judgements.push_back(document.judgement);
    }
    place.found = static_cast<std::uint32_t>(run.ranks.size() - place.first);
    place.num_ret = ranking.num_ret;
    run.depth = std::max(run.depth, ranking.num_ret);
    run.places.push_back(place);
  }
  return run;
}

std::span<const Rank> StudyRuns::ranks(std::size_t run, std::size_t topic) const noexcept {
  const Place& place = runs_[run].places[topic];
  return std::span(runs_[run].ranks).subspan(place.first, place.found);
}

std::span<const JudgementIndex> StudyRuns::judgements(std::size_t run,
                                                      std::size_t topic) const noexcept {
  const Place& place = runs_[run].places[topic];
  return std::span(runs_[run].judgements).subspan(place.first, place.found);
}

std::vector<SweepTopic> StudyRuns::sweep_topics(std::size_t run) const {
  std::vector<SweepTopic> topics;
  topics.reserve(topics_.size());
  for (std::size_t t = 0; t < topics_.size(); ++t) {
    topics.push_back(
        {.num_rel = counts(run, t) ? topics_[t].num_rel : 0, .relevant_ranks = ranks(run, t)});
  }
  return topics;
}

}  // namespace prescope
