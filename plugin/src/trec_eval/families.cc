#include "trec_eval/families.h"

#include <algorithm>
#include <array>

namespace prescope::trec_eval {

namespace {

/// trec_eval takes gains that differ by less than 1 for equal, which is no order: the outcome
/// depends on the algorithm. This is the merge sort of the C library's qsort.
template <class Level>
void sort_as_qsort(std::span<Level> levels, std::span<Level> spare) {
  if (levels.size() < 2) return;
  const std::size_t half = levels.size() / 2;
  sort_as_qsort(levels.first(half), spare);
  sort_as_qsort(levels.subspan(half), spare);
  auto left = levels.begin();
  const auto left_end = levels.begin() + static_cast<std::ptrdiff_t>(half);
  auto right = left_end, to = spare.begin();
  while (left != left_end && right != levels.end()) {
    *to++ = left->gain - right->gain < 1.0 ? *left++ : *right++;
  }
  to = std::copy(left, left_end, to);
  std::copy(spare.begin(), to, levels.begin());
}

}  // namespace

void GainScale::set(const JudgedRanks& ranks) {
  served_.clear();
  ideal_.clear();
  if (given_.empty()) {
    for (const Grade grade : ranks.grades) {
      if (grade > 0) add_ideal(grade, 1);
    }
    most_ = ranks.grades.empty() ? 0.0 : std::max(0.0, static_cast<double>(ranks.grades.front()));
  } else {
    set_levels(ranks.grades);
  }
  for (const GradedRank& document : ranks.judged) {
    const double worth = gain(document.grade);
    if (worth != 0.0) served_.push_back({document.rank, worth});
  }
  ranking_ = {served_, ideal_, ranks.num_ret, ranks.num_rel};
}

double GainScale::gain(Grade grade) const noexcept {
  if (grade < 0) return 0.0;
  if (given_.empty()) return grade;
  return std::ranges::find(levels_, grade, &Level::grade)->gain;
}

void GainScale::set_levels(std::span<const Grade> grades) {
  levels_.clear();
  for (const LevelGain& given : given_) levels_.push_back({given.level, 0, given.gain});
  // Levels without documents have their place in the order, too; a huge one is not worth its own.
  constexpr Grade kListed = 100;
  const Grade listed = grades.empty() ? -1 : std::min(grades.front(), kListed);
  const auto level_of = [this](Grade grade) -> Level& {
    const auto known = std::ranges::find(levels_, grade, &Level::grade);
    return known != levels_.end() ? *known : levels_.emplace_back(Level{grade, 0, 1.0 * grade});
  };
  for (Grade grade = 0; grade <= listed; ++grade) static_cast<void>(level_of(grade));
  for (auto grade = grades.rbegin(); grade != grades.rend(); ++grade) {
    if (*grade >= 0) ++level_of(*grade).count;
  }
  spare_.resize(levels_.size());
  sort_as_qsort(std::span(levels_), std::span(spare_));
  least_ = most_ = 0.0;
  for (const Level& level : levels_) {
    least_ = std::min(least_, level.gain);
    most_ = std::max(most_, level.gain);
  }
  if (levels_.back().gain <= 0.0) return;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (level->count == 0) continue;
    if (level->gain <= 0.0) break;
    add_ideal(level->gain, level->count);
  }
}

void GainScale::add_ideal(double gain, std::uint32_t count) {
  if (!ideal_.empty() && ideal_.back().gain == gain) {
    ideal_.back().count += count;
  } else {
    ideal_.push_back({gain, count});
  }
}

namespace {

constexpr std::array kTable = {&kRunId,
                               &kNumQ,
                               &kNumRet,
                               &kNumRel,
                               &kNumRelRet,
                               &kMap,
                               &kGmMap,
                               &kRprec,
                               &kBpref,
                               &kRecipRank,
                               &kIprecAtRecall,
                               &kP,
                               &kRelstring,
                               &kRecall,
                               &kInfAp,
                               &kGmBpref,
                               &kRprecMult,
                               &kUtility,
                               &kElevenPointAverage,
                               &kBinG,
                               &kG,
                               &kDcg,
                               &kIdealDcg,
                               &kNdcg,
                               &kNdcgRel,
                               &kRndcg,
                               &kNdcgCut,
                               &kMapCut,
                               &kRelativeP,
                               &kSuccess,
                               &kSetP,
                               &kSetRelativeP,
                               &kSetRecall,
                               &kSetMap,
                               &kSetF,
                               &kNumNonrelJudgedRet,
                               &kYaap,
                               &kRbp,
                               &kRbpResid,
                               &kUnj};

constexpr std::string_view kOfficial[] = {"runid",       "num_q",      "num_ret",         "num_rel",
                                          "num_rel_ret", "map",        "gm_map",          "Rprec",
                                          "bpref",       "recip_rank", "iprec_at_recall", "P"};
constexpr std::string_view kSet[] = {"runid",          "num_q",   "num_ret", "num_rel",
                                     "num_rel_ret",    "utility", "set_P",   "set_recall",
                                     "set_relative_P", "set_map", "set_F"};
constexpr std::string_view kAllTrec[] = {"runid",
                                         "num_q",
                                         "num_ret",
                                         "num_rel",
                                         "num_rel_ret",
                                         "map",
                                         "gm_map",
                                         "Rprec",
                                         "bpref",
                                         "recip_rank",
                                         "iprec_at_recall",
                                         "P",
                                         "relstring",
                                         "recall",
                                         "unj",
                                         "rbp",
                                         "rbp_resid",
                                         "infAP",
                                         "gm_bpref",
                                         "utility",
                                         "11pt_avg",
                                         "ndcg",
                                         "relative_P",
                                         "Rprec_mult",
                                         "success",
                                         "map_cut",
                                         "ndcg_cut",
                                         "ndcg_rel",
                                         "Rndcg",
                                         "binG",
                                         "G",
                                         "set_P",
                                         "set_recall",
                                         "set_relative_P",
                                         "set_map",
                                         "set_F",
                                         "num_nonrel_judged_ret"};
constexpr Nickname kNicknames[] = {{"official", kOfficial}, {"set", kSet}, {"all_trec", kAllTrec}};

constexpr std::string_view kNotOffered[] = {"all_prefs",
                                            "prefs",
                                            "qrels_jg",
                                            "prefs_num_prefs_poss",
                                            "prefs_num_prefs_ful",
                                            "prefs_num_prefs_ful_ret",
                                            "prefs_simp",
                                            "prefs_pair",
                                            "prefs_avgjg",
                                            "prefs_avgjg_Rnonrel",
                                            "prefs_simp_ret",
                                            "prefs_pair_ret",
                                            "prefs_avgjg_ret",
                                            "prefs_avgjg_Rnonrel_ret",
                                            "prefs_simp_imp",
                                            "prefs_pair_imp",
                                            "prefs_avgjg_imp",
                                            "map_avgjg",
                                            "P_avgjg",
                                            "Rprec_mult_avgjg"};

}  // namespace

std::span<const Family* const> family_table() noexcept { return kTable; }
std::span<const Nickname> nicknames() noexcept { return kNicknames; }
std::span<const std::string_view> names_not_offered() noexcept { return kNotOffered; }

}  // namespace prescope::trec_eval
