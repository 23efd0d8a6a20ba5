// The shipped SQL gives the numbers of the program's own ledger.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fleet/clickhouse.h"
#include "fleet/recorded.h"
#include "fleet/schema.h"
#include "prescope/shipper.h"
#include "store/sessions/rebuilt_session.h"
#include "support/clickhouse_server.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;

using Values = std::map<std::string, std::string>;
using Rows = std::vector<std::vector<std::string>>;

/// The measures of the experiment: PRES@10, R@10, AP@20, PRES@20.
constexpr std::size_t kPres10 = 0, kRecall10 = 1, kAp20 = 2, kPres20 = 3;
constexpr std::uint32_t kVisits = 600;

/// Reads the queries of the file by their names.
std::map<std::string, std::string> read_queries() {
  std::map<std::string, std::string> queries;
  std::ifstream in(PRESCOPE_SOURCE_DIR "/docs/fleet-reports.sql");
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("-- [")) name = line.substr(4, line.find(']') - 4);
    if (!line.starts_with("--") && !line.empty()) queries[name] += line + '\n';
  }
  return queries;
}

/// Replaces "{name:Type}" by the value of the name.
std::string with_values(std::string_view query, const Values& values) {
  std::string filled;
  while (true) {
    const std::size_t begin = query.find('{');
    filled += query.substr(0, begin);
    if (begin == std::string_view::npos) return filled;
    filled += values.at(std::string(query.substr(begin + 1, query.find(':') - begin - 1)));
    query.remove_prefix(query.find('}') + 1);
  }
}

class Reports : public ::testing::Test {
 protected:
  Reports() : store_(scratch_.path() / "live.db") {
    server_.make_tables();
    record_store(store_, kVisits);
    ship_all(store_, {.to = server_.url(), .server = "search1"});
    // Rows that were sent twice and are not merged yet change nothing.
    server_.ask(
        "INSERT INTO prescope.observations SELECT * FROM prescope.observations WHERE seq < 99");
    values_ = {{"experiment", "'autumn'"},
               {"epoch", rows("epochs").at(0).at(1)},
               {"a", "'bm25'"},
               {"b", R"('tf\'idf')"},
               {"topics", R"(['EP\'3\\','EP\'4\\','EP\'7\\'])"},
               {"slices", "['first','first','second']"},
               {"seconds", "1000000000"},
               {"shadow", "0"}};
  }

  /// Serves and ships another experiment, which reports are then about. Returns its store.
  std::filesystem::path ship_another(const ExperimentOptions& of, bool all_answered) {
    std::filesystem::path store = scratch_.path() / (of.name + ".db");
    {
      Experiment experiment(fleet_qrels(), of);
      RecordedVisits(experiment, 2, all_answered).serve(kVisits);
    }
    ship_all(store, {.to = server_.url(), .server = "search1"});
    values_["experiment"] = "'" + of.name + "'";
    for (const auto& row : rows("epochs")) {
      if (row.at(0) == of.name) values_["epoch"] = row.at(1);
    }
    return store;
  }

  /// Returns the answer to a query, as lines of fields.
  Rows rows(const std::string& name, int cutoff = 0) {
    values_["cutoff"] = std::to_string(cutoff);
    Rows lines;
    ClickHouse fleet(parse_fleet_url(server_.url() + "?database=" + database_));
    std::istringstream answer(
        fleet.ask(with_values(queries_.at(name), values_) + " FORMAT TabSeparatedRaw"));
    for (std::string line; std::getline(answer, line);) {
      std::vector<std::string>& fields = lines.emplace_back();
      std::istringstream in(line);
      for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    }
    return lines;
  }

  /// Adds copies of rows with other values in some columns.
  void copy_rows(const FleetTable& table, const std::string& which, const Values& others) {
    std::string columns, values;
    std::istringstream all(std::string(table.columns));
    for (std::string name, type; all >> name >> type; columns += ',', values += ',') {
      columns += name;
      values += others.contains(name) ? others.at(name) : name;
    }
    columns.pop_back();
    values.pop_back();
    server_.ask(
        fmt::format("INSERT INTO prescope.{0} ({1}) SELECT {2} FROM prescope.{0} FINAL WHERE {3}",
                    table.name, columns, values, which));
  }

