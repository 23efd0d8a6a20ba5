#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/evaluation.h"
#include "core/run_facts.h"
#include "prescope/measure.h"
#include "prescope/qrels.h"

namespace prescope {

/// Whether a measure has a value where a document is counted again at each of its lines: PRES, R,
/// AP, which PRESeval prints.
[[nodiscard]] bool counts_lines(const Measure& measure) noexcept;

/// Means over topics of a run that repeats documents, where every line of a relevant document is
/// another document found, as PRESeval, the script of Magdy & Jones, counts: Recall can exceed 1.
/// One value for each measure, nothing for those that do not count lines. Reads the file again;
/// `options` must not ask for judged documents only. Throws as read_run_facts.
[[nodiscard]] std::vector<std::optional<double>> means_of_every_line(
    const Qrels& qrels, const std::filesystem::path& path, const std::vector<Measure>& measures,
    const EvaluateOptions& options, ScorePrecision precision);

}  // namespace prescope
