#pragma once

#include "judgements/match_report.h"
#include "runs/scan/run_facts.h"

namespace prescope {

/// Returns the `match_report` of a run: a document of several topics counts once, and only topics
/// of the run count. If few documents of a series were retrieved, or the first lines have judged
/// documents in another form, reads the run once more; not if its source is no regular file. Throws
/// Error(kIo).
[[nodiscard]] std::vector<std::string> run_match_report(const Qrels& qrels, const RunFacts& facts);

}  // namespace prescope
