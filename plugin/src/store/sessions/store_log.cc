// Observations in an SQLite store: batches, each of them one transaction.
#include <fmt/format.h>

#include "live/ledger/ledger.h"
#include "live/option_checks.h"
#include "store/sessions/observation_reader.h"
#include "store/sessions/observation_schema.h"
#include "store/sessions/session_numbers.h"
#include "store/sqlite/schema.h"

namespace prescope {

namespace {

using Clock = std::chrono::steady_clock;

/// Returns the smallest cutoff of the experiment's measures, at which PRES, recall and AP are
/// stored.
Cutoff stored_cutoff(const Experiment& experiment) {
  constexpr Cutoff kWithoutAny{100};
  std::optional<Cutoff> smallest;
  for (const Measure& measure : experiment.measures()) {
    const std::optional<Cutoff> cutoff = measure.cutoff();
    if (cutoff && (!smallest || *cutoff < *smallest)) smallest = cutoff;
  }
  return smallest.value_or(kWithoutAny);
}

std::vector<Measure> stored_measures(Cutoff cutoff) {
  const Cutoff cutoffs[] = {cutoff};
  return default_measures(cutoffs);  // PRES, R, AP
}

void check_store_log(const StoreLogOptions& options, const std::string& path) {
  check_log_queue(options.queue, path);
  OptionChecks problems;
  problems.check_range("captured_hits", options.captured_hits, 0U, 100'000U);
  problems.check_milliseconds("rollup_interval", options.rollup_interval, 100, 3'600'000);
  problems.refuse_any(fmt::format("options of the log to {}", path));
}

/// The sums of an arm of a session over an hour: a row of `hourly`.
struct HourlySum {
  std::uint64_t judged = 0, unjudged = 0, failed = 0, timed_out = 0;
  struct Mean {
    std::uint64_t n = 0;
    double sum = 0.0;
  };
  std::array<Mean, 3> scores{};  ///< PRES, R, AP
  std::uint64_t latency_n = 0;
  std::chrono::nanoseconds latency_sum{};
  LatencySketch latency{};  ///< of the searches that users waited for

  /// `of_measures`: PRES, R and AP; std::nullopt for an unjudged query.
  void add(const Observation& observation,
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
};

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
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: table hourly, arm {}, hour {}: the latency is no sketch; the file "
                            "was changed by another program; restore it, or name another",
                            database.path().string(), arm, hour.time_since_epoch().count()));
  }
  sum.latency = *latency;
  return sum;
}

/// The hours that are being written. Rows of the past are read again if a clock went back.
class HourlySums {
 public:
  /// Returns the sums of an arm of `session_arms` in the hour of `time`. Throws Error.
  HourlySum& at(const Database& database, std::int64_t arm, UtcTime time) {
    const Hour hour = std::chrono::floor<std::chrono::hours>(time);
    const auto known = kept_.find({hour, arm});
    if (known != kept_.end()) return known->second;
    return kept_[{hour, arm}] = read_sum(database, arm, hour);
  }

  /// Writes the sums, and forgets all but the newest hour.
  void write(const Database& database) {
    if (kept_.empty()) return;
    Statement put(
        database,
        "INSERT OR REPLACE INTO hourly VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const auto& [hour_and_arm, sum] : kept_) {
      const auto& [pres, recall, ap] = sum.scores;
      const std::string sketch = sum.latency.bytes();
      put.bind(hour_and_arm.second, UtcTime(hour_and_arm.first), sum.judged, sum.unjudged,
               sum.failed, sum.timed_out, pres.n, pres.sum, recall.n, recall.sum, ap.n, ap.sum,
               sum.latency_n, sum.latency_sum, std::as_bytes(std::span(sketch)))
          .run();
    }
    const Hour newest = kept_.rbegin()->first.first;
    std::erase_if(kept_, [&](const auto& one) { return one.first.first < newest; });
  }

 private:
  using Hour = std::chrono::sys_time<std::chrono::hours>;
  std::map<std::pair<Hour, std::int64_t>, HourlySum> kept_;  // by hour and arm
};

/// Adds the observations since the last call to the sums by topic, in the caller's transaction.
void roll_up_topics(Database& database) {
  const std::int64_t from = database.number("SELECT rolled_up_to FROM log_state");
  const std::int64_t to = database.number("SELECT ifnull(max(seq), 0) FROM observations");
  if (to <= from) return;
  // Excludes searches whose latency is not the arm's, or that no user waited for.
  constexpr RankingFlags kNotTimed = RankingFlags::kRetried | RankingFlags::kUntimed |
                                     RankingFlags::kShadow | RankingFlags::kFailed |
                                     RankingFlags::kTimedOut;
  const std::string timed =
      fmt::format("(flags & {}) = 0 AND latency_ns >= 0", static_cast<std::uint32_t>(kNotTimed));
  database.run(fmt::format(
      "INSERT INTO topic_totals SELECT arm, topic, count(*), count(pres), total(pres),"
      " count(recall), total(recall), count(ap), total(ap), sum({0}),"
      " sum(CASE WHEN {0} THEN latency_ns ELSE 0 END), min(time_ms), max(time_ms)"
      " FROM observations WHERE seq > {1} AND seq <= {2} AND topic IS NOT NULL GROUP BY arm, topic"
      " ON CONFLICT (arm, topic) DO UPDATE SET visits = visits + excluded.visits,"
      " pres_n = pres_n + excluded.pres_n, pres_sum = pres_sum + excluded.pres_sum,"
      " recall_n = recall_n + excluded.recall_n, recall_sum = recall_sum + excluded.recall_sum,"
      " ap_n = ap_n + excluded.ap_n, ap_sum = ap_sum + excluded.ap_sum,"
      " latency_n = latency_n + excluded.latency_n,"
      " latency_sum_ns = latency_sum_ns + excluded.latency_sum_ns,"
      " first_ms = min(first_ms, excluded.first_ms), last_ms = max(last_ms, excluded.last_ms);"
      "UPDATE log_state SET rolled_up_to = {2}",
      timed, from, to));
}

