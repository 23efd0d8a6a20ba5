#pragma once

#include <functional>
#include <string>

#include "support/workspace.h"

namespace prescope::testing {

/// Topics T001 ... of two relevant documents each, A001 and B001 of T001; `qrels.txt`.
void write_night_qrels(const Workspace& workspace, int topics);

/// Ranks of A and B in a topic's ten hits; 0: not served.
struct NightRanks {
  int a = 0, b = 0;
};
/// A run of ten hits a topic, tag `bm25`.
void write_night_run(const Workspace& workspace, const std::string& name, int topics,
                     const std::function<NightRanks(int topic)>& ranks);

/// `prescope COMMAND nights.db --from RUN --qrels qrels.txt -m PRES@10,R@10 MORE...`
[[nodiscard]] Outcome run_night(const Workspace& workspace, const std::string& command,
                                const std::string& run, std::vector<std::string> more = {});

/// 40 topics, A at rank 1 and B at rank 3 in `base.run`, pinned as main by ada.
void pin_base(const Workspace& workspace);

}  // namespace prescope::testing
