#pragma once

#include <vector>

#include "core/gate/gate.h"
#include "core/gate/gate_subject.h"

/// What looks like a worse ranking and is none. Each rule passes, is skipped where nothing is known
/// of the matter, warns, or is kBadInput.
namespace prescope {

/// All of them, in the order in which they are told.
[[nodiscard]] std::vector<GateVerdict::Rule> input_checks(const GateSubject& subject);

/// Whether both rankings reach the last rank that a rule reads, or stop short of it alike. What was
/// asked of an engine is known; of a run the longest ranking is taken for a limit where a tenth of
/// its topics end there.
[[nodiscard]] GateVerdict::Rule check_depth(const GateSubject& subject);

/// Whether the index has the judged documents, by their ids. Of a run, where no index is known, it
/// fails only if another docno policy explains what is no longer found.
[[nodiscard]] GateVerdict::Rule check_judged_found(const GateSubject& subject);

}  // namespace prescope