class StoreSink : public LogSink {
 public:
  StoreSink(const Experiment& experiment, const std::filesystem::path& path,
            const StoreLogOptions& options)
      : experiment_(experiment),
        options_(options),
        database_(open_store_file(path, Database::Access::kWrite, options.durability)),
        cutoff_(stored_cutoff(experiment)),
        scores_(stored_measures(cutoff_)),
        insert_(insert_into(
            database_,
            "observations (seq, time_ms, arm, topic, generation, first_rank, depth,"
            " num_ret, total_hits, duplicates, flags, latency_ns, self_ns, pres, recall,"
            " ap, hits)")),
        insert_capture_(insert_into(database_, "captures (seq, kind, hits)")) {
    Transaction transaction(database_);
    roll_up_topics(database_);  // rows that a killed process left behind
    done_.emplace(Done{SessionNumbers(database_, experiment, options.unjudged, cutoff_), {}});
    transaction.commit();
  }

  void write(const LogBatch& batch) override {
    Transaction transaction(database_);
    Done done = *done_;
    // Observations that were rolled up may have been removed since.
    std::int64_t seq = database_.number(
        "SELECT max(rolled_up_to, ifnull((SELECT max(seq) FROM observations), 0)) FROM log_state");
    auto change = batch.changes.begin();
    for (std::size_t i = 0; i <= batch.observations.size(); ++i) {
      for (; change != batch.changes.end() && change->before == i; ++change) {
        done.numbers.change(database_, *change, seq);
      }
      if (i < batch.observations.size()) write_one(done, batch.observations[i], seq);
    }
    done.hours.write(database_);
    const bool rolls_up = Clock::now() >= next_rollup_;
    if (rolls_up) roll_up_topics(database_);
    transaction.commit();
    done_ = std::move(done);
    if (rolls_up) rolled_up();
  }

  void upkeep() override {
    if (is_rolled_up_ || Clock::now() < next_rollup_) return;
    close();
  }

  void close() override {
    Transaction transaction(database_);
    roll_up_topics(database_);
    transaction.commit();
    rolled_up();
  }

 private:
  /// Changed by a transaction beside the store.
  struct Done {
    SessionNumbers numbers;
    HourlySums hours;
  };

  void write_one(Done& done, const LoggedObservation& logged, std::int64_t& seq) {
    const Observation& observation = logged.observation;
    const UtcTime time = logged.time;
    const bool judged = observation.topic != kUnjudgedTopic;
    std::span<const std::optional<double>> scores;
    if (judged) {
      const Qrels& qrels = experiment_.qrels(observation.judgements_version);
      scores = scores_.of(observation, qrels.topic(observation.topic), qrels.min_grade());
    }
    const std::int64_t arm = done.numbers.arm(observation.arm);
    done.hours.at(database_, arm, time).add(observation, scores);
    if (!judged && options_.unjudged == StoreLogOptions::Unjudged::kCounted) return;
    const auto score = [&](std::size_t i) { return judged ? scores[i] : std::nullopt; };
    bytes_.clear();
    write_hits(bytes_, observation.hits);
    insert_
        .bind(++seq, time, arm, done.numbers.topic(observation),
              done.numbers.generation(database_, observation, time), observation.first_rank,
              observation.requested_depth, observation.num_ret, observation.total_hits,
              observation.duplicates, observation.flags, observation.latency, observation.self_time,
              score(0), score(1), score(2), bytes_or_null())
        .run();
    write_capture(observation, seq);
    is_rolled_up_ = false;
  }

  void write_capture(const Observation& observation, std::int64_t seq) {
    const std::size_t most = options_.captured_hits;
    const auto docids = observation.captured_docids;
    const auto keys = observation.captured_keys;
    if (most == 0 || (docids.empty() && keys.empty())) return;
    bytes_.clear();
    write_docids(bytes_, docids.first(std::min(most, docids.size())));
    write_keys(bytes_, keys.first(std::min(most, keys.size())));
    insert_capture_.bind(seq, keys.empty() ? "docids" : "keys", bytes_or_null()).run();
  }

  [[nodiscard]] std::optional<Statement::Bytes> bytes_or_null() const {
    return bytes_.empty() ? std::nullopt : std::optional(std::as_bytes(std::span(bytes_)));
  }

  void rolled_up() {
    is_rolled_up_ = true;
    next_rollup_ = Clock::now() + options_.rollup_interval;
  }

  const Experiment& experiment_;
  const StoreLogOptions options_;
  Database database_;
  Cutoff cutoff_;
  ObservationScores scores_;
  Statement insert_, insert_capture_;
  std::string bytes_;
  std::optional<Done> done_;
  bool is_rolled_up_ = true;
  Clock::time_point next_rollup_ = Clock::now() + options_.rollup_interval;
};

}  // namespace

std::shared_ptr<ObservationLog> log_to_store(std::filesystem::path path, StoreLogOptions options) {
  auto open = [path, options](const Experiment& experiment) {
    check_store_log(options, path.string());
    return std::make_unique<StoreSink>(experiment, path, options);
  };
  return std::make_shared<LogQueue>(path.string(), options.queue, std::move(open));
}

}  // namespace prescope
