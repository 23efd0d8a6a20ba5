#include "store/nights/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "support/made_up_evaluations.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;

UtcTime day(int days) { return UtcTime(std::chrono::days(20'000 + days)); }

class StoreRetention : public ::testing::Test {
 protected:
  /// Evaluation i is of day i.
  void add_evaluations(int count, std::uint32_t topics = 20) {
    for (int i = 1; i <= count; ++i) store_.add(evaluation(i, topics));
  }
  static EvaluationRecord evaluation(int i, std::uint32_t topics = 20) {
    return made_up({.seed = std::uint32_t(i), .topics = topics, .time = day(i)});
  }
  /// Observation i is of day i, with a captured ranking; those up to `rolled_up_to` are in the
  /// sums.
  void add_observations(int count, int rolled_up_to) {
    Database database = open_store_file(path(), Database::Access::kWrite);
    Transaction transaction(database);
    Statement observation(database,
                          "INSERT INTO observations (seq, time_ms, arm, first_rank, depth, "
                          "num_ret, total_hits, duplicates, flags, latency_ns, self_ns) "
                          "VALUES (?, ?, 1, 1, 1000, 1000, 1000, 0, 0, 1000000, 500)");
    Statement capture(database,
                      "INSERT INTO captures (seq, kind, hits) VALUES (?, 'docids', zeroblob(500))");
    for (int i = 1; i <= count; ++i) {
      observation.bind(i, day(i).time_since_epoch().count()).run();
      capture.bind(i).run();
    }
    Statement(database, "UPDATE log_state SET rolled_up_to = ?").bind(rolled_up_to).run();
    transaction.commit();
  }

  /// The request 100 + i is of day i.
  void add_requests(int count) const {
    const Database database = open_store_file(path(), Database::Access::kWrite);
    Statement request(database, "INSERT INTO requests (request_id, time_ms) VALUES (?, ?)");
    for (int i = 1; i <= count; ++i) request.bind(100 + i, day(i)).run();
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "a.store"; }
  [[nodiscard]] std::int64_t number(const std::string& sql) const {
    return open_store_file(path(), Database::Access::kRead).number(sql);
  }
  [[nodiscard]] std::vector<std::int64_t> nights() const {
    std::vector<std::int64_t> numbers;
    for (const Night& night : store_.nights()) numbers.push_back(night.number);
    return numbers;
  }
  [[nodiscard]] std::uint64_t bytes_of_table(const char* table) const {
    return std::uint64_t(
        number(fmt::format("SELECT ifnull(sum(pgsize), 0) FROM dbstat WHERE name = '{}'", table)));
  }
  [[nodiscard]] std::uint64_t size() const { return std::filesystem::file_size(path()); }

  ScratchFolder folder_;
  Store store_ = Store::open(path(), Store::Access::kWrite);
};

TEST_F(StoreRetention, RemovesNothingUnlessAskedTo) {
  add_evaluations(3);
  add_observations(10, 10);
  const Pruned pruned = store_.prune({});
  EXPECT_EQ(pruned.captures + pruned.observations + pruned.evaluations, 0U);
  EXPECT_EQ(number("SELECT count(*) FROM observations"), 10);
  EXPECT_THAT(nights(), ElementsAre(1, 2, 3));
}

TEST_F(StoreRetention, RemovesByAge) {
  add_evaluations(4);
  add_observations(10, 10);
  add_requests(10);
  const Pruned pruned = store_.prune({.observations_since = day(8), .evaluations_since = day(3)});
  EXPECT_EQ(pruned.captures, 7U);
  EXPECT_EQ(pruned.observations, 7U);
  EXPECT_EQ(pruned.evaluations, 2U);
  EXPECT_EQ(number("SELECT min(seq) FROM observations"), 8);
  EXPECT_EQ(number("SELECT min(seq) FROM captures"), 8);
  EXPECT_EQ(number("SELECT min(request_id) FROM requests"), 108);
  EXPECT_EQ(number("SELECT requests_since_ms FROM log_state"), day(8).time_since_epoch().count());
  EXPECT_THAT(nights(), ElementsAre(3, 4));
  for (const char* const table : {"evaluation_means", "evaluation_topics", "topic_scores"}) {
    EXPECT_EQ(number(fmt::format("SELECT min(evaluation) FROM {}", table)), 3) << table;
  }
  expect_same(store_.evaluation(3), evaluation(3));
}

TEST_F(StoreRetention, KeepsObservationsThatAreNotYetInTheSums) {
  add_observations(10, 4);
  const Pruned pruned = store_.prune({.observations_since = day(100), .bytes = 0});
  EXPECT_EQ(pruned.captures, 4U);
  EXPECT_EQ(pruned.observations, 4U);
  EXPECT_EQ(number("SELECT min(seq) FROM observations"), 5);
}

// A request that is forgotten is not known to be new: whoever asks must learn from when on it is.
TEST_F(StoreRetention, ForgetsRequestsWithTheirObservationsBySizeToo) {
  add_observations(10, 4);
  add_requests(10);
  store_.prune({.bytes = 0});
  EXPECT_EQ(number("SELECT min(seq) FROM observations"), 5);
  EXPECT_EQ(number("SELECT min(request_id) FROM requests"), 105);
  EXPECT_EQ(number("SELECT requests_since_ms FROM log_state"), day(5).time_since_epoch().count());
  store_.prune({.observations_since = day(3)});
  EXPECT_EQ(number("SELECT requests_since_ms FROM log_state"), day(5).time_since_epoch().count())
      << "it never goes back";
}

TEST_F(StoreRetention, KeepsPinnedEvaluationsAlsoThoseThatWereReplaced) {
  add_evaluations(4);
  store_.pin({.name = "main", .evaluation = 1});
  store_.pin({.name = "main", .evaluation = 3});
  GateVerdict verdict;
  store_.add(1, verdict);
  store_.add(2, verdict);
  const Pruned pruned = store_.prune({.evaluations_since = day(100), .bytes = 0});
  EXPECT_EQ(pruned.evaluations, 2U);
  EXPECT_THAT(nights(), ElementsAre(1, 3));
  EXPECT_EQ(store_.pins().size(), 2U);
  EXPECT_EQ(number("SELECT count(*) FROM verdicts"), 1);
  expect_same(store_.baseline("main").evaluation, evaluation(3));
}

TEST_F(StoreRetention, NeverReusesANumber) {
  add_evaluations(3);
  store_.prune({.bytes = 0});
  EXPECT_THAT(nights(), ElementsAre());
  EXPECT_EQ(store_.add(evaluation(9)), 4);
}

TEST_F(StoreRetention, RemovesBySizeCapturesFirstThenObservationsThenEvaluations) {
  constexpr int kObservations = 9000;
  add_evaluations(6, 300);
  add_observations(kObservations, kObservations);
  const std::uint64_t all = store_.prune({}).bytes_after;

  // Some of the captures are enough.
  const std::uint64_t fewer = all - bytes_of_table("captures") / 2;
  const Pruned captures = store_.prune({.bytes = fewer});
  EXPECT_GT(captures.captures, 0U);
  EXPECT_LT(captures.captures, std::uint64_t(kObservations));
  EXPECT_EQ(captures.observations + captures.evaluations, 0U);
  EXPECT_EQ(number("SELECT min(seq) FROM captures"), std::int64_t(captures.captures) + 1);
  EXPECT_EQ(captures.bytes_before, all);
  EXPECT_EQ(size(), captures.bytes_after);
  EXPECT_LE(size(), fewer);

  // All captures, and some observations.
  const Pruned observations = store_.prune(
      {.bytes = size() - bytes_of_table("captures") - bytes_of_table("observations") / 2});
  EXPECT_EQ(observations.captures, kObservations - captures.captures);
  EXPECT_GT(observations.observations, 0U);
  EXPECT_LT(observations.observations, std::uint64_t(kObservations));
  EXPECT_EQ(observations.evaluations, 0U);
  EXPECT_EQ(number("SELECT min(seq) FROM observations"),
            std::int64_t(observations.observations) + 1);

  // All observations, and the oldest evaluations.
  const Pruned evaluations = store_.prune(
      {.bytes = size() - bytes_of_table("observations") - bytes_of_table("evaluation_topics") / 2});
  EXPECT_EQ(evaluations.observations, kObservations - observations.observations);
  ASSERT_GT(evaluations.evaluations, 0U);
  ASSERT_LT(evaluations.evaluations, 6U);
  EXPECT_EQ(nights().front(), std::int64_t(evaluations.evaluations) + 1);
  EXPECT_EQ(number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
}

TEST_F(StoreRetention, PinnedEvaluationsMayExceedTheSize) {
  add_evaluations(2, 100);
  store_.pin({.name = "main", .evaluation = 2});
  const Pruned pruned = store_.prune({.bytes = 4096});
  EXPECT_EQ(pruned.evaluations, 1U);
  EXPECT_GT(pruned.bytes_after, 4096U);
  expect_same(store_.evaluation(2), evaluation(2, 100));
}

TEST_F(StoreRetention, WorksBesideAReader) {
  add_evaluations(3);
  Database reader = open_store_file(path(), Database::Access::kRead);
  Statement row(reader, "SELECT number FROM evaluations");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(store_.prune({.evaluations_since = day(3)}).evaluations, 2U);
  // The reader still sees the data that it began to read.
  EXPECT_TRUE(row.next());
  EXPECT_TRUE(row.next());
  EXPECT_FALSE(row.next());
  EXPECT_THAT(nights(), ElementsAre(3));
}

}  // namespace
}  // namespace prescope
