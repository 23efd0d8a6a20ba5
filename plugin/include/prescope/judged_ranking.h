#pragma once

#include <vector>

#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

/// A judged document and the rank at which it was served.
struct JudgedHit {
  Rank rank = 0;               ///< from 1
  JudgementIndex judgement{};  ///< position in the topic's judgements
  friend bool operator==(const JudgedHit&, const JudgedHit&) = default;
};

/// The judged documents of one topic at the ranks of one ranking: the facts from which every
/// rank-based measure at every cutoff follows.
struct JudgedRanking {
  std::uint32_t num_ret = 0;      ///< ranks 1..num_ret were served
  std::uint32_t duplicates = 0;   ///< hits of a judged document that had a better rank already
  std::vector<JudgedHit> hits{};  ///< ascending by rank, each document once
  friend bool operator==(const JudgedRanking&, const JudgedRanking&) = default;
};

}  // namespace prescope
#pragma GCC visibility pop
