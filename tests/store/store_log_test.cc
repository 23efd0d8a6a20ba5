// The rows that a log writes to a store, read by the store's own reader and by plain SQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/observation_log.h"
#include "prescope/ranking_observer.h"
#include "store/sessions/observation_reader.h"
#include "store/sessions/stored_requests.h"
#include "store/sqlite/database.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Qrels two_judged_topics() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                    {TopicId("t1"), Docno("d2")},
                                                    {TopicId("t1"), Docno("d9"), 0},
                                                    {TopicId("t2"), Docno("d3")}});
}

struct LoggedToStore {
  explicit LoggedToStore(const std::filesystem::path& path, StoreLogOptions options = {},
                         RecordingOptions recording = {})
      : log(log_to_store(path, options)),
        experiment(two_judged_topics(), {.name = "night",
                                         .arms = {"a", "b"},
                                         .cutoffs = {4, 10},
                                         .recording = recording,
                                         .logs = {log},
                                         .descriptions = {{"b",
                                                           {.config = "k1 = 1.2",
                                                            .engine = "toy",
                                                            .engine_version = "2",
                                                            .index = "here"}}}}),
        resolved(resolve(experiment)) {}

  void serve(const char* topic, std::uint32_t arm, const std::vector<DocId>& docids) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe(served(ArmIndex(arm), resolved, docids));
  }
  void flush() {
    experiment.flush();
    ASSERT_TRUE(log->flush());
  }

  std::shared_ptr<ObservationLog> log;
  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved;
};

/// The rows of a query, their columns joined with '|'.
std::vector<std::string> rows(const std::filesystem::path& path, const std::string& sql) {
  const Database database = open_store_file(path, Database::Access::kRead);
  Statement select(database, sql);
  std::vector<std::string> all;
  for (select.bind(); select.next();) all.emplace_back(select.text(0));
  return all;
}

TEST(StoreLog, KeepsTheFactsOfEveryJudgedQuery) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  LoggedToStore logged(path, {.captured_hits = 2}, {.capture_depth = 3});
  logged.serve("t1", 1, {DocId(9), DocId(7), DocId(2), DocId(8)});
  logged.serve("not judged", 0, {DocId(1)});
  logged.serve("t2", 0, {});
  logged.flush();
  ObservationReader reader(path);
  std::size_t read = 0;
  reader.read({}, 0, [&](const StoredObservation& one) {
    ++read;
    EXPECT_EQ(one.experiment, "night");
    EXPECT_EQ(one.measures.size(), 6U);
    if (read != 1) return;
    EXPECT_EQ(one.arm, "b");
    ASSERT_NE(one.topic, nullptr);
    EXPECT_EQ(one.topic->id().text(), "t1");
    EXPECT_EQ(one.topic->num_rel(), 2U);
    EXPECT_THAT(one.observation.hits,
                ElementsAre(JudgedHit{1, JudgementIndex(2)}, JudgedHit{3, JudgementIndex(1)}));
    EXPECT_THAT(one.observation.captured_docids, ElementsAre(DocId(9), DocId(7)));
    EXPECT_EQ(one.observation.generation, 1U);
    EXPECT_EQ(one.observation.documents, 1000U);
    EXPECT_EQ(one.observation.depth, 10U);
    EXPECT_EQ(one.observation.num_ret, 4U);
    EXPECT_EQ(one.observation.total_hits, 4U);
  });
  EXPECT_EQ(read, 2U) << "the unjudged query is no row";
}

