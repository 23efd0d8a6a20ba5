// Observations in an SQLite store: batches, each of them one transaction.
#include <fmt/format.h>
#include <map>

#include "base/file_identity.h"
#include "facts/health_counters.h"
#include "facts/observation_fields.h"
#include "facts/observation_rules.h"
#include "live/option_checks.h"
#include "statistics/latency_sketch.h"
#include "store/sessions/observation_reader.h"
#include "store/sessions/observation_schema.h"
#include "store/sessions/session_numbers.h"

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

void check_store_log(const StoreLogOptions& options, const std::string& path) {
  OptionChecks problems;
  problems.check_range("captured_hits", options.captured_hits, 0U, 100'000U);
  problems.check_milliseconds("rollup_interval", options.rollup_interval, 100, 3'600'000);
  problems.refuse_any(fmt::format("options of the log to {}", path));
}

/// Adds the observations since the last call to the sums by topic, in the caller's transaction.
void roll_up_topics(Database& database) {
  const std::int64_t from = database.number("SELECT rolled_up_to FROM log_state");
  const std::int64_t to = database.number("SELECT ifnull(max(seq), 0) FROM observations");
  if (to <= from) return;
  // Without those that no user waited for.
  constexpr RankingFlags kLeftOut = kNotTimed | RankingFlags::kShadow;
  const std::string timed =
      fmt::format("(flags & {}) = 0 AND latency_ns >= 0", static_cast<std::uint32_t>(kLeftOut));
  database.run(fmt::format(
      "INSERT INTO topic_totals SELECT arm, topic, count(*), count(pres), total(pres),"
      " count(recall), total(recall), count(ap), total(ap), sum({0}),"
      " sum(CASE WHEN {0} THEN latency_ns ELSE 0 END), min(time_ms), max(time_ms)"
      " FROM observations WHERE seq > {1} AND seq <= {2} AND topic IS NOT NULL AND stage IN (0, 2) "
      "GROUP BY arm, topic"
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

/// A sum that a store can be read with again: 36 years.
constexpr std::chrono::nanoseconds kLongestSum{std::int64_t{1} << 60U};

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
           std::span<const std::optional<double>> of_measures) noexcept;
};

void HourlySum::add(const Observation& observation,
                    std::span<const std::optional<double>> of_measures) noexcept {
  const bool shadow = has(observation.flags, RankingFlags::kShadow);
  const Answer answer = answer_of(observation);
  if (answer == Answer::kUnseen) return;
  if (answer == Answer::kFailure) {
    ++(has(observation.flags, RankingFlags::kTimedOut) ? timed_out : failed);
    if (!shadow) latency.add_failure();
  } else {
    ++(observation.topic != kUnjudgedTopic ? judged : unjudged);
  }
  for (std::size_t i = 0; i < of_measures.size(); ++i) {
    if (!of_measures[i]) continue;
    ++scores[i].n;
    scores[i].sum += *of_measures[i];
  }
  if (shadow || !is_timed(observation)) return;
  latency.add(observation.latency);
  ++latency_n;
  latency_sum = std::min(latency_sum + observation.latency, kLongestSum);
}

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

/// The rows of `hourly` that a transaction changes.
class HourlySums {
 public:
  explicit HourlySums(const Database& database) : database_(database) {}

  /// Returns the sums of an arm of `session_arms` in the hour of `time`. Throws Error.
  HourlySum& at(std::int64_t arm, UtcTime time);
  void write() const;

 private:
  const Database& database_;
  std::map<std::pair<std::int64_t, UtcTime>, HourlySum> sums_;  // by arm and hour
};

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

/// A log, the experiment that it records, and the store that it writes to.
struct LogToStore {
  const Experiment& experiment;
  const ObservationLog& log;
  std::filesystem::path path;
  StoreLogOptions options;
};

/// An open store with a session of the experiment. Not for a file that replaces it.
class SessionWriter {
 public:
  /// Opens the store, or makes it, and adds the session after the `changes` so far. Throws Error.
  SessionWriter(const LogToStore& to, std::uint64_t lost_before,
                std::span<const LogBatch::Change> changes)
      : to_(to),
        database_(open_store_file(to.path, Database::Access::kWrite, to.options.durability)),
        identity_(FileIdentity::of(to.path)),
        scores_(default_measures(std::array{stored_cutoff(to.experiment)})),
        insert_(insert_into(
            database_,
            fmt::format("observations (seq, time_ms, arm, topic, hits, pres, recall, ap, {})",
                        field_names()))),
        insert_capture_(insert_into(database_, "captures (seq, kind, hits)")),
        insert_overlap_(insert_into(database_,
                                    "overlaps (session, epoch, time_ms, visit, request_id, query,"
                                    " arm, outcome, jaccard, rbo, identical, failed_first, failed,"
                                    " known_depth)")),
        insert_request_(database_, "INSERT OR IGNORE INTO requests VALUES (?, ?)"),
        insert_counter_(database_, "INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?)") {
    Transaction transaction(database_);
    roll_up_topics(database_);  // rows that a killed process left behind
    const std::int64_t after = last_seq();
    numbers_.emplace(database_, to.experiment,
                     SessionFacts{to.options, stored_cutoff(to.experiment), lost_before}, after);
    for (const LogBatch::Change& change : changes) numbers_->change(database_, change, after);
    transaction.commit();
  }

  /// Returns whether the file is still the one at its path.
  [[nodiscard]] bool is_at(const std::filesystem::path& path) const noexcept {
    return identity_ && FileIdentity::of(path) == identity_;
  }

  void write(const LogBatch& batch) {
    Transaction transaction(database_);
    SessionNumbers numbers = *numbers_;
    HourlySums hours(database_);
    std::int64_t seq = last_seq();
    batch.for_each(
        [&](const LoggedObservation& logged) {
          write_one(numbers, hours, logged.observation, seq);
        },
        [&](const LogBatch::Change& change) { numbers.change(database_, change, seq); });
    for (const VisitOverlap& overlap : batch.overlaps) write_overlap(numbers, overlap);
    hours.write();
    const bool sums_up = Clock::now() >= next_sums_;
    if (sums_up) sum_up();
    transaction.commit();
    numbers_ = std::move(numbers);
    are_sums_due_ = !sums_up;
    if (sums_up) next_sums_ = Clock::now() + to_.options.rollup_interval;
  }

  /// Brings the sums and the counters up to date when it is time.
  void upkeep() {
    if (Clock::now() < next_sums_) return;
    next_sums_ = Clock::now() + to_.options.rollup_interval;
    const bool has_news = health() != written_health_ ||
                          relevant_missing_of(*to_.experiment.latest()) != written_missing_;
    if (!are_sums_due_ && !has_news) return;
    Transaction transaction(database_);
    sum_up();
    transaction.commit();
    are_sums_due_ = false;
  }

  void close() {
    Transaction transaction(database_);
    sum_up();
    Statement(database_, "UPDATE sessions SET ended_ms = ? WHERE number = ?")
        .bind(utc_now(), numbers_->session())
        .run();
    transaction.commit();
  }

 private:
  /// Observations that were rolled up may have been removed since.
  [[nodiscard]] std::int64_t last_seq() const {
    return database_.number(
        "SELECT max(rolled_up_to, ifnull((SELECT max(seq) FROM observations), 0)) FROM log_state");
  }

  /// Returns the experiment's counters. Of what logs lost, only what this one did is counted: this
  /// store has what the others lost.
  [[nodiscard]] Health health() const {
    Health health = to_.experiment.latest()->health;
    const LogProgress own = to_.log.progress();
    health.log_queue_full = own.dropped_queue_full;
    health.log_write_failures = own.dropped_write_failures;
    health.log_lost_with_file = own.lost_with_file;
    health.logs_failing = health.log_waiting = 0;  // what this store has was written
    return health;
  }

  /// Returns ArmSummary::relevant_missing of each arm.
  static std::vector<std::optional<std::uint64_t>> relevant_missing_of(const Summary& summary) {
    std::vector<std::optional<std::uint64_t>> missing;
    for (const ArmSummary& arm : summary.arms) {
      missing.push_back(arm.relevant_missing);
    }
    return missing;
  }

  /// Within a transaction. An arm that the log has not come to yet is left out.
  void write_relevant_missing() {
    const std::shared_ptr<const Summary> latest = to_.experiment.latest();
    written_missing_ = relevant_missing_of(*latest);
    Statement set(
        database_,
        "UPDATE session_arms SET relevant_missing = ?, missing_series = ? WHERE number = ?");
    const std::size_t arms = std::min(written_missing_.size(), numbers_->num_arms());
    for (std::uint32_t a = 0; a < arms; ++a) {
      set.bind(written_missing_[a], texts_json(latest->arms[a].missing_series),
               numbers_->arm(ArmIndex(a)))
          .run();
    }
  }

  /// Within a transaction.
  void sum_up() {
    roll_up_topics(database_);
    write_relevant_missing();
    written_health_ = health();
    const UtcTime now = utc_now();
    for (const HealthCounter& one : health_counters()) {
      insert_counter_.bind(numbers_->session(), one.name, written_health_.*one.member, now).run();
    }
  }

  void write_one(SessionNumbers& numbers, HourlySums& hours, const Observation& observation,
                 std::int64_t& seq) {
    const bool judged = observation.topic != kUnjudgedTopic;
    std::span<const std::optional<double>> scores;
    if (judged) {
      const Qrels& qrels = to_.experiment.qrels(observation.judgements_version);
      scores = scores_.of(observation, qrels.topic(observation.topic),
                          to_.experiment.options().recording.scored_flags);
    }
    const std::int64_t arm = numbers.arm(observation.arm);
    if (!is_inner(observation.stage)) hours.at(arm, observation.time).add(observation, scores);
    if (observation.request_id != 0) {
      insert_request_.bind(observation.request_id, observation.time).run();
    }
    if (!judged && to_.options.unjudged == StoreLogOptions::Unjudged::kCounted) return;
    const std::optional<std::int64_t> topic = numbers.topic(database_, observation);
    const auto score = [&](std::size_t i) { return judged ? scores[i] : std::nullopt; };
    bytes_.clear();
    write_hits(bytes_, observation.hits);
    with_field_values(observation, [&](const auto&... fields) {
      insert_
          .bind(++seq, observation.time, arm, topic, bytes_or_null(), score(0), score(1), score(2),
                fields...)
          .run();
    });
    write_capture(observation, seq);
  }

  void write_overlap(const SessionNumbers& numbers, const VisitOverlap& visit) {
    for (const PairOverlap& pair : visit.pairs) {
      const bool has_values = pair.state == PairOverlap::State::kCompared;
      const auto value = [&](double of) { return has_values ? std::optional(of) : std::nullopt; };
      insert_overlap_
          .bind(numbers.session(), visit.epoch, visit.time, visit.visit, visit.request_id,
                visit.query, numbers.arm(pair.b), word_in(kOverlapWords, pair.state),
                value(pair.jaccard), value(pair.rbo), pair.is_identical, pair.has_failed_a,
                pair.has_failed_b, pair.depth)
          .run();
    }
  }

  void write_capture(const Observation& observation, std::int64_t seq) {
    const std::size_t most = to_.options.captured_hits;
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

  const LogToStore& to_;
  Database database_;
  std::optional<FileIdentity> identity_;
  ObservationScores scores_;
  Statement insert_, insert_capture_, insert_overlap_, insert_request_, insert_counter_;
  std::string bytes_;
  std::optional<SessionNumbers> numbers_;  // as of the last commit
  Health written_health_{};
  std::vector<std::optional<std::uint64_t>> written_missing_;  // by arm
  bool are_sums_due_ = false;
  Clock::time_point next_sums_ = Clock::now() + to_.options.rollup_interval;
};

/// Writes to the store at a path, whichever file that is.
class StoreSink : public LogSink {
 public:
  explicit StoreSink(LogToStore to) : to_(std::move(to)) { follow_path(); }

  void write(const LogBatch& batch) override {
    follow_path();
    writer_->write(batch);
    // Rows that went into a file that was removed meanwhile are written once more.
    if (follow_path()) writer_->write(batch);
    acknowledged_ += batch.observations.size();
    changes_.insert(changes_.end(), batch.changes.begin(), batch.changes.end());
  }

  void upkeep() override {
    follow_path();
    writer_->upkeep();
  }

  void close() override {
    follow_path();
    writer_->close();
  }

  [[nodiscard]] std::uint64_t lost_with_file() const noexcept override { return lost_; }

 private:
  /// Opens the store if another file, or none, is at the path; returns true if it did. Throws
  /// Error if it cannot be opened; tried again at the next call.
  bool follow_path() {
    if (writer_ && writer_->is_at(to_.path)) return false;
    if (writer_) {
      writer_.reset();
      lost_ += std::exchange(acknowledged_, 0);
    }
    writer_ = std::make_unique<SessionWriter>(to_, lost_, changes_);
    return true;
  }

  const LogToStore to_;
  std::unique_ptr<SessionWriter> writer_;
  std::vector<LogBatch::Change> changes_;  // written so far
  std::uint64_t acknowledged_ = 0;         // observations in the present file
  std::uint64_t lost_ = 0;                 // those in earlier files
};

}  // namespace

std::shared_ptr<ObservationLog> log_to_store(std::filesystem::path path, StoreLogOptions options) {
  auto open = [path, options](const Experiment& experiment, const ObservationLog& log) {
    check_store_log(options, path.string());
    return std::make_unique<StoreSink>(LogToStore{experiment, log, path, options});
  };
  return std::make_shared<LogQueue>(path.string(), options.queue, std::move(open),
                                    options.on_warning, options.on_settled);
}

}  // namespace prescope
