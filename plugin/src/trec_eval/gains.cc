#include "trec_eval/families.h"

#include <iterator>

#include "measures/definitions.h"

namespace prescope::trec_eval {

/// trec_eval takes gains that differ by less than 1 for equal, which is no order: the outcome
/// depends on the algorithm. This is the merge sort of the C library's qsort.
void Gains::sort_as_qsort(std::span<Level> levels) {
  if (levels.size() < 2) return;
  const std::size_t half = levels.size() / 2;
  sort_as_qsort(levels.first(half));
  sort_as_qsort(levels.subspan(half));
  std::vector<Level> merged;
  auto left = levels.begin();
  const auto left_end = levels.begin() + static_cast<std::ptrdiff_t>(half);
  auto right = left_end;
  while (left != left_end && right != levels.end()) {
    merged.push_back(left->gain - right->gain < 1.0 ? *left++ : *right++);
  }
  merged.insert(merged.end(), left, left_end);
  std::ranges::copy(merged, levels.begin());
}

Gains::Gains(const std::vector<LevelGain>& given, const JudgedRanks& ranks)
    : num_ret(ranks.num_ret), num_rel(ranks.num_rel) {
  if (given.empty()) {
    std::ranges::copy_if(ranks.grades, std::back_inserter(ideal),
                         [](Grade grade) { return grade > 0; });
    if (!ideal.empty()) most = ideal.front();
  } else {
    set_levels(given, ranks.grades);
  }
  for (const GradedRank& document : ranks.judged) {
    const double gain = of(document.grade);
    if (gain != 0.0) served.push_back({document.rank, gain});
  }
}

double Gains::of(Grade grade) const noexcept {
  if (grade < 0) return 0.0;
  if (levels_.empty()) return grade;
  return std::ranges::find(levels_, grade, &Level::grade)->gain;
}

void Gains::set_levels(const std::vector<LevelGain>& given, std::span<const Grade> grades) {
  for (const auto& [level, gain] : given) levels_.push_back({level, 0, gain});
  const auto level_of = [this](Grade grade) -> Level& {
    const auto known = std::ranges::find(levels_, grade, &Level::grade);
    return known != levels_.end() ? *known : levels_.emplace_back(Level{grade, 0, 1.0 * grade});
  };
  // Levels without documents take part in the sorting, too; those above kListed are not worth it.
  constexpr Grade kListed = 100;
  const Grade listed = grades.empty() ? -1 : std::min(grades.front(), kListed);
  for (Grade grade = 0; grade <= listed; ++grade) static_cast<void>(level_of(grade));
  for (auto grade = grades.rbegin(); grade != grades.rend(); ++grade) {
    if (*grade >= 0) ++level_of(*grade).count;
  }
  sort_as_qsort(levels_);
  for (const Level& level : levels_) {
    least = std::min(least, level.gain);
    most = std::max(most, level.gain);
  }
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (level->gain <= 0.0 && (level->count > 0 || level == levels_.rbegin())) break;
    ideal.insert(ideal.end(), level->count, level->gain);
  }
}

namespace {

using Served = Gains::Served;

/// The ideal ranking, document by document, as far down as is asked for.
class IdealGain {
 public:
  explicit IdealGain(std::span<const double> ideal) : ideal_(ideal) {}

  /// Advances to `rank`, or to the end if that comes before, and returns the gain so far.
  double until(std::uint64_t rank) {
    for (; rank_ < rank && rank_ < ideal_.size(); ++rank_) {
      gain_ += discounted(ideal_[rank_], rank_ + 1);
    }
    return gain_;
  }

