// Counts false alarms: how often three methods, applied after every topic, find a difference
// between two arms that do not differ. The methods are the confidence sequence and the bets behind
// live verdicts, and the t test, which is not valid under repeated looks. Topics and rankings are
// drawn as for the rates of the t test that docs/statistics.md cites; PRES is computed by the
// library. Exits with 1 if a figure is out of its bounds. `false_alarm_benchmark [HISTORIES]`, 4000
// by default.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "prescope/measure.h"
#include "support/looks.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint64_t kTopics = 1000;
constexpr std::uint64_t kSeed = 20100719;

/// Two arms that differ by chance alone: each moves every citation of a share of the topics by
/// itself. The other members are results of the reference simulation, in per cent.
struct Null {
  const char* name;
  double share_moved;  ///< of the topics
  double sd_of_moves;  ///< of a citation's log10 rank, in either arm
  double sd, zeros;    ///< of the differences
  double sequence, bets, t_test;
};

constexpr Null kNulls[] = {
    {"dense", 1.0, 0.45, 0.135, 8.0, 2.6, 2.8, 42.4},
    {"zero-inflated", 0.43, 0.19, 0.045, 65.0, 1.4, 0.1, 38.2},
    {"sparse", 0.055, 0.47, 0.032, 95.0, 0.2, 0.0, 22.8},
};

/// Draws differences of PRES@100 between the two arms.
class Differences {
 public:
  Differences(const Null& null, std::uint64_t history)
      : null_(&null), random_(kSeed + history), moved_(null.share_moved) {}

  double next() {
    if (!moved_(random_)) return 0.0;
    // 3 citations in 26 % of the topics, 5.8 on average, as in CLEF-IP 2009.
    std::geometric_distribution<std::uint32_t> more_citations(0.263);
    std::normal_distribution<double> of_topics(1.9, 0.7), of_citations(0.0, 0.9);
    std::vector<double> log_ranks(3 + more_citations(random_));
    const double of_topic = of_topics(random_);
    for (double& log_rank : log_ranks) log_rank = of_topic + of_citations(random_);
    return pres_of_an_arm(log_ranks) - pres_of_an_arm(log_ranks);
  }

 private:
  double pres_of_an_arm(const std::vector<double>& log_ranks) {
    static const Measure kPres100 = Measure::parse("PRES@100");
    std::normal_distribution<double> move(0.0, null_->sd_of_moves);
    ranks_.clear();
    for (const double log_rank : log_ranks) {
      const double rank = std::ceil(std::pow(10.0, log_rank + move(random_)));
      ranks_.push_back(static_cast<Rank>(std::clamp(rank, 1.0, 1e9)));
    }
    std::ranges::sort(ranks_);
    // Two documents do not share a rank.
    for (std::size_t i = 1; i < ranks_.size(); ++i) {
      ranks_[i] = std::max(ranks_[i], ranks_[i - 1] + 1);
    }
    return kPres100
        .score({.num_rel = static_cast<std::uint32_t>(log_ranks.size()), .relevant = ranks_})
        .value();
  }

  const Null* null_;
  std::mt19937_64 random_;
  std::bernoulli_distribution moved_;
  std::vector<Rank> ranks_;
};

struct Outcome {
  Alarms alarms;
  double sd = 0.0, zeros = 0.0;  ///< of all differences
};

Outcome simulate(const Null& null, int histories, const TQuantiles& quantiles) {
  Outcome outcome;
  double squares = 0.0;
  std::uint64_t zeros = 0;
  for (int history = 0; history < histories; ++history) {
    Differences differences(null, static_cast<std::uint64_t>(history));
    EveryLook looks(quantiles);
    for (std::uint64_t topic = 0; topic < kTopics; ++topic) {
      const double difference = differences.next();
      zeros += difference == 0.0 ? 1 : 0;
      looks.add(difference);
    }
    squares += looks.sums().squares();
    outcome.alarms.count(looks);
  }
  const double count = static_cast<double>(kTopics) * histories;
  outcome.sd = std::sqrt(squares / count);
  outcome.zeros = 100.0 * static_cast<double>(zeros) / count;
  return outcome;
}

/// Prints the figures; returns true if all are within their bounds.
bool report(const Null& null, const Outcome& outcome, int histories) {
  const auto percent = [&](int alarms) { return 100.0 * alarms / histories; };
  const double most = most_false_alarms(histories);
  const double naive = percent(outcome.alarms.t_test);
  const bool holds = outcome.alarms.sequence <= most && outcome.alarms.bets <= most &&
                     naive >= 20.0 && naive <= 50.0;
  fmt::print(
      "{:<14} {:.4f} ({:.3f}) {:5.1f} ({:4.1f})  {:5.2f} ({:3.1f})  {:5.2f} ({:3.1f})  "
      "{:5.1f} ({:4.1f})  {}\n",
      null.name, outcome.sd, null.sd, outcome.zeros, null.zeros, percent(outcome.alarms.sequence),
      null.sequence, percent(outcome.alarms.bets), null.bets, naive, null.t_test,
      holds ? "as it should be" : "NOT AS IT SHOULD BE");
  return holds;
}

int run(int histories) {
  fmt::print(
      "False alarms in {} histories of {} topics, a look after each; seed {}. In brackets: "
      "the reference.\nSequence and bets: at most {:.2f} % (5 % and four standard errors); "
      "t test: 20 to 50 %.\n\n",
      histories, kTopics, kSeed, 100.0 * most_false_alarms(histories) / histories);
  fmt::print("{:<14} {:<14} {:<12}  {:<11}  {:<11}  {}\n", "null", "sd", "zeros %", "sequence %",
             "bets %", "t test %");
  const TQuantiles quantiles(kTopics);
  bool holds = true;
  for (const Null& null : kNulls) {
    holds = report(null, simulate(null, histories, quantiles), histories) && holds;
  }
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  const int histories = argc > 1 ? std::atoi(argv[1]) : 4000;
  if (histories < 100) {
    fmt::print(stderr, "expected a number of histories, at least 100\n");
    return 2;
  }
  return prescope::benchmarks::run(histories);
}
