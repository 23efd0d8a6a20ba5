#include "studies/agreement.h"

#include "base/threads.h"
#include "runs/comparison.h"

namespace prescope {

namespace {

/// Returns 1: the second is better, -1: the first is, 0: neither; std::nullopt without a verdict.
std::optional<int> direction_said(Verdict verdict) noexcept {
  if (verdict == Verdict::kTooFewTopics) return std::nullopt;
  return direction_of(verdict);
}

MeasureVerdicts verdicts_by(std::size_t measure, const Agreement& agreement) {
  MeasureVerdicts verdicts;
  for (std::size_t p = 0; p < agreement.pairs.size(); ++p) {
    const std::optional<int> direction = direction_said(agreement.at(p, measure).verdict);
    ++(!direction        ? verdicts.without_verdict
       : *direction == 0 ? verdicts.indistinguishable
                         : verdicts.different);
  }
  return verdicts;
}

std::uint32_t& count_of(int x, int y, MeasureAgreement& counts) noexcept {
  if (x == y) return x == 0 ? counts.both_indistinguishable : counts.same_direction;
  if (x == 0) return counts.only_y_different;
  return y == 0 ? counts.only_x_different : counts.opposite;
}

MeasureAgreement agreement_between(std::size_t x, std::size_t y, const Agreement& agreement) {
  MeasureAgreement counts{.x = x, .y = y};
  for (std::size_t p = 0; p < agreement.pairs.size(); ++p) {
    const auto by_x = direction_said(agreement.at(p, x).verdict);
    const auto by_y = direction_said(agreement.at(p, y).verdict);
    ++(by_x && by_y ? count_of(*by_x, *by_y, counts) : counts.without_verdict);
  }
  return counts;
}

}  // namespace

Verdict Agreement::verdict(std::size_t a, std::size_t b, std::size_t measure) const {
  if (a == b) return Verdict::kIdentical;
  const std::size_t first = std::min(a, b), second = std::max(a, b);
  // Pairs are ordered by their first run: runs - 1 pairs of run 0, then runs - 2 of run 1, ...
  const std::size_t pair = first * (2 * runs - first - 1) / 2 + second - first - 1;
  const Verdict said = at(pair, measure).verdict;
  if (a < b || (said != Verdict::kBetter && said != Verdict::kWorse)) return said;
  return said == Verdict::kBetter ? Verdict::kWorse : Verdict::kBetter;
}

Agreement agreement(std::span<const Evaluation* const> runs, const AgreementOptions& options) {
  Agreement result{.options = options, .measures = runs.front()->measures, .runs = runs.size()};
  for (std::size_t a = 0; a < runs.size(); ++a) {
    for (std::size_t b = a + 1; b < runs.size(); ++b) result.pairs.push_back({a, b});
  }
  const std::size_t measures = result.measures.size();
  const std::size_t pairs = result.pairs.size();
  result.tested.resize(pairs * measures);
  in_parallel(pairs, options.threads, [&](std::size_t p) {
    const auto [a, b] = result.pairs[p];
    for (std::size_t m = 0; m < measures; ++m) {
      result.tested[m * pairs + p] = tested_difference(
          paired_scores(*runs[a], *runs[b], m).differences(), options.test, options.sign_flip);
    }
  });
  for (std::size_t m = 0; m < measures; ++m) {
    std::vector<JudgedDifference*> judged;
    for (std::size_t p = 0; p < pairs; ++p) judged.push_back(&result.tested[m * pairs + p]);
    correct_and_judge(judged, options.correction, options.alpha);
    result.verdicts.push_back(verdicts_by(m, result));
  }
  for (std::size_t x = 0; x < measures; ++x) {
    for (std::size_t y = x + 1; y < measures; ++y) {
      result.agreements.push_back(agreement_between(x, y, result));
    }
  }
  return result;
}

}  // namespace prescope
