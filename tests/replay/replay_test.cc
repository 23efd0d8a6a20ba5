// Measures of `prescope replay` on rankings that are known by counting (the toy engine) or by term
// frequency at equal document length (Lucene++).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json replayed(const Workspace& workspace, std::vector<std::string> arguments = {},
              std::map<std::string, std::string> environment = {}) {
  arguments.insert(arguments.begin(), {"replay", "experiment.toml", "--json", "result.json"});
  const Outcome outcome = workspace.run(std::move(arguments), std::move(environment));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? workspace.read_json("result.json") : json();
}

TEST(Replay, ScoresServedRankings) {
  const Workspace workspace(set_up_toy);
  const json summary = replayed(workspace)["summary"];
  const json& rows = summary["per_topic"];
  ASSERT_EQ(rows.size(), 2);
  // T1 has n = 1. Forward rank 2: credit 4+1-2 = 3 of 4. Backward rank 4: credit 1 of 4.
  const json& t1 = rows[0]["arms"];
  EXPECT_EQ(t1["forward"]["relevant_ranks"], json({2}));
  EXPECT_EQ(t1["forward"]["scores"], json({{"PRES@4", 0.75}, {"R@4", 1.0}, {"AP@4", 0.5}}));
  EXPECT_EQ(t1["backward"]["relevant_ranks"], json({4}));
  EXPECT_EQ(t1["backward"]["scores"], json({{"PRES@4", 0.25}, {"R@4", 1.0}, {"AP@4", 0.25}}));
  // T2 has n = 2; rank 1 gives 4 of 8, rank 5 is beyond the cutoff.
  const json& t2 = rows[1]["arms"];
  EXPECT_EQ(t2["forward"]["relevant_ranks"], json({1, 5}));
  EXPECT_EQ(t2["forward"]["scores"], json({{"PRES@4", 0.5}, {"R@4", 0.5}, {"AP@4", 0.5}}));
  EXPECT_EQ(t2["backward"]["scores"], t2["forward"]["scores"]);
  // Means over the two topics.
  EXPECT_EQ(summary["arms"][0]["means"]["PRES@4"]["mean"], 0.625);
  EXPECT_EQ(summary["arms"][1]["means"]["PRES@4"]["mean"], 0.375);
  EXPECT_EQ(summary["arms"][1]["means"]["AP@4"]["mean"], 0.375);
}

TEST(Replay, ComparesTheArmsTopicByTopic) {
  const Workspace workspace(set_up_toy);
  const json pair = replayed(workspace)["comparison"]["pairs"][0];
  EXPECT_EQ(pair["a"], "forward");
  EXPECT_EQ(pair["b"], "backward");
  // Differences -0.5 and 0: mean -0.25, standard error 0.25. With one degree of freedom t is
  // Cauchy: the 97.5 % point is tan(0.475 pi). Either sign of -0.5 is as far from 0, so p is 1.
  const json& pres = pair["measures"]["PRES@4"];
  const double half_width = 0.25 * std::tan(0.475 * std::acos(-1.0));
  EXPECT_EQ(pres["difference"], -0.25);
  EXPECT_EQ(pres["p_value"], 1.0);
  EXPECT_NEAR(pres["t_test"]["ci_low"].get<double>(), -0.25 - half_width, 1e-9);
  EXPECT_NEAR(pres["t_test"]["ci_high"].get<double>(), -0.25 + half_width, 1e-9);
  EXPECT_EQ(pres["wins"], 0);
  EXPECT_EQ(pres["ties"], 1);
  EXPECT_EQ(pres["losses"], 1);
  EXPECT_EQ(pair["measures"]["R@4"]["verdict"], "identical");
  // Only T1 moved, by its one citation alone: credit 1 instead of 3, of 4.
  ASSERT_EQ(pair["moved"].size(), 1);
  const json& move = pair["moved"][0];
  EXPECT_EQ(move["topic"], "T1");
  EXPECT_EQ(move["citations"], json::array({{{"docno", "EP0000002A1"},
                                             {"grade", 1},
                                             {"about", ""},
                                             {"rank_a", 2},
                                             {"rank_b", 4},
                                             {"credit", -2},
                                             {"share", -0.5}}}));
}

