#pragma once

#include <cstdint>
#include <vector>

#include "prescope/qrels.h"
#include "store/database.h"

namespace prescope {

/// A version of the judgements in a store.
struct StoredJudgements {
  std::int64_t qrels = 0;              ///< its number
  std::vector<std::int64_t> topics{};  ///< numbers of its judged topics, by TopicIndex
};

/// Finds the version, and what of it is not there yet is added; in the caller's transaction. Topics
/// whose judgements are as in another version are not stored again. O(judgements).
[[nodiscard]] StoredJudgements store_judgements(Database& database, const Qrels& qrels);

}  // namespace prescope
