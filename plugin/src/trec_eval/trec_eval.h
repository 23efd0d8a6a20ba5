#pragma once

#include "runs/evaluation.h"

/// Prints the output of trec_eval, line by line: its measures, names, order and rounding.
namespace prescope::trec_eval {

/// Throws Error(kBadInput) for the first docno that is judged twice in a topic: Qrels count such a
/// line once, trec_eval refuses it. `path` names the qrels' file in the message.
void refuse_repeated_judgement(const Qrels& qrels, std::string_view path);

/// Means and standard deviations of a measure in a topic over many runs (trec_eval -Z).
class ZScores {
 public:
  /// The printed value of a measure without a value in a topic.
  static constexpr double kUnknown = -1'000'000.0;

  /// Reads lines `topic measure mean deviation`. Throws Error(kIo), Error(kBadInput).
  [[nodiscard]] static ZScores load(const std::filesystem::path& path);
  /// The score in standard deviations from the mean.
  [[nodiscard]] double convert(const TopicId& topic, std::string_view measure, double value) const;

 private:
  struct Spread {
    double mean = 0.0, deviation = 0.0;
  };
  std::map<std::pair<TopicId, std::string>, Spread> spreads_;  // by topic and measure
};

struct Options {
  /// Measures as written behind -m: "map", "P.5,10", "official", "all_trec"; also prescope's own,
  /// as "PRES.100" or "PRES@100". If empty: official.
  std::vector<std::string> measures{};
  bool per_topic = false;             ///< -q
  bool summary = true;                ///< not -n
  bool complete = false;              ///< -c
  RankOptions ranks{};                ///< -M and -J
  std::uint64_t collection_size = 0;  ///< -N; 0 if unknown
  const ZScores* z_scores = nullptr;  ///< -Z; outlives the call
};

/// Takes the next piece of the output.
using Sink = std::function<void(std::string_view text)>;

/// Throws Error(kBadInput) if trec_eval refuses the run: a docno twice in a topic, no judged topic.
void refuse_run(const Qrels& qrels, const RunFacts& facts, const Options& options);

/// Throws Error(kUsage) for an unknown measure, naming the nearest, or one that is not offered;
/// Error(kBadInput) as `refuse_run`. Writes nothing in these cases.
void write(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink);

}  // namespace prescope::trec_eval
