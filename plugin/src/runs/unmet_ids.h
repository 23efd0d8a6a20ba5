#pragma once

#include "runs/scan/run_facts.h"

namespace prescope {

/// Lines of a run that would find a judged document if ids that look the same were the same:
/// quotation marks around them, characters without a width, kinds of spaces, wide letters and
/// letter case left aside.
struct UnmetIds {
  std::uint64_t lines = 0;           ///< at least 1
  std::uint64_t line = 0;            ///< number of the first
  std::string in_run{}, in_qrels{};  ///< its topic or docno, and the judgements' id
};

/// Reads the run once more if it or the judgements have ids with unusual characters. Returns
/// std::nullopt if no line is concerned, or if the source is no regular file. Throws Error(kIo).
[[nodiscard]] std::optional<UnmetIds> find_unmet_ids(const Qrels& qrels, const RunFacts& facts);

/// Returns whether ids with unusual characters cannot be compared, because the run comes from no
/// regular file and cannot be read once more.
[[nodiscard]] bool cannot_compare_ids(const Qrels& qrels, const RunFacts& facts);

/// "12 lines would find a judged document if ids that look the same were the same: ...".
[[nodiscard]] std::string unmet_ids_words(const UnmetIds& ids);

}  // namespace prescope
