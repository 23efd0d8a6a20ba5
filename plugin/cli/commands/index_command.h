#pragma once

#include <cstdint>
#include <optional>

#include "runs/docno_hint.h"
#include "prescope/qrels.h"
#include "replay/replay_options.h"

namespace prescope::cli {

/// The policy under which the arm's index carries most of the relevant judgements, where that is
/// worth a word; `found` of them are carried under the qrels' own. Counts are of judgements. Opens
/// the index once for each coarser policy. Throws what opening throws.
[[nodiscard]] std::optional<DocnoHint> index_docno_hint(const Qrels& qrels, const ReplayArm& arm,
                                                        std::uint64_t found);

}  // namespace prescope::cli
