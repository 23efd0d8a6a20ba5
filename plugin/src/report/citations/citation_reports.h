#pragma once

#include "citations/import_citations.h"
#include "citations/inspect_store.h"
#include "report/document/document.h"

namespace prescope {

/// What an import read, by format, and what it could not read, by reason.
[[nodiscard]] ReportDocument import_report(const CitationImport& import, const std::string& store,
                                           const StoreCounts& holds);
/// One patent: its publications, its family, whom it cites and who cites it.
[[nodiscard]] ReportDocument shown_document_report(const ShownDocument& document);
/// A whole store, with a figure for each distribution.
[[nodiscard]] ReportDocument store_report(const StoreStatistics& statistics,
                                          const std::string& store, const CitationRule& rule);

/// What a rule left out of the citations, and what it kept without knowing enough, a sentence each.
[[nodiscard]] std::vector<std::string> judging_notes(const JudgingCounts& counts,
                                                     const CitationRule& rule);

}  // namespace prescope
