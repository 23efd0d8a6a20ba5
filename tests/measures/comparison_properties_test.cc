#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "measures/citation_changes.h"
#include "statistics/paired_tests.h"
#include "support/served.h"

namespace prescope {
namespace {

/// Two rankings of one topic's judged documents.
struct TwoRankings {
  TopicQrels judged{TopicId("T"), {}, 1};
  std::vector<JudgedHit> a, b;
};

std::ostream& operator<<(std::ostream& out, const TwoRankings& rankings) {
  for (const auto* hits : {&rankings.a, &rankings.b}) {
    out << (hits == &rankings.a ? "A:" : " B:");
    for (const JudgedHit& hit : *hits) out << ' ' << hit.judgement.value() << '@' << hit.rank;
  }
  return out;
}

/// Some of the judged documents, in any order, at ranks that rise by 1 to 5.
std::vector<JudgedHit> any_hits(std::uint32_t judged) {
  std::vector<std::uint32_t> order(judged);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = 0; i < judged; ++i) {
    std::swap(order[i], order[*any_of_range<std::uint32_t>(i, judged)]);
  }
  std::vector<JudgedHit> hits;
  Rank rank = 0;
  const auto served = *any_of_range<std::uint32_t>(0, judged + 1);
  for (std::uint32_t i = 0; i < served; ++i) {
    rank += *any_of_range<Rank>(1, 6);
    hits.push_back({rank, JudgementIndex(order[i])});
  }
  return hits;
}

rc::Gen<TwoRankings> any_rankings() {
  return rc::gen::exec([] {
    const auto count = *any_of_range<std::uint32_t>(1, 30);
    std::vector<Judgement> judgements;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string key = "D" + std::to_string(100 + i);
      judgements.push_back(
          {.docno = Docno(key), .key = key, .grade = i == 0 ? 1 : *any_of_range<Grade>(0, 3)});
    }
    return TwoRankings{.judged = TopicQrels(TopicId("T"), judgements, 1),
                       .a = any_hits(count),
                       .b = any_hits(count)};
  });
}

double score(const Measure& measure, const TopicQrels& judged, std::span<const JudgedHit> hits) {
  std::vector<Rank> ranks;
  for (const JudgedHit& hit : hits) {
    if (judged.is_relevant(hit.judgement)) ranks.push_back(hit.rank);
  }
  return measure.score({.num_rel = judged.num_rel(), .relevant = ranks}).value();
}

RC_GTEST_PROP(CitationChanges, AddUpToTheDifferenceOfTheScores, ()) {
  const TwoRankings rankings = *any_rankings();
  const auto cutoff = *any_of_range<std::uint32_t>(1, 120);
  const char* const family = *rc::gen::element("PRES", "R");
  const Measure measure = Measure::parse(family + ("@" + std::to_string(cutoff)));
  const CitationCredits credits = CitationCredits::of(measure).value();
  std::int64_t credits_in_all = 0;
  double shares = 0.0;
  for (const CitationChange& change :
       citation_changes(rankings.judged, rankings.a, rankings.b, credits)) {
    credits_in_all += change.credit;
    shares += change.share;
  }
  const double share = static_cast<double>(credits_in_all) /
                       static_cast<double>(credits.whole(rankings.judged.num_rel()));
  const double difference =
      score(measure, rankings.judged, rankings.b) - score(measure, rankings.judged, rankings.a);
  RC_ASSERT(std::abs(share - difference) < 1e-14);
  RC_ASSERT(std::abs(shares - difference) < 1e-12);
}

RC_GTEST_PROP(CitationChanges, AreReversedIfTheRunsAreSwapped, ()) {
  const TwoRankings rankings = *any_rankings();
  const auto cutoff = *any_of_range<std::uint32_t>(1, 120);
  const auto credits = CitationCredits::of(Measure::parse("PRES@" + std::to_string(cutoff)));
  const auto there = citation_changes(rankings.judged, rankings.a, rankings.b, *credits);
  auto back = citation_changes(rankings.judged, rankings.b, rankings.a, *credits);
  for (CitationChange& change : back) {
    std::swap(change.rank_a, change.rank_b);
    change.credit = -change.credit;
    change.share = -change.share;
  }
  RC_ASSERT(there == back);
}

