#include "store/night_list.h"

#include <algorithm>
#include <limits>

#include "prescope/error.h"
#include "store/verdict_rows.h"

namespace prescope {
namespace {

constexpr std::int64_t kFirstMs = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLastMs = std::numeric_limits<std::int64_t>::max();

std::int64_t ms_of(const std::optional<UtcTime>& time, std::int64_t otherwise) {
  return time ? time->time_since_epoch().count() : otherwise;
}

void require_arm(const Database& database, const std::string& arm) {
  std::vector<std::string> names;
  Statement row(database,
                "SELECT DISTINCT a.name FROM evaluations e "
                "JOIN arms a ON a.number = e.arm ORDER BY a.name");
  while (row.next()) names.emplace_back(row.text(0));
  if (std::ranges::find(names, arm) != names.end()) return;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw Error(ErrorCode::kUsage, unknown_name_message("arm", arm, candidates));
}

/// What a night is made of besides its own row.
class NightReader {
 public:
  explicit NightReader(const Database& database)
      : means_(database,
               "SELECT measure, mean, topics FROM evaluation_means WHERE evaluation = ? "
               "ORDER BY position"),
        verdict_(database,
                 "SELECT outcome, reason, baseline, baseline_evaluation FROM verdicts "
                 "WHERE evaluation = ? ORDER BY number DESC LIMIT 1"),
        pins_(database,
              "SELECT name FROM pins WHERE evaluation = ? GROUP BY name ORDER BY min(number)") {}

  void complete(Night& night) {
    for (means_.bind(night.number); means_.next();) {
      night.means.push_back({.measure = std::string(means_.text(0)),
                             .mean = means_.real_if_any(1),
                             .topics = static_cast<std::uint32_t>(means_.integer(2))});
    }
    for (verdict_.bind(night.number); verdict_.next();) {
      night.outcome = parse_outcome(verdict_.text(0));
      night.reason = verdict_.text(1);
      night.baseline = verdict_.text(2);
      night.baseline_number = verdict_.integer_if_any<std::int64_t>(3);
    }
    for (pins_.bind(night.number); pins_.next();) night.pinned_as.emplace_back(pins_.text(0));
  }

 private:
  Statement means_, verdict_, pins_;
};

}  // namespace

std::vector<Night> read_nights(const Database& database, const Store::NightFilter& filter) {
  if (filter.arm) require_arm(database, *filter.arm);
  Statement row(database,
                "SELECT e.number, e.time_ms, a.name, e.source, q.hash, e.topics, e.p95_ms "
                "FROM evaluations e JOIN arms a ON a.number = e.arm "
                "JOIN qrels_versions q ON q.number = e.qrels "
                "WHERE e.time_ms >= ? AND e.time_ms < ? AND a.name = coalesce(?, a.name) "
                "ORDER BY e.time_ms DESC, e.number DESC LIMIT ?");
  // A negative limit is none.
  const std::int64_t limit = filter.last ? static_cast<std::int64_t>(*filter.last) : -1;
  NightReader reader(database);
  std::vector<Night> nights;
  row.bind(ms_of(filter.since, kFirstMs), ms_of(filter.until, kLastMs), filter.arm, limit);
  while (row.next()) {
    Night& night = nights.emplace_back();
    night = {.number = row.integer(0),
             .time = UtcTime(std::chrono::milliseconds(row.integer(1))),
             .arm = std::string(row.text(2)),
             .source = std::string(row.text(3)),
             .qrels = std::string(row.text(4)),
             .topics = static_cast<std::uint32_t>(row.integer(5)),
             .p95_ms = row.real_if_any(6)};
    reader.complete(night);
  }
  std::ranges::reverse(nights);
  return nights;
}

}  // namespace prescope