  const std::map<std::string, std::string> queries_ = read_queries();
  ClickHouseServer server_;
  std::string database_ = "prescope";
  ScratchFolder scratch_;
  std::filesystem::path store_;
  Values values_;
};

ArmIndex arm_of(const std::string& name) { return ArmIndex(name == "bm25" ? 0 : 1); }

/// What a report says of a measure of a topic, compared with the ledger.
void expect_score(const Ledger::Track& track, TopicIndex topic, std::size_t measure,
                  const std::string& visits, const std::string& mean) {
  const Score& score = track.scores.row(topic.value())[measure];
  EXPECT_EQ(visits, std::to_string(score.visits)) << topic.value() << ' ' << measure;
  EXPECT_NEAR(std::stod(mean), score.mean, 1e-12) << topic.value() << ' ' << measure;
}

/// Returns the number of topics that have a value.
std::size_t scored_topics(const Ledger& ledger, const Ledger::Track& track, std::size_t measure) {
  std::size_t count = 0;
  ledger.for_each_topic([&](TopicIndex topic) {
    count += track.scores.row(topic.value())[measure].visits > 0 ? 1U : 0U;
  });
  return count;
}

/// Compares rows of [measures] or [rejudged] with the ledger.
void expect_measures(const Rows& rows, const Ledger& ledger, int cutoff) {
  for (const auto& row : rows) {
    const TopicIndex topic = ledger.qrels().find(row.at(0)).value();
    const Ledger::Track& served = ledger.arm(arm_of(row[1])).served;
    EXPECT_EQ(row[2], std::to_string(ledger.qrels().topic(topic).num_rel()));
    expect_score(served, topic, cutoff == 10 ? kPres10 : kPres20, row[3], row[6]);
    if (cutoff == 10) expect_score(served, topic, kRecall10, row[3], row[7]);
    if (cutoff == 20) expect_score(served, topic, kAp20, row[3], row[8]);
  }
}

TEST_F(Reports, MeasuresOfTopicsAreThoseOfTheLedger) {
  const RebuiltSession rebuilt(store_, 1);
  const Ledger& ledger = rebuilt.ledger();
  for (const int cutoff : {10, 20}) {
    const std::size_t pres = cutoff == 10 ? kPres10 : kPres20;
    const Rows measures = rows("measures", cutoff);
    expect_measures(measures, ledger, cutoff);
    std::size_t scored = 0;
    for (const std::uint32_t a : {0U, 1U}) {
      scored += scored_topics(ledger, ledger.arm(ArmIndex(a)).served, pres);
    }
    EXPECT_EQ(measures.size(), scored);
    EXPECT_GT(scored, 10);

    const Ledger::Track &of_a = ledger.arm(ArmIndex(0)).compared,
                        &of_b = ledger.arm(ArmIndex(1)).compared;
    const Rows pairs = rows("pairs", cutoff);
    EXPECT_EQ(pairs.size(), scored_topics(ledger, of_a, pres));
    for (const auto& row : pairs) {
      const TopicIndex topic = ledger.qrels().find(row.at(0)).value();
      expect_score(of_a, topic, pres, row[2], row[7]);
      expect_score(of_b, topic, pres, row[2], row[8]);
      if (cutoff != 20) continue;
      expect_score(of_a, topic, kAp20, row[2], row[9]);
      expect_score(of_b, topic, kAp20, row[2], row[10]);
    }
  }
}

// The host scores sorted rankings; one that was cut short before its first hit is an empty one.
TEST_F(Reports, SortedRankingsCountIfTheHostScoresThem) {
  const std::filesystem::path store = scratch_.path() / "sorted.db";
  ExperimentOptions options = fleet_options(store);
  options.name = "sorted";
  options.mode = Mode::kObserve;
  options.recording.scored_flags = RankingFlags::kSorted;
  {
    Experiment experiment(fleet_qrels(), options);
    const std::vector<std::string_view> found{"D3", "D4"};
    for (std::uint32_t t = 0; t < kFleetTopics; ++t) {
      Ranking ranking{.kind = HitKind::kDocnos, .requested_depth = 20};
      if (t % 2 == 0) ranking.docnos = found;
      ranking.flags = t % 3 == 0 ? RankingFlags::kSorted | RankingFlags::kFiltered
                                 : RankingFlags::kSorted | RankingFlags::kPartial;
      experiment.observe(experiment.visit(TopicId(fmt::format("EP'{}\\", t))), ranking);
    }
  }
  ship_all(store, {.to = server_.url(), .server = "search1"});
  values_["experiment"] = "'sorted'";
  for (const auto& row : rows("epochs")) {
    if (row.at(0) == "sorted") values_["epoch"] = row.at(1);
  }
  const RebuiltSession rebuilt(store, 1);
  const Rows measures = rows("measures", 10);
  expect_measures(measures, rebuilt.ledger(), 10);
  EXPECT_EQ(measures.size(),
            scored_topics(rebuilt.ledger(), rebuilt.ledger().arm(ArmIndex(0)).served, kPres10));
  EXPECT_GT(measures.size(), 4);
}

