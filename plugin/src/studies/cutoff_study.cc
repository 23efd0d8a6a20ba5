#include "studies/cutoff_study.h"

#include <set>
#include <tuple>

#include "base/threads.h"
#include "statistics/paired_tests.h"
#include "statistics/rank_correlation.h"

namespace prescope {

namespace {

using Flip = CutoffStudy::Flip;

CutoffStudy::Run study_run(const RankedRuns& runs, std::size_t run,
                           std::span<const Cutoff> cutoffs) {
  CutoffStudy::Run result{.shorter = std::vector<std::uint32_t>(cutoffs.size())};
  std::vector<std::vector<Rank>> ranks(runs.qrels.topics().size());
  std::vector<SweepTopic> topics;
  for (std::size_t t = 0; t < ranks.size(); ++t) {
    const TopicQrels& topic = runs.qrels.topics()[t];
    const std::optional<JudgedRanking>& ranking = runs.runs[run][t];
    if (topic.num_rel() == 0 || !ranking) continue;
    for (const auto& [rank, judgement] : ranking->hits) {
      if (topic.is_relevant(judgement)) ranks[t].push_back(rank);
    }
    topics.push_back({.num_rel = topic.num_rel(), .relevant_ranks = ranks[t]});
    result.depth = std::max(result.depth, ranking->num_ret);
    for (std::size_t c = 0; c < cutoffs.size(); ++c) {
      result.shorter[c] += ranking->num_ret < cutoffs[c].value() ? 1 : 0;
    }
  }
  result.points = cutoff_sweep(topics, cutoffs);
  return result;
}

void count_below_n(const RankedRuns& runs, CutoffStudy& study) {
  study.below_n.resize(study.cutoffs.size());
  for (const TopicQrels& topic : runs.qrels.topics()) {
    study.largest_n = std::max(study.largest_n, topic.num_rel());
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      study.below_n[c] += study.cutoffs[c].value() < topic.num_rel() ? 1 : 0;
    }
  }
}

double score(const CutoffStudy& study, std::size_t measure, std::size_t run, std::size_t cutoff) {
  return study.value(measure, run, cutoff).value_or(0.0);
}

/// Adds the cutoffs between which the pair turns round.
void add_flips(CutoffStudy& study, std::size_t measure, std::size_t a, std::size_t b) {
  double last = 0.0;  // the last difference that was none of 0
  std::size_t where = 0;
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    const double difference =
        clean_difference(score(study, measure, a, c), score(study, measure, b, c));
    if (difference == 0.0) continue;
    if (last != 0.0 && (difference > 0.0) != (last > 0.0)) {
      study.flips.push_back({.measure = measure,
                             .ahead_before = last > 0.0 ? a : b,
                             .ahead_after = last > 0.0 ? b : a,
                             .before = where,
                             .after = c});
    }
    last = difference;
    where = c;
  }
}

CutoffStudy::Order order_of(const CutoffStudy& study, std::size_t measure) {
  std::set<std::pair<std::size_t, std::size_t>> flipped;
  for (const Flip& flip : study.flips) {
    if (flip.measure == measure) flipped.insert(std::minmax(flip.ahead_before, flip.ahead_after));
  }
  std::vector<double> lowest, highest;
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    lowest.push_back(score(study, measure, run, 0));
    highest.push_back(score(study, measure, run, study.cutoffs.size() - 1));
  }
  return {.pairs = study.runs.size() * (study.runs.size() - 1) / 2,
          .flipped = flipped.size(),
          .tau_b = kendall_tau_b(lowest, highest)};
}

}  // namespace

CutoffStudy study_cutoffs(const RankedRuns& runs, std::vector<Cutoff> cutoffs, unsigned threads) {
  CutoffStudy study{.cutoffs = std::move(cutoffs)};
  study.runs.resize(runs.runs.size());
  in_parallel(study.runs.size(), threads,
              [&](std::size_t run) { study.runs[run] = study_run(runs, run, study.cutoffs); });
  count_below_n(runs, study);
  for (std::size_t m = 0; m < kSweepMeasures.size(); ++m) {
    for (std::size_t a = 0; a < study.runs.size(); ++a) {
      for (std::size_t b = a + 1; b < study.runs.size(); ++b) add_flips(study, m, a, b);
    }
  }
  std::ranges::stable_sort(study.flips, {}, [](const Flip& flip) {
    return std::tuple(flip.measure, flip.after, flip.before);
  });
  for (std::size_t m = 0; m < kSweepMeasures.size(); ++m) study.orders[m] = order_of(study, m);
  return study;
}

}  // namespace prescope
