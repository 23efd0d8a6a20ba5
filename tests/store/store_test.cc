#include "store/nights/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/error.h"
#include "store/sqlite/database.h"
#include "support/made_up_evaluations.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

UtcTime at(int hours) { return UtcTime(std::chrono::hours(500'000 + hours)); }

class StoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "a.store"; }
  [[nodiscard]] Store reader() const { return Store::open(path(), Store::Access::kRead); }

  std::int64_t add(std::uint32_t seed, const std::string& arm, int hours) {
    return store_.add(made_up({.seed = seed, .arm = arm, .time = at(hours)}));
  }
  [[nodiscard]] std::vector<std::int64_t> numbers(const HistoryFilter& filter) const {
    std::vector<std::int64_t> numbers;
    for (const Night& night : store_.nights(filter)) numbers.push_back(night.number);
    return numbers;
  }

  ScratchFolder folder_;
  Store store_ = Store::open(path(), Store::Access::kWrite);
};

TEST_F(StoreTest, ReadsEvaluationsBackUnchanged) {
  std::vector<EvaluationRecord> records;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    records.push_back(made_up({.seed = seed, .topics = 10 * seed, .time = at(int(seed))}));
  }
  records[1].docno_hint.reset();
  records[2].index = {};
  records[3].config.clear();
  records[4].latency = {};
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(store_.add(records[i]), std::int64_t(i) + 1);
  }
  const Store other = reader();
  for (std::size_t i = 0; i < records.size(); ++i) {
    expect_same(other.evaluation(std::int64_t(i) + 1), records[i]);
  }
}

// Topics that later judgements brought have higher numbers than their names would give them.
TEST_F(StoreTest, ReadsTopicsBackInOrderOfTheirIds) {
  EvaluationRecord first = made_up({.seed = 1, .topics = 8});
  EvaluationRecord second = first;
  first.topics.erase(first.topics.begin() + 2, first.topics.begin() + 5);
  store_.add(first);
  store_.add(second);
  expect_same(store_.evaluation(2), second);
}

TEST_F(StoreTest, KeepsAnEvaluationWithoutTopics) {
  EvaluationRecord record = made_up({.topics = 0});
  expect_same(store_.evaluation(store_.add(record)), record);
  const std::vector<Night> nights = store_.nights();
  ASSERT_EQ(nights.size(), 1U);
  EXPECT_EQ(nights[0].means[0].second.mean, std::nullopt);
  EXPECT_EQ(nights[0].p95_ms, std::nullopt);
}

