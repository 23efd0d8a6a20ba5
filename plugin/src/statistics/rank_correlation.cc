#include "statistics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace prescope {

namespace {

/// Rounds scores, so that binary noise makes no order.
std::vector<double> cleaned(std::span<const double> scores) {
  constexpr double kSteps = 1e12;
  std::vector<double> clean;
  clean.reserve(scores.size());
  for (const double score : scores) clean.push_back(std::round(score * kSteps) / kSteps);
  return clean;
}

std::vector<std::uint32_t> descending(std::span<const double> clean) {
  std::vector<std::uint32_t> order(clean.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return clean[a] > clean[b]; });
  return order;
}

/// Returns the number of items that the lists share down to each depth, from 0 to the longer one's.
std::vector<double> overlaps(std::span<const std::uint32_t> shorter,
                             std::span<const std::uint32_t> longer) {
  std::vector<double> overlap(longer.size() + 1, 0.0);
  std::unordered_set<std::uint32_t> in_short, in_long;
  for (std::size_t d = 1; d <= longer.size(); ++d) {
    overlap[d] = overlap[d - 1];
    if (d <= shorter.size()) {
      in_short.insert(shorter[d - 1]);
      if (in_long.contains(shorter[d - 1])) overlap[d] += 1.0;
    }
    in_long.insert(longer[d - 1]);
    if (in_short.contains(longer[d - 1])) overlap[d] += 1.0;
  }
  return overlap;
}

double difference_of(const PairCounts& pairs) noexcept {
  return static_cast<double>(pairs.concordant) - static_cast<double>(pairs.discordant);
}

}  // namespace

PairCounts count_pairs(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> first = cleaned(x), second = cleaned(y);
  PairCounts pairs;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool tied_x = first[i] == first[j], tied_y = second[i] == second[j];
      if (tied_x && tied_y) {
        ++pairs.tied_both;
      } else if (tied_x) {
        ++pairs.tied_x;
      } else if (tied_y) {
        ++pairs.tied_y;
      } else {
        ++((first[i] > first[j]) == (second[i] > second[j]) ? pairs.concordant : pairs.discordant);
      }
    }
  }
  return pairs;
}

std::optional<double> kendall_tau_a(const PairCounts& pairs) noexcept {
  if (pairs.total() == 0) return std::nullopt;
  return difference_of(pairs) / static_cast<double>(pairs.total());
}

std::optional<double> kendall_tau_b(const PairCounts& pairs) noexcept {
  const auto ordered = static_cast<double>(pairs.concordant + pairs.discordant);
  const double in_y = ordered + static_cast<double>(pairs.tied_x);
  const double in_x = ordered + static_cast<double>(pairs.tied_y);
  if (in_x == 0.0 || in_y == 0.0) return std::nullopt;
  return difference_of(pairs) / std::sqrt(in_x * in_y);
}

std::optional<double> goodman_kruskal_gamma(const PairCounts& pairs) noexcept {
  const std::uint64_t ordered = pairs.concordant + pairs.discordant;
  if (ordered == 0) return std::nullopt;
  return difference_of(pairs) / static_cast<double>(ordered);
}

std::vector<double> mid_ranks(std::span<const double> scores) {
  const std::vector<double> clean = cleaned(scores);
  const std::vector<std::uint32_t> order = descending(clean);
  std::vector<double> ranks(scores.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && clean[order[end]] == clean[order[begin]]) ++end;
    const double middle = static_cast<double>(begin + 1 + end) / 2.0;
    for (; begin < end; ++begin) ranks[order[begin]] = middle;
  }
  return ranks;
}

std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> first = mid_ranks(x), second = mid_ranks(y);
  const double mean = (static_cast<double>(first.size()) + 1.0) / 2.0;
  double of_x = 0.0, of_y = 0.0, of_both = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double a = first[i] - mean, b = second[i] - mean;
    of_x += a * a;
    of_y += b * b;
    of_both += a * b;
  }
  if (of_x == 0.0 || of_y == 0.0) return std::nullopt;
  return of_both / std::sqrt(of_x * of_y);
}

std::vector<std::uint32_t> descending_order(std::span<const double> scores) {
  return descending(cleaned(scores));
}

std::optional<double> tau_ap(std::span<const double> estimated, std::span<const double> reference) {
  if (estimated.size() < 2) return std::nullopt;
  const std::vector<std::uint32_t> order = descending_order(estimated);
  const std::vector<double> clean = cleaned(reference);
  double sum = 0.0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    double right = 0.0;
    for (std::size_t above = 0; above < i; ++above) {
      const double upper = clean[order[above]], lower = clean[order[i]];
      right += upper > lower ? 1.0 : upper == lower ? 0.5 : 0.0;
    }
    sum += right / static_cast<double>(i);
  }
  return 2.0 / static_cast<double>(order.size() - 1) * sum - 1.0;
}

std::optional<RankBiasedOverlap> rank_biased_overlap(std::span<const std::uint32_t> a,
                                                     std::span<const std::uint32_t> b, double p) {
  if (a.empty() || b.empty()) return std::nullopt;
  const auto shorter = a.size() <= b.size() ? a : b, longer = a.size() <= b.size() ? b : a;
  const std::size_t s = shorter.size(), l = longer.size();
  const std::vector<double> overlap = overlaps(shorter, longer);
  const double at_short = overlap[s], at_long = overlap[l];
  const auto short_size = static_cast<double>(s), long_size = static_cast<double>(l);
  double sum = 0.0, sum_to_short = 0.0, weight = 1.0;
  for (std::size_t d = 1; d <= l; ++d) {
    const auto depth = static_cast<double>(d);
    weight *= p;
    sum += overlap[d] / depth * weight;
    if (d <= s) sum_to_short += (overlap[d] - at_short) / depth * weight;
    if (d > s) sum += at_short * (depth - short_size) / (short_size * depth) * weight;
  }
  const double scale = (1.0 - p) / p;
  return RankBiasedOverlap{
      .extrapolated =
          scale * sum + ((at_long - at_short) / long_size + at_short / short_size) * weight,
      .least = scale * (sum_to_short - at_short * std::log1p(-p))};
}

}  // namespace prescope
