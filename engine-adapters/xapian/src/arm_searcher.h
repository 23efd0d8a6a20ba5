#pragma once

#include <vector>

#include "prescope/engine.h"
#include "prescope/xapian/ranker.h"
#include "search_index.h"

namespace prescope::xapian {

/// One ranking configuration on an opened database. Thread-safe.
class XapianArmSearcher : public ArmSearcher {
 public:
  /// `index` must outlive this object.
  XapianArmSearcher(const XapianSearchIndex& index, ArmIndex arm, Ranker ranker);

  /// See ArmSearcher. A search that a writer overtakes, also while its hits are being read, is
  /// repeated in the latest state and observed once, with RankingFlags::kRetried: `hits` are the
  /// ranking that was observed. Work that is done once for a thread or a state (opening, resolving,
  /// reading the docnos for `exclude`) is not in its latency. Throws Error(kUsage) for a depth of
  /// 0, Error(kBadInput) for invalid UTF-8.
  std::uint32_t search(std::string_view text, std::span<const Docno> exclude, std::uint32_t depth,
                       std::vector<Hit>* hits) override;

 private:
  const XapianSearchIndex& index_;
  ArmIndex arm_;
  Ranker ranker_;
};

}  // namespace prescope::xapian
