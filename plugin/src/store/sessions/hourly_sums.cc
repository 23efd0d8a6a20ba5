#include "store/sessions/hourly_sums.h"

#include <fmt/format.h>
#include <string>

#include "live/ledger/ledger.h"
#include "prescope/error.h"
#include "store/sqlite/database.h"

namespace prescope {

namespace {

std::int64_t hour_of(UtcTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::floor<std::chrono::hours>(time).time_since_epoch())
      .count();
}

std::uint64_t count_at(const Statement& row, int column) {
  return static_cast<std::uint64_t>(row.integer(column));
}

HourlySum read_sum(Database& database, std::int64_t arm, std::int64_t hour) {
  Statement row(database,
                "SELECT judged, unjudged, failed, timed_out, pres_n, pres_sum, recall_n,"
                " recall_sum, ap_n, ap_sum, latency_n, latency_sum_ns, latency FROM hourly"
                " WHERE arm = ? AND hour_ms = ?");
  if (!row.bind(arm, hour).next()) return {};
  const std::optional<LatencySketch> latency = LatencySketch::from_bytes(row.text(12));
  if (!latency) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: table hourly, arm {}, hour {}: the latency is no sketch; the file "
                            "was changed by another program; restore it, or name another",
                            database.path().string(), arm, hour));
  }
  return {.judged = count_at(row, 0),
          .unjudged = count_at(row, 1),
          .failed = count_at(row, 2),
          .timed_out = count_at(row, 3),
          .scores = {{{count_at(row, 4), row.real(5)},
                      {count_at(row, 6), row.real(7)},
                      {count_at(row, 8), row.real(9)}}},
          .latency_n = count_at(row, 10),
          .latency_sum_ns = row.integer(11),
          .latency = *latency};
}

}  // namespace

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
  latency_sum_ns += observation.latency.count();
}

HourlySum& HourlySums::at(Database& database, std::int64_t arm, UtcTime time) {
  const Key key{hour_of(time), arm};
  auto found = kept_.find(key);
  if (found == kept_.end()) {
    found = kept_.emplace(key, Kept{.sum = read_sum(database, arm, key.first)}).first;
  }
  found->second.is_written = false;
  return found->second.sum;
}

void HourlySums::write(Database& database) {
  Statement put(
      database,
      "INSERT OR REPLACE INTO hourly VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (auto& [key, kept] : kept_) {
    if (kept.is_written) continue;
    const HourlySum& sum = kept.sum;
    const auto& [pres, recall, ap] = sum.scores;
    const std::string sketch = sum.latency.bytes();
    put.bind(key.second, key.first, sum.judged, sum.unjudged, sum.failed, sum.timed_out, pres.n,
             pres.sum, recall.n, recall.sum, ap.n, ap.sum, sum.latency_n, sum.latency_sum_ns,
             std::as_bytes(std::span(sketch)))
        .run();
    kept.is_written = true;
  }
  if (kept_.empty()) return;
  const std::int64_t newest = kept_.rbegin()->first.first;
  std::erase_if(kept_, [&](const auto& one) { return one.first.first < newest; });
}

}  // namespace prescope
