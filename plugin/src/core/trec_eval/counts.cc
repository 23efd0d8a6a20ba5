#include <algorithm>

#include "core/trec_eval/families.h"

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

}  // namespace prescope::trec_eval