TEST(StoreLog, ViewsHoldTheObservations) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  {
    LoggedToStore logged(path);
    // One of two relevant documents at rank 3: PRES@4 = (4 + 1 - 3) / (2 * 4), R 1/2, AP 1/3 / 2.
    logged.serve("t1", 1, {DocId(9), DocId(7), DocId(2), DocId(8)});
    // Both at ranks 1 and 2: all measures are 1.
    logged.serve("t1", 1, {DocId(1), DocId(2)});
    logged.serve("not judged", 1, {DocId(1)});
    logged.serve("t2", 0, {DocId(4)});
  }
  EXPECT_THAT(rows(path,
                   "SELECT experiment || '|' || arm || '|' || topic || '|' || cutoff || '|' || pres"
                   " || '|' || recall || '|' || round(ap, 6) || '|' || num_ret FROM "
                   "observation_rows ORDER BY seq"),
              ElementsAre("night|b|t1|4|0.25|0.5|0.166667|4", "night|b|t1|4|1.0|1.0|1.0|2",
                          "night|a|t2|4|0.0|0.0|0.0|1"));
  EXPECT_THAT(rows(path,
                   "SELECT arm || '|' || judged || '|' || unjudged || '|' || failed || '|' || pres"
                   " || '|' || recall FROM hourly_means ORDER BY arm"),
              ElementsAre("a|1|0|0|0.0|0.0", "b|2|1|0|0.625|0.75"));
  EXPECT_THAT(rows(path,
                   "SELECT arm || '|' || topic || '|' || visits || '|' || pres || '|' || recall"
                   " FROM topic_means ORDER BY arm"),
              ElementsAre("a|t2|1|0.0|0.0", "b|t1|2|0.625|0.75"));
  EXPECT_THAT(rows(path, "SELECT topic || '|' || docno || '|' || grade FROM judgements"),
              ElementsAre("t1|d1|1", "t1|d2|1", "t1|d9|0", "t2|d3|1"));
  EXPECT_THAT(rows(path,
                   "SELECT a.name || '|' || a.config || '|' || s.engine || '|' || s.engine_version"
                   " || '|' || s.place FROM session_arms s JOIN arms a ON a.number = s.arm"),
              ElementsAre("a||||", "b|k1 = 1.2|toy|2|here"));
}

// Who hears of a request may answer its client: the row must be there, whatever happens next.
TEST(StoreLog, RequestsAreAcknowledgedOnceTheirRowsAreCommitted) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  constexpr UtcTime kServed{std::chrono::sys_days(std::chrono::year(2026) / 11 / 28)};
  constexpr std::uint64_t kRequest = 0xfedc'ba98'7654'3210;
  std::vector<std::string> found;
  StoreLogOptions options;
  options.on_settled = [&](std::uint64_t request, bool is_acknowledged) {
    EXPECT_EQ(request, kRequest);
    EXPECT_TRUE(is_acknowledged);
    const Database database = open_store_file(path, Database::Access::kRead);
    Statement row(database, "SELECT time_ms FROM observations WHERE request_id = ?");
    if (row.bind(request).next()) found.emplace_back(row.text(0));
  };
  LoggedToStore logged(path, options);
  const std::vector<DocId> hits = {DocId(1)};
  logged.experiment.observe(
      logged.experiment.visit(TopicId("t1"), {.served = kServed, .request_id = kRequest}),
      served(ArmIndex(0), logged.resolved, hits));
  logged.flush();
  EXPECT_THAT(found, ElementsAre(std::to_string(kServed.time_since_epoch().count())));
  EXPECT_THAT(rows(path, "SELECT hour_ms FROM hourly"),
              ElementsAre(std::to_string(kServed.time_since_epoch().count())));
}

// A host that reports an unjudged request twice would count it twice.
TEST(StoreLog, StoredRequestsAreKnownAlsoIfTheyAreUnjudged) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  LoggedToStore logged(path, {});
  StoredRequests stored(path);
  const std::vector<DocId> hits = {DocId(1)};
  const auto serve = [&](const char* topic, std::uint64_t request) {
    logged.experiment.observe(logged.experiment.visit(TopicId(topic), {.request_id = request}),
                              served(ArmIndex(0), logged.resolved, hits));
  };
  EXPECT_FALSE(stored.contains(1));
  serve("t1", 1);
  serve("t1", 1);
  serve("nobody judges it", std::numeric_limits<std::uint64_t>::max());
  serve("t1", 0);
  logged.flush();
  EXPECT_TRUE(stored.contains(1));
  EXPECT_TRUE(stored.contains(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(stored.contains(0)) << "rankings without a number";
  EXPECT_FALSE(stored.contains(2));
  EXPECT_EQ(stored.since(), std::nullopt);
}

TEST(StoreLog, RequestsAreReadFromTheFileThatIsAtThePath) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  { const Database old = open_store_file(path, Database::Access::kWrite); }
  StoredRequests stored(path);
  std::filesystem::remove(path);
  Database(open_store_file(path, Database::Access::kWrite))
      .run("INSERT INTO requests VALUES (7, 0); UPDATE log_state SET requests_since_ms = 5");
  EXPECT_EQ(stored.since(), UtcTime(milliseconds(5)));
  EXPECT_TRUE(stored.contains(7));
}

