#include "core/comparison_measure.h"

namespace prescope {
namespace {

using TopicScores = MeasureComparison::Topic;

std::vector<TopicScores> topics_in_both(const Evaluation& a, const Evaluation& b,
                                        std::size_t measure) {
  std::vector<TopicScores> topics;
  for (std::size_t i = 0, j = 0; i < a.topics.size() && j < b.topics.size();) {
    const TopicIndex in_a = a.topics[i].topic, in_b = b.topics[j].topic;
    if (in_a == in_b) {
      const std::optional<double> score_a = a.score(i, measure), score_b = b.score(j, measure);
      if (score_a && score_b) {
        topics.push_back({in_a, *score_a, *score_b, clean_difference(*score_b, *score_a)});
      }
    }
    if (in_a <= in_b) ++i;
    if (in_b <= in_a) ++j;
  }
  return topics;
}

void set_means(MeasureComparison& comparison) {
  if (comparison.topics.empty()) return;
  double a = 0.0, b = 0.0;
  for (const TopicScores& topic : comparison.topics) {
    a += topic.a;
    b += topic.b;
  }
  const auto n = static_cast<double>(comparison.topics.size());
  comparison.mean_a = a / n;
  comparison.mean_b = b / n;
}

double p_value_of(const MeasureComparison& comparison, PairedTest test) {
  switch (test) {
    case PairedTest::kSignFlip:
      return comparison.sign_flip->p_value;
    case PairedTest::kWilcoxon:
      return comparison.wilcoxon->p_value;
    case PairedTest::kT:
      break;
  }
  return comparison.t->p_value;
}

/// `differences` are at least two.
void test_difference(std::span<const double> differences, const CompareOptions& options,
                     MeasureComparison& comparison) {
  comparison.t = paired_t(differences, options.confidence);
  comparison.sign_flip = sign_flip(differences, options.sign_flip);
  if (options.test == PairedTest::kWilcoxon) {
    comparison.wilcoxon = wilcoxon(differences);
    comparison.wilcoxon_pratt = wilcoxon(differences, ZeroRule::kPratt);
  }
  const PairedT& t = *comparison.t;
  comparison.effect = effect_size(t, comparison.counts, options.confidence);
  comparison.detectable = minimum_detectable_difference(t.sd, t.n, options.power);
  if (comparison.counts.non_zero() > 0) {
    comparison.topics_needed =
        topics_needed(t.sd, options.target_difference.value_or(t.mean), options.power);
  }
  comparison.decided_by = deciding_test(comparison.counts, options.test);
  comparison.p_value = p_value_of(comparison, comparison.decided_by);
}

}  // namespace

MeasureComparison compare_measure(const Evaluation& a, const Evaluation& b, std::size_t measure,
                                  const CompareOptions& options) {
  MeasureComparison comparison{.measure = a.measures[measure],
                               .topics = topics_in_both(a, b, measure)};
  std::vector<double> differences;
  for (const TopicScores& topic : comparison.topics) differences.push_back(topic.difference);
  set_means(comparison);
  comparison.counts = count_differences(differences);
  if (differences.size() > 1) test_difference(differences, options, comparison);
  return comparison;
}

Verdict verdict_of(const MeasureComparison& comparison, double alpha) {
  if (!comparison.corrected) return Verdict::kTooFewTopics;
  if (comparison.counts.non_zero() == 0) return Verdict::kIdentical;
  if (*comparison.corrected > alpha) return Verdict::kNoDifference;
  const double direction =
      comparison.decided_by == PairedTest::kWilcoxon ? comparison.wilcoxon->z : comparison.t->mean;
  return direction > 0.0 ? Verdict::kBetter : Verdict::kWorse;
}

}  // namespace prescope
