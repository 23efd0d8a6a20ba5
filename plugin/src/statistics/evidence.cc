#include "statistics/evidence.h"

#include <boost/math/distributions/binomial.hpp>
#include <limits>
#include <ranges>

namespace prescope {

namespace {

/// The share of the largest bet on a value, which would lose everything at the end of the range.
constexpr double kLargestShare = 0.99;

/// ln(e^a + e^b).
double log_of_sum(double a, double b) noexcept {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// Returns ln of the e-value of two bettors who had half of the stake each.
double log_of_both_sides(double log_e_above, double log_e_below) noexcept {
  return log_of_sum(log_e_above, log_e_below) - std::log(2.0);
}

/// Returns true if 0 is not in the interval.
bool excludes_zero(const LiveVerdict& verdict) noexcept {
  return verdict.low > 0.0 || verdict.high < 0.0;
}

LiveState state_of(const LiveVerdict& verdict, double log_e_different) noexcept {
  if (verdict.topics < kFewestTopics) return LiveState::kCollecting;
  if (log_e_different >= -std::log(verdict.alpha)) return LiveState::kConfirmed;
  if (!excludes_zero(verdict)) return LiveState::kNoVerdict;
  const double log_e = verdict.low > 0.0 ? verdict.log_e_better : verdict.log_e_worse;
  return log_e >= -std::log(2.0 * verdict.alpha) ? LiveState::kLeading : LiveState::kAhead;
}

/// Returns the least number of values of 1, or of -1 if the sum is above 0, that put 0 back into
/// the interval, which excludes it now.
std::uint32_t topics_to_undo(const TopicSums& sums, const ConfidenceSequence& sequence) noexcept {
  const double against = sums.sum() > 0.0 ? -1.0 : 1.0;
  const auto excludes_zero = [&](std::uint32_t more) {
    const double added = more;
    const TopicSums then(sums.n() + more, sums.sum() + against * added, sums.squares() + added);
    return sequence.log_e_value(then) >= -std::log(sequence.alpha);
  };
  // Evidence falls with each of them until they have used up the sum.
  const auto enough = static_cast<std::uint32_t>(std::ceil(std::abs(sums.sum())));
  return *std::ranges::partition_point(std::views::iota(1U, enough), excludes_zero);
}

/// Returns the distance from 0 at which the interval would exclude 0 in 4 of 5 cases: its half
/// width and 0.84 standard errors, the normal distribution's 80 % quantile. Returns std::nullopt if
/// no difference can be that large.
std::optional<double> detectable(const TopicSums& sums, double half_width, double scale) {
  constexpr double kFourOfFive = 0.8416212335729143;
  const auto n = static_cast<double>(sums.n());
  const double standard_error = std::sqrt(sums.squared_deviations() / (n - 1.0) / n);
  const double difference = scale * (half_width + kFourOfFive * standard_error);
  return difference > 1.0 ? std::nullopt : std::optional(difference);
}

}  // namespace

void Bets::bet_on(double value, double times) noexcept {
  if (value == 0.0) return;
  double stake = kLargestShare;
  for (CompensatedSum& log_wealth : log_wealths_) {
    log_wealth.add(times * std::log1p(stake * value));
    stake /= 2.0;
  }
}

void Bets::add(const Bets& other) noexcept {
  for (std::size_t i = 0; i < kBets; ++i) log_wealths_[i].add(other.log_wealths_[i]);
}

double Bets::log_e() const noexcept {
  // Half of the wealth goes to the first player, half of the rest to the next; the last two have
  // the same.
  const double log_half = -std::log(2.0);
  double log_part = log_half;
  double sum = log_wealths_[0].value() + log_part;
  for (std::size_t i = 1; i < kBets; ++i) {
    if (i + 1 < kBets) log_part += log_half;
    sum = log_of_sum(sum, log_wealths_[i].value() + log_part);
  }
  return sum;
}

double TopicEvidence::log_e_different() const noexcept {
  return log_of_both_sides(log_e_above(), log_e_below());
}

void TopicEvidence::add(const TopicEvidence& other) noexcept {
  sums_.add(other.sums_);
  above_.add(other.above_);
  below_.add(other.below_);
}

void BoundedEvidence::add(const Bounds& value) noexcept {
  if (value.is_known()) return known_.add(value.low);
  at_low_.add(value.low);
  at_high_.add(value.high);
}

void BoundedEvidence::remove(const Bounds& value) noexcept {
  if (value.is_known()) return known_.remove(value.low);
  at_low_.remove(value.low);
  at_high_.remove(value.high);
}

double ConfidenceSequence::log_e_value(const TopicSums& sums, double mean) const noexcept {
  const auto n = static_cast<double>(sums.n());
  const double sum = sums.sum() - n * mean;
  const double squares = std::max(0.0, sums.squares() - 2.0 * mean * sums.sum() + n * mean * mean);
  return -0.5 * std::log1p(squares / b_squared) + sum * sum / (2.0 * (b_squared + squares));
}

double ConfidenceSequence::log_e_below(const TopicSums& sums, double mean) const noexcept {
  const auto n = static_cast<double>(sums.n());
  const double sum = sums.sum() - n * mean;
  const double squares = std::max(0.0, sums.squares() - 2.0 * mean * sums.sum() + n * mean * mean);
  return std::log(2.0 * normal_tail(sum / std::sqrt(b_squared + squares))) +
         log_e_value(sums, mean);
}

std::optional<double> ConfidenceSequence::half_width(const TopicSums& sums) const noexcept {
  // With w = n (m - mean)^2, the e-value of m is 1 / alpha when this is 0; it rises up to `last`.
  const auto n = static_cast<double>(sums.n());
  const double b = b_squared + sums.squared_deviations();
  const auto excess = [&](double w) {
    return n * w / (b + w) - std::log((b + w) / b_squared) + 2.0 * std::log(alpha);
  };
  const double last = (n - 1.0) * b;
  if (sums.n() < 2 || excess(last) < 0.0) return std::nullopt;
  double low = 0.0, high = last;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (excess(middle) < 0.0 ? low : high) = middle;
  }
  return std::sqrt(high / n);
}

std::string_view to_string(LiveState state) noexcept {
  constexpr std::array<std::string_view, 7> kNames = {
      "collecting", "no verdict", "ahead so far", "leading", "confirmed", "described", "vetoed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(LatencyState state) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"collecting", "dependent", "open",
                                                      "no verdict", "faster"};
  return kNames[static_cast<std::size_t>(state)];
}

LiveStatement score_statement(Mode mode, BaselineScores baseline, double alpha) noexcept {
  if (mode != Mode::kSplit) return {.alpha = alpha, .b_squared = 0.25, .scale = 1.0};
  return {
      .alpha = alpha, .b_squared = baseline == BaselineScores::kKnown ? 0.5 : 4.0, .scale = 2.0};
}

/// Widens the verdict's interval, and raises its smallest difference that would show, to what they
/// are if the values are these.
void add_interval(const TopicEvidence& evidence, const LiveStatement& statement,
                  LiveVerdict& verdict) noexcept {
  const ConfidenceSequence sequence{.alpha = statement.alpha, .b_squared = statement.b_squared};
  const TopicSums& sums = evidence.sums();
  const std::optional<double> half_width = sequence.half_width(sums);
  double low = -1.0, high = 1.0;
  if (half_width) {
    low = std::max(-1.0, statement.scale * (sums.mean() - *half_width));
    high = std::min(1.0, statement.scale * (sums.mean() + *half_width));
    const auto shown = detectable(sums, *half_width, statement.scale);
    verdict.detectable =
        verdict.detectable && shown ? std::max(*verdict.detectable, *shown) : shown;
  }
  const double log_e = sequence.log_e_value(sums);
  // A dozen large values can be evidence against a mean near to theirs, and not against 0.
  if (log_e < -std::log(statement.alpha)) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  verdict.low = std::min(verdict.low, low);
  verdict.high = std::max(verdict.high, high);
  verdict.log_e = std::min(verdict.log_e, log_e);
}

LiveVerdict live_verdict(const BoundedEvidence& evidence, const LiveStatement& statement) noexcept {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const ConfidenceSequence sequence{.alpha = statement.alpha, .b_squared = statement.b_squared};
  const TopicEvidence at_low = evidence.at_low(), at_high = evidence.at_high();
  LiveVerdict verdict{.alpha = statement.alpha,
                      .topics = static_cast<std::uint32_t>(evidence.topics()),
                      .bounded_topics = static_cast<std::uint32_t>(evidence.bounded()),
                      .low = kNone,
                      .high = -kNone,
                      .log_e = kNone,
                      .log_e_better = at_low.log_e_above(),
                      .log_e_worse = at_high.log_e_below()};
  if (evidence.topics() > 0) {
    verdict.mean_low = statement.scale * at_low.sums().mean();
    verdict.mean_high = statement.scale * at_high.sums().mean();
    verdict.mean = (*verdict.mean_low + *verdict.mean_high) / 2.0;
  }
  if (evidence.topics() > 1) {
    const double squares = at_low.sums().squared_deviations() + at_high.sums().squared_deviations();
    verdict.sd =
        statement.scale * std::sqrt(squares / 2.0 / static_cast<double>(evidence.topics() - 1));
  }
  add_interval(at_low, statement, verdict);
  if (evidence.bounded() > 0) add_interval(at_high, statement, verdict);
  if (excludes_zero(verdict)) {
    const TopicEvidence& nearest_to_zero = verdict.low > 0.0 ? at_low : at_high;
    verdict.topics_to_undo = topics_to_undo(nearest_to_zero.sums(), sequence);
  }
  const double log_e_different = log_of_both_sides(verdict.log_e_better, verdict.log_e_worse);
  verdict.state = statement.is_primary ? state_of(verdict, log_e_different) : LiveState::kDescribed;
  return verdict;
}

double sample_ratio_log_e(std::uint64_t in_a, std::uint64_t in_b, double share_b) noexcept {
  // The likelihood of a binomial whose p has a prior as sure as 200 topics, over that of p =
  // share_b.
  constexpr double kPrior = 200.0;
  const double prior_b = kPrior * share_b, prior_a = kPrior - prior_b;
  const auto a = static_cast<double>(in_a), b = static_cast<double>(in_b);
  return log_beta(prior_b + b, prior_a + a) - log_beta(prior_b, prior_a) - b * std::log(share_b) -
         a * std::log1p(-share_b);
}

double share_log_e(std::uint64_t count, std::uint64_t of, double share) noexcept {
  // The likelihood of a binomial whose p has the prior Beta(1/2, 1/2), over that of p = share.
  constexpr double kPrior = 0.5;
  if (count > of || of == 0) return 0.0;
  const auto in = static_cast<double>(count), out = static_cast<double>(of - count);
  const double of_in = count == 0 ? 0.0 : in * std::log(share);
  const double of_out = count == of ? 0.0 : out * std::log1p(-share);
  return log_beta(kPrior + in, kPrior + out) - log_beta(kPrior, kPrior) - of_in - of_out;
}

double sample_ratio_p(std::uint64_t in_a, std::uint64_t in_b, double share_b) {
  if (in_a + in_b == 0) return 1.0;
  const boost::math::binomial coin(static_cast<double>(in_a + in_b), share_b);
  const auto b = static_cast<double>(in_b);
  const double as_few = boost::math::cdf(coin, b);
  const double as_many = in_b == 0 ? 1.0 : boost::math::cdf(boost::math::complement(coin, b - 1.0));
  return std::min(1.0, 2.0 * std::min(as_few, as_many));
}

}  // namespace prescope
