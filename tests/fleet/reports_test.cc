// The shipped SQL gives the numbers of the program's own ledger.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fleet/clickhouse.h"
#include "fleet/recorded.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"
#include "prescope/shipper.h"
#include "store/sessions/rebuilt_session.h"
#include "support/clickhouse_server.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using prescope::testing::record_store;
using prescope::testing::ScratchFolder;

using Values = std::map<std::string, std::string>;

/// Reads the queries of a file by their names.
std::map<std::string, std::string> read_queries(const std::filesystem::path& path) {
  std::map<std::string, std::string> queries;
  std::ifstream in(path);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("-- [")) name = line.substr(4, line.find(']') - 4);
    if (!line.starts_with("--") && !line.empty()) queries[name] += line + '\n';
  }
  return queries;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

class Reports : public ::testing::Test {
 protected:
  Reports() : fleet_(parse_fleet_url(server_.url())) {
    for (const std::string& statement : fleet_schema("prescope", {})) fleet_.ask(statement);
    store_ = scratch_.path() / "live.db";
    record_store(store_, 500);
    ship_all(store_, {.to = server_.url(), .server = "search1"});
    // Rows that were sent twice and are not merged yet change nothing.
    server_.ask(
        "INSERT INTO prescope.observations SELECT * FROM prescope.observations WHERE seq < 99");
    epoch_ = server_.ask("SELECT epoch FROM prescope.epochs");
    version_ = server_.ask("SELECT judgements FROM prescope.epochs");
  }

  /// Returns lines of fields that tabs separate.
  std::vector<std::vector<std::string>> rows(const std::string& name, int cutoff,
                                             const std::string& version = "0") {
    std::string query = queries_.at(name);
    for (const char* nested : {"pairs", "topics", "visits"}) {
      replace_all(query, fmt::format("([{}])", nested), '(' + queries_.at(nested) + ')');
    }
    for (const auto& [from, to] : Values{{"{D}", "prescope"},
                                         {"{E}", "autumn"},
                                         {"{P}", epoch_},
                                         {"{G}", "1"},
                                         {"{N}", std::to_string(cutoff)},
                                         {"{A}", "bm25"},
                                         {"{B}", "tf\\'idf"},
                                         {"{V}", version},
                                         {"{W}", version_},
                                         {"{T}", R"('EP\'3\\', 'EP\'4\\')"}}) {
      replace_all(query, from, to);
    }
    std::vector<std::vector<std::string>> lines;
    std::istringstream answer(server_.ask(query + " FORMAT TabSeparatedRaw"));
    for (std::string line; std::getline(answer, line);) {
      std::vector<std::string>& fields = lines.emplace_back();
      std::istringstream in(line);
      for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    }
    return lines;
  }

  const std::map<std::string, std::string> queries_ =
      read_queries(PRESCOPE_SOURCE_DIR "/plugin/src/fleet/reports.sql");
  ClickHouseServer server_;
  ClickHouse fleet_;
  ScratchFolder scratch_;
  std::filesystem::path store_;
  std::string epoch_, version_;
};

/// The measures of the experiment by cutoff: PRES@10, R@10, AP@20, PRES@20.
constexpr std::size_t kPres10 = 0, kRecall10 = 1, kAp20 = 2, kPres20 = 3;

TEST_F(Reports, ScoresAreThoseOfTheLedger) {
  const RebuiltSession rebuilt(store_, 1);
  const Ledger& ledger = rebuilt.ledger();
  const std::size_t measures = ledger.scorer().measures().size();
  const auto expect = [&](const Ledger::Track& track, TopicIndex topic, std::size_t measure,
                          double visits, double mean) {
    const Score& score = track.scores[topic.value() * measures + measure];
    EXPECT_EQ(score.visits, visits) << topic.value() << ' ' << measure;
    EXPECT_NEAR(score.mean, mean, 1e-12) << topic.value() << ' ' << measure;
  };
  for (const int cutoff : {10, 20}) {
    std::size_t visits_of_topics = 0;
    for (const auto& row : rows("topics", cutoff)) {
      const TopicIndex topic = ledger.qrels().find(row.at(0)).value();
      const Ledger::Track& served = ledger.arm(ArmIndex(row[1] == "bm25" ? 0 : 1)).served;
      const double n = std::stod(row[2]), visits = std::stod(row[3]), found = std::stod(row[4]),
                   credit = std::stod(row[5]), ap = std::stod(row[6]);
      visits_of_topics += static_cast<std::size_t>(visits);
      expect(served, topic, cutoff == 10 ? kPres10 : kPres20, visits,
             credit / (visits * n * cutoff));
      if (cutoff == 10) expect(served, topic, kRecall10, visits, found / (visits * n));
      if (cutoff == 20) expect(served, topic, kAp20, visits, ap / visits);
    }
    EXPECT_GT(visits_of_topics, 200);
    std::size_t all_pairs = 0;
    for (const auto& row : rows("pairs", cutoff)) {
      const TopicIndex topic = ledger.qrels().find(row.at(0)).value();
      const double n = std::stod(row[1]), pairs = std::stod(row[2]);
      const std::size_t measure = cutoff == 10 ? kPres10 : kPres20;
      all_pairs += static_cast<std::size_t>(pairs);
      expect(ledger.arm(ArmIndex(0)).compared, topic, measure, pairs,
             std::stod(row[6]) / (pairs * n * cutoff));
      expect(ledger.arm(ArmIndex(1)).compared, topic, measure, pairs,
             std::stod(row[5]) / (pairs * n * cutoff));
    }
    EXPECT_GT(all_pairs, 100);
  }
  const auto arms = rows("arms", 10);
  ASSERT_EQ(arms.size(), 2);
  const Summary summary = rebuilt.summary();
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_NEAR(std::stod(arms[a].at(3)), summary.arms[a].served_means[kPres10].mean.value(),
                1e-12);
  }
  const auto slice = rows("slice", 10);
  ASSERT_EQ(slice.size(), 2);
  EXPECT_EQ(slice[0].at(1), "2");
  double sum = 0;
  for (const auto& row : rows("pairs", 10)) {
    const double ties = std::stod(row[2]) * std::stod(row[1]) * 10;
    sum += (std::stod(row[5]) - std::stod(row[6])) / ties;
  }
  const auto differences = rows("differences", 10).at(0);
  EXPECT_NEAR(std::stod(differences.at(2)) * std::stod(differences[0]), sum, 1e-9);
}