TEST_F(Reports, MeansAndDifferencesAreThoseOfTheSummary) {
  const RebuiltSession rebuilt(store_, 1);
  const Summary summary = rebuilt.summary();
  values_["topics"] = values_["slices"] = "['']";
  // By cutoff: measures of the experiment, in the order of PRES, R, AP.
  const std::map<int, std::map<std::size_t, std::size_t>> measures{
      {10, {{0, kPres10}, {1, kRecall10}}}, {20, {{0, kPres20}, {2, kAp20}}}};
  for (const auto& [cutoff, of_cutoff] : measures) {
    const Rows means = rows("means", cutoff), differences = rows("differences", cutoff);
    ASSERT_EQ(means.size(), 2);
    ASSERT_EQ(differences.size(), 3);
    for (const auto& [place, measure] : of_cutoff) {
      for (const auto& row : means) {
        const MeasureMean& mean = summary.arms[arm_of(row.at(1)).value()].served_means.at(measure);
        EXPECT_EQ(row[2], std::to_string(mean.topics));
        EXPECT_EQ(row[3], std::to_string(mean.visits));
        EXPECT_NEAR(std::stod(row.at(4 + place)), mean.mean.value(), 1e-12);
      }
      const MeasureDifference& of = summary.pairs.at(0).differences.at(measure);
      const auto& row = differences[place];
      EXPECT_THAT(
          std::vector(row.begin() + 8, row.end()),
          ElementsAre(std::to_string(of.wins), std::to_string(of.ties), std::to_string(of.losses)));
      EXPECT_GT(of.wins * of.losses, 0);
      EXPECT_EQ(row[2], std::to_string(of.topics));
      EXPECT_EQ(row[3], std::to_string(summary.arms[0].means.at(measure).visits));
      EXPECT_NEAR(std::stod(row[4]), of.mean_a.value(), 1e-12);
      EXPECT_NEAR(std::stod(row[5]), of.mean_b.value(), 1e-12);
      EXPECT_NEAR(std::stod(row[6]), of.mean.value(), 1e-12);
    }
  }
}

// A report of complete pairs has no bounds of the visits that one arm alone filtered, or failed.
TEST_F(Reports, FirstPairsAreTheEvidenceIfEveryVisitIsAnsweredAndScored) {
  ExperimentOptions options = fleet_options(scratch_.path() / "summer.db");
  options.name = "summer";
  options.recording.scored_flags = RankingFlags::kFiltered;
  const std::filesystem::path store = ship_another(options, true);
  values_["topics"] = values_["slices"] = "['']";
  const Summary summary = RebuiltSession(store, 1).summary();
  const std::map<int, std::map<std::size_t, std::size_t>> measures{
      {10, {{0, kPres10}, {1, kRecall10}}}, {20, {{0, kPres20}, {2, kAp20}}}};
  for (const auto& [cutoff, of_cutoff] : measures) {
    const Rows firsts = rows("first_pairs", cutoff), differences = rows("differences", cutoff);
    ASSERT_EQ(firsts.size(), 3);
    for (const auto& [place, measure] : of_cutoff) {
      const LiveVerdict live = summary.pairs.at(0).differences.at(measure).live.value();
      const auto& first = firsts[place];
      EXPECT_EQ(first.at(2), std::to_string(live.topics));
      EXPECT_EQ(first.at(3), std::to_string(live.bounded_topics));
      EXPECT_NEAR(std::stod(first.at(4)), live.mean.value(), 1e-12);
      EXPECT_NEAR(std::stod(first.at(5)), live.mean_low.value(), 1e-12);
      EXPECT_NEAR(std::stod(first.at(6)), live.mean_high.value(), 1e-12);
      EXPECT_NE(first[4], differences.at(place)[6]);
    }
  }
}