/// A multiple of 1/64 each, so that sums are exact; often 0, often equal.
rc::Gen<std::vector<double>> any_differences(std::size_t most) {
  return rc::gen::exec([most] {
    std::vector<double> differences(*any_of_range<std::size_t>(2, most));
    for (double& difference : differences) {
      difference = *any_of_range<int>(-12, 13) * *any_of_range<int>(0, 2) / 64.0;
    }
    return differences;
  });
}

RC_GTEST_PROP(SignFlip, EqualsCountingAllAssignments, ()) {
  const std::vector<double> differences = *any_differences(11);
  const double observed = std::accumulate(differences.begin(), differences.end(), 0.0);
  std::uint64_t as_far = 0;
  const std::uint64_t all = std::uint64_t{1} << differences.size();  // signs of zeros, too
  for (std::uint64_t signs = 0; signs < all; ++signs) {
    double sum = 0.0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      sum += (signs >> i & 1U) != 0 ? -differences[i] : differences[i];
    }
    if (std::abs(sum) >= std::abs(observed)) ++as_far;
  }
  RC_ASSERT(sign_flip(differences).p_value ==
            static_cast<double>(as_far) / static_cast<double>(all));
}

RC_GTEST_PROP(PairedTests, AreSymmetricUnderReversal, ()) {
  const std::vector<double> differences = *any_differences(60);
  std::vector<double> reversed;
  for (const double difference : differences) reversed.push_back(-difference);
  RC_ASSERT(paired_t(differences)->p_value == paired_t(reversed)->p_value);
  RC_ASSERT(paired_t(differences)->ci_low == -paired_t(reversed)->ci_high);
  const SignFlipOptions options = {.flips = 99, .all_up_to = 8};
  RC_ASSERT(sign_flip(differences, options).p_value == sign_flip(reversed, options).p_value);
  for (const ZeroRule rule : {ZeroRule::kDrop, ZeroRule::kPratt}) {
    RC_ASSERT(std::abs(wilcoxon(differences, rule).z + wilcoxon(reversed, rule).z) < 1e-12);
  }
}

RC_GTEST_PROP(Wilcoxon, RankSumsAddUpToTheSumOfRanks, ()) {
  const std::vector<double> differences = *any_differences(60);
  const double zeros = count_differences(differences).ties;
  const auto n = static_cast<double>(differences.size());
  const Wilcoxon dropped = wilcoxon(differences), pratt = wilcoxon(differences, ZeroRule::kPratt);
  RC_ASSERT(dropped.rank_sum_up + dropped.rank_sum_down == (n - zeros) * (n - zeros + 1) / 2);
  RC_ASSERT(pratt.rank_sum_up + pratt.rank_sum_down == n * (n + 1) / 2 - zeros * (zeros + 1) / 2);
}

RC_GTEST_PROP(Multiplicity, NeverLowersAPValueNorChangesTheirOrder, ()) {
  std::vector<double> p_values(*any_of_range<std::size_t>(1, 40));
  for (double& p : p_values) p = *any_of_range<int>(0, 101) / 100.0;
  const auto holm = correct_p_values(p_values, Correction::kHolm);
  const auto bh = correct_p_values(p_values, Correction::kBh);
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    RC_ASSERT(p_values[i] <= bh[i] && bh[i] <= holm[i] && holm[i] <= 1.0);
    for (std::size_t j = 0; j < p_values.size(); ++j) {
      if (p_values[i] > p_values[j]) continue;
      RC_ASSERT(holm[i] <= holm[j]);
      RC_ASSERT(bh[i] <= bh[j]);
    }
  }
}

}  // namespace
}  // namespace prescope
