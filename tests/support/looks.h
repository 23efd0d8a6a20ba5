#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "statistics/effect_size.h"
#include "statistics/evidence.h"

namespace prescope {

/// The 97.5 % quantiles of Student's t for the looks at n values.
class TQuantiles {
 public:
  /// The first look of the t test, which has too few values before.
  static constexpr std::uint64_t kFirstLook = 20;

  explicit TQuantiles(std::uint64_t most) : quantiles_(most + 1) {
    for (std::uint64_t n = kFirstLook; n <= most; ++n) {
      quantiles_[n] = student_t_quantile(0.975, static_cast<double>(n - 1));
    }
  }
  [[nodiscard]] double at(std::uint64_t n) const { return quantiles_[n]; }

 private:
  std::vector<double> quantiles_;
};

/// One history of topics, with a look at alpha 5 % after each, in each of three ways.
class EveryLook {
 public:
  explicit EveryLook(const TQuantiles& quantiles) : quantiles_(&quantiles) {}

  void add(double difference) {
    const double enough = std::log(1.0 / 0.05);
    evidence_.add(difference);
    by_sequence_ = by_sequence_ || ConfidenceSequence().log_e_value(sums()) >= enough;
    by_bets_ = by_bets_ || evidence_.log_e_different() >= enough;
    by_t_ = by_t_ || (sums().n() >= TQuantiles::kFirstLook && t_is_significant());
  }

  [[nodiscard]] bool sequence_alarmed() const { return by_sequence_; }
  [[nodiscard]] bool bets_alarmed() const { return by_bets_; }
  [[nodiscard]] bool t_alarmed() const { return by_t_; }
  [[nodiscard]] const TopicSums& sums() const { return evidence_.sums(); }

 private:
  [[nodiscard]] bool t_is_significant() const {
    const auto n = static_cast<double>(sums().n());
    const double variance = sums().squared_deviations() / (n - 1.0);
    return std::abs(sums().mean()) > quantiles_->at(sums().n()) * std::sqrt(variance / n);
  }

  const TQuantiles* quantiles_;
  TopicEvidence evidence_;
  bool by_sequence_ = false, by_bets_ = false, by_t_ = false;
};

/// Number of histories in which each method raised an alarm.
struct Alarms {
  int sequence = 0, bets = 0, t_test = 0;

  void count(const EveryLook& history) {
    sequence += history.sequence_alarmed() ? 1 : 0;
    bets += history.bets_alarmed() ? 1 : 0;
    t_test += history.t_alarmed() ? 1 : 0;
  }
};

/// 5 % of the histories, and four standard deviations of that number.
[[nodiscard]] inline double most_false_alarms(int histories) {
  return histories * 0.05 + 4.0 * std::sqrt(histories * 0.05 * 0.95);
}

}  // namespace prescope
