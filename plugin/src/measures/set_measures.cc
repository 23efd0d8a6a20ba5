#include "measures/definitions.h"

namespace prescope {

namespace {

double share_of_served(const JudgedRanks& ranks) {
  const auto found = static_cast<double>(ranks.relevant.size());
  return ranks.num_ret == 0 ? 0.0 : found / static_cast<double>(ranks.num_ret);
}

}  // namespace

constexpr MeasureDefinition kSetPrecision{
    .name = "SetP",
    .meaning = "Precision of all documents served, whatever their order.",
    .formula = "found / served; 0 if nothing was served",
    .source = "trec_eval set_P; SetP of ir_measures",
    .range = "[0, 1]",
    .example = "3 of 12 documents served are relevant: SetP = 3 / 12 = 0.25",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      return share_of_served(ranks);
    }};

constexpr MeasureDefinition kSetF{
    .name = "SetF",
    .meaning =
        "Precision and recall of all documents served in one number; recall counts b^2 times as "
        "much.",
    .formula = "(1 + b^2) P R / (b^2 P + R) of SetP and R; 0 if both are 0",
    .source = "van Rijsbergen 1979; trec_eval set_F, whose parameter is b^2; SetF of ir_measures",
    .range = "[0, 1]",
    .example =
        "3 of 12 documents served are relevant, n = 4: P = 0.25, R = 0.75, "
        "SetF1 = 2 * 0.25 * 0.75 / (0.25 + 0.75) = 0.375",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .parameter = kBeta,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const auto found = static_cast<double>(ranks.relevant.size());
      return f_measure(measure.parameter(), share_of_served(ranks),
                       found / static_cast<double>(ranks.num_rel));
    }};

}  // namespace prescope
