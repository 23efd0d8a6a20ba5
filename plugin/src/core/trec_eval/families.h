#pragma once

#include "core/trec_eval/family.h"

/// trec_eval's measures, by what they look at. To add one: its definition in one of the files of
/// this folder, its name here and in the table of `family_table.cc`.
namespace prescope::trec_eval {

// counts.cc
extern const Family kRunId, kNumQ, kNumRet, kNumRel, kNumRelRet, kNumNonrelJudgedRet;
// precisions.cc: ranks of relevant documents
extern const Family kMap, kGmMap, kRprec, kRecipRank, kBinG, kYaap;
// cutoffs.cc: the same, at several cutoffs
extern const Family kP, kRecall, kMapCut, kRelativeP, kSuccess, kRprecMult;
// interpolated.cc
extern const Family kIprecAtRecall, kElevenPointAverage;
// judged.cc: what was judged, and what not
extern const Family kBpref, kGmBpref, kInfAp, kUnj, kRelstring;
// sets.cc: whatever the order
extern const Family kSetP, kSetRelativeP, kSetRecall, kSetMap, kSetF, kUtility;
// gains.cc: grades
extern const Family kG, kDcg, kIdealDcg, kNdcg, kNdcgRel, kRndcg, kNdcgCut;
// persistence.cc
extern const Family kRbp, kRbpResid;

inline constexpr double kNineCutoffs[] = {5, 10, 15, 20, 30, 100, 200, 500, 1000};
inline constexpr double kElevenShares[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

/// numerator / denominator; 0 where both are 0, where trec_eval has a value that is none.
[[nodiscard]] inline double ratio(double numerator, double denominator) noexcept {
  return denominator == 0.0 ? 0.0 : numerator / denominator;
}

[[nodiscard]] inline double num_rel_ret(const JudgedRanks& ranks) noexcept {
  return static_cast<double>(ranks.relevant.size());
}

}  // namespace prescope::trec_eval
