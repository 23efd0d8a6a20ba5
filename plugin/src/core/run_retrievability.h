#pragma once

#include <filesystem>

#include "core/document_numbers.h"
#include "core/retrievability.h"
#include "core/run_scan/rankings.h"
#include "prescope/docno.h"

namespace prescope {

/// What one run retrieves, judged or not.
struct CountedRun {
  DocumentNumbers documents{};  ///< by key
  RetrievabilityScores scores{};
};

/// Within `options.depth`, documents as `docnos` makes keys of them. What is kept in memory is the
/// documents. Throws as read_rankings.
[[nodiscard]] CountedRun count_run(const std::filesystem::path& path,
                                   const ReadRankingsOptions& options,
                                   const DocnoNormalizer& docnos);

/// Numbers the documents of `run` as `documents` does, to which new ones are added.
[[nodiscard]] RetrievabilityScores with_numbers_of(DocumentNumbers& documents, CountedRun run);

}  // namespace prescope
