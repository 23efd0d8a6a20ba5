#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "prescope/experiment.h"

namespace prescope {

/// Docno "dN" is docid N, in an index of 1000 documents.
inline std::shared_ptr<const ResolvedQrels> resolve(Experiment& experiment,
                                                    std::vector<Resolution> copies = {}) {
  const JudgedDocnos& judged = experiment.judged();
  for (std::uint32_t k = 0; k < judged.num_keys(); ++k) {
    const int number = std::stoi(judged.key(k).substr(1));
    if (number < 1000) copies.push_back({k, DocId(static_cast<std::uint32_t>(number))});
  }
  auto resolved = std::make_shared<const ResolvedQrels>(judged, std::move(copies),
                                                        experiment.next_generation(), 1000);
  for (std::uint32_t a = 0; a < experiment.arms().size(); ++a) {
    experiment.set_resolved(ArmIndex(a), resolved);
  }
  return resolved;
}

inline Ranking served(ArmIndex arm, const std::shared_ptr<const ResolvedQrels>& resolved,
                      const std::vector<DocId>& docids) {
  return {.arm = arm,
          .resolved = resolved.get(),
          .docids = docids,
          .requested_depth = 10,
          .total_hits = docids.size(),
          .search_started = std::chrono::steady_clock::now()};
}

}  // namespace prescope
