#include <algorithm>

#include "trec_eval/families.h"

namespace prescope::trec_eval {

namespace {

double one(const JudgedRanks&) { return 1.0; }
double num_ret(const JudgedRanks& ranks) { return ranks.num_ret; }
double num_rel(const JudgedRanks& ranks) { return ranks.num_rel; }

double num_nonrel_judged_ret(const JudgedRanks& ranks) {
  return static_cast<double>(std::ranges::count_if(ranks.judged, [&](const GradedRank& document) {
    return document.grade >= 0 && document.grade < ranks.min_grade;
  }));
}

}  // namespace

constexpr Family kRunId{
    .name = "runid", .meaning = "The tag in the last column of the run.", .score = OfRun{}};

constexpr Family kNumQ{.name = "num_q",
                       .meaning = "Topics that the means are over.",
                       .score = one,
                       .summary = Family::Summary::kTopics,
                       .is_count = true};

constexpr Family kNumRet{.name = "num_ret",
                         .meaning = "Documents retrieved.",
                         .score = num_ret,
                         .summary = Family::Summary::kSum,
                         .is_count = true,
                         .missing = Family::Missing::kZero};

constexpr Family kNumRel{.name = "num_rel",
                         .meaning = "Relevant documents.",
                         .score = num_rel,
                         .summary = Family::Summary::kSumOverQrels,
                         .is_count = true};

constexpr Family kNumRelRet{.name = "num_rel_ret",
                            .meaning = "Relevant documents retrieved.",
                            .score = num_rel_ret,
                            .summary = Family::Summary::kSum,
                            .is_count = true};

constexpr Family kNumNonrelJudgedRet{.name = "num_nonrel_judged_ret",
                                     .meaning = "Documents retrieved that are judged not relevant.",
                                     .score = num_nonrel_judged_ret,
                                     .summary = Family::Summary::kSum,
                                     .is_count = true};

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
