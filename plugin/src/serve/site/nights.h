#pragma once

#include "report/nightly/history_report.h"
#include "store/nights/store.h"

namespace prescope::serve {

/// Adds means that were not stored, computed from the stored facts.
void add_means(const Store& store, std::span<const Measure> measures, std::vector<Night>& nights);

/// Returns the report on these nights of the store: changes of `measures`, and the newest night of
/// each arm tested against its baseline and the last one accepted. `path` is printed as given.
[[nodiscard]] HistoryReport history_report(const Store& store, const std::string& path,
                                           std::span<const Night> nights,
                                           std::span<const std::string> measures,
                                           const HistoryFilter& filter);

// Documents of the site. Each call reads the store again, because other processes may write to it.
// All throw Error kIo and kBadInput if it cannot be read.

/// Returns the output of `prescope history --json`.
[[nodiscard]] std::string history_document(const std::filesystem::path& store);
/// Returns the output of `prescope gate --json` for evaluation `night` against evaluation
/// `baseline` under the default rules. Throws Error(kUsage) too: unknown numbers; evaluations that
/// cannot be compared.
[[nodiscard]] std::string nights_compared(const std::filesystem::path& store, std::int64_t baseline,
                                          std::int64_t night);

}  // namespace prescope::serve
