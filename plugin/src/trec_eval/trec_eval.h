#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/qrels.h"
#include "prescope/types.h"
#include "runs/evaluation.h"
#include "runs/run_facts.h"

namespace prescope::trec_eval {

/// A line of a qrels file whose docno was judged before in the same topic.
struct RepeatedJudgement {
  TopicId topic{};
  Docno docno{};
  std::uint64_t line = 0;
};

/// The first one of a file that Qrels::load has read; nothing where there is none. Reads the file
/// again.
[[nodiscard]] std::optional<RepeatedJudgement> find_repeated_judgement(
    const std::filesystem::path& qrels);

/// Means and standard deviations of a measure in a topic over many runs, by which a score is told
/// in standard deviations from the mean (trec_eval -Z).
class ZScores {
 public:
  /// Given where nothing is known of a measure in a topic.
  static constexpr double kUnknown = -1'000'000.0;

  /// Reads lines `topic measure mean deviation`. Throws Error(kIo), Error(kBadInput).
  [[nodiscard]] static ZScores load(const std::filesystem::path& path);
  [[nodiscard]] double convert(const TopicId& topic, std::string_view measure, double value) const;

 private:
  struct Spread {
    double mean = 0.0, deviation = 0.0;
  };
  std::map<TopicId, std::map<std::string, Spread, std::less<>>> spreads_;
};

}  // namespace prescope::trec_eval

/// What trec_eval prints, line by line: its measures, names, order and rounding.
namespace prescope::trec_eval {

struct Options {
  /// As behind -m: "map", "P.5,10", "official", "all_trec"; also prescope's own, as "PRES.100" or
  /// "PRES@100". Empty: official.
  std::vector<std::string> measures{};
  bool per_topic = false;             ///< -q
  bool summary = true;                ///< not -n
  bool complete = false;              ///< -c
  RankOptions ranks{};                ///< -M and -J
  std::uint64_t collection_size = 0;  ///< -N; 0 where unknown
  const ZScores* z_scores = nullptr;  ///< -Z; outlives the call
};

/// Takes the next piece of the output.
using Sink = std::function<void(std::string_view text)>;

/// Throws Error(kUsage) for an unknown measure, naming the nearest, or one that is not offered;
/// Error(kBadInput) where trec_eval refuses the input. Writes nothing then.
void write(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink);

}  // namespace prescope::trec_eval
