#include "studies/agreement.h"

#include <algorithm>

#include "base/threads.h"

namespace prescope {

namespace {

/// The scores of one run by one measure, by topic of the qrels.
using ScoreColumn = std::vector<std::optional<double>>;

std::uint32_t topics_of(std::span<const Evaluation* const> runs) {
  std::uint32_t count = 0;
  for (const Evaluation* run : runs) {
    if (!run->topics.empty()) count = std::max(count, run->topics.back().topic.value() + 1);
  }
  return count;
}

/// A column for each run and measure: `[run * measures + measure]`.
std::vector<ScoreColumn> columns_of(std::span<const Evaluation* const> runs) {
  const std::size_t measures = runs.front()->measures.size();
  std::vector<ScoreColumn> columns(runs.size() * measures, ScoreColumn(topics_of(runs)));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t t = 0; t < runs[r]->topics.size(); ++t) {
      for (std::size_t m = 0; m < measures; ++m) {
        columns[r * measures + m][runs[r]->topics[t].topic.value()] = runs[r]->score(t, m);
      }
    }
  }
  return columns;
}

void set_differences(const ScoreColumn& a, const ScoreColumn& b, std::vector<double>& into) {
  into.clear();
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t] && b[t]) into.push_back(clean_difference(*b[t], *a[t]));
  }
}

/// Everything but `corrected` and `verdict`.
void test_pairs_of(std::size_t a, const std::vector<ScoreColumn>& columns, Agreement& agreement) {
  const std::size_t measures = agreement.measures.size();
  std::vector<double> differences;
  // Runs before this one have had runs - 1, runs - 2, ... pairs.
  std::size_t pair = a * (2 * agreement.runs - a - 1) / 2;
  for (std::size_t b = a + 1; b < agreement.runs; ++b, ++pair) {
    for (std::size_t m = 0; m < measures; ++m) {
      set_differences(columns[a * measures + m], columns[b * measures + m], differences);
      agreement.tested[pair * measures + m].difference =
          tested_difference(differences, agreement.options.test, agreement.options.sign_flip);
    }
  }
}

void correct_and_judge(std::size_t measure, Agreement& agreement) {
  std::vector<double> p_values;
  std::vector<Agreement::Tested*> with_p;
  for (std::size_t p = 0; p < agreement.pairs.size(); ++p) {
    Agreement::Tested& tested = agreement.tested[p * agreement.measures.size() + measure];
    if (!tested.difference) continue;
    p_values.push_back(tested.difference->p_value);
    with_p.push_back(&tested);
  }
  const auto corrected = correct_p_values(p_values, agreement.options.correction);
  for (std::size_t i = 0; i < with_p.size(); ++i) {
    with_p[i]->corrected = corrected[i];
    with_p[i]->verdict = verdict_of(*with_p[i]->difference, corrected[i], agreement.options.alpha);
  }
}

/// 1: the second is better, -1: the first is, 0: neither; nothing without a verdict.
std::optional<int> direction_said(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kTooFewTopics:
      return std::nullopt;
    case Verdict::kBetter:
      return 1;
    case Verdict::kWorse:
      return -1;
    case Verdict::kIdentical:
    case Verdict::kNoDifference:
      break;
  }
  return 0;
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
  result.tested.resize(result.pairs.size() * measures);
  const std::vector<ScoreColumn> columns = columns_of(runs);
  in_parallel(runs.size(), options.threads,
              [&](std::size_t a) { test_pairs_of(a, columns, result); });
  for (std::size_t m = 0; m < measures; ++m) {
    correct_and_judge(m, result);
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