 private:
  std::span<const double> ideal_;
  double gain_ = 0.0;
  Rank rank_ = 0;
};

/// Calls `take(document, weight)` for each judged document served, and `take(nullptr, weight)` for
/// each other rank; weights are 1, p, p^2, ..., each the one before times p, as in trec_eval.
/// Returns the weight behind the last rank.
template <class Take>
double for_each_rank(const JudgedRanks& ranks, double p, const Take& take) {
  double weight = 1.0;
  auto next = ranks.judged.begin();
  for (Rank rank = 1; rank <= ranks.num_ret; ++rank, weight *= p) {
    const bool known = next != ranks.judged.end() && next->rank == rank;
    const GradedRank* const document = known ? &*next++ : nullptr;
    take(known && document->grade >= 0 ? document : nullptr, weight);
  }
  return weight;
}

}  // namespace

double dcg(const Gains& gains) {
  double sum = 0.0;
  for (const Served& document : gains.served) sum += discounted(document.gain, document.rank);
  return sum;
}

double ideal_dcg(const Gains& gains) { return IdealGain(gains.ideal).until(gains.ideal.size()); }

double ndcg(const Gains& gains) {
  const double ideal = ideal_dcg(gains);
  return ideal > 0.0 ? dcg(gains) / ideal : 0.0;
}

double ndcg_rel(const Gains& gains) {
  if (gains.ideal.empty()) return 0.0;
  IdealGain ideal(gains.ideal);
  double served = 0.0, sum = 0.0, found = 0.0;
  for (const Served& document : gains.served) {
    served += discounted(document.gain, document.rank);
    if (document.gain <= 0.0) continue;
    sum += served / ideal.until(document.rank);
    ++found;
  }
  const auto count = static_cast<double>(gains.ideal.size());
  sum += (count - found) * served / ideal.until(gains.ideal.size());
  return sum > 0.0 ? sum / count : 0.0;
}

double r_ndcg(const Gains& gains) {
  if (gains.num_rel == 0 || gains.ideal.empty()) return 0.0;
  IdealGain ideal(gains.ideal);
  double served = 0.0, sum = 0.0, places = 0.0;
  auto next = gains.served.begin();
  const auto add_place = [&](std::size_t last) {
    for (; next != gains.served.end() && next->rank <= last; ++next) {
      served += discounted(next->gain, next->rank);
    }
    sum += served / ideal.until(last);
    ++places;
  };
  const std::size_t end = gains.ideal.size();
  for (std::size_t i = 1; i <= end; ++i) {
    if (i == end || gains.ideal[i] != gains.ideal[i - 1]) add_place(i);
  }
  if (gains.num_ret > end + 1) add_place(gains.num_ret);
  return sum / places;
}

double gain_at_cost(const Gains& gains) {
  double sum = 0.0, gained = 0.0, all = 0.0;
  // Gain of the ideal ranking so far, if no rank gains less than 1.
  double cost = 0.0;
  Rank rank = 0;
  for (const Served& document : gains.served) {
    for (; rank < document.rank; ++rank) {
      cost += rank < gains.ideal.size() ? std::max(1.0, gains.ideal[rank]) : 1.0;
    }
    gained += document.gain;
    sum += document.gain / std::log2(2.0 + cost - gained);
  }
  for (const double gain : gains.ideal) all += gain;
  return all > 0.0 ? sum / all : 0.0;
}

double rbp(const JudgedRanks& ranks, const Gains& gains, double persistence) {
  // Gains beyond [0, 1] are brought into it, by the levels of the topic alone.
  const double span = gains.most - gains.least;
  const bool within = gains.least >= 0.0 && gains.most <= 1.0;
  double sum = 0.0;
  for_each_rank(ranks, persistence, [&](const GradedRank* document, double weight) {
    if (document == nullptr) return;
    const double gain = gains.of(document->grade);
    sum += (within ? gain : (gain - gains.least) / span) * weight;
  });
  return (1.0 - persistence) * sum;
}

double rbp_resid(const JudgedRanks& ranks, const Gains&, double persistence) {
  double sum = 0.0;
  bool all_judged = true;
  const double behind =
      for_each_rank(ranks, persistence, [&](const GradedRank* document, double weight) {
        if (document != nullptr) return;
        sum += weight;
        all_judged = false;
      });
  return all_judged ? 0.0 : behind + (1.0 - persistence) * sum;
}

}  // namespace prescope::trec_eval