TEST_F(Reports, PairsHaveTheServedRankingIfLatencyIsNotCompared) {
  ExperimentOptions options = fleet_options(scratch_.path() / "spring.db");
  options.name = "spring";
  options.shadow.latency = ShadowOptions::Latency::kNotCompared;
  const std::filesystem::path store = ship_another(options, false);
  const RebuiltSession rebuilt(store, 1);
  const Ledger& ledger = rebuilt.ledger();
  const Rows pairs = rows("pairs", 20);
  EXPECT_EQ(pairs.size(), scored_topics(ledger, ledger.arm(ArmIndex(0)).compared, kPres20));
  for (const auto& row : pairs) {
    const TopicIndex topic = ledger.qrels().find(row.at(0)).value();
    for (const std::uint32_t a : {0U, 1U}) {
      const Ledger::Track& compared = ledger.arm(ArmIndex(a)).compared;
      expect_score(compared, topic, kPres20, row[2], row[7 + a]);
      expect_score(compared, topic, kAp20, row[2], row[9 + a]);
    }
  }
}

/// A complete pair in which both arms found something, for the tests that follow.
std::string visit_of_a_pair(const ClickHouseServer& server) {
  return server.ask(
      "SELECT visit FROM prescope.observations WHERE compared_arms = 2 AND first_rank = 1 "
      "AND late = 0 AND covered >= 10 AND arrayExists((r, g) -> r <= 10 AND g >= 1, ranks, grades) "
      "GROUP BY visit HAVING uniqExact(arm) = 2 AND min(seq) > 99 ORDER BY visit LIMIT 1");
}

TEST_F(Reports, TheLeastRelevantGradeIsThatOfTheEpoch) {
  std::map<std::string, Rows> reports;
  for (const char* name : {"measures", "means", "pairs", "differences", "first_pairs"}) {
    reports[name] = rows(name, 10);
  }
  const std::string which = "epoch = " + values_.at("epoch");
  // An epoch in which every grade and the least relevant one are greater has the same scores.
  for (const char* greater : {"1", "2", "7"}) {
    values_["epoch"] = greater;
    copy_rows(kEpochsTable, which,
              {{"epoch", greater}, {"min_grade", fmt::format("min_grade + {}", greater)}});
    copy_rows(
        kObservationsTable, which,
        {{"epoch", greater}, {"grades", fmt::format("arrayMap(g -> g + {}, grades)", greater)}});
    for (const auto& [name, expected] : reports) EXPECT_EQ(rows(name, 10), expected) << name;
  }
}

int sum_of(const Rows& rows, std::size_t column) {
  int sum = 0;
  for (const auto& row : rows) sum += std::stoi(row.at(column));
  return sum;
}

TEST_F(Reports, AVisitThatNotAllArmsRankedIsInNoPair) {
  const std::string pair = "compared_arms = 2 AND visit = " + visit_of_a_pair(server_);
  const Rows before = rows("pairs", 10);
  const Values elsewhere{{"visit", "visit + 1000000"}, {"seq", "seq + 1000000"}};
  copy_rows(kObservationsTable, pair + " AND arm = 'bm25'", elsewhere);
  EXPECT_EQ(rows("pairs", 10), before);
  // With the other arm's ranking it is another pair of its topic.
  copy_rows(kObservationsTable, pair + " AND arm != 'bm25'", elsewhere);
  EXPECT_EQ(sum_of(rows("pairs", 10), 2), sum_of(before, 2) + 1);
}

TEST_F(Reports, TheFirstRankingOfAnArmCounts) {
  const std::string of_arm = "arm = 'bm25' AND compared_arms = 2 AND first_rank = 1 AND visit = " +
                             visit_of_a_pair(server_);
  const Rows before = rows("pairs", 10);
  Values nothing{{"ranks", "emptyArrayUInt32()"},
                 {"grades", "emptyArrayInt32()"},
                 {"positions", "emptyArrayUInt32()"},
                 {"seq", "seq + 1000000"}};
  copy_rows(kObservationsTable, of_arm, nothing);
  EXPECT_EQ(rows("pairs", 10), before);
  // Found nothing, but earlier.
  nothing["seq"] = "toUInt64(0)";
  copy_rows(kObservationsTable, of_arm, nothing);
  const Rows after = rows("pairs", 10);
  EXPECT_LT(sum_of(after, 3), sum_of(before, 3));
  EXPECT_EQ(sum_of(after, 4), sum_of(before, 4));
}

