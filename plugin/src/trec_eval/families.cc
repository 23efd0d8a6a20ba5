#include "trec_eval/families.h"

#include "measures/definitions.h"

namespace prescope::trec_eval {

namespace {

/// numerator / denominator; 0 if both are 0, for which trec_eval has no number.
double ratio(double numerator, double denominator) noexcept {
  return denominator == 0.0 ? 0.0 : numerator / denominator;
}

/// Families that are printed for all topics only have nothing to sum up.
double no_value(const JudgedRanks&) { return 0.0; }

double num_rel_ret(const JudgedRanks& ranks) { return static_cast<double>(ranks.relevant.size()); }

double num_nonrel_judged_ret(const JudgedRanks& ranks) {
  return static_cast<double>(std::ranges::count_if(ranks.judged, [&](const GradedRank& document) {
    return document.grade >= 0 && document.grade < ranks.min_grade;
  }));
}

double set_precision(const JudgedRanks& ranks) { return ratio(num_rel_ret(ranks), ranks.num_ret); }
double set_recall(const JudgedRanks& ranks) { return ratio(num_rel_ret(ranks), ranks.num_rel); }

double set_relative_precision(const JudgedRanks& ranks) {
  return ratio(num_rel_ret(ranks), std::min(ranks.num_ret, ranks.num_rel));
}

double set_average_precision(const JudgedRanks& ranks) {
  return ratio(num_rel_ret(ranks) * num_rel_ret(ranks),
               static_cast<double>(ranks.num_ret) * static_cast<double>(ranks.num_rel));
}

double set_f(const JudgedRanks& ranks, std::span<const double> numbers) {
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

double sum_of_precisions(const JudgedRanks& ranks, double cutoff = HUGE_VAL) {
  FoundRelevant hits;
  for (const Rank rank : ranks.relevant) {
    if (rank <= cutoff) hits.add(rank);
  }
  return hits.sum_of_precisions();
}

double map(const JudgedRanks& ranks) {
  return ranks.relevant.empty() ? 0.0 : sum_of_precisions(ranks) / ranks.num_rel;
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
  const double sum = sum_of_precisions(ranks);
  return std::log((1.0 + sum) / (1.0 + static_cast<double>(ranks.num_rel) - sum));
}

double found_until(const JudgedRanks& ranks, double cutoff) {
  const auto end = std::ranges::upper_bound(ranks.relevant, cutoff, {},
                                            [](Rank rank) { return static_cast<double>(rank); });
  return static_cast<double>(end - ranks.relevant.begin());
}

double precision(const JudgedRanks& ranks, double cutoff) {
  return found_until(ranks, cutoff) / cutoff;
}

double recall(const JudgedRanks& ranks, double cutoff) {
  return ratio(found_until(ranks, cutoff), ranks.num_rel);
}

double relative_precision(const JudgedRanks& ranks, double cutoff) {
  return ratio(found_until(ranks, cutoff), std::min<double>(cutoff, ranks.num_rel));
}

double success(const JudgedRanks& ranks, double cutoff) {
  return found_until(ranks, cutoff) > 0.0 ? 1.0 : 0.0;
}

double map_cut(const JudgedRanks& ranks, double cutoff) {
  return ratio(sum_of_precisions(ranks, cutoff), ranks.num_rel);
}

double ndcg_cut(const JudgedRanks& ranks, double cutoff) {
  const auto last = static_cast<Rank>(std::min<double>(cutoff, std::numeric_limits<Rank>::max()));
  return normalized_gain(last, ranks, [](Grade grade, Grade) -> double { return grade; })
      .value_or(0.0);
}

double unjudged(const JudgedRanks& ranks, double cutoff) {
  const auto judged = std::ranges::count_if(ranks.judged, [&](const GradedRank& document) {
    return document.rank <= cutoff && document.grade >= 0;
  });
  return (std::min<double>(cutoff, ranks.num_ret) - static_cast<double>(judged)) / cutoff;
}

// A multiple of R is rounded up to a rank, unless it exceeds one by less than a tenth, which may be
// an error of the multiplication.
void r_precision_at_multiples(const JudgedRanks& ranks, std::span<const double> multiples,
                              std::span<double> values) {
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    const double cutoff = std::trunc(multiples[i] * ranks.num_rel + 0.9);
    values[i] = cutoff < 1.0 ? 0.0 : precision(ranks, cutoff);
  }
}

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

char sign_of(Grade grade) {
  if (grade < 0) return '.';
  return grade > 9 ? '>' : static_cast<char>('0' + grade);
}

std::string relstring(const JudgedRanks& ranks, double length) {
  const auto shown =
      static_cast<std::size_t>(std::clamp(length, 0.0, static_cast<double>(ranks.num_ret)));
  std::string text(shown + 2, '-');
  text.front() = text.back() = '\'';
  for (const GradedRank& document : ranks.judged) {
    if (document.rank <= shown) text[document.rank] = sign_of(document.grade);
  }
  return text;
}

constexpr double kNineCutoffs[] = {5, 10, 15, 20, 30, 100, 200, 500, 1000};
constexpr double kUnjCutoffs[] = {5, 10, 20};
constexpr double kSuccessCutoffs[] = {1, 5, 10};
constexpr double kElevenShares[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
constexpr double kMultiples[] = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0};
constexpr double kWorth[] = {1.0, -1.0, 0.0, 0.0};
constexpr double kRelstringLength[] = {10};
constexpr double kEqually[] = {1.0};

using Summary = Family::Summary;
using Missing = Family::Missing;
constexpr unsigned kOfficialToo = kOfficial | kAllTrec, kSetToo = kSet | kAllTrec;
constexpr unsigned kAlways = kOfficial | kSet | kAllTrec;

constexpr std::span<const double> kNone;

// Name, meaning, score, nicknames; then defaults, summary, value of a missing topic.
constexpr Family kTable[] = {
    {"runid", "The tag in the last column of the run.", no_value, kAlways, kNone, Summary::kTag},
    {"num_q", "Topics that the means are over.", no_value, kAlways, kNone, Summary::kTopics},
    {"num_ret", "Documents retrieved.",
     [](const JudgedRanks& ranks) -> double { return ranks.num_ret; }, kAlways, kNone,
     Summary::kSum, Missing::kZero},
    {"num_rel", "Relevant documents.",
     [](const JudgedRanks& ranks) -> double { return ranks.num_rel; }, kAlways, kNone,
     Summary::kSumOverQrels},
    {"num_rel_ret", "Relevant documents retrieved.", num_rel_ret, kAlways, kNone, Summary::kSum},
    {"map", "Average precision: AP; its mean over topics is MAP.", map, kOfficialToo},
    {"gm_map", "Geometric mean of average precision over topics: GMAP.", map, kOfficialToo, kNone,
     Summary::kGeometricMean},
    {"Rprec", "Precision at rank R, the number of relevant documents.", r_prec, kOfficialToo},
    {"bpref", "How seldom a document judged not relevant stands above a relevant one.",
     binary_preference, kOfficialToo},
    {"recip_rank", "1 / rank of the first relevant document: RR.", recip_rank, kOfficialToo},
    {"iprec_at_recall",
     "Interpolated precision at recall: the highest at that recall or a higher one.",
     iprec_at_recall, kOfficialToo, kElevenShares},
    {"P", "Precision: found / cutoff, also if fewer were retrieved.", precision, kOfficialToo,
     kNineCutoffs},
    {"relstring",
     "Grades of the first documents: a digit, '>' above 9, '-' unpooled, '.' unjudged.", relstring,
     kAllTrec, kRelstringLength, Summary::kNone, Missing::kZero},
    {"recall", "Recall at cutoffs: R@N.", recall, kAllTrec, kNineCutoffs},
    {"infAP",
     "Average precision estimated from a sample of judgements; a negative grade marks "
     "what the sample left out.",
     inferred_ap, kAllTrec},
    {"gm_bpref", "Geometric mean of bpref over topics.", binary_preference, kAllTrec, kNone,
     Summary::kGeometricMean},
    {"Rprec_mult", "Precision at multiples of R.", r_precision_at_multiples, kAllTrec, kMultiples},
    {"utility",
     "Weighted sum of the documents that are relevant and retrieved, not relevant and "
     "retrieved, relevant and not retrieved, and neither (which needs -N).",
     utility, kSetToo, kWorth, Summary::kMean, Missing::kZero},
    {"11pt_avg", "Mean of the interpolated precisions at the recall points.",
     average_of_interpolated, kAllTrec, kElevenShares, Summary::kMean, Missing::kScored,
     Family::Count::kAny},
    {"binG", "Mean over relevant documents of 1 / log2(2 + documents above that are not).", bin_g,
     kAllTrec},
    {"G",
     "Gains, each / log2(2 + what the best ranking had gained more by then), as a share "
     "of all gains.",
     gain_at_cost, kAllTrec},
    {"dcg", "Discounted cumulative gain: sum of gain / log2(rank + 1).", dcg},
    {"ideal_dcg", "dcg of the best ranking of all judged documents.", ideal_dcg},
    {"ndcg", "dcg / ideal_dcg: nDCG.", ndcg, kAllTrec},
    {"ndcg_rel", "nDCG averaged over the documents with a gain.", ndcg_rel, kAllTrec},
    {"Rndcg", "nDCG averaged over the ranks where the ideal gain falls.", r_ndcg, kAllTrec},
    {"ndcg_cut", "nDCG at cutoffs: nDCG@N.", ndcg_cut, kAllTrec, kNineCutoffs},
    {"map_cut", "Average precision at cutoffs: AP@N.", map_cut, kAllTrec, kNineCutoffs},
    {"relative_P", "Precision as a share of the best at the cutoff.", relative_precision, kAllTrec,
     kNineCutoffs},
    {"success", "1 if a relevant document is found until the cutoff.", success, kAllTrec,
     kSuccessCutoffs},
    {"set_P", "Precision of all that was retrieved.", set_precision, kSetToo},
    {"set_relative_P", "set_P as a share of the best for so many documents.",
     set_relative_precision, kSetToo},
    {"set_recall", "Recall of all that was retrieved: R.", set_recall, kSetToo},
    {"set_map", "set_P * set_recall.", set_average_precision, kSetToo},
    {"set_F", "(x + 1) P R / (x P + R) of set_P and set_recall; x weighs recall.", set_f, kSetToo,
     kEqually},
    {"num_nonrel_judged_ret", "Documents retrieved that are judged not relevant.",
     num_nonrel_judged_ret, kAllTrec, kNone, Summary::kSum},
    {"yaap",
     "ln((1 + s) / (1 + R - s)), s the sum of precisions at relevant documents "
     "(Robertson, ECIR 2012).",
     yaap},
    {"rbp", "Rank-biased precision with persistence p (0.9), weighed by grade.", rbp, kAllTrec},
    {"rbp_resid", "How much rbp could rise if every document that nobody judged were relevant.",
     rbp_resid, kAllTrec, kNone, Summary::kMean, Missing::kZero},
    {"unj", "Documents until the cutoff that nobody judged, / cutoff.", unjudged, kAllTrec,
     kUnjCutoffs, Summary::kMean, Missing::kZero}};

}  // namespace

std::span<const Family> family_table() noexcept { return kTable; }

}  // namespace prescope::trec_eval
