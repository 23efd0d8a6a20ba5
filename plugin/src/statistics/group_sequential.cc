#include "statistics/group_sequential.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "statistics/effect_size.h"

namespace prescope {

namespace {

constexpr std::size_t kMostLooks = 20;

double normal_density(double x) noexcept {
  return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}

/// The nodes and weights of Gauss and Legendre's rule on [-1, 1], ascending.
struct Nodes {
  std::vector<double> at, weight;

  Nodes() {
    using Rule = boost::math::quadrature::gauss<double, 128>;
    for (std::size_t i = Rule::abscissa().size(); i-- > 0;) {
      at.push_back(-Rule::abscissa()[i]);
      weight.push_back(Rule::weights()[i]);
    }
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      at.push_back(Rule::abscissa()[i]);
      weight.push_back(Rule::weights()[i]);
    }
  }
};

/// The density of B = z sqrt(t) of tests that have not ended (Armitage, McPherson & Rowe 1969), on
/// nodes of the interval in which the test goes on.
class Going {
 public:
  explicit Going(double drift) : drift_(drift) {}

  /// Returns the chance that B is above `at` at the next look, not having ended before.
  [[nodiscard]] double above(double information, double at) const {
    return chance(information, [&](double from, double sd) {
      return normal_tail((at - from - drift_ * (information - information_)) / sd);
    });
  }
  [[nodiscard]] double below(double information, double at) const {
    return chance(information, [&](double from, double sd) {
      return normal_tail((from + drift_ * (information - information_) - at) / sd);
    });
  }
  /// Goes on to a look at which the test ends outside of (-c, c).
  void go_on(double information, double c) {
    static const Nodes kNodes;
    const double half = c * std::sqrt(information);
    const double sd = std::sqrt(information - information_);
    const double step = drift_ * (information - information_);
    std::vector<double> at, mass;
    for (std::size_t i = 0; i < kNodes.at.size(); ++i) {
      const double to = half * kNodes.at[i];
      double density = 0.0;
      for (std::size_t j = 0; j < at_.size(); ++j) {
        density += mass_[j] * normal_density((to - at_[j] - step) / sd) / sd;
      }
      at.push_back(to);
      mass.push_back(density * half * kNodes.weight[i]);
    }
    at_ = std::move(at);
    mass_ = std::move(mass);
    information_ = information;
  }

 private:
  template <class Tail>
  [[nodiscard]] double chance(double information, const Tail& tail) const {
    const double sd = std::sqrt(information - information_);
    double sum = 0.0;
    for (std::size_t i = 0; i < at_.size(); ++i) sum += mass_[i] * tail(at_[i], sd);
    return sum;
  }

  double drift_;
  double information_ = 0.0;
  std::vector<double> at_{0.0}, mass_{1.0};
};

/// Returns the x in [low, high] at which a falling function is `target`.
template <class Falling>
double where(const Falling& falling, double target, double low, double high) {
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (falling(middle) > target ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double spent_alpha(Spending spending, double alpha, double information) noexcept {
  if (information >= 1.0) return alpha;
  if (spending == Spending::kPocock) {
    return alpha * std::log1p((std::numbers::e - 1.0) * information);
  }
  return 4.0 * normal_tail(normal_quantile(1.0 - alpha / 4.0) / std::sqrt(information));
}

GroupSequential::GroupSequential(std::vector<double> information, double alpha, Spending spending)
    : information_(std::move(information)), alpha_(alpha) {
  const bool is_ascending =
      std::ranges::adjacent_find(information_, std::greater_equal<>()) == information_.end();
  if (information_.empty() || information_.size() > kMostLooks || !is_ascending ||
      !(information_.front() > 0.0) || !(information_.back() <= 1.0) ||
      !(alpha > 0.0 && alpha < 1.0)) {
    throw std::invalid_argument("looks are shares in (0, 1], ascending, and alpha is in (0, 1)");
  }
  Going going(0.0);
  double spent = 0.0;
  for (std::size_t k = 0; k < information_.size(); ++k) {
    const double t = information_[k];
    const bool is_last = k + 1 == information_.size();
    const double spend = (is_last ? alpha : spent_alpha(spending, alpha, t)) - spent;
    const auto both_tails = [&](double c) { return 2.0 * going.above(t, c * std::sqrt(t)); };
    const double c = both_tails(kNever) >= spend ? kNever : where(both_tails, spend, 0.0, kNever);
    boundaries_.push_back(c);
    spent += both_tails(c);
    if (!is_last) going.go_on(t, c);
  }
}

GroupSequential::Exits GroupSequential::exits(double drift) const {
  Exits exits;
  Going going(drift);
  for (std::size_t k = 0; k < information_.size(); ++k) {
    const double t = information_[k], at = boundaries_[k] * std::sqrt(t);
    exits.above.push_back(going.above(t, at));
    exits.below.push_back(going.below(t, -at));
    going.go_on(t, boundaries_[k]);
  }
  return exits;
}

double GroupSequential::drift_of(double power) const {
  const auto misses = [&](double drift) {
    double above = 0.0;
    for (const double exit : exits(drift).above) above += exit;
    return 1.0 - above;
  };
  constexpr double kMost = 40.0;
  return where(misses, 1.0 - power, 0.0, kMost);
}

double GroupSequential::expected_share(double drift) const {
  const Exits ends = exits(drift);
  double share = 0.0, ended = 0.0;
  for (std::size_t k = 0; k + 1 < information_.size(); ++k) {
    const double here = ends.above[k] + ends.below[k];
    share += here * information_[k];
    ended += here;
  }
  return share + (1.0 - ended) * information_.back();
}

double GroupSequential::final_width() const noexcept {
  return boundaries_.back() / normal_quantile(1.0 - alpha_ / 2.0);
}

}  // namespace prescope
