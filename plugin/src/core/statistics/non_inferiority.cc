#include "core/statistics/non_inferiority.h"

#include "core/statistics/distributions.h"

namespace prescope {
namespace {

/// P of a mean at least this far above `bound`, were `bound` the true one.
double p_above(const PairedT& t, double bound) {
  const double above = t.mean - bound;
  if (t.standard_error == 0.0) return above > 0.0 ? 0.0 : 1.0;
  return student_t_tail(above / t.standard_error, t.n - 1);
}

double p_below(const PairedT& t, double bound) {
  const double below = bound - t.mean;
  if (t.standard_error == 0.0) return below > 0.0 ? 0.0 : 1.0;
  return student_t_tail(below / t.standard_error, t.n - 1);
}

}  // namespace

std::optional<NonInferiority> non_inferiority(std::span<const double> differences, double margin,
                                              double confidence) {
  using Answer = NonInferiority::Answer;
  // Each end of a two-sided interval of 2c - 1 is a one-sided bound of c.
  const std::optional<PairedT> t = paired_t(differences, 2.0 * confidence - 1.0);
  if (!t) return std::nullopt;
  return NonInferiority{.t = *t,
                        .low = t->ci_low,
                        .high = t->ci_high,
                        .p_not_inferior = p_above(*t, -margin),
                        .p_not_superior = p_below(*t, margin),
                        .answer = t->ci_low > -margin    ? Answer::kNotInferior
                                  : t->ci_high < -margin ? Answer::kInferior
                                                         : Answer::kUnknown};
}

}  // namespace prescope
