// One value of a store is changed by somebody else; whatever reads the store ends with an answer or
// an error.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "nightly/gate/gate.h"
#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "report/live/live_report.h"
#include "report/nightly/history_report.h"
#include "serve/site/nights.h"
#include "serve/site/site.h"
#include "store/nights/store.h"
#include "store/sessions/observation_line.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sessions/stored_requests.h"
#include "support/made_up_evaluations.h"
#include "support/number_of_cases.h"
#include "support/one_document_source.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

void serve(Experiment& experiment, const char* topic, std::string_view key, Rank first_rank) {
  const std::vector<std::string_view> docnos = {"EP9", "EP1", "EP2", "EP3"};
  const Visit visit = experiment.visit(TopicId(topic), {.key = key});
  for (std::uint32_t arm = 0; arm < experiment.arms().size(); ++arm) {
    experiment.observe(visit, {.arm = ArmIndex(arm),
                               .kind = HitKind::kDocnos,
                               .generation = 7,
                               .collection_size = 100,
                               .docnos = docnos,
                               .first_rank = first_rank,
                               .requested_depth = 4,
                               .search_started = std::chrono::steady_clock::now()});
  }
}

/// A session with everything that is stored of one.
void write_session(const std::filesystem::path& path) {
  const std::vector<Qrels::Line> lines = {
      {TopicId("t1"), Docno("EP1")}, {TopicId("t1"), Docno("EP2")}, {TopicId("t2"), Docno("EP3")}};
  Experiment experiment(
      Qrels::from_lines(lines),
      {.name = "night",
       .arms = {"a", "b"},
       .cutoffs = {4, 20},
       .recording = {.capture_depth = 10},
       .logs = {log_to_store(
           path, {.unjudged = StoreLogOptions::Unjudged::kEachRow, .captured_hits = 10})}});
  const auto serve_all = [&] {
    serve(experiment, "t1", "one", 1);
    serve(experiment, "t1", "one", 5);
    serve(experiment, "t2", "", 1);
    serve(experiment, "t3", "", 1);
  };
  serve_all();
  experiment.add_arm("c");
  experiment.rejudge({.judged = {{TopicId("t2"), Docno("EP9"), 1}}, .withdrawn = {}});
  serve_all();
  experiment.remove_arm(ArmIndex(1));
  experiment.restart_arm(ArmIndex(2), {.config = "x"});
  serve_all();
}

/// A session whose topics are found as they come.
void write_found_topics(const std::filesystem::path& path) {
  Experiment experiment(
      Qrels::from_source(std::make_shared<OneDocumentSource>("EP1", "f")),
      {.name = "found", .arms = {"a", "b"}, .cutoffs = {4}, .logs = {log_to_store(path, {})}});
  serve(experiment, "t1", "", 1);
  serve(experiment, "t8", "", 1);
}

/// A session with rankings of visits without judgements, compared and not.
void write_overlaps(const std::filesystem::path& path) {
  const std::vector<Qrels::Line> lines = {{TopicId("t1"), Docno("EP1")}};
  Experiment experiment(Qrels::from_lines(lines), {.name = "overlaps",
                                                   .arms = {"a", "b", "c"},
                                                   .cutoffs = {4},
                                                   .mode = Mode::kPaired,
                                                   .shadow = {.overlap = {.sampling = 1.0}},
                                                   .logs = {log_to_store(path, {})}});
  const std::vector<std::string_view> docnos = {"EP9", "EP1"};
  for (std::uint32_t ranked = 1; ranked <= 3; ++ranked) {
    std::vector<Ranking> rankings;
    for (std::uint32_t arm = 0; arm < ranked; ++arm) {
      rankings.push_back({.arm = ArmIndex(arm),
                          .kind = HitKind::kDocnos,
                          .docnos = std::span(docnos).first(2 - arm % 2),
                          .requested_depth = 4});
    }
    experiment.observe_comparison(experiment.visit(kUnjudgedTopic), ArmIndex(0), rankings, "pump");
  }
}