TEST_F(Reports, SlicesAreMeansOverTheirTopics) {
  const RebuiltSession rebuilt(store_, 1);
  const Ledger& ledger = rebuilt.ledger();
  const auto mean_of = [&](std::uint32_t arm, std::initializer_list<const char*> topics) {
    double sum = 0.0;
    for (const char* topic : topics) {
      sum += ledger.score(ArmIndex(arm), ledger.qrels().find(topic).value(), kPres10).mean;
    }
    return sum / static_cast<double>(topics.size());
  };
  const Rows differences = rows("differences", 10);
  ASSERT_EQ(differences.size(), 9);
  EXPECT_THAT(std::vector(differences[3].begin(), differences[3].begin() + 3),
              ElementsAre("first", "PRES", "2"));
  EXPECT_NEAR(std::stod(differences[3][4]), mean_of(0, {"EP'3\\", "EP'4\\"}), 1e-12);
  EXPECT_NEAR(std::stod(differences[3][5]), mean_of(1, {"EP'3\\", "EP'4\\"}), 1e-12);
  EXPECT_EQ(differences[6].at(0), "second");
  EXPECT_NEAR(std::stod(differences[6][4]), mean_of(0, {"EP'7\\"}), 1e-12);
  const Rows means = rows("means", 10);
  ASSERT_EQ(means.size(), 6);
  EXPECT_THAT(std::vector(means[2].begin(), means[2].begin() + 3),
              ElementsAre("first", "bm25", "2"));
}

TEST_F(Reports, LatencyIsThatOfTheSummary) {
  const RebuiltSession rebuilt(store_, 1);
  const Summary summary = rebuilt.summary();
  for (const bool is_shadow : {false, true}) {
    values_["shadow"] = is_shadow ? "1" : "0";
    const Rows latency = rows("latency");
    ASSERT_EQ(latency.size(), 2);
    for (const auto& row : latency) {
      const ArmSummary& arm = summary.arms[arm_of(row.at(0)).value()];
      const LatencySummary& of = is_shadow ? arm.shadow_latency : arm.latency;
      EXPECT_EQ(row[1], "2001-09-09 01:46:40");
      EXPECT_EQ(row[2], std::to_string(of.count));
      const LatencyQuantile* const quantiles[] = {&of.p50, &of.p90, &of.p95, &of.p99};
      for (std::size_t i = 0; i < 4; ++i) {
        const double ms = std::stod(row.at(4 + i)), expected = quantiles[i]->ms.value();
        if (std::isinf(expected)) {
          EXPECT_EQ(ms, expected);
        } else {
          EXPECT_NEAR(ms, expected, 0.0101 * ms);  // the sketch is within 1 %
        }
      }
    }
  }
  values_["shadow"] = "0";
  values_["seconds"] = "1";
  std::uint64_t queries = 0, failures = 0;
  const Rows by_second = rows("latency");
  for (const auto& row : by_second) {
    queries += std::stoull(row[2]);
    failures += std::stoull(row[3]);
  }
  EXPECT_GT(by_second.size(), 10);
  const ArmSummary &a = summary.arms[0], &b = summary.arms[1];
  EXPECT_EQ(queries, a.latency.count + b.latency.count);
  EXPECT_EQ(failures, a.timed_out_queries + b.timed_out_queries);
  EXPECT_GT(failures, 5);
}

TEST_F(Reports, OfShardsAreThoseOfOneNode) {
  server_.make_tables_on_shards();
  const std::string host = server_.url().substr(0, server_.url().rfind('/'));
  ship_all(store_, {.to = host + "/far", .server = "search1"});
  values_["version"] = rows("judgements").at(0).at(0);
  values_["spool"] = rows("gaps").at(0).at(1);
  for (const auto& [name, query] : queries_) {
    if (name == "gaps") continue;  // has the time of shipping
    database_ = "prescope";
    const Rows of_one = rows(name, 10);
    database_ = "far";
    EXPECT_EQ(rows(name, 10), of_one) << name;
  }
  EXPECT_EQ(rows("gaps").at(0).at(4), "0") << "missing";
}

