#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Coefficients of how alike two orders of the same things are. Scores are compared after rounding
/// to 1e-12, the higher first. No coefficient has a value below two things.
namespace prescope {

/// Pairs of things, by how two lists of scores order them.
struct PairCounts {
  std::uint64_t concordant = 0, discordant = 0;  ///< ordered alike, and the other way round
  std::uint64_t tied_x = 0, tied_y = 0;          ///< equal in x only, in y only
  std::uint64_t tied_both = 0;

  [[nodiscard]] std::uint64_t total() const noexcept {
    return concordant + discordant + tied_x + tied_y + tied_both;
  }
  friend bool operator==(const PairCounts&, const PairCounts&) = default;
};

/// `x` and `y` of the same length, the same thing at the same place. O(n^2).
[[nodiscard]] PairCounts count_pairs(std::span<const double> x, std::span<const double> y);

/// (C - D) / all pairs, in [-1, 1] (Kendall 1938).
[[nodiscard]] std::optional<double> kendall_tau_a(const PairCounts& pairs) noexcept;
/// (C - D) / sqrt((C + D + T_x) (C + D + T_y)), in [-1, 1] (Kendall 1945); none if all x or y tie.
[[nodiscard]] std::optional<double> kendall_tau_b(const PairCounts& pairs) noexcept;
[[nodiscard]] inline std::optional<double> kendall_tau_b(std::span<const double> x,
                                                         std::span<const double> y) {
  return kendall_tau_b(count_pairs(x, y));
}
/// (C - D) / (C + D), in [-1, 1] (Goodman & Kruskal 1954); std::nullopt if every pair is tied.
[[nodiscard]] std::optional<double> goodman_kruskal_gamma(const PairCounts& pairs) noexcept;

/// Rank from 1 for the highest; equal scores share the mean of their ranks.
[[nodiscard]] std::vector<double> mid_ranks(std::span<const double> scores);
/// Pearson's correlation of the mid-ranks (Spearman 1904), in [-1, 1]; none if all x or y tie.
[[nodiscard]] std::optional<double> spearman_rho(std::span<const double> x,
                                                 std::span<const double> y);

/// Positions of the scores from the highest to the lowest; the earlier first if they are equal.
[[nodiscard]] std::vector<std::uint32_t> descending_order(std::span<const double> scores);

/// AP correlation (Yilmaz, Aslam & Robertson, SIGIR 2008), which weighs the top of the list more:
/// 2 / (n - 1) * sum over i = 2..n of C(i) / (i - 1), less 1, in [-1, 1]; C(i) counts those above
/// the i-th of `estimated` that `reference` has above it too, one half for a tie of `reference`.
/// Not symmetric. If `estimated` ties, the earlier stands above.
[[nodiscard]] std::optional<double> tau_ap(std::span<const double> estimated,
                                           std::span<const double> reference);

/// The overlap of two lists, depth by depth (Webber, Moffat & Zobel, TOIS 2010). Each list has each
/// item once; `p` in (0, 1): the probability that a reader goes on to the next item.
struct RankBiasedOverlap {
  double extrapolated = 0.0;  ///< RBO_ext: the agreement at the end continues for ever; in [0, 1]
  double least = 0.0;         ///< RBO_min: no agreement behind the end of the shorter list
};
/// Returns std::nullopt if a list is empty.
[[nodiscard]] std::optional<RankBiasedOverlap> rank_biased_overlap(std::span<const std::uint32_t> a,
                                                                   std::span<const std::uint32_t> b,
                                                                   double p);

/// For lists of systems.
inline constexpr double kPersistenceForSystems = 0.9;

}  // namespace prescope
