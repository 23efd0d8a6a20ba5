// Documents of a store that holds a recorded session, nights, both or neither.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "prescope/observation_log.h"
#include "prescope/report.h"
#include "report/live/live_report.h"
#include "serve/site/site.h"
#include "store/nights/store.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sqlite/database.h"
#include "support/evaluation_records.h"
#include "support/metric_samples.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"
#include "support/site_requests.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class StoredSiteTest : public ::testing::Test {
 protected:
  /// A session of 40 queries, after half of which the arm b was restarted.
  void write_session(const std::string& name) {
    const auto log = log_to_store(path_);
    Experiment experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                                     {TopicId("t1"), Docno("d2")},
                                                                     {TopicId("t2"), Docno("d3")}}),
                          {.name = name, .arms = {"a", "b"}, .cutoffs = {5}, .logs = {log}});
    const auto table = resolve(experiment);
    for (std::uint32_t i = 0; i < 40; ++i) {
      if (i == 20) experiment.restart_arm(ArmIndex(1));
      const QueryScope scope(experiment, TopicId(i % 4 < 2 ? "t1" : "t2"));
      const std::vector<DocId> docids = {DocId(8), DocId(1 + i % 5), DocId(3)};
      experiment.observe(served(ArmIndex(i % 2), table, docids));
    }
  }
  void add_night() {
    Store::open(path_, Store::Access::kWrite).add(evaluation_record(steady_topics(20)));
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_.path() / "prescope.db";
};

TEST_F(StoredSiteTest, SessionEqualsItsRebuiltSummary) {
  write_session("first");
  write_session("second");
  const auto site = store_site(path_);
  const RebuiltSession rebuilt(path_, 2);
  const json document = document_of(*site, "/api/summary");
  EXPECT_EQ(document["source"], "session");
  EXPECT_EQ(document["store"], path_.string());
  EXPECT_EQ(document["summary"], json::parse(to_json(rebuilt.summary(SummaryDetail::kVerdicts))));
  EXPECT_EQ(document["summary"]["experiment"], "second");
  EXPECT_EQ(document["has"], json({{"experiment", true}, {"series", true}, {"history", false}}));
  EXPECT_LE(document["started"], document["time"]);
  EXPECT_EQ(document_of(*site, "/api/sweep"), json::parse(sweep_json(rebuilt.summary(), 40)));
  const json topic = document_of(*site, "/api/topic/t1");
  EXPECT_EQ(topic["citations"].size(), 2U);
  EXPECT_TRUE(topic["citations"][0]["arms"][0]["in_index"].is_null()) << "nobody knows any more";
  EXPECT_EQ(document_of(*site, "/api/topics")["total"], 2);
  EXPECT_EQ(site->event(), site->event());
  const auto first = store_site(path_, 1);
  EXPECT_EQ(document_of(*first, "/api/summary")["summary"]["experiment"], "first");
}

TEST_F(StoredSiteTest, SessionHasASeries) {
  write_session("e");
  const auto site = store_site(path_);
  const json series = document_of(*site, "/api/series");
  const json summary = document_of(*site, "/api/summary")["summary"];
  ASSERT_GE(series["time_ms"].size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(series["time_ms"]));
  EXPECT_EQ(series["epoch"].back(), summary["epoch"]["number"]);
  EXPECT_EQ(series["epochs"].back()["reason"], "arms");
  std::uint64_t queries = 0;
  for (const json& count : series["arms"][0]["queries"]) queries += count.get<std::uint64_t>();
  EXPECT_EQ(queries, summary["arms"][0]["latency_ms"]["count"]);
  EXPECT_NEAR(series["arms"][0]["means"]["PRES@5"].back().get<double>(),
              summary["arms"][0]["means"]["PRES@5"]["mean"].get<double>(), 1e-6);
}

TEST_F(StoredSiteTest, NightsAloneHaveNoExperiment) {
  add_night();
  const auto site = store_site(path_);
  const json document = document_of(*site, "/api/summary");
  EXPECT_EQ(document["source"], "store");
  EXPECT_TRUE(document["summary"].is_null());
  EXPECT_TRUE(document["started"].is_null());
  EXPECT_EQ(document["has"], json({{"experiment", false}, {"series", false}, {"history", true}}));
  EXPECT_EQ(document_of(*site, "/api/history")["nights"].size(), 1U);
  EXPECT_EQ(document_of(*site, "/api/compare", {{"a", "1"}, {"b", "1"}})["identical"], true);
  for (const char* const path : {"/api/series", "/api/topics", "/api/topic/t1", "/api/sweep"}) {
    EXPECT_THAT(refusal_by(*site, 404, path), HasSubstr("/api/history"));
  }
  const json event = json::parse(*site->event());
  EXPECT_EQ(event["document"], document);
  EXPECT_TRUE(event["point"].is_null());
  EXPECT_EQ(site->event(), site->event());
}

