#include "support/simulated_nights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "statistics/paired_tests.h"
#include "support/evaluation_records.h"

namespace prescope::testing {
namespace {

constexpr std::uint64_t kSeed = 20100719;
constexpr double kGone = 9.0;  // log10 of a rank beyond any cutoff

constexpr std::array kModels = {
    NightModel{.name = "D dense", .share_moved = 1.0, .sd_of_moves = 0.45, .margin = 0.02},
    NightModel{.name = "Z config tweak", .share_moved = 0.43, .sd_of_moves = 0.19},
    NightModel{.name = "S index refresh", .share_moved = 0.055, .sd_of_moves = 0.47},
    NightModel{.name = "K skewed", .share_moved = 0.38, .sd_of_moves = 0.0, .share_beheaded = 0.04},
    NightModel{
        .name = "C catastrophes", .share_moved = 0.48, .sd_of_moves = 0.0, .share_emptied = 0.008},
    NightModel{.name = "N documents added", .share_moved = 0.6, .sd_of_moves = 0.01},
};

/// One topic before anything is added to the moves of tonight.
struct DrawnTopic {
  std::vector<double> baseline{}, tonight{};  ///< log10 of ranks
  bool is_moved = false;
};

DrawnTopic draw_topic(const NightModel& model, std::mt19937_64& random) {
  std::geometric_distribution<std::uint32_t> more_citations(0.263);
  std::normal_distribution<double> of_topics(1.9, 0.7), of_citations(0.0, 0.9);
  std::normal_distribution<double> of_moves(0.0, std::max(model.sd_of_moves, 1e-12));
  std::uniform_real_distribution<double> chance(0.0, 1.0);
  DrawnTopic topic{.is_moved = chance(random) < model.share_moved};
  const double of_topic = of_topics(random);
  const std::uint32_t citations = 3 + more_citations(random);
  for (std::uint32_t i = 0; i < citations; ++i) {
    const double log_rank = of_topic + of_citations(random);
    const double moved_before = of_moves(random), moved_now = of_moves(random);
    topic.baseline.push_back(log_rank + (topic.is_moved ? moved_before : 0.0));
    topic.tonight.push_back(log_rank + (topic.is_moved ? moved_now : 0.0));
  }
  const double what_is_lost = chance(random);
  if (what_is_lost < model.share_emptied) {
    std::ranges::fill(topic.tonight, kGone);
  } else if (what_is_lost < model.share_emptied + model.share_beheaded) {
    *std::ranges::min_element(topic.tonight) = kGone;
  }
  return topic;
}

/// Two documents do not share a rank.
std::vector<Rank> ranks_of(const std::vector<double>& log_ranks, double moved_by) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < log_ranks.size(); ++i) {
    order.emplace_back(log_ranks[i] + (log_ranks[i] < kGone ? moved_by : 0.0), i);
  }
  std::ranges::sort(order);
  std::vector<Rank> ranks(log_ranks.size());
  Rank last = 0;
  for (const auto& [log_rank, i] : order) {
    const double rank = std::ceil(std::pow(10.0, std::clamp(log_rank, 0.0, 8.0)));
    last = std::max(static_cast<Rank>(rank), last + 1);
    ranks[i] = last <= 1000 ? last : 0;
  }
  return ranks;
}

}  // namespace

std::span<const NightModel> night_models() { return kModels; }

SimulatedNights::SimulatedNights(const NightModel& model, double mean, std::size_t population) {
  std::mt19937_64 random(kSeed);
  std::vector<DrawnTopic> drawn(population);
  for (DrawnTopic& topic : drawn) topic = draw_topic(model, random);
  pairs_.resize(population);
  static const Measure kPres100 = Measure::parse("PRES@100");
  const auto set_tonight = [&](double moved_by) {
    for (std::size_t i = 0; i < population; ++i) {
      pairs_[i].tonight =
          topic_found_at("T", ranks_of(drawn[i].tonight, drawn[i].is_moved ? moved_by : 0.0));
      pairs_[i].difference =
          clean_difference(*EvaluationRecord::score(pairs_[i].tonight, kPres100),
                           *EvaluationRecord::score(pairs_[i].baseline, kPres100));
    }
  };
  for (std::size_t i = 0; i < population; ++i) {
    pairs_[i].baseline = topic_found_at("T", ranks_of(drawn[i].baseline, 0.0));
  }
  double low = -2.0, high = 2.0;  // farther back is worse
  for (int step = 0; step < 17; ++step) {
    const double middle = (low + high) / 2.0;
    set_tonight(middle);
    (this->mean() > mean ? low : high) = middle;
  }
}

SimulatedNights::Night SimulatedNights::draw(std::uint64_t seed, std::size_t topics) const {
  std::mt19937_64 random(kSeed + 1 + seed);
  std::uniform_int_distribution<std::size_t> any(0, pairs_.size() - 1);
  std::vector<EvaluationRecord::Topic> before, now;
  for (std::size_t i = 0; i < topics; ++i) {
    const Pair& pair = pairs_[any(random)];
    before.push_back(pair.baseline);
    now.push_back(pair.tonight);
    before.back().id = now.back().id = TopicId(fmt::format("T{}", 10'000 + i));
  }
  return {.baseline = baseline_of(evaluation_record(std::move(before))),
          .tonight = evaluation_record(std::move(now))};
}

double SimulatedNights::mean() const {
  double sum = 0.0;
  for (const Pair& pair : pairs_) sum += pair.difference;
  return sum / static_cast<double>(pairs_.size());
}

double SimulatedNights::sd() const {
  const double middle = mean();
  double squares = 0.0;
  for (const Pair& pair : pairs_) squares += std::pow(pair.difference - middle, 2.0);
  return std::sqrt(squares / static_cast<double>(pairs_.size()));
}

GateRules only_falls(double margin) {
  return {.decisions = {{Measure::parse("PRES@100"), margin}},
          .catastrophe = {.must_find = false, .emptied = false, .hard_loss_share = 1.0}};
}

int count_passes(const SimulatedNights& simulated, const GateRules& rules, int nights) {
  int passes = 0;
  for (int night = 0; night < nights; ++night) {
    const auto [baseline, tonight] = simulated.draw(static_cast<std::uint64_t>(night), 400);
    if (gate(baseline, tonight, rules).outcome == GateOutcome::kPass) ++passes;
  }
  return passes;
}

double most_by_chance(double p, int n) { return n * p + 4.0 * std::sqrt(n * p * (1.0 - p)); }

}  // namespace prescope::testing
