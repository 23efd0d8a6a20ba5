// Reading nights out of a store, beside the same rows read in plain SQL through SQLite's C API.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "benchmarks/bars.h"
#include "store/nights/store.h"
#include "support/made_up_evaluations.h"

namespace prescope::benchmarks {
namespace {

namespace fs = std::filesystem;

/// A store of the benchmark, removed at its end.
class StoreOnDisk {
 public:
  StoreOnDisk(const std::string& name, std::uint32_t nights, std::uint32_t arms,
              std::uint32_t topics)
      : folder_(fs::temp_directory_path() / fmt::format("prescope-bench-{}-{}", name, getpid())),
        path_(folder_ / "nights.store") {
    fs::create_directories(folder_);
    Store store = Store::open(path_, Store::Access::kWrite);
    for (std::uint32_t night = 0; night < nights; ++night) {
      for (std::uint32_t arm = 0; arm < arms; ++arm) {
        store.add(made_up({.seed = night * arms + arm,
                           .topics = topics,
                           .most_found = 24,
                           .arm = fmt::format("arm{}", arm),
                           .time = UtcTime(std::chrono::days(20'000 + night)),
                           .measures = "PRES@100,R@100,AP@100,PRES@1000,R@1000,AP@1000",
                           .names = MadeUpEvaluation::Names::kPatents}));
      }
    }
  }
  ~StoreOnDisk() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  StoreOnDisk(const StoreOnDisk&) = delete;
  StoreOnDisk& operator=(const StoreOnDisk&) = delete;

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

  static const StoreOnDisk& one_large_night() {
    static const StoreOnDisk store("large", 1, 2, 10'000);
    return store;
  }
  static const StoreOnDisk& many_nights() {
    static const StoreOnDisk store("many", 1000, 1, 400);
    return store;
  }

 private:
  fs::path folder_, path_;
};

/// A connection and a statement without anything of ours; sums up the bytes of every column.
std::size_t bytes_in_plain_sql(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::size_t bytes = 0;
  const bool opened =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK;
  if (!opened) throw std::runtime_error(sqlite3_errmsg(database));
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      static_cast<void>(sqlite3_column_blob(statement, i));
      bytes += static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return bytes;
}

/// Each iteration by the time that `work` takes of the processor.
template <class Work>
void time_work(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    const double start = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    work();
    state.SetIterationTime(cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
  }
}

void read_large_night(benchmark::State& state) {
  const fs::path path = StoreOnDisk::one_large_night().path();
  time_work(state, [&] {
    const Store store = Store::open(path, Store::Access::kRead);
    for (const std::int64_t number : {1, 2}) {
      EvaluationRecord record = store.evaluation(number);
      benchmark::DoNotOptimize(record);
      if (record.topics.size() != 10'000) throw std::runtime_error("topics are missing");
    }
  });
}

void plain_sql_large_night(benchmark::State& state) {
  const fs::path path = StoreOnDisk::one_large_night().path();
  time_work(state, [&] {
    benchmark::DoNotOptimize(bytes_in_plain_sql(
        path, "SELECT t.name, e.* FROM evaluation_topics e JOIN topics t ON t.number = e.topic"));
  });
}

void list_many_nights(benchmark::State& state) {
  const fs::path path = StoreOnDisk::many_nights().path();
  time_work(state, [&] {
    const Store store = Store::open(path, Store::Access::kRead);
    const std::vector<Night> nights = store.nights();
    if (nights.size() != 1000 || nights.back().means.size() != 6) {
      throw std::runtime_error("nights are missing");
    }
  });
}

void plain_sql_many_nights(benchmark::State& state) {
  const fs::path path = StoreOnDisk::many_nights().path();
  time_work(state, [&] {
    benchmark::DoNotOptimize(bytes_in_plain_sql(
        path,
        "SELECT e.number, e.time_ms, a.name, e.source, e.topics, e.p95_ms, m.measure, m.mean, "
        "m.topics FROM evaluations e JOIN arms a ON a.number = e.arm "
        "JOIN evaluation_means m ON m.evaluation = e.number ORDER BY e.time_ms, e.number"));
  });
}
/// Stores judgements, facts, scores and means on the disk.
void add_night(benchmark::State& state) {
  const StoreOnDisk disk("add", 0, 0, 0);
  Store store = Store::open(disk.path(), Store::Access::kWrite);
  const EvaluationRecord record =
      made_up({.topics = 400, .most_found = 24, .names = MadeUpEvaluation::Names::kPatents});
  std::int64_t nights = 0;
  for (auto _ : state) nights = store.add(record);
  store.prune({});
  state.counters["bytes_per_topic"] =
      static_cast<double>(fs::file_size(disk.path())) / static_cast<double>(nights * 400);
}

void as_reader(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(3)->Repetitions(9)->ReportAggregatesOnly();
  one->Unit(benchmark::kMillisecond);
}
BENCHMARK(read_large_night)->Apply(as_reader);
BENCHMARK(plain_sql_large_night)->Apply(as_reader);
BENCHMARK(list_many_nights)->Apply(as_reader);
BENCHMARK(plain_sql_many_nights)->Apply(as_reader);
BENCHMARK(add_night)->Unit(benchmark::kMillisecond)->Iterations(20)->UseRealTime();

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  using Unit = Bar::Unit;
  return prescope::benchmarks::run_with_bars(argc, argv,
                                             {{.what = "one night of 10,000 topics x 2 arms, read",
                                               .benchmark = "read_large_night",
                                               .unit = Unit::kMilliseconds,
                                               .most = 100.0},
                                              {.what = "the same over the same rows in plain SQL",
                                               .benchmark = "read_large_night",
                                               .per = "plain_sql_large_night",
                                               .unit = Unit::kTimes,
                                               .most = 8.0},
                                              {.what = "1,000 nights of 400 topics, listed",
                                               .benchmark = "list_many_nights",
                                               .unit = Unit::kMilliseconds,
                                               .most = 200.0},
                                              {.what = "the same over the same rows in plain SQL",
                                               .benchmark = "list_many_nights",
                                               .per = "plain_sql_many_nights",
                                               .unit = Unit::kTimes,
                                               .most = 8.0}});
}