TEST_F(StoredSiteTest, MetricsAreOfTheNewestNightOfEachArm) {
  const auto add = [&](const std::string& arm, int hour, std::optional<GateOutcome> outcome) {
    EvaluationRecord record = evaluation_record(steady_topics(10), "PRES@100");
    record.arm = arm;
    record.time = UtcTime(std::chrono::hours(hour));
    Store store = Store::open(path_, Store::Access::kWrite);
    GateVerdict verdict;
    verdict.outcome = outcome.value_or(GateOutcome::kPass);
    outcome ? store.add(record, verdict) : store.add(record);
  };
  add("bm25", 24, GateOutcome::kPass);
  add("bm25", 48, GateOutcome::kRegression);
  add("tfidf", 30, std::nullopt);
  const auto site = store_site(path_);
  const auto metrics = [&] {
    return metric_samples(*site->get({.path = "/metrics", .query = {}}).body);
  };
  const MetricSamples first = metrics();
  EXPECT_EQ(first.at("prescope_night_time_seconds{arm=\"bm25\"}"), 48 * 3600);
  EXPECT_EQ(first.at("prescope_night_number{arm=\"bm25\"}"), 2);
  EXPECT_EQ(first.at("prescope_night_outcome{arm=\"bm25\",outcome=\"regression\"}"), 1);
  EXPECT_EQ(first.at("prescope_night_outcome{arm=\"bm25\",outcome=\"pass\"}"), 0);
  EXPECT_EQ(first.at("prescope_night_outcome{arm=\"tfidf\",outcome=\"not_gated\"}"), 1);
  // Ranks 1, 20, 40 and 90: credits 100, 82, 63 and 14 of 400.
  EXPECT_NEAR(first.at("prescope_night_score{arm=\"tfidf\",measure=\"PRES@100\"}"), 259.0 / 400.0,
              1e-12);
  add("tfidf", 72, GateOutcome::kPass);
  while (metrics().at("prescope_night_time_seconds{arm=\"tfidf\"}") != 72 * 3600) continue;
  // The clock was ahead, and was set right.
  add("bm25", 5000, GateOutcome::kPass);
  add("bm25", 73, GateOutcome::kRegression);
  const auto later = store_site(path_);
  const MetricSamples last = metric_samples(*later->get({.path = "/metrics", .query = {}}).body);
  EXPECT_EQ(last.at("prescope_night_number{arm=\"bm25\"}"), 6);
  EXPECT_EQ(last.at("prescope_night_outcome{arm=\"bm25\",outcome=\"regression\"}"), 1);
}

TEST_F(StoredSiteTest, MetricsOfALockedStoreAreThoseReadBefore) {
  add_night();
  const auto site = store_site(path_);
  const auto metric = [&](const std::string& name) {
    return metric_samples(*answer_of(*site, "/metrics").body).at("prescope_night" + name);
  };
  double locked = 0;
  {
    Database other(path_, Database::Access::kWrite);
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    locked = std::chrono::duration<double>(utc_now().time_since_epoch()).count();
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(metric("_number{arm=\"bm25\"}"), 1);
    EXPECT_LE(metric("s_read_time_seconds"), locked);
    EXPECT_EQ(document_of(*site, "/api/summary")["has"]["history"], true);
    EXPECT_LT(std::chrono::steady_clock::now() - began,
              std::chrono::milliseconds(Database::kBusyTimeoutMs));
  }
  // The thread that waits for the lock asks for it again and again.
  while (metric("s_read_time_seconds") <= locked) continue;
}

TEST_F(StoredSiteTest, NightAddedLaterIsServed) {
  write_session("e");
  const auto site = store_site(path_);
  EXPECT_EQ(document_of(*site, "/api/summary")["has"]["history"], false);
  EXPECT_TRUE(document_of(*site, "/api/history")["nights"].empty());
  const auto event = site->event();
  add_night();
  while (document_of(*site, "/api/summary")["has"]["history"] == false) continue;
  EXPECT_EQ(document_of(*site, "/api/history")["nights"].size(), 1U);
  EXPECT_NE(site->event(), event);
}