TEST(Replay, IsTheSameForOneAndFourThreadsAndOverRuns) {
  const Workspace workspace(set_up_toy);
  std::string qrels, topics;
  for (int t = 0; t < 200; ++t) {
    qrels += "topic" + std::to_string(t) + " 0 EP000000" + std::to_string(1 + t % 5) + "A1 1\n";
    topics += "topic" + std::to_string(t) + "\ttext\n";
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("topics.tsv", topics);
  json first = replayed(workspace, {"--threads", "1", "--runs-out", "runs-1"});
  json again = replayed(workspace, {"--threads", "1"});
  json four = replayed(workspace, {"--threads", "4", "--runs-out", "runs-4"});
  for (json* result : {&first, &again, &four}) remove_times(*result);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first, four);
  EXPECT_EQ(workspace.read("runs-1/forward.run"), workspace.read("runs-4/forward.run"));
  EXPECT_EQ(workspace.read("runs-1/backward.run"), workspace.read("runs-4/backward.run"));
}

/// "text arm" lines, in the order in which the engine was asked.
std::map<std::string, std::string> first_arms(const Workspace& workspace, const std::string& log) {
  std::map<std::string, std::string> first;
  std::istringstream lines(workspace.read(log));
  for (std::string text, arm; lines >> text >> arm;) first.emplace(text, arm);
  return first;
}