TEST(StoreLog, RequestsThatAreNotLoggedAreToldToo) {
  const ScratchFolder scratch;
  std::vector<std::uint64_t> lost;
  StoreLogOptions options;
  options.on_settled = [&](std::uint64_t request, bool is_acknowledged) {
    if (!is_acknowledged) lost.push_back(request);
  };
  LoggedToStore logged(scratch.path() / "night.db", options);
  Experiment& experiment = logged.experiment;
  const std::vector<DocId> hits = {DocId(1)};
  const auto visit = [&](std::uint64_t request) {
    return experiment.visit(TopicId("t1"), {.request_id = request});
  };
  {
    const Visit begun = visit(1);
    RankingObserver observer(experiment, begun, served(ArmIndex(0), logged.resolved, hits));
    experiment.pause_arm(ArmIndex(0));
  }
  experiment.flush();
  EXPECT_THAT(lost, ElementsAre(1)) << "its arm is paused";
  experiment.end_logs();
  experiment.observe(visit(2), served(ArmIndex(1), logged.resolved, hits));
  experiment.flush();
  EXPECT_THAT(lost, ElementsAre(1, 2)) << "the logs have ended";
}

TEST(StoreLog, SessionsShareTheirTopics) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  for (int session = 0; session < 3; ++session) {
    LoggedToStore logged(path, {.rollup_interval = milliseconds(3'600'000)});
    logged.serve("t1", 0, {DocId(1)});
  }
  EXPECT_THAT(rows(path, "SELECT count(*) FROM sessions"), ElementsAre("3"));
  EXPECT_THAT(rows(path, "SELECT count(*) FROM judged_topics"), ElementsAre("2"));
  EXPECT_THAT(rows(path, "SELECT group_concat(seq) FROM observations"), ElementsAre("1,2,3"));
  EXPECT_THAT(rows(path, "SELECT visits FROM topic_means"), ElementsAre("3"));
}

TEST(StoreLog, FiltersByNameTimeAndNumber) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  {
    LoggedToStore logged(path, {.unjudged = StoreLogOptions::Unjudged::kEachRow});
    for (int i = 0; i < 4; ++i) {
      logged.serve("t1", 0, {DocId(1)});
      logged.serve("t2", 1, {DocId(1)});
      logged.flush();  // judged and unjudged ones come by different ways
      logged.serve("not judged", 1, {DocId(1)});
      logged.flush();
    }
  }
  ObservationReader reader(path);
  const auto seqs = [&](const ObservationFilter& filter, std::int64_t after = 0) {
    std::vector<std::int64_t> all;
    reader.read(filter, after, [&](const StoredObservation& one) { all.push_back(one.seq); });
    return all;
  };
  EXPECT_THAT(seqs({}), ElementsAre(1, 2, 4, 5, 7, 8, 10, 11));
  EXPECT_THAT(seqs({.arm = "b"}), ElementsAre(2, 5, 8, 11));
  EXPECT_THAT(seqs({.topic = "t1", .last = 2}), ElementsAre(7, 10));
  EXPECT_THAT(seqs({.arm = "b", .topic = "t1"}), ElementsAre());
  EXPECT_THAT(seqs({.session = 2}), ElementsAre());
  EXPECT_THAT(seqs({.unjudged = ObservationFilter::Unjudged::kRead}, 8),
              ElementsAre(9, 10, 11, 12));
  const UtcTime tomorrow =
      std::chrono::floor<milliseconds>(std::chrono::system_clock::now()) + std::chrono::hours(24);
  EXPECT_THAT(seqs({.since = tomorrow}), ElementsAre());
  EXPECT_EQ(seqs({.until = tomorrow}).size(), 8U);
  EXPECT_THAT(refusal_of([&] { reader.require_known({.arm = "c"}); }).message,
              HasSubstr("unknown arm 'c'"));
  EXPECT_THAT(refusal_of([&] { reader.require_known({.topic = "t3"}); }).message,
              HasSubstr("unknown topic 't3'"));
}

TEST(StoreLog, RefusesOtherFilesUnchanged) {
  const ScratchFolder scratch;
  const auto path = scratch.write("notes.txt", "not a store");
  const auto refusal = refusal_of([&] { const LoggedToStore logged(path); });
  EXPECT_EQ(refusal.code, ErrorCode::kBadInput);
  EXPECT_EQ(content_of(path), "not a store");
  EXPECT_THAT(refusal_of([&] {
                const LoggedToStore logged(
                    scratch.path() / "s.db",
                    {.captured_hits = 100'001, .rollup_interval = milliseconds(1)});
              }).message,
              ::testing::AllOf(HasSubstr("captured_hits"), HasSubstr("rollup_interval")));
}

}  // namespace
}  // namespace prescope
