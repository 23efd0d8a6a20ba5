#pragma once

#include "runs/read_runs.h"

namespace prescope {

/// The finding that more judged documents of a run match under another docno policy.
struct DocnoHint {
  DocnoPolicy policy = DocnoPolicy::kRaw;
  std::uint64_t judged = 0;   ///< docnos of the qrels, as spelled there, each once
  std::uint64_t matched = 0;  ///< judged docnos that are retrieved for a topic that judges them
  std::uint64_t would_match = 0;
};

/// How far a hint is looked for, and how small it may be.
enum class HintSearch {
  kFirstLines,  ///< the first thousand lines of judged topics; hints that should_suggest
  kAllLines,    ///< the whole run; any hint, for those who compare it with another evaluation's
};

/// Reads the run once more only if another policy finds more in the lines looked at. Returns
/// std::nullopt if the source is no regular file and could not be read again. Throws as
/// read_run_facts.
[[nodiscard]] std::optional<DocnoHint> find_docno_hint(const Qrels& qrels, const RunFacts& facts,
                                                       const ReadRunOptions& options = {},
                                                       HintSearch search = HintSearch::kFirstLines);

/// Returns the policies, without a family map, that make more docnos one than `policy` does.
[[nodiscard]] std::vector<DocnoPolicy> coarser_policies(DocnoPolicy policy);
/// Returns the same judgements under another policy.
[[nodiscard]] Qrels under_policy(const Qrels& qrels, DocnoPolicy policy);
/// Returns whether so many more would match that it is not chance.
[[nodiscard]] bool should_suggest(std::uint64_t matched, std::uint64_t would_match) noexcept;

}  // namespace prescope
