#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "prescope/measure.h"
#include "support/served.h"

// The definitions as the literature writes them, in plain doubles, against the measures.
namespace prescope {
namespace {

constexpr double kTolerance = 1e-12;

double value(const std::string& measure, const Served& served) {
  const std::optional<double> score = Measure::parse(measure).score(served.judged());
  RC_ASSERT(score.has_value());
  return *score;
}

void assert_near(double found, double expected) {
  RC_LOG() << "found " << found << ", expected " << expected << '\n';
  RC_ASSERT(std::abs(found - expected) <= kTolerance);
}

// How many of the first `cutoff` documents served are relevant, by looking at each.
double count_relevant(const Served& served, std::uint32_t cutoff) {
  double count = 0;
  for (std::size_t i = 0; i < served.relevant.size() && i < cutoff; ++i) {
    count += served.relevant[i] ? 1 : 0;
  }
  return count;
}

double textbook_precision(const Served& served, std::uint32_t cutoff) {
  return count_relevant(served, cutoff) / cutoff;
}

double textbook_recall(const Served& served, std::uint32_t cutoff) {
  return count_relevant(served, cutoff) / served.num_rel;
}

// Precision at each relevant document's rank, averaged over all relevant documents.
double textbook_ap(const Served& served, std::uint32_t cutoff) {
  double sum = 0;
  for (std::uint32_t rank = 1; rank <= served.relevant.size() && rank <= cutoff; ++rank) {
    if (served.relevant[rank - 1]) sum += textbook_precision(served, rank);
  }
  return sum / served.num_rel;
}

double textbook_f(double beta, double p, double r) {
  if (p == 0 && r == 0) return 0;
  return (1 + beta * beta) * p * r / (beta * beta * p + r);
}

// Magdy & Jones eq. 3: the i-th relevant document of all n has rank r_i; those not among the first
// N follow at N + k + 1 .. N + n.
double textbook_pres(const Served& served, std::uint32_t cutoff) {
  const double n = served.num_rel;
  double sum = 0, found = 0;
  for (std::uint32_t rank = 1; rank <= served.relevant.size() && rank <= cutoff; ++rank) {
    if (!served.relevant[rank - 1]) continue;
    sum += rank;
    ++found;
  }
  for (double i = found + 1; i <= n; ++i) sum += cutoff + i;
  return 1 - (sum / n - (n + 1) / 2) / cutoff;
}

// Eq. 2 on the whole collection written out: the served documents, the others, the missing.
double textbook_r_norm(const Served& served) {
  std::vector<bool> collection = served.relevant;
  collection.insert(collection.end(), served.unserved, false);
  collection.insert(collection.end(), served.missing, true);
  const double n = served.num_rel, size = static_cast<double>(collection.size());
  double sum = 0;
  for (std::size_t i = 0; i < collection.size(); ++i) {
    if (collection[i]) sum += static_cast<double>(i + 1);
  }
  return 1 - (sum - n * (n + 1) / 2) / (n * (size - n));
}

RC_GTEST_PROP(Pres, HitByHitEqualsTheTextbook, ()) {
  const Served served = *any_served();
  const std::uint32_t cutoff = *any_cutoff();
  assert_near(value(fmt::format("PRES@{}", cutoff), served), textbook_pres(served, cutoff));
}

RC_GTEST_PROP(Pres, EqualsTheTextbookWithMoreRelevantDocumentsThanTheCutoff, ()) {
  const Served served = *any_served();
  RC_PRE(served.num_rel > 1U);
  const auto cutoff = *any_of_range<std::uint32_t>(1, served.num_rel);
  const double pres = value(fmt::format("PRES@{}", cutoff), served);
  assert_near(pres, textbook_pres(served, cutoff));
  const double best = static_cast<double>(cutoff) / served.num_rel;
  RC_ASSERT(pres <= best);
  assert_near(value(fmt::format("PRESest@{}", cutoff), served), pres / best);
}

RC_GTEST_PROP(Pres, EstimateIsPresIfTheCutoffIsNotExceeded, ()) {
  const Served served = *any_served();
  const auto cutoff = *any_of_range<std::uint32_t>(served.num_rel, 1000);
  RC_ASSERT(value(fmt::format("PRESest@{}", cutoff), served) ==
            value(fmt::format("PRES@{}", cutoff), served));
}

// n R^2 / N <= PRES <= R <= min(1, N / n). Each side is one correctly rounded division of integers,
// so that the order holds without any tolerance; with R = k / n the lower end is k k / (n N).
RC_GTEST_PROP(Pres, LiesWithinItsBounds, ()) {
  const Served served = *any_served();
  const std::uint32_t cutoff = *any_cutoff();
  const double found = count_relevant(served, cutoff), n = served.num_rel;
  const double pres = value(fmt::format("PRES@{}", cutoff), served);
  const double recall = value(fmt::format("R@{}", cutoff), served);
  RC_ASSERT(found * found / (n * cutoff) <= pres);
  RC_ASSERT(pres <= recall);
  RC_ASSERT(recall <= std::min(1.0, cutoff / n));
}

RC_GTEST_PROP(Pres, ReachesItsBoundsAtTheTopAndTheBottomOfTheCutoff, ()) {
  const auto found = *any_of_range<std::uint32_t>(1, 50);
  const auto missing = *any_of_range<std::uint32_t>(0, 50);
  const auto cutoff = *any_of_range<std::uint32_t>(found, 400);
  std::vector<bool> top(cutoff, false);
  std::fill_n(top.begin(), found, true);
  const std::vector<bool> bottom(top.rbegin(), top.rend());
  const std::string name = fmt::format("PRES@{}", cutoff);
  const double n = found + missing;
  RC_ASSERT(value(name, served_of(top, missing, 0)) == found / n);
  RC_ASSERT(value(name, served_of(bottom, missing, 0)) == 1.0 * found * found / (n * cutoff));
}

RC_GTEST_PROP(HitByHit, NeverFallsWhileHitsArrive, ()) {
  const Served served = *any_served();
  const std::uint32_t cutoff = *any_cutoff();
  for (const char* const family : {"PRES", "PRESest", "R", "AP"}) {
    const Measure measure = Measure::parse(fmt::format("{}@{}", family, cutoff));
    double before = 0.0;
    JudgedRanks so_far = served.judged();
    for (std::size_t hits = 0; hits <= served.ranks.size(); ++hits) {
      so_far.relevant = std::span(served.ranks).first(hits);
      const double now = measure.score(so_far).value();
      RC_ASSERT(before <= now);
      before = now;
    }
  }
}

RC_GTEST_PROP(OtherMeasures, EqualTheTextbookOnTheFullRanking, ()) {
  const Served served = *any_served();
  const std::uint32_t cutoff = *any_cutoff();
  const double beta = *rc::gen::element(0.25, 0.5, 1.0, 4.0, 7.3);
  const double p = textbook_precision(served, cutoff), r = textbook_recall(served, cutoff);
  const double ap = textbook_ap(served, cutoff);
  assert_near(value(fmt::format("P@{}", cutoff), served), p);
  assert_near(value(fmt::format("R@{}", cutoff), served), r);
  assert_near(value(fmt::format("AP@{}", cutoff), served), ap);
  assert_near(value(fmt::format("F{}@{}", beta, cutoff), served), textbook_f(beta, p, r));
  assert_near(value(fmt::format("Fap{}@{}", beta, cutoff), served), textbook_f(beta, ap, r));
}

RC_GTEST_PROP(OtherMeasures, WithoutACutoffReadEveryRankServed, ()) {
  const Served served = *any_served();
  const auto depth = static_cast<std::uint32_t>(served.relevant.size());
  assert_near(value("R", served), textbook_recall(served, depth));
  assert_near(value("AP", served), textbook_ap(served, depth));
}

RC_GTEST_PROP(OtherMeasures, ReciprocalRankIsThatOfTheFirstRelevantDocument, ()) {
  const Served served = *any_served();
  const std::uint32_t cutoff = *any_cutoff();
  double first = 0, first_read = 0;
  for (std::uint32_t rank = static_cast<std::uint32_t>(served.relevant.size()); rank > 0; --rank) {
    if (!served.relevant[rank - 1]) continue;
    first = 1.0 / rank;
    first_read = rank <= cutoff ? first : 0;
  }
  RC_ASSERT(value("RR", served) == first);
  RC_ASSERT(value(fmt::format("RR@{}", cutoff), served) == first_read);
}

RC_GTEST_PROP(OtherMeasures, NormalisedRecallEqualsTheTextbookOnTheWholeCollection, ()) {
  const Served served = *any_served();
  RC_PRE(served.collection_size > served.num_rel);
  const double r_norm = value("Rnorm", served);
  assert_near(r_norm, textbook_r_norm(served));
  RC_ASSERT(r_norm >= 0.0 && r_norm <= 1.0);
}

RC_GTEST_PROP(Names, ReadBackAsPrinted, ()) {
  const MeasureDefinition& family = **rc::gen::elementOf(
      std::vector<const MeasureDefinition*>(measure_table().begin(), measure_table().end()));
  std::string text(family.name);
  if (family.parameter) {
    const auto digits = *any_of_range<std::int64_t>(1, 1'000'000'000'000);
    const double value = static_cast<double>(digits) / 1e9 * *rc::gen::element(1.0, 1e-3, 1e-9);
    RC_PRE(family.parameter->allows(value));
    text += fmt::format("{}", value);
  }
  const bool with_cutoff =
      family.cutoff == MeasureDefinition::CutoffRule::kRequired ||
      (family.cutoff == MeasureDefinition::CutoffRule::kOptional && *rc::gen::arbitrary<bool>());
  if (with_cutoff) text += fmt::format("@{}", *any_of_range<std::int64_t>(1, 1LL << 31));
  const Measure measure = Measure::parse(text);
  RC_ASSERT(measure.name() == text);
  RC_ASSERT(Measure::parse(measure.name()) == measure);
}

}  // namespace
}  // namespace prescope
