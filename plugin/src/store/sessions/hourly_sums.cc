#include "store/sessions/hourly_sums.h"

#include <fmt/format.h>

#include "live/ledger/ledger.h"

namespace prescope {

void HourlySum::add(const Observation& observation,
                    std::span<const std::optional<double>> of_measures) noexcept {
  const bool shadow = has(observation.flags, RankingFlags::kShadow);
  if (!has_ranking(observation)) {
    ++(has(observation.flags, RankingFlags::kTimedOut) ? timed_out : failed);
    if (!shadow) latency.add_failure();
    return;
  }
  ++(observation.topic != kUnjudgedTopic ? judged : unjudged);
  for (std::size_t i = 0; i < of_measures.size(); ++i) {
    if (!of_measures[i]) continue;
    ++scores[i].n;
    scores[i].sum += *of_measures[i];
  }
  if (shadow || !is_timed(observation)) return;
  latency.add(observation.latency);
  ++latency_n;
  latency_sum += observation.latency;
}

std::string only_counted(std::uint64_t unjudged) {
  return fmt::format("{} unjudged {} only counted: the arms' counts and latencies are without {}",
                     unjudged, unjudged == 1 ? "query was" : "queries were",
                     unjudged == 1 ? "it" : "them");
}

namespace {

HourlySum read_sum(const Database& database, std::int64_t arm, UtcTime hour) {
  HourlySum sum;
  auto& [pres, recall, ap] = sum.scores;
  Statement row(database,
                "SELECT judged, unjudged, failed, timed_out, pres_n, pres_sum, recall_n,"
                " recall_sum, ap_n, ap_sum, latency_n, latency_sum_ns, latency FROM hourly"
                " WHERE arm = ? AND hour_ms = ?");
  if (!row.bind(arm, hour).next()) return sum;
  std::string_view sketch;
  row.read(sum.judged, sum.unjudged, sum.failed, sum.timed_out, pres.n, pres.sum, recall.n,
           recall.sum, ap.n, ap.sum, sum.latency_n, sum.latency_sum, sketch);
  const std::optional<LatencySketch> latency = LatencySketch::from_bytes(sketch);
  if (!latency) {
    refuse_content(database.path(), fmt::format("table hourly, arm {}, hour {}: the latency is no "
                                                "sketch",
                                                arm, hour.time_since_epoch().count()));
  }
  sum.latency = *latency;
  return sum;
}

}  // namespace

HourlySum& HourlySums::at(std::int64_t arm, UtcTime time) {
  const UtcTime hour = std::chrono::floor<std::chrono::hours>(time);
  const auto known = sums_.find({arm, hour});
  if (known != sums_.end()) return known->second;
  return sums_[{arm, hour}] = read_sum(database_, arm, hour);
}

void HourlySums::write() const {
  Statement put(
      database_,
      "INSERT OR REPLACE INTO hourly VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const auto& [arm_and_hour, sum] : sums_) {
    const auto& [arm, hour] = arm_and_hour;
    const auto& [pres, recall, ap] = sum.scores;
    const std::string sketch = sum.latency.bytes();
    put.bind(arm, hour, sum.judged, sum.unjudged, sum.failed, sum.timed_out, pres.n, pres.sum,
             recall.n, recall.sum, ap.n, ap.sum, sum.latency_n, sum.latency_sum,
             std::as_bytes(std::span(sketch)))
        .run();
  }
}

}  // namespace prescope
