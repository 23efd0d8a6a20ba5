#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/trec_eval/gain_scale.h"
#include "core/trec_eval/powers.h"
#include "prescope/measure.h"

namespace prescope::trec_eval {

/// One value without parameters: `map`.
using OneValue = double (*)(const JudgedRanks& ranks);
/// A value for each cutoff, which ascend: `P.5,10`, printed as P_5 and P_10.
using AtCutoffs = void (*)(const JudgedRanks& ranks, std::span<const std::uint64_t> cutoffs,
                           std::span<double> values);
/// A value for each share, which ascend: `iprec_at_recall.0.1`, printed as iprec_at_recall_0.10.
using AtShares = void (*)(const JudgedRanks& ranks, std::span<const double> shares,
                          std::span<double> values);
/// One value from numbers in any order: `utility.1,-1,0,0`.
using OfNumbers = double (*)(const JudgedRanks& ranks, std::span<const double> numbers);
/// One value from what grades are worth: `ndcg.1=3,2=9`.
using OfGains = double (*)(const GainedRanking& ranking);
/// One value from gains and a persistence: `rbp.p=0.8`.
using OfPersistence = double (*)(const JudgedRanks& ranks, const GainScale& gains, Powers& powers);
/// A quoted text of so many characters at most, of single topics only: `relstring.10`.
using OfText = void (*)(const JudgedRanks& ranks, double length, std::string& text);
/// The run's tag, not of single topics: `runid`.
struct OfRun {};

using Score =
    std::variant<OneValue, AtCutoffs, AtShares, OfNumbers, OfGains, OfPersistence, OfText, OfRun>;

/// One of trec_eval's measures, or a row of them that differ by a parameter.
struct Family {
  /// Of the values of the topics.
  enum class Summary {
    kMean,
    kSum,
    kGeometricMean,  ///< printed for all topics only
    kTopics,         ///< the number of topics, printed for all topics only
    kSumOverQrels,   ///< kSum; under -c the judgements with a grade above 0, whatever -l says
  };
  /// What a topic that the run has not is given under -c. trec_eval puts a document that nobody
  /// judged in its place and afterwards mends what this spoils, but only under plain names.
  enum class Missing { kScored, kZero };
  enum class Count { kAsDefaults, kAny };

  std::string_view name;
  std::string_view meaning;  ///< one sentence
  Score score;
  std::span<const double> defaults{};  ///< cutoffs, shares, numbers or the length
  Summary summary = Summary::kMean;
  bool is_count = false;  ///< printed without decimals
  Missing missing = Missing::kScored;
  Count count = Count::kAsDefaults;  ///< of OfNumbers
};

/// In the order in which trec_eval prints.
[[nodiscard]] std::span<const Family* const> family_table() noexcept;

/// A name for several families.
struct Nickname {
  std::string_view name;
  std::span<const std::string_view> families;
};
[[nodiscard]] std::span<const Nickname> nicknames() noexcept;

/// Names, of families and nicknames, that need other judgements than qrels.
[[nodiscard]] std::span<const std::string_view> names_not_offered() noexcept;

}  // namespace prescope::trec_eval
