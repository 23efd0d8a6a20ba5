#pragma once

#include <variant>

#include "prescope/measure.h"

namespace prescope::trec_eval {

/// A level's gain as given behind -m: `2=9` in `ndcg.1=3,2=9`.
struct LevelGain {
  Grade level = 0;
  double gain = 0.0;
};

/// A topic's ranking and the best possible one, in gains: those given for levels, else the grades.
class Gains {
 public:
  struct Served {
    Rank rank = 0;
    double gain = 0.0;  ///< not 0
  };

  Gains(const std::vector<LevelGain>& given, const JudgedRanks& ranks);

  /// The gain of a level that the topic has; 0 for a negative grade.
  [[nodiscard]] double of(Grade grade) const noexcept;

  std::vector<Served> served{};  ///< ascending by rank
  std::vector<double> ideal{};   ///< descending, all above 0
  std::uint32_t num_ret = 0, num_rel = 0;
  /// Least and largest gain of the given levels and those of the topic; least <= 0 <= most.
  double least = 0.0, most = 0.0;

 private:
  struct Level {
    Grade grade = 0;
    std::uint32_t count = 0;  // judged documents
    double gain = 0.0;
  };

  static void sort_as_qsort(std::span<Level> levels);
  void set_levels(const std::vector<LevelGain>& given, std::span<const Grade> grades);

  std::vector<Level> levels_;  // best last; if gains were given
};

[[nodiscard]] double dcg(const Gains& gains);
[[nodiscard]] double ideal_dcg(const Gains& gains);
[[nodiscard]] double ndcg(const Gains& gains);
/// nDCG averaged over the documents with a gain.
[[nodiscard]] double ndcg_rel(const Gains& gains);
/// nDCG averaged over the ranks at which the ideal gain falls, and the end if the ranking is longer
/// than the ideal one and one more document.
[[nodiscard]] double r_ndcg(const Gains& gains);
[[nodiscard]] double gain_at_cost(const Gains& gains);
[[nodiscard]] double rbp(const JudgedRanks& ranks, const Gains& gains, double persistence);
[[nodiscard]] double rbp_resid(const JudgedRanks& ranks, const Gains&, double persistence);

/// One value without parameters: `map`.
using OneValue = double (*)(const JudgedRanks& ranks);
/// The value at a cutoff, a whole number of at least 1: `P.5,10`, printed as P_5 and P_10.
using AtCutoffs = double (*)(const JudgedRanks& ranks, double cutoff);
/// A value for each share, which ascend: `iprec_at_recall.0.1`, printed as iprec_at_recall_0.10.
using AtShares = void (*)(const JudgedRanks& ranks, std::span<const double> shares,
                          std::span<double> values);
/// One value from numbers in any order: `utility.1,-1,0,0`.
using OfNumbers = double (*)(const JudgedRanks& ranks, std::span<const double> numbers);
/// Computes one value from gains of grades: `ndcg.1=3,2=9`.
using OfGains = double (*)(const Gains& gains);
/// One value from gains and a persistence: `rbp.p=0.8`.
using OfPersistence = double (*)(const JudgedRanks& ranks, const Gains& gains, double persistence);
/// A quoted text of at most so many characters, for single topics only: `relstring.10`.
using OfText = std::string (*)(const JudgedRanks& ranks, double length);

using Score =
    std::variant<OneValue, AtCutoffs, AtShares, OfNumbers, OfGains, OfPersistence, OfText>;

/// Names for several families; a family has one bit for each nickname that includes it.
struct Nickname {
  std::string_view name;
  unsigned bit;
};
inline constexpr unsigned kOfficial = 1, kSet = 2, kAllTrec = 4;
inline constexpr Nickname kNicknames[] = {
    {"official", kOfficial}, {"set", kSet}, {"all_trec", kAllTrec}};

/// One of trec_eval's measures, or several that differ by a parameter.
struct Family {
  /// The way in which the topics' values become one.
  enum class Summary {
    kMean,
    kSum,
    kGeometricMean,  ///< printed for all topics only
    kTopics,         ///< the number of topics, printed for all topics only
    kSumOverQrels,   ///< kSum; under -c the judgements with a grade above 0, regardless of -l
    kTag,            ///< the run's tag, printed for all topics only
    kNone,           ///< OfText: printed for single topics only
  };
  /// The value under -c of a topic that is not in the run. trec_eval replaces it by a ranking of
  /// one unjudged document and later corrects the effects, but only under plain names.
  enum class Missing { kScored, kZero };
  enum class Count { kAsDefaults, kAny };

  std::string_view name;
  std::string_view meaning;  ///< one sentence
  Score score;
  unsigned nicknames = 0;              ///< bits
  std::span<const double> defaults{};  ///< cutoffs, shares, numbers or the length
  Summary summary = Summary::kMean;
  Missing missing = Missing::kScored;
  Count count = Count::kAsDefaults;  ///< of OfNumbers
};

/// Returns the families in the order in which trec_eval prints them.
[[nodiscard]] std::span<const Family> family_table() noexcept;

}  // namespace prescope::trec_eval
