#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/history.h"
#include "report/history_report.h"
#include "store/store.h"

namespace prescope::serve {

/// Adds means that were not stored, from the facts that were.
void add_means(const Store& store, std::span<const Measure> measures, std::vector<Night>& nights);

/// What a report on these nights of the store says: changes of `measures`, and the newest night of
/// each arm tested against its baseline and the last one accepted. `path` as it is to be shown.
[[nodiscard]] HistoryReport history_report(const Store& store, const std::string& path,
                                           std::span<const Night> nights,
                                           std::span<const std::string> measures,
                                           const HistoryFilter& filter);

}  // namespace prescope::serve