void write_nights(const std::filesystem::path& path) {
  Store store = Store::open(path, Store::Access::kWrite);
  const EvaluationRecord record = made_up({.topics = 6});
  const auto& topic = record.topics.front();
  store.pin(record, {.name = "main", .must_find = {{topic.id, Docno("EP1")}}});
  for (std::uint32_t seed = 2; seed < 4; ++seed) {
    const EvaluationRecord tonight = made_up({.seed = seed, .topics = 6});
    store.add(tonight, gate(store.baseline("main"), tonight, {}));
  }
  store.pin({.name = "main", .evaluation = 2});
  store.begin({.time = utc_now(), .baseline = "main", .source = "run x", .reason = "killed"});
}

void write_collected(const std::filesystem::path& path) {
  open_store_file(path, Database::Access::kUpdate).run("INSERT INTO requests VALUES (17, 1)");
  store_position(path, "served.jsonl", {.file = "0-0", .offset = 12, .line = 1});
}

/// Every way of reading a store, as the commands do it.
const std::vector<std::pair<std::string, void (*)(const std::filesystem::path& store)>> kCommands =
    {{"log",
      [](const std::filesystem::path& store) {
        ObservationReader reader(store);
        std::string lines;
        reader.read({.unjudged = ObservationFilter::Unjudged::kRead}, 0, [&](const auto& one) {
          ObservationScores scores({one.measures.begin(), one.measures.end()});
          if (one.topic != nullptr) {
            scores.of(one.observation, *one.topic, one.scored_flags);
          }
          append_json_line(lines, one, one.topic != nullptr ? &scores : nullptr);
        });
      }},
     {"log --summary",
      [](const std::filesystem::path& store) {
        const auto newest = ObservationReader(store).newest_session();
        for (std::int64_t session = 1; newest && session <= std::min<std::int64_t>(*newest, 3);
             ++session) {
          static_cast<void>(to_table(RebuiltSession(store, session).summary(), {}));
        }
      }},
     {"history",
      [](const std::filesystem::path& path) {
        const Store store = Store::open(path, Store::Access::kRead);
        const std::vector<Night> nights = store.nights();
        static_cast<void>(history_document(
            serve::history_report(store, path.string(), nights, measures_of(nights), {})));
      }},
     {"serve",
      [](const std::filesystem::path& store) {
        const auto site = serve::store_site(store);
        for (const char* const path : {"/api/summary", "/api/series", "/api/topics", "/api/sweep",
                                       "/api/topic/t1", "/api/history", "/metrics"}) {
          EXPECT_GE(site->get({.path = path, .query = {}}).status, 200U);
        }
      }},
     {"collect",
      [](const std::filesystem::path& store) {
        StoredRequests requests(store);
        static_cast<void>(requests.contains(17));
        static_cast<void>(requests.since());
        static_cast<void>(stored_position(store, "served.jsonl"));
      }},
     {"gate", [](const std::filesystem::path& path) {
        const Store store = Store::open(path, Store::Access::kRead);
        static_cast<void>(gate(store.baseline("main"), store.evaluation(3), {}));
      }}};

/// Makes changes that prescope itself would refuse.
class Intruder {
 public:
  explicit Intruder(const std::filesystem::path& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &database_), SQLITE_OK);
  }
  ~Intruder() { sqlite3_close(database_); }
  Intruder(const Intruder&) = delete;
  Intruder& operator=(const Intruder&) = delete;

  /// Returns false for what SQLite refuses.
  bool run(const std::string& sql) const {
    return sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  [[nodiscard]] std::vector<std::string> column(const std::string& sql) const {
    std::vector<std::string> values;
    EXPECT_EQ(sqlite3_exec(
                  database_, sql.c_str(),
                  [](void* all, int, char** row, char**) {
                    static_cast<std::vector<std::string>*>(all)->emplace_back(row[0]);
                    return 0;
                  },
                  &values, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(database_);
    return values;
  }

 private:
  sqlite3* database_ = nullptr;
};

std::uint64_t peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) / 1024;
}

