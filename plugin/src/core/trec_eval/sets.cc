#include <algorithm>

#include "core/trec_eval/families.h"

namespace prescope::trec_eval {
namespace {

double set_precision(const JudgedRanks& ranks) { return ratio(num_rel_ret(ranks), ranks.num_ret); }

double set_recall(const JudgedRanks& ranks) { return ratio(num_rel_ret(ranks), ranks.num_rel); }

double set_relative_precision(const JudgedRanks& ranks) {
  return ratio(num_rel_ret(ranks), std::min(ranks.num_ret, ranks.num_rel));
}

double set_average_precision(const JudgedRanks& ranks) {
  return ratio(num_rel_ret(ranks) * num_rel_ret(ranks),
               static_cast<double>(ranks.num_ret) * static_cast<double>(ranks.num_rel));
}

double f(const JudgedRanks& ranks, std::span<const double> numbers) {
  if (ranks.relevant.empty()) return 0.0;
  const double x = numbers.front(), p = set_precision(ranks), r = set_recall(ranks);
  return (x + 1.0) * p * r / (x * p + r);
}

double utility(const JudgedRanks& ranks, std::span<const double> worth) {
  const double found = num_rel_ret(ranks), retrieved = ranks.num_ret, relevant = ranks.num_rel;
  const auto documents = static_cast<double>(ranks.collection_size);
  return worth[0] * found + worth[1] * (retrieved - found) + worth[2] * (relevant - found) +
         worth[3] * (documents + found - retrieved - relevant);
}

constexpr double kEqually[] = {1.0};
constexpr double kWorth[] = {1.0, -1.0, 0.0, 0.0};

}  // namespace

constexpr Family kSetP{
    .name = "set_P", .meaning = "Precision of all that was retrieved.", .score = set_precision};

constexpr Family kSetRelativeP{.name = "set_relative_P",
                               .meaning = "set_P as a share of the best for so many documents.",
                               .score = set_relative_precision};

constexpr Family kSetRecall{
    .name = "set_recall", .meaning = "Recall of all that was retrieved: R.", .score = set_recall};

constexpr Family kSetMap{
    .name = "set_map", .meaning = "set_P * set_recall.", .score = set_average_precision};

constexpr Family kSetF{
    .name = "set_F",
    .meaning = "(x + 1) P R / (x P + R) of set_P and set_recall; x weighs recall.",
    .score = f,
    .defaults = kEqually};

constexpr Family kUtility{
    .name = "utility",
    .meaning =
        "Weighted sum of the documents that are relevant and retrieved, not relevant and "
        "retrieved, relevant and not retrieved, and neither (which needs -N).",
    .score = utility,
    .defaults = kWorth,
    .missing = Family::Missing::kZero};

}  // namespace prescope::trec_eval
