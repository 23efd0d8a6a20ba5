#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "nightly/gate/checks.h"

namespace prescope {

namespace {

constexpr std::uint32_t kNoEnd = std::numeric_limits<std::uint32_t>::max();

/// The last rank that any deciding measure reads.
std::uint32_t last_rank_read(const GateRules& rules) {
  std::uint32_t last = 0;
  for (const GateRules::Decision& decision : rules.decisions) {
    const std::optional<Cutoff> cutoff = decision.measure.cutoff();
    last = std::max(last, cutoff ? cutoff->value() : kNoEnd);
  }
  return last;
}

/// Whether rankings ended at the record's depth because nobody asked for more.
bool is_limit(const EvaluationRecord& record) {
  if (!record.index.engine.empty()) return true;
  std::size_t served = 0, ended = 0;
  for (const EvaluationRecord::Topic& topic : record.topics) {
    if (topic.num_ret > 0) ++served;
    if (topic.num_ret == record.depth) ++ended;
  }
  return ended * 10 >= served;
}

}  // namespace

GateVerdict::Rule check_depth(const GateSubject& subject) {
  GateVerdict::Rule rule{.id = "input.depth"};
  const EvaluationRecord& then = subject.baseline.evaluation;
  const EvaluationRecord& now = subject.tonight;
  if (then.depth == now.depth) {
    rule.reason = fmt::format("Rankings are {} deep, as the baseline's.", now.depth);
    return rule;
  }
  const std::uint32_t last = last_rank_read(subject.rules);
  const EvaluationRecord& shallow = then.depth < now.depth ? then : now;
  if (shallow.depth >= last || !is_limit(shallow)) {
    rule.reason = fmt::format(
        "Rankings are {} deep, the baseline's {}: {}.", now.depth, then.depth,
        shallow.depth >= last ? "no rule reads so far" : "the longest ones, where nobody cut them");
    return rule;
  }
  rule.status = GateVerdict::Status::kBadInput;
  rule.reason = fmt::format(
      "Rankings are {} deep, the baseline's {}, and the rules read {}: the depth asked for has "
      "changed, not the ranking; ask for {} again, or pin a new baseline.",
      now.depth, then.depth, last == kNoEnd ? "all ranks" : fmt::format("up to rank {}", last),
      then.depth);
  return rule;
}

}  // namespace prescope