TEST_F(StoreTest, RefusesDocnosOfInvalidUtf8AndStoresNothing) {
  EvaluationRecord record = made_up({.topics = 30});
  record.topics.back().found = {{.docno = Docno("EP\xFF"), .rank = 1}};
  const Refusal refusal = refusal_of([&] { store_.add(record); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_THAT(store_.nights(), IsEmpty());
  EXPECT_EQ(store_.add(made_up({})), 1);
}

// As if a backup took the place of the store during a replay.
TEST_F(StoreTest, StoresNothingInAFileThatHasLeftItsPath) {
  store_.add(made_up({}));
  const std::string moved = path().string() + ".moved";
  std::filesystem::rename(path(), moved);
  const Refusal refusal = refusal_of([&] { store_.add(made_up({})); });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_THAT(refusal.message, HasSubstr("was moved, removed or replaced since it was opened"));
  std::filesystem::rename(moved, path());
  EXPECT_EQ(store_.add(made_up({})), 2);
}

TEST_F(StoreTest, UnknownEvaluationListsExistingOnes) {
  EXPECT_EQ(refusal_of([&] { static_cast<void>(store_.evaluation(1)); }).message,
            path().string() + ": there is no night 1; there is none yet");
  for (const std::uint32_t seed : {1U, 2U, 3U}) add(seed, "bm25", 0);
  const Refusal refusal = refusal_of([&] { static_cast<void>(store_.evaluation(4)); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_EQ(refusal.message, path().string() + ": there is no night 4; there are 3, from 1 to 3");
}

TEST_F(StoreTest, ListsNightsWithTheMeansOfTheirFacts) {
  const EvaluationRecord record =
      made_up({.seed = 9, .topics = 40, .arm = "tf-idf", .time = at(3)});
  store_.add(record);
  const std::vector<Night> nights = store_.nights();
  ASSERT_EQ(nights.size(), 1U);
  const Night& night = nights[0];
  EXPECT_EQ(night.number, 1);
  EXPECT_EQ(night.time, at(3));
  EXPECT_EQ(night.arm, "tf-idf");
  EXPECT_EQ(night.source, "replay experiment-9.toml");
  EXPECT_EQ(night.qrels, record.qrels);
  EXPECT_EQ(night.topics, 40U);
  ASSERT_EQ(night.means.size(), record.measures.size());
  for (std::size_t m = 0; m < record.measures.size(); ++m) {
    EXPECT_EQ(night.means[m],
              std::pair(record.measures[m].name(), mean_of(record, record.measures[m])));
  }
  const auto p95 = record.latency.quantile(0.95);
  EXPECT_EQ(night.p95_ms, double(p95->count()) / 1e6);
  EXPECT_EQ(night.outcome, std::nullopt);
  EXPECT_THAT(night.pinned_as, IsEmpty());
}

// Clocks differ; the order in which nights were stored does not.
TEST_F(StoreTest, ListsNightsByNumberWhateverTheirTimes) {
  add(1, "bm25", 5);
  add(2, "bm25", 3);
  add(3, "tf-idf", 4);
  add(4, "bm25", 4);
  EXPECT_THAT(numbers({}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(numbers({.arm = "bm25"}), ElementsAre(1, 2, 4));
  EXPECT_THAT(numbers({.since = at(4)}), ElementsAre(1, 3, 4));
  EXPECT_THAT(numbers({.until = at(4)}), ElementsAre(2));
  EXPECT_THAT(numbers({.since = at(4), .until = at(5)}), ElementsAre(3, 4));
  EXPECT_THAT(numbers({.last = 2}), ElementsAre(3, 4));
  EXPECT_THAT(numbers({.arm = "bm25", .until = at(5), .last = 1}), ElementsAre(4));
  EXPECT_THAT(numbers({.last = 0}), IsEmpty());
}

TEST_F(StoreTest, NamesTheNearestArm) {
  add(1, "bm25", 5);
  add(1, "tf-idf", 5);
  const Refusal refusal = refusal_of([&] { static_cast<void>(store_.nights({.arm = "bm52"})); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_EQ(refusal.message, "unknown arm 'bm52'; did you mean 'bm25'? Valid: bm25, tf-idf");
}

TEST_F(StoreTest, PinKeepsAnAuditOfTheReplacedOne) {
  const EvaluationRecord record = made_up({.seed = 4});
  add(1, "bm25", 1);
  const Pin first =
      store_.pin({.name = "main", .evaluation = 1, .by = "ada", .why = "release 1", .time = at(2)});
  EXPECT_EQ(first.replaced, std::nullopt);
  const std::vector<MustFind> must_find = {{.topic = TopicId("T2"), .docno = Docno("EP2")},
                                           {.topic = TopicId("T1"), .docno = Docno("EP1")}};
  const Pin second = store_.pin(
      record,
      {.name = "main", .by = "bob", .why = "release 2", .time = at(3), .must_find = must_find});
  EXPECT_EQ(second.evaluation, 2);
  EXPECT_EQ(second.replaced, 1);
  store_.pin({.name = "other", .evaluation = 1, .by = "ada", .why = "to compare", .time = at(4)});

  const std::vector<Pin> pins = reader().pins();
  ASSERT_EQ(pins.size(), 3U);
  EXPECT_EQ(pins[0].by, "ada");
  EXPECT_EQ(pins[1].why, "release 2");
  EXPECT_EQ(pins[1].time, at(3));
  EXPECT_EQ(pins[1].must_find, must_find);
  EXPECT_EQ(pins[2].replaced, std::nullopt);

  const Baseline baseline = store_.baseline("main");
  EXPECT_EQ(baseline.name, "main");
  EXPECT_EQ(baseline.pinned_by, "bob");
  EXPECT_EQ(baseline.why, "release 2");
  EXPECT_EQ(baseline.pinned, at(3));
  EXPECT_EQ(store_.evaluation(baseline.number.value()).time, baseline.evaluation.time);
  EXPECT_EQ(baseline.must_find, must_find);
  expect_same(baseline.evaluation, record);

  const std::vector<Night> nights = store_.nights();
  EXPECT_THAT(nights[0].pinned_as, ElementsAre("main", "other"));
}

TEST_F(StoreTest, NamesTheNearestBaseline) {
  EXPECT_EQ(refusal_of([&] { static_cast<void>(store_.baseline("main")); }).message,
            path().string() + ": unknown baseline 'main'; there is none");
  add(1, "bm25", 1);
  store_.pin({.name = "main", .evaluation = 1});
  store_.pin({.name = "release", .evaluation = 1});
  const Refusal refusal = refusal_of([&] { static_cast<void>(store_.baseline("mian")); });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_EQ(
      refusal.message,
      path().string() + ": unknown baseline 'mian'; did you mean 'main'? Valid: main, release");
}

TEST_F(StoreTest, RefusesToPinAMissingEvaluation) {
  EXPECT_EQ(refusal_of([&] { store_.pin({.name = "main", .evaluation = 3}); }).code,
            ErrorCode::kUsage);
  EXPECT_EQ(refusal_of([&] { store_.pin(made_up({}), {.name = ""}); }).code, ErrorCode::kUsage);
  EXPECT_THAT(store_.pins(), IsEmpty());
  EXPECT_THAT(store_.nights(), IsEmpty());
}

TEST_F(StoreTest, NeverChangesOrDeletesAPin) {
  store_.pin(made_up({}), {.name = "main", .must_find = {{TopicId("T"), Docno("D")}}});
  Database database = open_store_file(path(), Database::Access::kWrite);
  for (const char* const sql :
       {"DELETE FROM pins", "UPDATE pins SET why = 'other'", "DELETE FROM must_find",
        "UPDATE must_find SET docno = 'E'", "DELETE FROM evaluations"}) {
    EXPECT_EQ(refusal_of([&] { database.run(sql); }).code, ErrorCode::kIo) << sql;
  }
  EXPECT_EQ(store_.pins().size(), 1U);
  EXPECT_EQ(store_.pins().at(0).must_find.size(), 1U);
}

GateVerdict verdict_of(GateOutcome outcome, std::vector<GateVerdict::Rule> rules) {
  GateVerdict verdict;
  verdict.outcome = outcome;
  verdict.rules = std::move(rules);
  verdict.baseline.name = "main";
  verdict.baseline.number = 1;
  return verdict;
}

TEST_F(StoreTest, ListsTheLastVerdictOfANightWithItsReason) {
  using Status = GateVerdict::Status;
  add(1, "bm25", 1);
  store_.pin({.name = "main", .evaluation = 1, .time = at(1)});
  add(2, "bm25", 2);
  add(3, "bm25", 3);
  GateVerdict failed =
      verdict_of(GateOutcome::kRegression, {{"input.depth", Status::kPass, "the depth is 1000"},
                                            {"latency.p95", Status::kWarning, "p95 rose"},
                                            {"margin.PRES@100", Status::kFail, "PRES fell"},
                                            {"margin.R@100", Status::kFail, "R fell"}});
  store_.add(2, verdict_of(GateOutcome::kInconclusive,
                           {{"margin.PRES@100", Status::kInconclusive, "too few topics"}}));
  store_.add(2, failed);
  store_.add(3, verdict_of(GateOutcome::kPass, {{"margin.PRES@100", Status::kPass, "holds"},
                                                {"latency.p95", Status::kSkipped, "not timed"}}));
  // A later pin does not change the baseline of the verdict.
  store_.pin({.name = "main", .evaluation = 3, .time = at(9)});

  const std::vector<Night> nights = reader().nights();
  ASSERT_EQ(nights.size(), 3U);
  EXPECT_EQ(nights[0].outcome, std::nullopt);
  EXPECT_EQ(nights[0].baseline, "");
  EXPECT_EQ(nights[1].outcome, GateOutcome::kRegression);
  EXPECT_EQ(nights[1].reason, "PRES fell");
  EXPECT_EQ(nights[1].baseline, "main");
  EXPECT_EQ(nights[1].baseline_number, 1);
  EXPECT_EQ(nights[2].outcome, GateOutcome::kPass);
  EXPECT_EQ(nights[2].reason, "");
}

TEST_F(StoreTest, RefusedNightStoresNeitherVerdictNorEvaluation) {
  const GateVerdict verdict = verdict_of(GateOutcome::kPass, {});
  EvaluationRecord wrong = made_up({});
  wrong.topics.back().found = {{.docno = Docno("EP\xFF"), .rank = 1}};
  EXPECT_EQ(refusal_of([&] { store_.add(wrong, verdict); }).code, ErrorCode::kUsage);
  EXPECT_THAT(store_.nights(), IsEmpty());
  EXPECT_EQ(store_.add(made_up({}), verdict), 1);
  EXPECT_EQ(store_.nights().at(0).outcome, GateOutcome::kPass);
}

TEST_F(StoreTest, KeepsEveryOutcome) {
  add(1, "bm25", 1);
  for (const GateOutcome outcome : {GateOutcome::kPass, GateOutcome::kRegression,
                                    GateOutcome::kInconclusive, GateOutcome::kBadInput}) {
    store_.add(1, verdict_of(outcome, {}));
    const std::vector<Night> nights = store_.nights();
    EXPECT_EQ(nights.at(0).outcome, outcome);
  }
  EXPECT_EQ(refusal_of([&] { store_.add(2, verdict_of(GateOutcome::kPass, {})); }).code,
            ErrorCode::kUsage);
}

TEST_F(StoreTest, NamesADamagedEvaluation) {
  add(1, "bm25", 1);
  Database database = open_store_file(path(), Database::Access::kWrite);
  for (const auto& [sql, what] :
       {std::pair{"UPDATE evaluation_topics SET found = '{\"EP1\":0}' WHERE topic = 2",
                  "topic 'EP0000001A1 \"é\"'"},
        std::pair{"UPDATE evaluation_topics SET found = '[1' WHERE topic = 1",
                  "topic 'EP0000000A1 \"é\"'"},
        std::pair{"UPDATE evaluations SET latency = x'0102'", "the latency"}}) {
    database.run(sql);
    const Refusal refusal = refusal_of([&] { static_cast<void>(store_.evaluation(1)); });
    EXPECT_EQ(refusal.code, ErrorCode::kBadInput);
    EXPECT_EQ(refusal.message,
              fmt::format("{}: {} of night 1 is not as prescope writes it; take a copy of an "
                          "earlier day",
                          path().string(), what));
  }
}

TEST(EvaluationRecord, ScoresFactsAsMeasuresDo) {
  const EvaluationRecord::Topic topic{
      .id = TopicId("T"),
      .num_rel = 4,
      .num_ret = 1000,
      .found = {{Docno("A"), 1}, {Docno("B"), 20}, {Docno("C"), 400}}};
  const auto score = [&](const char* measure) {
    return EvaluationRecord::score(topic, Measure::parse(measure));
  };
  EXPECT_DOUBLE_EQ(*score("PRES@100"), (100.0 + 1 - 1 + 100 + 2 - 20) / (4 * 100));
  EXPECT_DOUBLE_EQ(*score("R@1000"), 3.0 / 4);
  EXPECT_DOUBLE_EQ(*score("AP@1000"), (1.0 / 1 + 2.0 / 20 + 3.0 / 400) / 4);
  EXPECT_EQ(score("bpref"), std::nullopt) << "grades are not stored";
}

TEST(EvaluationRecord, MeansLeaveOutTopicsWithoutValue) {
  EvaluationRecord record;
  record.topics = {{.id = TopicId("A"), .num_rel = 2, .found = {{Docno("X"), 1}}},
                   {.id = TopicId("B"), .num_rel = 0},
                   {.id = TopicId("C"), .num_rel = 1, .served = false}};
  const Mean mean = mean_of(record, Measure::parse("R@10"));
  EXPECT_EQ(mean.topics, 2U);
  EXPECT_DOUBLE_EQ(*mean.mean, (0.5 + 0.0) / 2);
  EXPECT_EQ(mean_of({}, Measure::parse("R@10")).mean, std::nullopt);
}

Qrels qrels_of(const std::vector<Qrels::Line>& lines, const QrelsOptions& options = {}) {
  return Qrels::from_lines(lines, options);
}

TEST(QrelsVersion, IsEqualForEqualJudgements) {
  const Qrels::Line first{TopicId("T1"), Docno("EP1"), 1};
  const Qrels::Line second{TopicId("T2"), Docno("EP2"), 0};
  const QrelsVersion version = qrels_version(qrels_of({first, second}));
  EXPECT_EQ(version, qrels_version(qrels_of({second, first})));
  EXPECT_EQ(version.topics, 2U);
  EXPECT_EQ(version.judgements, 2U);
  EXPECT_EQ(version.relevant, 1U);
  EXPECT_EQ(version.hash.size(), 16U);
  EXPECT_EQ(version.hash.find_first_not_of("0123456789abcdef"), std::string::npos);
  for (const std::vector<Qrels::Line>& other :
       {std::vector{first}, std::vector{first, Qrels::Line{TopicId("T2"), Docno("EP2"), 1}},
        std::vector{first, Qrels::Line{TopicId("T1"), Docno("EP2"), 0}},
        std::vector{first, Qrels::Line{TopicId("T2"), Docno("EP3"), 0}},
        std::vector{first, Qrels::Line{TopicId("T2E"), Docno("P2"), 0}}}) {
    EXPECT_NE(qrels_version(qrels_of(other)).hash, version.hash);
  }
}

TEST(QrelsVersion, DependsOnKeysNotSpellings) {
  const QrelsOptions as_patents{.docno = DocnoPolicy::kPatent};
  const auto hash = [&](const char* docno) {
    return qrels_version(qrels_of({{TopicId("T"), Docno(docno), 1}}, as_patents)).hash;
  };
  EXPECT_EQ(hash("EP-0971326-B1"), hash("EP0971326A3"));
  EXPECT_NE(hash("EP0971326B1"), hash("EP0971327B1"));
}

}  // namespace
}  // namespace prescope
