#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prescope/measure.h"
#include "trec_eval/gains.h"

namespace prescope::trec_eval {

/// A level's gain as given behind -m: `2=9` in `ndcg.1=3,2=9`.
struct LevelGain {
  Grade level = 0;
  double gain = 0.0;
};

/// A topic's ranking and the best that there could be, in gains.
struct GainedRanking {
  struct Served {
    Rank rank = 0;
    double gain = 0.0;  ///< not 0
  };
  /// So many documents with the same gain, one behind the other.
  struct Block {
    double gain = 0.0;  ///< above 0
    std::uint32_t count = 0;
  };

  std::span<const Served> served{};  ///< ascending by rank
  std::span<const Block> ideal{};    ///< best first
  std::uint32_t num_ret = 0, num_rel = 0;
};

/// What grades are worth: their own value where nothing else was said. Keeps buffers from topic to
/// topic.
class GainScale {
 public:
  GainScale() = default;
  explicit GainScale(std::vector<LevelGain> gains) : given_(std::move(gains)) {}

  /// Turns to the next topic; `ranks` is read until the next call.
  void set(const JudgedRanks& ranks);
  /// Views into this, valid until the next `set`.
  [[nodiscard]] const GainedRanking& ranking() const noexcept { return ranking_; }
  /// The gain of a level that the topic has; 0 of a negative grade.
  [[nodiscard]] double gain(Grade grade) const noexcept;
  /// Over the levels given and those that the topic has; 0 is between them.
  [[nodiscard]] double least() const noexcept { return least_; }
  [[nodiscard]] double most() const noexcept { return most_; }

 private:
  struct Level {
    Grade grade = 0;
    std::uint32_t count = 0;  // judged documents
    double gain = 0.0;
  };

  void set_levels(std::span<const Grade> grades);
  void add_ideal(double gain, std::uint32_t count);

  std::vector<LevelGain> given_;
  std::vector<Level> levels_, spare_;  // best last; of a scale with given gains
  std::vector<GainedRanking::Served> served_;
  std::vector<GainedRanking::Block> ideal_;
  GainedRanking ranking_;
  double least_ = 0.0, most_ = 0.0;
};

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

/// trec_eval's measures, by what they look at. To add one: its definition in one of the files of
/// this folder, its name here and in the table of `family_table.cc`.
namespace prescope::trec_eval {

// counts.cc
extern const Family kRunId, kNumQ, kNumRet, kNumRel, kNumRelRet, kNumNonrelJudgedRet;
// precisions.cc: ranks of relevant documents
extern const Family kMap, kGmMap, kRprec, kRecipRank, kBinG, kYaap;
// cutoffs.cc: the same, at several cutoffs
extern const Family kP, kRecall, kMapCut, kRelativeP, kSuccess, kRprecMult;
// interpolated.cc
extern const Family kIprecAtRecall, kElevenPointAverage;
// judged.cc: what was judged, and what not
extern const Family kBpref, kGmBpref, kInfAp, kUnj, kRelstring;
// sets.cc: whatever the order
extern const Family kSetP, kSetRelativeP, kSetRecall, kSetMap, kSetF, kUtility;
// gains.cc: grades
extern const Family kG, kDcg, kIdealDcg, kNdcg, kNdcgRel, kRndcg, kNdcgCut;
// persistence.cc
extern const Family kRbp, kRbpResid;

inline constexpr double kNineCutoffs[] = {5, 10, 15, 20, 30, 100, 200, 500, 1000};
inline constexpr double kElevenShares[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

/// numerator / denominator; 0 where both are 0, where trec_eval has a value that is none.
[[nodiscard]] inline double ratio(double numerator, double denominator) noexcept {
  return denominator == 0.0 ? 0.0 : numerator / denominator;
}

[[nodiscard]] inline double num_rel_ret(const JudgedRanks& ranks) noexcept {
  return static_cast<double>(ranks.relevant.size());
}

}  // namespace prescope::trec_eval
