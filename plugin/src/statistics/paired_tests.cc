#include "statistics/paired_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/split_mix.h"
#include "statistics/effect_size.h"

namespace prescope {

std::string_view to_string(Verdict verdict) noexcept {
  static constexpr std::string_view kWords[] = {"too few topics", "identical",
                                                "no difference shown", "better", "worse"};
  return kWords[static_cast<std::size_t>(verdict)];
}

double clean_difference(double a, double b) noexcept {
  constexpr double kSteps = 1e12;
  // Adding 0 makes +0 of -0.
  return std::round((a - b) * kSteps) / kSteps + 0.0;
}

DifferenceCounts count_differences(std::span<const double> differences) noexcept {
  DifferenceCounts counts;
  for (const double difference : differences) {
    ++(difference > 0.0 ? counts.wins : difference < 0.0 ? counts.losses : counts.ties);
  }
  return counts;
}

double mean_of(std::span<const double> values) noexcept {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

namespace {

double standard_deviation(std::span<const double> values, double mean) {
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

PairedT all_equal(std::uint32_t n, double difference) {
  PairedT test{.n = n, .mean = difference, .ci_low = difference, .ci_high = difference};
  if (difference != 0.0) {
    test.t = std::copysign(std::numeric_limits<double>::infinity(), difference);
    test.p_value = 0.0;
  }
  return test;
}

constexpr std::size_t kBitsOfByte = 8;

/// Sums of differences under any signs, eight at a time from tables.
class SignedSums {
 public:
  explicit SignedSums(std::span<const double> values) {
    for (std::size_t begin = 0; begin < values.size(); begin += kBitsOfByte) {
      add_table(values.subspan(begin, std::min(kBitsOfByte, values.size() - begin)));
    }
  }

  template <class Next>
  [[nodiscard]] double sum(const Next& next) const noexcept {
    double sum = 0.0;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      word = i % kBitsOfByte == 0 ? next() : word >> kBitsOfByte;
      sum += tables_[i][word & 0xFFU];
    }
    return sum;
  }

 private:
  /// A set bit turns the sign of its value.
  void add_table(std::span<const double> values) {
    std::array<double, 256>& table = tables_.emplace_back();
    for (std::size_t signs = 0; signs < table.size(); ++signs) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        table[signs] += (signs >> i & 1U) != 0 ? -values[i] : values[i];
      }
    }
  }

  std::vector<std::array<double, 256>> tables_;
};

bool is_smaller(double x, double y) { return std::abs(x) < std::abs(y); }

/// n (n + 1) (2 n + 1): 24 times the variance of the rank sum of n signs.
double variance_24(double n) { return n * (n + 1.0) * (2.0 * n + 1.0); }

std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  return order;
}

/// max over j <= k of (m - j + 1) p_(j), at most 1.
std::vector<double> holm(std::span<const double> p_values) {
  std::vector<double> corrected(p_values.size());
  double most = 0.0;
  std::size_t left = p_values.size();
  for (const std::size_t i : ascending(p_values)) {
    most = std::max(most, std::min(1.0, static_cast<double>(left--) * p_values[i]));
    corrected[i] = most;
  }
  return corrected;
}

/// min over j >= k of m p_(j) / j, at most 1.
std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<double> corrected(p_values.size());
  const std::vector<std::size_t> order = ascending(p_values);
  const auto m = static_cast<double>(p_values.size());
  double least = 1.0;
  for (std::size_t j = order.size(); j > 0; --j) {
    // A factor of at least 1, so that rounding does not lower p itself.
    least = std::min(least, m / static_cast<double>(j) * p_values[order[j - 1]]);
    corrected[order[j - 1]] = least;
  }
  return corrected;
}

}  // namespace

std::optional<PairedT> paired_t(std::span<const double> differences, double confidence) {
  if (differences.size() < 2) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(differences.size());
  // The values are compared, because a rounded mean leaves equal differences a tiny deviation.
  if (std::ranges::adjacent_find(differences, std::not_equal_to{}) == differences.end()) {
    return all_equal(n, differences.front());
  }
  PairedT test{.n = n, .mean = mean_of(differences)};
  test.sd = standard_deviation(differences, test.mean);
  test.standard_error = test.sd / std::sqrt(static_cast<double>(n));
  if (!(test.standard_error > 0.0)) return all_equal(n, test.mean);  // squares underflowed
  test.t = test.mean / test.standard_error;
  test.p_value = std::min(1.0, 2.0 * student_t_tail(std::abs(test.t), n - 1));
  // The lower quantile, because 1 - p loses the digits of a confidence next to 1.
  const double reach = -student_t_quantile((1.0 - confidence) / 2.0, n - 1) * test.standard_error;
  test.ci_low = test.mean - reach;
  test.ci_high = test.mean + reach;
  return test;
}

std::optional<double> welch_p(std::span<const double> a, std::span<const double> b) {
  const auto in_a = paired_t(a), in_b = paired_t(b);
  if (!in_a || !in_b) return std::nullopt;
  const double of_a = in_a->standard_error * in_a->standard_error;
  const double of_b = in_b->standard_error * in_b->standard_error;
  const double variance = of_a + of_b;
  if (variance == 0.0) return std::nullopt;
  const double degrees =
      variance * variance / (of_a * of_a / (in_a->n - 1.0) + of_b * of_b / (in_b->n - 1.0));
  const double t = (in_a->mean - in_b->mean) / std::sqrt(variance);
  return std::min(1.0, 2.0 * student_t_tail(std::abs(t), degrees));
}