TEST_F(Reports, GapsAreWhatTheStoreHasAndTheFleetHasNot) {
  const auto stored =
      Database(store_, Database::Access::kRead).number("SELECT count(*) FROM observations");
  const auto expect_gaps = [&](int missing, const char* repeated) {
    const Rows gaps = rows("gaps");
    ASSERT_EQ(gaps.size(), 1);
    values_["spool"] = gaps[0].at(1);
    EXPECT_EQ(gaps[0][0], "search1");
    EXPECT_THAT(std::vector(gaps[0].begin() + 2, gaps[0].begin() + 8),
                ElementsAre(std::to_string(stored), std::to_string(stored - missing),
                            std::to_string(missing), repeated, "0", "0"));
  };
  expect_gaps(0, "98");
  EXPECT_THAT(rows("gap_ranges"), ElementsAre());
  server_.ask("CREATE TABLE prescope.part AS prescope.observations");
  server_.ask(
      "INSERT INTO prescope.part SELECT DISTINCT * FROM prescope.observations"
      " WHERE seq NOT IN (1, 77, 78, 80)");
  server_.ask("DROP TABLE prescope.observations");
  server_.ask("RENAME TABLE prescope.part TO prescope.observations");
  expect_gaps(4, "0");
  EXPECT_THAT(rows("gap_ranges"),
              ElementsAre(ElementsAre("1", "1", "1"), ElementsAre("77", "78", "2"),
                          ElementsAre("80", "80", "1")));
}

TEST_F(Reports, GapsAreThoseOfAStoreWhateverItWasShippedAs) {
  const Rows before = rows("gaps");
  ship_all(store_, {.to = server_.url(), .server = "machine"});
  const Rows gaps = rows("gaps");
  ASSERT_EQ(gaps.size(), 1);
  EXPECT_EQ(gaps[0][0], "machine");
  EXPECT_EQ(std::vector(gaps[0].begin() + 1, gaps[0].begin() + 8),
            std::vector(before.at(0).begin() + 1, before.at(0).begin() + 8));
}

/// The same traffic, recorded with other judgements, has the scores that the first has rejudged.
TEST_F(Reports, RejudgedScoresAreThoseOfAnExperimentWithTheNewJudgements) {
  values_["version"] = rows("judgements").at(0).at(0);
  EXPECT_EQ(rows("rejudged", 20), rows("measures", 20));
  EXPECT_THAT(rows("waiting"), ElementsAre());

  const Qrels before = fleet_qrels();
  std::vector<Qrels::Line> lines;
  for (const TopicQrels& topic : before.topics()) {
    for (const Judgement& one : topic.judgements()) {
      const bool is_last = &one == &topic.judgements().back();
      if (topic.id().text() == "EP'3\\" && is_last) continue;  // withdrawn
      // Each topic's first document was not relevant.
      lines.push_back({topic.id(), one.docno, one.grade == 0 ? 1 : one.grade});
    }
  }
  for (const char* topic : {"EP'4\\", "EP'8\\"}) {
    lines.push_back({TopicId(topic), Docno("D39"), 1});
  }
  const auto store = scratch_.path() / "later.db";
  {
    Experiment experiment(Qrels::from_lines(lines), fleet_options(store));
    RecordedVisits(experiment, 1).serve(kVisits);
  }
  ship_all(store, {.to = server_.url(), .server = "search2"});
  const std::string version_before = values_["version"];
  for (const auto& row : rows("judgements")) {
    if (row[0] != version_before) values_["version"] = row[0];
  }
  const Rows rejudged = rows("rejudged", 20);
  const RebuiltSession later(store, 1);
  expect_measures(rejudged, later.ledger(), 20);
  std::size_t scored = 0;
  for (const std::uint32_t a : {0U, 1U}) {
    scored += scored_topics(later.ledger(), later.ledger().arm(ArmIndex(a)).served, kPres20);
  }
  EXPECT_EQ(rejudged.size(), scored - 4);  // two topics wait in both arms
  EXPECT_THAT(rows("waiting"), ElementsAre(ElementsAre("EP'4\\", "1"), ElementsAre("EP'8\\", "1")));
}

}  // namespace
}  // namespace prescope
