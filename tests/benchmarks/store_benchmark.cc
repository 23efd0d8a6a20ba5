// Observations into a store, beside the floor: the same columns by a prepared INSERT through
// SQLite's C API, in the same transactions. CPU time of all threads of the process, so that a
// loaded machine does not matter; answers (rows, sums) are compared before times are printed.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "live/ledger/ledger.h"
#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "store/sessions/observation_schema.h"
#include "store/sqlite/database.h"

namespace prescope {
namespace {

constexpr std::size_t kObservations = 400'000, kBatch = 4096, kTopics = 10'000, kJudgements = 10;

Qrels many_topics() {
  std::vector<Qrels::Line> lines;
  for (std::size_t t = 0; t < kTopics; ++t) {
    for (std::size_t j = 0; j < kJudgements; ++j) {
      lines.push_back({TopicId(fmt::format("EP{:07}A1", t)), Docno(fmt::format("EP{:07}", t + j))});
    }
  }
  return Qrels::from_lines(lines);
}

/// Half of the judged documents found, anywhere among a thousand hits; three rankings of each
/// visit: the user's and one of each arm for comparison. Half of the visits have a key.
struct Drawn {
  Observation observation;
  std::vector<JudgedHit> hits;
};

std::vector<Drawn> draw_observations() {
  std::mt19937_64 random(1);
  std::vector<Drawn> all(kObservations);
  std::uint64_t row = 0, key = 0;
  for (Drawn& one : all) {
    const std::uint64_t visit = 1 + row / 3;
    const bool is_served = row++ % 3 == 0;
    if (is_served) key = random() % 2 == 0 ? random() : 0;
    Rank rank = 0;
    for (std::uint32_t j = 0; j < kJudgements; ++j) {
      rank += static_cast<Rank>(1 + random() % 90);
      if (random() % 2 == 0) one.hits.push_back({rank, JudgementIndex(j)});
    }
    one.observation = {.topic = TopicIndex(static_cast<std::uint32_t>(random() % kTopics)),
                       .arm = ArmIndex(static_cast<std::uint32_t>(random() % 2)),
                       .visit = visit,
                       .visit_key = key,
                       .compared_arms = is_served ? 0U : 2U,
                       .generation = 1 + random() % 3,
                       .documents = 1'000'000,
                       .total_hits = random() % 100'000,
                       .latency = std::chrono::nanoseconds(1'000'000 + random() % 40'000'000),
                       .self_time = std::chrono::nanoseconds(2000 + random() % 2000),
                       .depth = 1000,
                       .num_ret = 1000,
                       .covered = 1000};
  }
  for (Drawn& one : all) one.observation.hits = one.hits;
  return all;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double cpu_of(const std::function<void()>& work) {
  const double before = cpu_seconds();
  work();
  return cpu_seconds() - before;
}

/// Begins with the qrels stored, as every session but the first.
double log_all(const std::filesystem::path& path, const Qrels& qrels, const std::vector<Drawn>& all,
               StoreLogOptions options) {
  { const Experiment first(qrels, {.arms = {"a", "b"}, .logs = {log_to_store(path, options)}}); }
  const auto log = log_to_store(path, options);
  const Experiment experiment(qrels, {.arms = {"a", "b"}, .logs = {log}});
  return cpu_of([&] {
    for (const Drawn& one : all) log->record(one.observation);
    if (!log->flush()) std::abort();
  });
}

/// As the recorder does, into a ledger and a log.
double record_all(const std::filesystem::path& path, const Qrels& qrels,
                  const std::vector<Drawn>& all, StoreLogOptions options) {
  const auto log = log_to_store(path, options);
  const Experiment experiment(qrels, {.arms = {"a", "b"}, .mode = Mode::kPaired, .logs = {log}});
  const JudgedDocnos judged(qrels);
  const std::span<const Measure> measures = experiment.measures();
  const Scorer scorer({measures.begin(), measures.end()});
  Ledger ledger(judged, scorer, 2, {.mode = Mode::kPaired, .epochs = EpochRule::kConfiguration});
  return cpu_of([&] {
    for (const Drawn& one : all) {
      (void)ledger.record(one.observation);
      log->record(one.observation);
    }
    if (!log->flush()) std::abort();
  });
}

void must(int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE) std::abort();
}

double insert_all(const std::filesystem::path& path, const std::vector<Drawn>& all) {
  sqlite3* database = nullptr;
  must(sqlite3_open(path.c_str(), &database));
  must(sqlite3_exec(database,
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                    "PRAGMA wal_autocheckpoint = 4000; CREATE TABLE observations (seq INTEGER"
                    " PRIMARY KEY, time_ms, arm, topic, generation, first_rank, depth, num_ret,"
                    " total_hits, duplicates, flags, latency_ns, self_ns, pres REAL, recall REAL,"
                    " ap REAL, hits BLOB, visit, visit_key, compared_arms, covered, exhausted)",
                    nullptr, nullptr, nullptr));
  sqlite3_stmt* insert = nullptr;
  must(sqlite3_prepare_v2(
      database,
      "INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
      " ?, ?, ?)",
      -1, &insert, nullptr));
  std::string bytes;
  const double seconds = cpu_of([&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Observation& one = all[i].observation;
      if (i % kBatch == 0) must(sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr));
      bytes.clear();
      write_hits(bytes, one.hits);
      int p = 0;
      for (const std::int64_t value :
           {static_cast<std::int64_t>(i + 1), std::int64_t{1'790'000'000'000},
            std::int64_t{one.arm.value()}, std::int64_t{one.topic.value()},
            static_cast<std::int64_t>(one.generation), std::int64_t{one.first_rank},
            std::int64_t{one.depth}, std::int64_t{one.num_ret},
            static_cast<std::int64_t>(one.total_hits), std::int64_t{one.duplicates},
            std::int64_t{0}, std::int64_t{one.latency.count()},
            std::int64_t{one.self_time.count()}}) {
        must(sqlite3_bind_int64(insert, ++p, value));
      }
      for (int score = 0; score < 3; ++score) {
        must(sqlite3_bind_double(insert, ++p, 0.1 * score + 0.05));
      }
      must(sqlite3_bind_blob(insert, ++p, bytes.data(), static_cast<int>(bytes.size()),
                             SQLITE_TRANSIENT));
      for (const std::uint64_t value : {one.visit, one.visit_key, std::uint64_t{one.compared_arms},
                                        std::uint64_t{one.covered}, std::uint64_t{0}}) {
        must(sqlite3_bind_int64(insert, ++p, static_cast<std::int64_t>(value)));
      }
      must(sqlite3_step(insert));
      must(sqlite3_reset(insert));
      if (i % kBatch == kBatch - 1 || i + 1 == all.size()) {
        must(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr));
      }
    }
  });
  sqlite3_finalize(insert);
  must(sqlite3_close(database));
  return seconds;
}