SignFlip sign_flip(std::span<const double> differences, const SignFlipOptions& options) {
  std::vector<double> values;
  double observed = 0.0, magnitude = 0.0;
  for (const double difference : differences) {
    if (difference == 0.0) continue;
    values.push_back(difference);
    observed += difference;
    magnitude += std::abs(difference);
  }
  // A sum that equals the observed one must not fall behind it by rounding: clean differences are
  // rounded to 1e-12, so that twice 1 / 30 is less than 2 / 30.
  constexpr double kRounding = 1e-12;
  const double least =
      std::abs(observed) - kRounding * (magnitude + static_cast<double>(values.size()));
  const SignedSums sums(values);
  SignFlip test{.non_zero = static_cast<std::uint32_t>(values.size())};
  test.exact = test.non_zero <= options.all_up_to;
  test.flips = test.exact ? std::uint64_t{1} << test.non_zero : options.flips;
  test.as_far = 0;
  SplitMix random(options.seed);
  for (std::uint64_t flip = 0; flip < test.flips; ++flip) {
    const double sum = test.exact ? sums.sum([flip] { return flip; })
                                  : sums.sum([&random] { return random.next(); });
    if (std::abs(sum) >= least) ++test.as_far;
  }
  const auto as_far = static_cast<double>(test.as_far), flips = static_cast<double>(test.flips);
  test.p_value = test.exact ? as_far / flips : (as_far + 1.0) / (flips + 1.0);
  return test;
}

Wilcoxon wilcoxon(std::span<const double> differences, ZeroRule zeros) {
  std::vector<double> values;
  for (const double difference : differences) {
    if (difference != 0.0 || zeros == ZeroRule::kPratt) values.push_back(difference);
  }
  std::ranges::sort(values, is_smaller);
  Wilcoxon test{.ranked = static_cast<std::uint32_t>(values.size())};
  double ties = 0.0, zero_count = 0.0;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && !is_smaller(values[begin], values[end])) ++end;
    const auto count = static_cast<double>(end - begin);
    if (values[begin] == 0.0) {
      zero_count = count;
      continue;
    }
    ties += count * count * count - count;
    const double middle_rank = static_cast<double>(begin + 1 + end) / 2.0;
    for (std::size_t i = begin; i < end; ++i) {
      (values[i] > 0.0 ? test.rank_sum_up : test.rank_sum_down) += middle_rank;
    }
  }
  const auto n = static_cast<double>(values.size());
  test.mean = (n * (n + 1.0) - zero_count * (zero_count + 1.0)) / 4.0;
  test.variance = (variance_24(n) - variance_24(zero_count) - ties / 2.0) / 24.0;
  if (!(test.variance > 0.0)) return test;
  test.z = (test.rank_sum_up - test.mean) / std::sqrt(test.variance);
  test.p_value = std::min(1.0, 2.0 * normal_tail(std::abs(test.z)));
  return test;
}

std::vector<double> correct_p_values(std::span<const double> p_values, Correction correction) {
  if (correction == Correction::kHolm) return holm(p_values);
  if (correction == Correction::kBh) return benjamini_hochberg(p_values);
  return {p_values.begin(), p_values.end()};
}

PairedTest deciding_test(const DifferenceCounts& counts, PairedTest asked_for) noexcept {
  const bool is_few = counts.total() < kTopicsForT || counts.non_zero() < kNonZeroForT;
  return asked_for == PairedTest::kT && is_few ? PairedTest::kSignFlip : asked_for;
}

JudgedDifference tested_difference(std::span<const double> differences, PairedTest test,
                                   const SignFlipOptions& sign_flip_options, double confidence) {
  JudgedDifference tested{.counts = count_differences(differences),
                          .t = paired_t(differences, confidence)};
  if (!tested.t) return tested;
  tested.decided_by = deciding_test(tested.counts, test);
  tested.p_value = tested.t->p_value;
  if (tested.decided_by == PairedTest::kSignFlip) {
    tested.sign_flip = sign_flip(differences, sign_flip_options);
    tested.p_value = tested.sign_flip->p_value;
  } else if (tested.decided_by == PairedTest::kWilcoxon) {
    tested.wilcoxon = wilcoxon(differences);
    tested.p_value = tested.wilcoxon->p_value;
  }
  return tested;
}

void correct_and_judge(std::span<JudgedDifference* const> differences, Correction correction,
                       double alpha) {
  std::vector<double> p_values;
  for (const JudgedDifference* each : differences) {
    if (each->p_value) p_values.push_back(*each->p_value);
  }
  const std::vector<double> corrected = correct_p_values(p_values, correction);
  auto next = corrected.begin();
  for (JudgedDifference* each : differences) {
    if (!each->p_value) continue;
    each->corrected = *next++;
    const double direction = each->wilcoxon ? each->wilcoxon->z : each->t->mean;
    each->verdict = each->counts.non_zero() == 0 ? Verdict::kIdentical
                    : *each->corrected > alpha   ? Verdict::kNoDifference
                    : direction > 0.0            ? Verdict::kBetter
                                                 : Verdict::kWorse;
  }
}

}  // namespace prescope