class HostileStore : public ::testing::TestWithParam<std::string> {
 protected:
  HostileStore() {
    write_overlaps(path_);
    write_found_topics(path_);
    write_session(path_);
    write_nights(path_);
    write_collected(path_);
    const Intruder intruder(path_);
    // No constraint or trigger of the file protects it.
    EXPECT_TRUE(
        intruder.run("PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON;"
                     "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '');"
                     "DELETE FROM sqlite_schema WHERE type = 'trigger'"));
  }

  void read_everything(const std::string& change) {
    for (const auto& [name, run] : kCommands) {
      SCOPED_TRACE(fmt::format("{} after {}", name, change));
      const auto began = std::chrono::steady_clock::now();
      try {
        run(path_);
      } catch (const Error& error) {
        EXPECT_GT(std::string_view(error.what()).size(), 20U);
        ++refused_;
      } catch (const std::exception& other) {
        ADD_FAILURE() << other.what();
      }
      EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    }
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "a.db";
  int refused_ = 0;
};

// The first two also under a sanitizer.
constexpr const char* kValues[] = {"9223372036854775807", "x'01'", "-1",    "0", "NULL",
                                   "2147483648",          "1e308", "'text'"};

TEST_P(HostileStore, ChangedValueIsAnsweredOrRefused) {
  const std::string& table = GetParam();
  const std::uint64_t before_mb = peak_mb();
  read_everything("no change");
  EXPECT_EQ(refused_, 0);
  const std::string unchanged = content_of(path_);
  const auto of_table = [&](const char* what) {
    return fmt::format("SELECT {} FROM pragma_table_info('{}')", what, table);
  };
  std::vector<std::string> columns, rows;
  {
    const Intruder intruder(path_);
    columns = intruder.column(of_table("name"));
    const auto row_named = intruder.column(
        of_table("group_concat('\"' || name || '\" = ' || char(39) || ' || quote(\"' || name || "
                 "'\") || ' || char(39), ' AND ')") +
        " WHERE pk > 0");
    ASSERT_EQ(row_named.size(), 1U);
    rows = intruder.column(fmt::format("SELECT '{}' FROM {} ORDER BY 1", row_named[0], table));
  }
  ASSERT_FALSE(rows.empty());
  const auto values = std::span(kValues).first(number_of_cases(std::size(kValues)));
  int changes = 0;
  for (const std::string& column : columns) {
    for (const char* const value : values) {
      const std::string change =
          fmt::format("UPDATE {} SET \"{}\" = {} WHERE {}", table, column, value, rows.back());
      const std::string options = "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON;";
      if (!Intruder(path_).run(options + change)) continue;
      ++changes;
      read_everything(change);
      static_cast<void>(folder_.write("a.db", unchanged));
    }
  }
  EXPECT_GE(changes, 2);
  EXPECT_LT(peak_mb(), before_mb + 400);
}

const std::vector<std::string> kTables = {"arms",
                                          "attempts",
                                          "captures",
                                          "counters",
                                          "epochs",
                                          "evaluation_means",
                                          "evaluation_topics",
                                          "evaluations",
                                          "found_topics",
                                          "hourly",
                                          "index_versions",
                                          "judged_topics",
                                          "log_positions",
                                          "log_state",
                                          "must_find",
                                          "observations",
                                          "overlaps",
                                          "pins",
                                          "qrels_topics",
                                          "qrels_versions",
                                          "requests",
                                          "session_arms",
                                          "session_changes",
                                          "sessions",
                                          "topic_scores",
                                          "topic_totals",
                                          "topics",
                                          "verdict_measures",
                                          "verdict_rules",
                                          "verdicts"};

INSTANTIATE_TEST_SUITE_P(Tables, HostileStore, ::testing::ValuesIn(kTables),
                         [](const auto& one) { return one.param; });

/// But those that only services of a fleet read.
TEST(HostileStores, EveryTableIsChanged) {
  const ScratchFolder folder;
  static_cast<void>(open_store_file(folder.path() / "a.db", Database::Access::kWrite));
  EXPECT_EQ(Intruder(folder.path() / "a.db")
                .column("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE"
                        " 'sqlite%' AND name NOT LIKE 'sink%' AND name <> 'decisions' ORDER BY 1"),
            kTables);
}

}  // namespace
}  // namespace prescope