TEST(Replay, OrderOfArmsIsRandomByTopicAndFixedBySeed) {
  const Workspace workspace(set_up_toy);
  std::string qrels, topics;
  constexpr int kTopics = 400;
  for (int t = 0; t < kTopics; ++t) {
    qrels += "topic" + std::to_string(t) + " 0 EP0000001A1 1\n";
    topics += "topic" + std::to_string(t) + "\tq" + std::to_string(t) + "\n";
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("topics.tsv", topics);
  const auto orders = [&](const std::string& log, std::vector<std::string> flags) {
    replayed(workspace, std::move(flags), {{"TOY_LOG", workspace.path(log)}});
    return first_arms(workspace, log);
  };
  const auto seed_1 = orders("log-1", {"--seed", "1"});
  ASSERT_EQ(seed_1.size(), kTopics);
  const auto forward_first = std::count_if(seed_1.begin(), seed_1.end(),
                                           [](const auto& e) { return e.second == "forward"; });
  // Binomial(400, 1/2) has standard deviation 10; five of them.
  EXPECT_NEAR(static_cast<double>(forward_first), 200.0, 50.0);
  EXPECT_EQ(orders("log-2", {"--seed", "1", "--threads", "4"}), seed_1);
  EXPECT_NE(orders("log-3", {"--seed", "2"}), seed_1);
}

/// Docnos of a run file, in the order of its lines.
std::vector<std::string> docnos_of(const Workspace& workspace, const std::string& run) {
  std::istringstream lines(workspace.read(run));
  std::vector<std::string> docnos;
  for (std::string topic, q0, docno, rest;
       lines >> topic >> q0 >> docno && std::getline(lines, rest);) {
    docnos.push_back(docno);
  }
  return docnos;
}

TEST(Replay, TopicsCanBeTheDocumentsThemselves) {
  const Workspace workspace(set_up_toy);
  workspace.write("qrels.txt",
                  "EP0000003A1 0 EP0000004A1 1\n"
                  "EP0000003A1 0 EP0000005A1 1\n"
                  "EP0000009A1 0 EP0000001A1 1\n");
  const json result = replayed(
      workspace, {"--topics-source", "documents", "--runs-out", "runs", "--arms", "forward"});
  // The text is the title of the document; itself and its family EP4 are left out; so EP5 is third.
  EXPECT_THAT(docnos_of(workspace, "runs/forward.run"),
              ElementsAre("EP0000001A1", "EP0000002A1", "EP0000005A1"));
  EXPECT_EQ(result["summary"]["per_topic"][0]["arms"]["forward"]["relevant_ranks"], json({3}));
  EXPECT_EQ(result["topics"]["relevant_excluded"], 1);
  EXPECT_EQ(result["topics"]["run"], 1);
  EXPECT_EQ(
      result["topics"]["not_run"],
      json::array({{{"topic", "EP0000009A1"}, {"reason", "no document of this id in the index"}}}));
}

std::vector<std::string> served(const Workspace& workspace, std::vector<std::string> flags) {
  workspace.write("qrels.txt", "EP0000003A1 0 EP0000001A1 1\n");
  flags.insert(flags.end(),
               {"--topics-source", "documents", "--runs-out", "runs", "--arms", "forward"});
  replayed(workspace, std::move(flags));
  return docnos_of(workspace, "runs/forward.run");
}

TEST(Replay, ExcludesDocumentsAsTheOptionsSay) {
  const Workspace workspace(set_up_toy);
  workspace.write("pairs.txt", "EP0000003A1 EP0000002B1\nEP0000001A1\tEP0000005A1\n");
  EXPECT_THAT(
      served(workspace, {"--exclude", "none"}),
      ElementsAre("EP0000001A1", "EP0000002A1", "EP0000003A1", "EP0000004A1", "EP0000005A1"));
  EXPECT_THAT(served(workspace, {"--exclude", "self"}),
              ElementsAre("EP0000001A1", "EP0000002A1", "EP0000004A1", "EP0000005A1"));
  EXPECT_THAT(served(workspace, {"--exclude", "family"}),
              ElementsAre("EP0000001A1", "EP0000002A1", "EP0000005A1"));
  // Under docno policy patent, EP2's B1 is EP2's A1; the pair of another topic does not count.
  EXPECT_THAT(served(workspace, {"--exclude", "self", "--exclude-pairs", "pairs.txt"}),
              ElementsAre("EP0000001A1", "EP0000004A1", "EP0000005A1"));
}

TEST(Replay, NamesTopicsThatWereNotRun) {
  const Workspace workspace(set_up_toy);
  workspace.write("topics.tsv", "T1\tfirst\nT3\tthird\n");
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--json", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string& said : {outcome.err, outcome.out}) {
    EXPECT_THAT(said, HasSubstr("1 topic of the qrels was not run: 'T2' (not in the topics file)"));
  }
  const json topics = workspace.read_json("result.json")["topics"];
  EXPECT_EQ(topics["run"], 1);
  EXPECT_EQ(topics["not_run"],
            json::array({{{"topic", "T2"}, {"reason", "not in the topics file"}}}));
  EXPECT_EQ(topics["without_judgements"], 1);
}

// Documents of equal length, so that term frequency alone decides: "gear" in titles EP1 > EP2 >
// EP3, in abstracts the other way round; "pump" in titles EP4 > EP5 > EP6, in abstracts the other
// way round. The rest keeps the words rare.
constexpr const char* kMachines =
    R"({"id": "EP-0000001-A1", "title": "gear gear gear", "abstract": "gear valve valve"}
{"id": "EP-0000002-A1", "title": "gear gear valve", "abstract": "gear gear valve"}
{"id": "EP-0000003-A1", "title": "gear valve valve", "abstract": "gear gear gear"}
{"id": "EP-0000004-A1", "title": "pump pump pump", "abstract": "pump valve valve"}
{"id": "EP-0000005-A1", "title": "pump pump valve", "abstract": "pump pump valve"}
{"id": "EP-0000006-A1", "title": "pump valve valve", "abstract": "pump pump pump"}
{"id": "EP-0000007-A1", "title": "lamp lamp lamp", "abstract": "lamp lamp lamp"}
{"id": "EP-0000008-A1", "title": "lamp lamp lens", "abstract": "lamp lamp lens"}
{"id": "EP-0000009-A1", "title": "lamp lens lens", "abstract": "lamp lens lens"}
{"id": "EP-0000010-A1", "title": "lens lens lens", "abstract": "lens lens lens"}
{"id": "EP-0000011-A1", "title": "wire wire wire", "abstract": "wire wire wire"}
{"id": "EP-0000012-A1", "title": "wire wire lens", "abstract": "wire wire lens"}
)";

