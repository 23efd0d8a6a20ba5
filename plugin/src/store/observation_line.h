#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation_record.h"
#include "prescope/measure.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"

namespace prescope {

/// One observation with the names of what it counts by number. Non-owning.
struct ObservationLine {
  UtcTime time{};
  std::string_view experiment{}, arm{};
  const TopicQrels* topic = nullptr;  ///< null: an unjudged query
  const Observation* observation = nullptr;
  std::span<const Rank> relevant{};  ///< ranks of relevant documents
  std::span<const Measure> measures{};
  std::span<const std::optional<double>> scores{};  ///< by measure
};

/// The names of the flags that are set, in the order of their bits.
[[nodiscard]] std::vector<std::string_view> flag_names(RankingFlags flags);

/// Milliseconds; nothing where the latency is unknown.
[[nodiscard]] std::optional<double> latency_ms(const Observation& observation) noexcept;

/// One JSON object and a line feed; `docs/live.md` has its keys.
void append_json_line(std::string& out, const ObservationLine& line);

}  // namespace prescope
