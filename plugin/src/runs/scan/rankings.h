#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include "prescope/run.h"
#include "runs/run_facts.h"

namespace prescope {

struct ReadRankingsOptions {
  RunOrder order = RunOrder::kTrec;
  ScorePrecision score = ScorePrecision::kDouble;
  /// Number of hits wanted of each ranking; at least 1.
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
};

/// One topic's ranking: docnos as the run spells them, rank 1 first, with repetitions. Views, valid
/// during the call that receives it.
struct ReadRanking {
  std::string_view topic{};
  std::span<const std::string_view> docnos{};
};

/// Gives every topic of a run to `use`, judged or not, in the order of the file. The file is plain
/// or gzip; `-` is standard input. Only the text of one topic is kept in memory. If a topic comes
/// again after another one, `begin_again` is called once, and all topics are given again, whole,
/// from a copy of all hits. Throws as read_run_facts, and Error(kBadInput) for a run without hits.
void read_rankings(const std::filesystem::path& path, const ReadRankingsOptions& options,
                   const std::function<void()>& begin_again,
                   const std::function<void(const ReadRanking&)>& use);

}  // namespace prescope
