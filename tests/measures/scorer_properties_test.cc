#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <optional>

#include "measures/scorer.h"
#include "support/served.h"

namespace prescope {
namespace {

rc::Gen<std::string> any_measure() {
  return rc::gen::exec([]() -> std::string {
    const std::uint32_t cutoff = *any_cutoff();
    const char* const format = *rc::gen::element(
        "PRES@{}", "PRESest@{}", "R@{}", "AP@{}", "R", "AP", "P@{}", "F1@{}", "F0.5@{}", "Fap4@{}",
        "Rnorm", "RR", "RR@{}", "Rprec", "RBP0.8", "Success@{}", "GMAP@{}", "nDCG@{}");
    return fmt::format(fmt::runtime(format), cutoff);
  });
}

std::vector<Measure> parse_all(const std::vector<std::string>& names) {
  std::vector<Measure> measures;
  for (const std::string& name : names) measures.push_back(Measure::parse(name));
  return measures;
}

std::vector<std::optional<double>> score_together(const std::vector<Measure>& measures,
                                                  const JudgedRanks& ranks) {
  std::vector<std::optional<double>> scores(measures.size(), -1.0);
  Scorer(measures).score(ranks, scores);
  return scores;
}

bool same_bits(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
}

RC_GTEST_PROP(ScorerProperties, EqualsEachMeasureBitForBit, ()) {
  const Served served = *any_served();
  const auto measures = parse_all(*rc::gen::container<std::vector<std::string>>(any_measure()));
  const auto together = score_together(measures, served.judged());
  for (std::size_t i = 0; i < measures.size(); ++i) {
    RC_LOG() << measures[i].name() << '\n';
    RC_ASSERT(same_bits(together[i], measures[i].score(served.judged())));
  }
}

RC_GTEST_PROP(ScorerProperties, OnePassAtManyCutoffsEqualsOneByOne, ()) {
  const Served served = *any_served();
  const auto cutoffs = *rc::gen::container<std::vector<std::uint32_t>>(any_cutoff());
  std::vector<Cutoff> asked;
  for (const std::uint32_t cutoff : cutoffs) asked.emplace_back(cutoff);
  const std::vector<Measure> measures = default_measures(asked);
  const auto together = score_together(measures, served.judged());
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const auto alone = score_together({measures[i]}, served.judged());
    RC_ASSERT(same_bits(together[i], alone.front()));
  }
}

RC_GTEST_PROP(ScorerProperties, ScorerCanBeReused, ()) {
  const auto measures = parse_all(*rc::gen::container<std::vector<std::string>>(6, any_measure()));
  const Scorer scorer(measures);
  std::vector<std::optional<double>> scores(measures.size());
  for (const Served& served : *rc::gen::container<std::vector<Served>>(4, any_served())) {
    scorer.score(served.judged(), scores);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      RC_ASSERT(same_bits(scores[i], measures[i].score(served.judged())));
    }
  }
}

}  // namespace
}  // namespace prescope