/// Checks that the store holds the observations drawn; returns the bytes of a row of the raw table.
double checked_bytes(const std::filesystem::path& path, const std::vector<Drawn>& all) {
  const Database database = open_store_file(path, Database::Access::kRead);
  std::int64_t latencies = 0;
  for (const Drawn& one : all) latencies += one.observation.latency.count();
  const auto same = [&](const char* sql, std::int64_t expected) {
    if (database.number(sql) == expected) return;
    fmt::print("{}: {} instead of {}\n", sql, database.number(sql), expected);
    std::exit(EXIT_FAILURE);
  };
  same("SELECT count(*) FROM observations", static_cast<std::int64_t>(all.size()));
  same("SELECT sum(latency_ns) FROM observations", latencies);
  same("SELECT sum(latency_sum_ns) FROM hourly", latencies);
  same("SELECT sum(latency_sum_ns) FROM topic_totals", latencies);
  Database writable(path, Database::Access::kWrite);
  const std::int64_t page = writable.number("PRAGMA page_size");
  const std::int64_t before =
      writable.number("PRAGMA page_count") - writable.number("PRAGMA freelist_count");
  writable.run("DELETE FROM observations");
  const std::int64_t after =
      writable.number("PRAGMA page_count") - writable.number("PRAGMA freelist_count");
  return static_cast<double>((before - after) * page) / static_cast<double>(all.size());
}

int run() {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("prescope-store-{}", getpid());
  std::filesystem::create_directories(folder);
  const Qrels qrels = many_topics();
  const std::vector<Drawn> all = draw_observations();
  const StoreLogOptions options{.queue = {.queue_bytes = std::size_t{256} << 20U, .batch = kBatch}};
  const double floor = insert_all(folder / "floor.db", all);
  const double full = log_all(folder / "full.db", qrels, all, options);
  StoreLogOptions normal_options = options;
  normal_options.durability = StoreLogOptions::Durability::kNormal;
  const double normal = log_all(folder / "normal.db", qrels, all, normal_options);
  const double bytes = checked_bytes(folder / "full.db", all);
  const auto print = [&](const char* what, double seconds) {
    fmt::print("{:<34} {:>9.0f} observations a CPU second  {:>5.2f} us each  {:>5.2f} x floor\n",
               what, static_cast<double>(all.size()) / seconds,
               1e6 * seconds / static_cast<double>(all.size()), seconds / floor);
  };
  const double recorder = record_all(folder / "recorder.db", qrels, all, options);
  print("prepared INSERT, C API", floor);
  print("log_to_store, synchronous FULL", full);
  print("log_to_store, synchronous NORMAL", normal);
  print("ledger, and log_to_store FULL", recorder);
  fmt::print("bytes an observation: {:.1f}\n", bytes);
  const double rate = static_cast<double>(all.size()) / full;
  const double recorded = static_cast<double>(all.size()) / recorder;
  const auto held = [](bool holds) { return holds ? "holds" : "FAILS"; };
  fmt::print("bar: 200000 a CPU second: {}; 150000 with the ledger: {}; 120 bytes: {}\n",
             held(rate >= 200'000), held(recorded >= 150'000), held(bytes <= 120));
  std::filesystem::remove_all(folder);
  const bool all_hold = rate >= 200'000 && recorded >= 150'000 && bytes <= 120;
  return all_hold ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace prescope

int main() { return prescope::run(); }
