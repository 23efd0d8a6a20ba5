// Shipping and reading a fleet, with the database on the same machine:
// prescope_fleet_benchmark [OBSERVATIONS] [SERVERS]. Made-up visits of 5,000 topics with 13
// judgements each, ranked by two arms; each server has a store.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "fleet/fleet_session.h"
#include "prescope/experiment.h"
#include "prescope/shipper.h"
#include "report/live/live_report.h"
#include "store/sessions/observation_schema.h"
#include "store/sqlite/database.h"
#include "support/clickhouse_server.h"
#include "support/ledger_traffic.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kTopics = 5000, kJudgements = 13, kRowsOfVisit = 3;

/// Prints the time of some work, and the processor's time in this process, which other programs
/// disturb less. Returns the time in seconds.
double timed(const std::string& name, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  fmt::print("{:<16} {:9.3f} s, {:9.3f} s of this process\n", name, passed.count(),
             static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  std::fflush(stdout);
  return passed.count();
}

void begin_session(const fs::path& store) {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < kJudgements; ++j) {
      lines.push_back(
          {TopicId(fmt::format("EP{}", 1'000'000 + t)), Docno(fmt::format("EP{}", 13 * t + j)), 1});
    }
  }
  const Experiment experiment(Qrels::from_lines(lines), {.name = "autumn",
                                                         .arms = {"bm25", "tfidf"},
                                                         .mode = Mode::kPaired,
                                                         .logs = {log_to_store(store)}});
}

/// A visit is one served ranking and two for comparison.
void add_rows(const fs::path& store, std::uint64_t rows, std::uint64_t seed) {
  Database database(store, Database::Access::kUpdate, Database::Durability::kNormal);
  const std::int64_t last = database.number("SELECT ifnull(max(seq), 0) FROM observations");
  Transaction transaction(database);
  Statement insert(
      insert_into(database,
                  "observations (seq, time_ms, arm, topic, first_rank, depth, num_ret, total_hits,"
                  " duplicates, flags, latency_ns, self_ns, pres, recall, ap, hits, visit,"
                  " compared_arms, covered, exhausted)"));
  Dice dice(seed);
  std::string hits;
  const std::optional<std::int64_t> none;
  std::uint32_t topic = 1;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const auto seq = last + static_cast<std::int64_t>(i) + 1;
    const auto place = static_cast<std::uint32_t>(seq % kRowsOfVisit);
    if (place == 1) topic = 1 + dice.below(kTopics);
    hits.clear();
    std::vector<JudgedHit> found;
    Rank rank = 0;
    for (std::uint32_t j = 0; j < kJudgements; ++j) {
      rank += 1 + dice.below(200);
      if (rank <= 1000) found.push_back({rank, JudgementIndex(j)});
    }
    write_hits(hits, found);
    insert
        .bind(seq, 1'790'000'000'000 + seq,
              place == 1   ? 1 + seq / 3 % 2
              : place == 2 ? 1
                           : 2,
              topic, 1, 1000, 1000, 5000, 0, place == 1 ? 0 : 32,
              10'000'000 + dice.below(9'000'000), 2500, none, none, none,
              std::as_bytes(std::span(hits)), 1 + (seq - 1) / kRowsOfVisit, place == 1 ? 0 : 2,
              1000, 0)
        .run();
  }
  transaction.commit();
}

void run(std::uint64_t rows, std::uint32_t servers) {
  const ClickHouseServer server(std::filesystem::temp_directory_path());
  server.make_tables();
  const FleetAddress address = parse_fleet_url(server.url());
  const fs::path folder = fs::temp_directory_path() / "prescope-fleet-benchmark";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::vector<fs::path> stores;
  for (std::uint32_t s = 0; s < servers; ++s) {
    stores.push_back(folder / fmt::format("server{}.db", s));
    begin_session(stores.back());
    add_rows(stores.back(), rows / servers, s);
  }
  const auto ship = [&] {
    for (std::uint32_t s = 0; s < servers; ++s) {
      ship_all(stores[s], {.to = server.url(), .server = fmt::format("server{}", s)});
    }
  };
  const double shipped = timed("ship", ship);
  fmt::print("  {:.0f} observations/s\n", static_cast<double>(rows) / shipped);
  std::optional<FleetSession> session;
  timed("read all", [&] { session.emplace(address); });
  timed("verdicts", [&] { static_cast<void>(session->summary(SummaryDetail::kVerdicts)); });
  timed("every topic", [&] { static_cast<void>(to_json(session->summary())); });
  timed("poll, no news", [&] { session->read(); });
  for (std::uint32_t s = 0; s < servers; ++s) add_rows(stores[s], 1000, 100 + s);
  ship();
  timed(fmt::format("poll, {} new", 1000 * servers), [&] { session->read(); });
  fmt::print("observations  {:8}\nbytes a row   {:8}\n", session->observations(),
             server.ask("SELECT intDiv(sum(bytes_on_disk), sum(rows)) FROM system.parts WHERE "
                        "table = 'observations' AND active"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace prescope

int main(int argc, char** argv) {
  const auto rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const auto servers = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 8;
  prescope::run(rows, static_cast<std::uint32_t>(servers));
}
