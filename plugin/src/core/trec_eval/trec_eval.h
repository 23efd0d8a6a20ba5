#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.h"
#include "core/run_facts.h"
#include "core/trec_eval/z_scores.h"
#include "prescope/qrels.h"

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