TEST_F(StoredSiteTest, EveryNewNightIsAnEventAndASummaryOfItsTime) {
  add_night();
  const auto site = store_site(path_);
  const json first = document_of(*site, "/api/summary");
  const auto event = site->event();
  EXPECT_EQ(site->event(), event);
  add_night();
  while (site->event() == event) continue;
  EXPECT_GT(document_of(*site, "/api/summary")["time"], first["time"]);
}

TEST_F(StoredSiteTest, WriterIsNotBlocked) {
  write_session("e");
  add_night();
  const auto site = store_site(path_);
  (void)document_of(*site, "/api/history");
  (void)document_of(*site, "/api/topic/t1");
  Database writer(path_, Database::Access::kWrite);
  writer.run("UPDATE sessions SET began_ms = began_ms");
  // 0: no connection reads, so the whole log goes into the file and is emptied.
  EXPECT_EQ(writer.number("PRAGMA wal_checkpoint(TRUNCATE)"), 0);
}

TEST_F(StoredSiteTest, UnknownNightsAreRefused) {
  add_night();
  const auto site = store_site(path_);
  EXPECT_THAT(refusal_by(*site, 400, "/api/compare"), HasSubstr("/api/history"));
  EXPECT_THAT(refusal_by(*site, 400, "/api/compare", {{"a", "1"}}), HasSubstr("a and b"));
  EXPECT_THAT(refusal_by(*site, 400, "/api/compare", {{"a", "0"}, {"b", "1"}}),
              HasSubstr("no whole number of at least 1"));
  EXPECT_THAT(refusal_by(*site, 400, "/api/compare", {{"a", "1"}, {"b", "7"}}), HasSubstr("7"));
}

TEST_F(StoredSiteTest, DamagedStoreReturns503) {
  add_night();
  write_session("e");
  const auto site = store_site(path_);
  EXPECT_EQ(document_of(*site, "/api/summary")["has"]["history"], true);
  std::filesystem::remove(path_);
  EXPECT_THAT(refusal_by(*site, 503, "/api/history"), HasSubstr("there is no such file"));
  std::ofstream(path_) << "something else, and longer than any header of a file may be: "
                       << std::string(200, 'x');
  EXPECT_THAT(refusal_by(*site, 503, "/api/history"), HasSubstr("not an SQLite file"));
  EXPECT_THAT(refusal_by(*site, 503, "/api/compare", {{"a", "1"}, {"b", "1"}}),
              HasSubstr(path_.string()));
  const json summary = document_of(*site, "/api/summary");
  EXPECT_EQ(summary["summary"]["experiment"], "e") << "is still known";
  EXPECT_EQ(summary["has"]["history"], true) << "as far as anybody knows";
}

TEST_F(StoredSiteTest, LockedStoreReturns503) {
  add_night();
  const auto site = store_site(path_);
  {
    Database other(path_, Database::Access::kWrite);
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    EXPECT_THAT(refusal_by(*site, 503, "/api/history"),
                HasSubstr("another process has been writing"));
  }
  EXPECT_EQ(document_of(*site, "/api/history")["nights"].size(), 1U);
}

TEST_F(StoredSiteTest, MissingStoresAndSessionsAreRefusedAtOnce) {
  EXPECT_EQ(refusal_of([&] { (void)store_site(path_); }).code, ErrorCode::kIo);
  EXPECT_EQ(refusal_of([&] { (void)store_site(path_, 1); }).code, ErrorCode::kIo);
  write_session("e");
  const auto refusal = refusal_of([&] { (void)store_site(path_, 7); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("session 7"));
}

TEST_F(StoredSiteTest, ASessionWithoutObservationsIsShownEmpty) {
  {
    const auto log = log_to_store(path_);
    const Experiment experiment(
        Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")}}),
        {.arms = {"a"}, .cutoffs = {5}, .logs = {log}});
  }
  const auto site = store_site(path_);
  EXPECT_EQ(document_of(*site, "/api/series")["time_ms"].size(), 1U);
  EXPECT_EQ(document_of(*site, "/api/topics")["total"], 0);
}

}  // namespace
}  // namespace prescope::serve