TEST_F(Reports, LatencyAndGapsAreThoseOfTheStore) {
  const Database database(store_, Database::Access::kRead);
  const auto count = [&](const std::string& condition) {
    return std::to_string(database.number(
        "SELECT count(*) FROM observations WHERE compared_arms = 0 AND arm = 1 AND " + condition));
  };
  const auto latency = rows("latency", 10).at(0);
  EXPECT_EQ(latency.at(0), "bm25");
  EXPECT_EQ(latency.at(1), count("1"));
  EXPECT_EQ(latency.at(2), count("flags & 192"));
  const auto gaps = rows("gaps", 10).at(0);
  EXPECT_EQ(gaps.at(2), std::to_string(database.number("SELECT count(*) FROM observations")));
  EXPECT_EQ(gaps.at(3), "98");
  EXPECT_EQ(gaps.at(4), "0");
}

TEST_F(Reports, RejudgedScoresAreThoseOfTheLedgerUnderTheNewJudgements) {
  // The same judgements give the same numbers.
  EXPECT_EQ(rows("rejudged", 20, version_), rows("topics", 20));
  // Without the last relevant document of each topic, the rest as it was; a topic with a document
  // that nobody judged is left out.
  server_.ask(fmt::format(
      "INSERT INTO prescope.judgements SELECT experiment, 7, topic, 0, '', if(topic = "
      "'EP\\'4\\\\', "
      "arrayPushBack(docs, toUInt64(1)), docs), grades, if(topic = 'EP\\'4\\\\', "
      "arrayPushBack(rel, toUInt8(1)), rel) FROM (SELECT experiment, topic, docs, grades, "
      "arrayMap((x, i) -> toUInt8(x AND i < length(relevant) - indexOf(arrayReverse(relevant), 1) "
      "+ 1), relevant, arrayEnumerate(relevant)) AS rel FROM prescope.judgements WHERE version = "
      "{})",
      version_));
  const RebuiltSession rebuilt(store_, 1);
  const Qrels& qrels = rebuilt.ledger().qrels();
  // By its own loops: visits of the store, each judged document at its first rank.
  struct Visit {
    std::map<std::uint32_t, Rank> ranks;
    std::uint32_t covered = 0;
    bool exhausted = false;
  };
  std::map<std::tuple<std::string, std::string, std::uint64_t>, Visit> visits;
  ObservationReader reader(store_);
  reader.read({}, 0, [&](const StoredObservation& one) {
    const Observation& o = one.observation;
    if (o.compared_arms > 0 || (o.covered == 0 && !o.is_exhausted)) return;
    Visit& visit = visits[{one.topic->id().text(), std::string(one.arm), o.visit}];
    for (const JudgedHit& hit : o.hits) {
      if (hit.rank <= o.covered) visit.ranks.try_emplace(hit.judgement.value(), hit.rank);
    }
    visit.covered = std::max(visit.covered, o.covered);
    visit.exhausted = visit.exhausted || o.is_exhausted;
  });
  std::map<std::pair<std::string, std::string>, std::array<std::uint64_t, 4>> expected;
  for (const auto& [key, visit] : visits) {
    const auto& [topic, arm, number] = key;
    const auto judgements = qrels.topic(qrels.find(topic).value()).judgements();
    std::vector<std::uint32_t> relevant;
    for (std::uint32_t j = 0; j < judgements.size(); ++j) {
      if (judgements[j].grade >= 1) relevant.push_back(j);
    }
    if (!relevant.empty()) relevant.pop_back();
    if (relevant.empty() || topic == "EP'4\\" || (visit.covered < 20 && !visit.exhausted)) continue;
    std::vector<Rank> ranks;
    for (const std::uint32_t j : relevant) {
      const auto found = visit.ranks.find(j);
      if (found != visit.ranks.end() && found->second <= 20) ranks.push_back(found->second);
    }
    std::ranges::sort(ranks);
    auto& [n, count, found, credit] = expected[{topic, arm}];
    n = relevant.size();
    ++count;
    found += ranks.size();
    for (std::size_t j = 0; j < ranks.size(); ++j) credit += 20 + j + 1 - ranks[j];
  }
  std::size_t compared = 0;
  for (const auto& row : rows("rejudged", 20, "7")) {
    const auto& [n, count, found, credit] = expected.at({row.at(0), row.at(1)});
    EXPECT_EQ(row.at(2), std::to_string(n)) << row[0];
    EXPECT_EQ(row.at(3), std::to_string(count)) << row[0];
    EXPECT_EQ(row.at(4), std::to_string(found)) << row[0];
    EXPECT_EQ(row.at(5), std::to_string(credit)) << row[0];
    ++compared;
  }
  EXPECT_EQ(compared, expected.size());
  EXPECT_GT(compared, 4);
}

}  // namespace
}  // namespace prescope
