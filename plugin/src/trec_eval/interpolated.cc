#include <algorithm>
#include <cmath>

#include "measures/definitions.h"
#include "trec_eval/families.h"

namespace prescope::trec_eval {

namespace {

/// Interpolated precision at shares of recall: the highest precision there or behind, given to
/// `take(i, precision)` for the last share first. A share not reached is not given. Shares that do
/// not ascend hold up those before them until the top of the ranking, as in trec_eval.
template <class Take>
void interpolate(const JudgedRanks& ranks, std::span<const double> shares, const Take& take) {
  const auto wanted = [&](std::size_t i) { return std::lround(shares[i - 1] * ranks.num_rel); };
  auto found = static_cast<long>(ranks.relevant.size());
  std::size_t left = shares.size();
  while (left > 0 && wanted(left) > found) --left;
  double highest = 0.0;
  for (; found > 0; --found) {
    const Rank rank = ranks.relevant[static_cast<std::size_t>(found) - 1];
    highest = std::max(highest, static_cast<double>(found) / static_cast<double>(rank));
    for (; left > 0 && wanted(left) == found; --left) take(left - 1, highest);
  }
  for (; left > 0; --left) take(left - 1, highest);
}

void iprec_at_recall(const JudgedRanks& ranks, std::span<const double> shares,
                     std::span<double> values) {
  std::ranges::fill(values, 0.0);
  interpolate(ranks, shares, [&](std::size_t i, double precision) { values[i] = precision; });
}

double average_of_interpolated(const JudgedRanks& ranks, std::span<const double> shares) {
  double sum = 0.0;
  interpolate(ranks, shares, [&](std::size_t, double precision) { sum += precision; });
  return sum / static_cast<double>(shares.size());
}

}  // namespace

constexpr Family kIprecAtRecall{
    .name = "iprec_at_recall",
    .meaning = "Interpolated precision at recall: the highest at that recall or a higher one.",
    .score = iprec_at_recall,
    .defaults = kElevenShares};

constexpr Family kElevenPointAverage{
    .name = "11pt_avg",
    .meaning = "Mean of the interpolated precisions at the recall points.",
    .score = average_of_interpolated,
    .defaults = kElevenShares,
    .count = Family::Count::kAny};

namespace {

double bpref(const JudgedRanks& ranks) {
  BinaryPreference preference(ranks.num_rel, count_not_relevant(ranks));
  for (const GradedRank& document : ranks.judged) {
    const JudgedAs judged = judged_as(document.grade, ranks.min_grade);
    if (judged == JudgedAs::kRelevant) preference.add_relevant();
    if (judged == JudgedAs::kNotRelevant) preference.add_not_relevant();
  }
  return preference.value();
}

double inf_ap(const JudgedRanks& ranks) {
  InferredAp average;
  for (const GradedRank& document : ranks.judged) {
    const JudgedAs judged = judged_as(document.grade, ranks.min_grade);
    if (judged == JudgedAs::kRelevant) average.add_relevant(document.rank);
    if (judged == JudgedAs::kNotRelevant) average.add_not_relevant();
    if (judged == JudgedAs::kUnjudged) average.add_unjudged();
  }
  return average.value(ranks.num_rel);
}

void unjudged(const JudgedRanks& ranks, std::span<const std::uint64_t> cutoffs,
              std::span<double> values) {
  auto next = ranks.judged.begin();
  std::uint64_t judged = 0;
  for (std::size_t i = 0; i < cutoffs.size(); ++i) {
    for (; next != ranks.judged.end() && next->rank <= cutoffs[i]; ++next) {
      if (next->grade >= 0) ++judged;
    }
    const std::uint64_t read = std::min<std::uint64_t>(cutoffs[i], ranks.num_ret);
    values[i] = static_cast<double>(read - judged) / static_cast<double>(cutoffs[i]);
  }
}

char sign_of(Grade grade) {
  if (grade < 0) return '.';
  return grade > 9 ? '>' : static_cast<char>('0' + grade);
}

void relstring(const JudgedRanks& ranks, double length, std::string& text) {
  const auto shown =
      static_cast<std::size_t>(std::clamp(length, 0.0, static_cast<double>(ranks.num_ret)));
  text.assign(shown + 2, '-');
  text.front() = text.back() = '\'';
  for (const GradedRank& document : ranks.judged) {
    if (document.rank > shown) break;
    text[document.rank] = sign_of(document.grade);
  }
}

constexpr double kUnjCutoffs[] = {5, 10, 20};
constexpr double kRelstringLength[] = {10};

}  // namespace

constexpr Family kBpref{
    .name = "bpref",
    .meaning = "How seldom a document judged not relevant stands above a relevant one.",
    .score = bpref};

constexpr Family kGmBpref{.name = "gm_bpref",
                          .meaning = "Geometric mean of bpref over topics.",
                          .score = bpref,
                          .summary = Family::Summary::kGeometricMean};

constexpr Family kInfAp{
    .name = "infAP",
    .meaning =
        "Average precision estimated from a sample of judgements; a negative grade marks "
        "what the sample left out.",
    .score = inf_ap};

constexpr Family kUnj{.name = "unj",
                      .meaning = "Documents until the cutoff that nobody judged, / cutoff.",
                      .score = unjudged,
                      .defaults = kUnjCutoffs,
                      .missing = Family::Missing::kZero};

constexpr Family kRelstring{
    .name = "relstring",
    .meaning = "Grades of the first documents: a digit, '>' above 9, '-' unpooled, '.' unjudged.",
    .score = relstring,
    .defaults = kRelstringLength,
    .missing = Family::Missing::kZero};

}  // namespace prescope::trec_eval
