#include <algorithm>
#include <cmath>

#include "measures/definitions.h"
#include "trec_eval/families.h"

namespace prescope::trec_eval {

namespace {

using Cutoffs = std::span<const std::uint64_t>;

/// values[i] = value(relevant documents found until cutoffs[i], cutoffs[i]).
template <class Value>
void at_cutoffs(const JudgedRanks& ranks, Cutoffs cutoffs, std::span<double> values,
                const Value& value) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < cutoffs.size(); ++i) {
    while (found < ranks.relevant.size() && ranks.relevant[found] <= cutoffs[i]) ++found;
    values[i] = value(static_cast<double>(found), static_cast<double>(cutoffs[i]));
  }
}

void precision(const JudgedRanks& ranks, Cutoffs cutoffs, std::span<double> values) {
  at_cutoffs(ranks, cutoffs, values, [](double found, double cutoff) { return found / cutoff; });
}

void recall(const JudgedRanks& ranks, Cutoffs cutoffs, std::span<double> values) {
  at_cutoffs(ranks, cutoffs, values,
             [&](double found, double) { return ratio(found, ranks.num_rel); });
}

void relative_precision(const JudgedRanks& ranks, Cutoffs cutoffs, std::span<double> values) {
  at_cutoffs(ranks, cutoffs, values, [&](double found, double cutoff) {
    return ratio(found, std::min(cutoff, static_cast<double>(ranks.num_rel)));
  });
}

void success(const JudgedRanks& ranks, Cutoffs cutoffs, std::span<double> values) {
  at_cutoffs(ranks, cutoffs, values, [](double found, double) { return found > 0.0 ? 1.0 : 0.0; });
}

void map_cut(const JudgedRanks& ranks, Cutoffs cutoffs, std::span<double> values) {
  AveragePrecision average;
  auto next = ranks.relevant.begin();
  for (std::size_t i = 0; i < cutoffs.size(); ++i) {
    while (next != ranks.relevant.end() && *next <= cutoffs[i]) average.add(*next++);
    values[i] = ratio(average.sum(), ranks.num_rel);
  }
}

// A multiple of R is rounded up to a rank, but for a tenth of one, which may be an error of the
// multiplication.
void r_precision_at_multiples(const JudgedRanks& ranks, std::span<const double> multiples,
                              std::span<double> values) {
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    const double cutoff = std::trunc(multiples[i] * ranks.num_rel + 0.9);
    const auto end = std::ranges::upper_bound(ranks.relevant, cutoff, {},
                                              [](Rank rank) { return static_cast<double>(rank); });
    values[i] = cutoff < 1.0 ? 0.0 : static_cast<double>(end - ranks.relevant.begin()) / cutoff;
  }
}

constexpr double kSuccessCutoffs[] = {1, 5, 10};
constexpr double kMultiples[] = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0};

}  // namespace

constexpr Family kP{.name = "P",
                    .meaning = "Precision: found / cutoff, also where fewer were retrieved.",
                    .score = precision,
                    .defaults = kNineCutoffs};

constexpr Family kRecall{.name = "recall",
                         .meaning = "Recall at cutoffs: R@N.",
                         .score = recall,
                         .defaults = kNineCutoffs};

constexpr Family kMapCut{.name = "map_cut",
                         .meaning = "Average precision at cutoffs: AP@N.",
                         .score = map_cut,
                         .defaults = kNineCutoffs};

constexpr Family kRelativeP{.name = "relative_P",
                            .meaning = "Precision as a share of the best at the cutoff.",
                            .score = relative_precision,
                            .defaults = kNineCutoffs};

constexpr Family kSuccess{.name = "success",
                          .meaning = "1 where a relevant document is found until the cutoff.",
                          .score = success,
                          .defaults = kSuccessCutoffs};

constexpr Family kRprecMult{.name = "Rprec_mult",
                            .meaning = "Precision at multiples of R.",
                            .score = r_precision_at_multiples,
                            .defaults = kMultiples};

namespace {

AveragePrecision precisions(const JudgedRanks& ranks) {
  AveragePrecision average;
  for (const Rank rank : ranks.relevant) average.add(rank);
  return average;
}

double map(const JudgedRanks& ranks) {
  return ranks.relevant.empty() ? 0.0 : precisions(ranks).value(ranks.num_rel);
}

double r_prec(const JudgedRanks& ranks) {
  return ratio(static_cast<double>(count_until(ranks.relevant, ranks.num_rel)), ranks.num_rel);
}

double recip_rank(const JudgedRanks& ranks) {
  return ranks.relevant.empty() ? 0.0 : 1.0 / static_cast<double>(ranks.relevant.front());
}

double bin_g(const JudgedRanks& ranks) {
  double sum = 0.0, found = 0.0;
  for (const Rank rank : ranks.relevant) {
    sum += 1.0 / std::log2(2.0 + static_cast<double>(rank) - ++found);
  }
  return ratio(sum, ranks.num_rel);
}

double yaap(const JudgedRanks& ranks) {
  const double sum = precisions(ranks).sum();
  return std::log((1.0 + sum) / (1.0 + static_cast<double>(ranks.num_rel) - sum));
}

}  // namespace

constexpr Family kMap{
    .name = "map", .meaning = "Average precision: AP; its mean over topics is MAP.", .score = map};

constexpr Family kGmMap{.name = "gm_map",
                        .meaning = "Geometric mean of average precision over topics: GMAP.",
                        .score = map,
                        .summary = Family::Summary::kGeometricMean};

constexpr Family kRprec{.name = "Rprec",
                        .meaning = "Precision at rank R, the number of relevant documents.",
                        .score = r_prec};

constexpr Family kRecipRank{.name = "recip_rank",
                            .meaning = "1 / rank of the first relevant document: RR.",
                            .score = recip_rank};

constexpr Family kBinG{
    .name = "binG",
    .meaning = "Mean over relevant documents of 1 / log2(2 + documents above that are not).",
    .score = bin_g};

constexpr Family kYaap{
    .name = "yaap",
    .meaning =
        "ln((1 + s) / (1 + R - s)), s the sum of precisions at relevant documents "
        "(Robertson, ECIR 2012).",
    .score = yaap};

}  // namespace prescope::trec_eval
