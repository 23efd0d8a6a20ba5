#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nightly/gate/gate.h"
#include "nightly/record/evaluation_record.h"

/// Evaluations made by hand, for tests that store, compare or print them.
namespace prescope {

/// A topic that judges `ranks.size()` documents, all of them relevant. The i-th, "ID-D1" and so on,
/// is found at ranks[i], or is missing if that is 0. Ranks may come in any order; 1000 hits.
[[nodiscard]] EvaluationRecord::Topic topic_found_at(const std::string& id,
                                                     const std::vector<Rank>& ranks);

/// An evaluation of depth 1000 with these measures, on an index that has all judged documents
/// unless a test removes it. Topics are sorted and counted.
[[nodiscard]] EvaluationRecord evaluation_record(std::vector<EvaluationRecord::Topic> topics,
                                                 std::string_view measures = "PRES@100,R@100");

/// Pinned as "main".
[[nodiscard]] Baseline baseline_of(const EvaluationRecord& record);

/// Topics T1000, T1001, ... that all find their four citations at ranks 1, 20, 40 and 90.
[[nodiscard]] std::vector<EvaluationRecord::Topic> steady_topics(std::size_t count);

/// Query i of n takes shortest_ms + i * step_ms; replaces earlier latencies.
void set_latencies(EvaluationRecord& record, std::uint32_t queries, double shortest_ms,
                   double step_ms);

/// Returns the rule of this id; fails the test if there is none.
[[nodiscard]] GateVerdict::Rule rule_of(const GateVerdict& verdict, std::string_view id);

}  // namespace prescope