TEST(Replay, LuceneServesByTermFrequencyInTheChosenField) {
  const Workspace workspace;
  workspace.write_gzip("machines.jsonl.gz", kMachines);
  workspace.write("qrels.txt", "T1 0 EP0000001B1 1\nT2 0 EP0000005B1 1\nT2 0 EP0000006B1 1\n");
  workspace.write("topics.tsv", "T1\tgear\nT2\tpump\n");
  workspace.write("experiment.toml", R"(
engine = 'lucenepp'
index = 'index'
cutoffs = [10]
qrels.path = 'qrels.txt'
topics.path = 'topics.tsv'
[[arms]]
name = 'titles'
fields.title = 1
[[arms]]
name = 'abstracts'
fields.abstract = 1
)");
  const Outcome indexed =
      workspace.run({"index", "--engine", "lucenepp", "--out", "index", "machines.jsonl.gz"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  EXPECT_THAT(indexed.out, HasSubstr("12 documents indexed into index with lucenepp"));

  const json result = replayed(workspace);
  EXPECT_EQ(result["index"]["documents"], 12);
  const json& t1 = result["summary"]["per_topic"][0]["arms"];
  const json& t2 = result["summary"]["per_topic"][1]["arms"];
  EXPECT_EQ(t1["titles"]["relevant_ranks"], json({1}));
  EXPECT_EQ(t1["abstracts"]["relevant_ranks"], json({3}));
  EXPECT_EQ(t2["titles"]["relevant_ranks"], json({2, 3}));
  EXPECT_EQ(t2["abstracts"]["relevant_ranks"], json({1, 2}));
  // n = 1: (10+1-1)/10 and (10+1-3)/10. n = 2: (9 + 9)/20 and (10 + 10)/20.
  EXPECT_EQ(t1["titles"]["scores"]["PRES@10"], 1.0);
  EXPECT_EQ(t1["abstracts"]["scores"]["PRES@10"], 0.8);
  EXPECT_EQ(t2["titles"]["scores"]["PRES@10"], 0.9);
  EXPECT_EQ(t2["abstracts"]["scores"]["PRES@10"], 1.0);
}

TEST(Replay, WritesObservationsToAStoreAndALog) {
  const Workspace workspace(set_up_toy);
  replayed(workspace, {"--store", "night.store", "--log", "night.jsonl"});
  const Outcome printed = workspace.run({"log", "night.store"});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  // Each of two topics under each of two arms; times of the two are their own.
  const auto keys_of = [](const std::string& text) {
    std::vector<std::string> keys;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const json one = json::parse(line);
      keys.push_back(one["arm"].get<std::string>() + one["topic"].get<std::string>() +
                     one["ranks"].dump() + one["PRES@4"].dump());
    }
    std::ranges::sort(keys);
    return keys;
  };
  EXPECT_THAT(keys_of(printed.out), ElementsAre("backwardT1[4]0.25", "backwardT2[1,5]0.5",
                                                "forwardT1[2]0.75", "forwardT2[1,5]0.5"));
  EXPECT_EQ(keys_of(workspace.read("night.jsonl")), keys_of(printed.out));
}

}  // namespace
}  // namespace prescope::testing
