#include "trec_eval/gains.h"

#include <algorithm>
#include <cmath>

#include "measures/definitions.h"
#include "trec_eval/families.h"

namespace prescope::trec_eval {

namespace {

using Served = GainedRanking::Served;
using Block = GainedRanking::Block;

/// The ideal ranking, document by document, as far down as is asked for.
class IdealGain {
 public:
  explicit IdealGain(std::span<const Block> ideal) : blocks_(ideal) {}

  /// Goes on to `rank`, or to the end where that comes before.
  void go_to(std::uint64_t rank) {
    while (rank_ < rank && !blocks_.empty()) {
      gain_.add(blocks_.front().gain, ++rank_);
      if (++in_block_ < blocks_.front().count) continue;
      blocks_ = blocks_.subspan(1);
      in_block_ = 0;
    }
  }
  void go_to_end() { go_to(UINT64_MAX); }
  [[nodiscard]] double value() const noexcept { return gain_.value(); }
  /// Documents gone past.
  [[nodiscard]] Rank count() const noexcept { return rank_; }

 private:
  std::span<const Block> blocks_;
  DiscountedGain gain_;
  std::uint32_t in_block_ = 0;
  Rank rank_ = 0;
};

double dcg(const GainedRanking& ranking) {
  DiscountedGain gain;
  for (const Served& document : ranking.served) gain.add(document.gain, document.rank);
  return gain.value();
}

double ideal_dcg(const GainedRanking& ranking) {
  IdealGain ideal(ranking.ideal);
  ideal.go_to_end();
  return ideal.value();
}

double ndcg(const GainedRanking& ranking) {
  const double ideal = ideal_dcg(ranking);
  return ideal > 0.0 ? dcg(ranking) / ideal : 0.0;
}

double ndcg_rel(const GainedRanking& ranking) {
  DiscountedGain served;
  IdealGain ideal(ranking.ideal);
  double sum = 0.0, found = 0.0;
  for (const Served& document : ranking.served) {
    served.add(document.gain, document.rank);
    ideal.go_to(document.rank);
    if (document.gain <= 0.0) continue;
    sum += served.value() / ideal.value();
    ++found;
  }
  ideal.go_to_end();
  const double count = ideal.count();
  if (count == 0.0) return 0.0;
  sum += (count - found) * served.value() / ideal.value();
  return sum > 0.0 ? sum / count : 0.0;
}

// nDCG wherever the ideal gain falls, and at the end where the ranking is longer than the ideal one
// and a document that is not in it.
double r_ndcg(const GainedRanking& ranking) {
  if (ranking.num_rel == 0) return 0.0;
  DiscountedGain served;
  IdealGain ideal(ranking.ideal);
  double sum = 0.0, places = 0.0;
  auto next = ranking.served.begin();
  const auto add_place = [&](std::uint64_t last) {
    for (; next != ranking.served.end() && next->rank <= last; ++next) {
      served.add(next->gain, next->rank);
    }
    sum += served.value() / ideal.value();
    ++places;
  };
  std::uint64_t end = 0;
  for (const Block& block : ranking.ideal) {
    ideal.go_to(end += block.count);
    add_place(end);
  }
  if (end > 0 && ranking.num_ret > end + 1) add_place(ranking.num_ret);
  return ratio(sum, places);
}

/// `sum` and so many ones, rounded after each as if added one by one.
double add_ones(double sum, std::uint64_t ones) {
  if (sum == std::floor(sum)) return sum + static_cast<double>(ones);
  for (; ones > 0; --ones) sum += 1.0;
  return sum;
}

/// What the best ranking would have gained until a rank, where no rank counts less than 1.
class IdealCost {
 public:
  explicit IdealCost(std::span<const Block> ideal) : blocks_(ideal) {}

  [[nodiscard]] double until(Rank rank) {
    for (; rank_ < rank && !blocks_.empty(); ++rank_) {
      cost_ += std::max(1.0, blocks_.front().gain);
      if (++in_block_ < blocks_.front().count) continue;
      blocks_ = blocks_.subspan(1);
      in_block_ = 0;
    }
    cost_ = add_ones(cost_, rank - rank_);
    rank_ = rank;
    return cost_;
  }

 private:
  std::span<const Block> blocks_;
  double cost_ = 0.0;
  std::uint32_t in_block_ = 0;
  Rank rank_ = 0;
};

double g(const GainedRanking& ranking) {
  IdealCost cost(ranking.ideal);
  double sum = 0.0, gained = 0.0, ideal = 0.0;
  for (const Served& document : ranking.served) {
    gained += document.gain;
    sum += document.gain / std::log2(2.0 + cost.until(document.rank) - gained);
  }
  for (const Block& block : ranking.ideal) {
    for (std::uint32_t i = 0; i < block.count; ++i) ideal += block.gain;
  }
  return ideal > 0.0 ? sum / ideal : 0.0;
}

void ndcg_cut(const JudgedRanks& ranks, std::span<const std::uint64_t> cutoffs,
              std::span<double> values) {
  DiscountedGain served, ideal;
  auto next = ranks.judged.begin();
  auto best = ranks.grades.begin();
  Rank rank = 0;
  for (std::size_t i = 0; i < cutoffs.size(); ++i) {
    for (; next != ranks.judged.end() && next->rank <= cutoffs[i]; ++next) {
      if (next->grade > 0) served.add(next->grade, next->rank);
    }
    for (; best != ranks.grades.end() && *best > 0 && rank < cutoffs[i]; ++best) {
      ideal.add(*best, ++rank);
    }
    values[i] = ideal.value() > 0.0 ? served.value() / ideal.value() : 0.0;
  }
}

}  // namespace

constexpr Family kG{
    .name = "G",
    .meaning =
        "Gains, each / log2(2 + what the best ranking had gained more by then), as a share "
        "of all gains.",
    .score = g};

constexpr Family kDcg{.name = "dcg",
                      .meaning = "Discounted cumulative gain: sum of gain / log2(rank + 1).",
                      .score = dcg};

constexpr Family kIdealDcg{.name = "ideal_dcg",
                           .meaning = "dcg of the best ranking of all judged documents.",
                           .score = ideal_dcg};

constexpr Family kNdcg{.name = "ndcg", .meaning = "dcg / ideal_dcg: nDCG.", .score = ndcg};

constexpr Family kNdcgRel{.name = "ndcg_rel",
                          .meaning = "nDCG averaged over the documents with a gain.",
                          .score = ndcg_rel};

constexpr Family kRndcg{.name = "Rndcg",
                        .meaning = "nDCG averaged over the ranks where the ideal gain falls.",
                        .score = r_ndcg};

constexpr Family kNdcgCut{.name = "ndcg_cut",
                          .meaning = "nDCG at cutoffs: nDCG@N.",
                          .score = ndcg_cut,
                          .defaults = kNineCutoffs};

}  // namespace prescope::trec_eval
