#include <cmath>

#include "core/measures/average_precision.h"
#include "core/measures/definitions.h"
#include "core/trec_eval/families.h"

namespace prescope::trec_eval {
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
