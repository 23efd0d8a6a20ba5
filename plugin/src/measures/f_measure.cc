#include "measures/definitions.h"

namespace prescope {

namespace {

constexpr MeasureParameter kBeta{
    .word = "beta", .range = "(0, 1000]", .example = "0.5", .allows = [](double beta) {
      return beta > 0.0 && beta <= 1000.0;
    }};

/// (1 + b^2) P R / (b^2 P + R): the harmonic mean of P and R in which R weighs b^2 times as much.
/// 0 if both are 0.
double f_measure(double beta, double precision, double recall) noexcept {
  const double weight = beta * beta;
  const double weighted = weight * precision + recall;
  return weighted > 0.0 ? (1.0 + weight) * precision * recall / weighted : 0.0;
}

}  // namespace

constexpr MeasureDefinition kFMeasure{
    .name = "F",
    .meaning = "Precision and recall in one number; recall counts b^2 times as much.",
    .formula = "(1 + b^2) P R / (b^2 P + R) of P@N and R@N; 0 where both are 0",
    .source = "van Rijsbergen, Information Retrieval, 1979, chapter 7",
    .range = "[0, 1]",
    .example =
        "n = 4, found at rank 1, N = 100: P = 0.01, R = 0.25, "
        "F1@100 = 2 * 0.01 * 0.25 / (0.01 + 0.25) = 0.0192",
    .parameter = kBeta,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const auto found = static_cast<double>(read_ranks(measure, ranks).size());
      return f_measure(measure.parameter(), found / static_cast<double>(last_rank(measure)),
                       found / static_cast<double>(ranks.num_rel));
    }};

constexpr MeasureDefinition kFApRecall{
    .name = "Fap",
    .meaning = "F': average precision and recall in one number; recall counts b^2 times as much.",
    .formula = "(1 + b^2) AP R / (b^2 AP + R) of AP@N and R@N; 0 where both are 0",
    .source = "Magdy & Jones, SIGIR 2010, eq. 1 (there with b = 1 and b = 4)",
    .range = "[0, 1]",
    .example =
        "n = 4 found at ranks 1, 98, 99, 100: AP = 0.2727, R = 1, "
        "Fap4@100 = 17 * 0.2727 * 1 / (16 * 0.2727 + 1) = 0.864",
    .parameter = kBeta,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const FoundRelevant hits = hits_read(measure, ranks);
      return f_measure(measure.parameter(), hits.average_precision(ranks.num_rel),
                       hits.recall(ranks.num_rel));
    }};

}  // namespace prescope
