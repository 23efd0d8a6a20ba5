// `prescope selftest` on engines: what the visits are, and what is seen of a real index.
#include "replay/self_test_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::uint64_t kVisits = 200'000;

std::vector<double> shares_of(const DrawnVisits& drawn, std::size_t topics) {
  std::vector<double> shares(topics);
  for (std::uint64_t visit = 0; visit < kVisits; ++visit) {
    shares[drawn[visit].topic] += 1.0 / static_cast<double>(kVisits);
  }
  return shares;
}

TEST(DrawnVisits, UniformDrawsAllTopicsAlike) {
  constexpr std::size_t kTopics = 10;
  for (const double share : shares_of({kTopics, TopicDraw::kUniform, 3}, kTopics)) {
    EXPECT_NEAR(share, 0.1, 4.0 * std::sqrt(0.1 * 0.9 / static_cast<double>(kVisits)));
  }
}

// 1 + 1/2 + ... + 1/5 = 137/60.
TEST(DrawnVisits, ZipfDrawsTheNthTopicOneNthAsOften) {
  constexpr std::size_t kTopics = 5;
  std::vector<double> shares = shares_of({kTopics, TopicDraw::kZipf, 3}, kTopics);
  std::ranges::sort(shares, std::greater{});
  for (std::size_t n = 1; n <= kTopics; ++n) {
    const double expected = 60.0 / 137.0 / static_cast<double>(n);
    EXPECT_NEAR(shares[n - 1], expected,
                4.0 * std::sqrt(expected * (1.0 - expected) / static_cast<double>(kVisits)));
  }
}

TEST(DrawnVisits, DependOnTheSeedAlone) {
  const DrawnVisits one(50, TopicDraw::kZipf, 7), same(50, TopicDraw::kZipf, 7),
      other(50, TopicDraw::kZipf, 8);
  int differing = 0, second = 0;
  for (std::uint64_t visit = 0; visit < 1000; ++visit) {
    EXPECT_EQ(one[visit].topic, same[visit].topic);
    EXPECT_EQ(one[visit].is_second_arm, same[visit].is_second_arm);
    differing += one[visit].topic != other[visit].topic ? 1 : 0;
    second += one[visit].is_second_arm ? 1 : 0;
  }
  EXPECT_GT(differing, 500);
  EXPECT_NEAR(second, 500, 4.0 * std::sqrt(250.0)) << "a fair coin";
}

json self_tested(const Workspace& workspace, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"selftest", "experiment.toml", "--json", "result.json"});
  const Outcome outcome = workspace.run(std::move(arguments));
  EXPECT_NE(outcome.exit_code, 2) << outcome.err;
  const json result = workspace.read_json("result.json")["selftest"];
  EXPECT_EQ(result["exit_code"], outcome.exit_code);
  return result;
}

TEST(SelfTestReplay, EveryVisitIsComparedOnSeveralThreads) {
  const Workspace workspace(set_up_toy);
  for (const char* latency : {"both arms", "both arms twice", "both arms alike"}) {
    const json result =
        self_tested(workspace, {"--visits", "100", "--threads", "3", "--latency", latency});
    EXPECT_EQ(result["visits"], 100) << latency;
    EXPECT_EQ(result["rankings"]["visits"], 100) << latency;
    EXPECT_EQ(result["rankings"]["differing"], 0) << latency;
    EXPECT_EQ(result["questions"][0]["answer"], "nothing") << latency;
    EXPECT_EQ(result["order"]["comparisons"], 100) << latency;
    for (const json& arm : result["arms"]) EXPECT_EQ(arm["compared"], 100) << latency;
    EXPECT_EQ(result["latency"]["order"]["pairs"], 100) << latency;
    EXPECT_TRUE(result["store"].is_null()) << "it was temporary";
  }
}

TEST(SelfTestReplay, SaysWhatTheExperimentToComeWouldSay) {
  const Workspace workspace(set_up_toy);
  workspace.write("experiment.toml", workspace.read("experiment.toml") + R"(
[live]
primary = 'R@4'
alpha = 0.1
latency = 'both arms twice'
[test]
same_within = 0.5
)");
  const json result = self_tested(workspace, {"--visits", "45", "--store", "kept.store"});
  EXPECT_EQ(result["shadow_latency"], "both arms twice");
  EXPECT_EQ(result["resampled"]["salts"]["alpha"], 0.1);
  EXPECT_EQ(result["store"], "kept.store");
  EXPECT_EQ(result["claims"]["same_within_margin"], false) << "two topics show nothing";
}

// T1 is searched with the text "first".
TEST(SelfTestReplay, FailuresAreCountedAndNamed) {
  const Workspace workspace(set_up_toy);
  const Outcome outcome =
      workspace.run({"selftest", "experiment.toml", "--arm", "forward:fail_on=first", "--visits",
                     "60", "--draw", "uniform"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("failed; the first: topic 'T1', arm 'forward"));
  EXPECT_THAT(outcome.out, HasSubstr("No verdict: "));
}

#if PRESCOPE_HAS_TWO_ENGINES
// Both engines rank by the same terms in the same way, whatever the order of searches.
TEST(SelfTestReplay, RealEnginesAnswerAlike) {
  for (const char* engine : {"lucenepp", "xapian"}) {
    const Workspace workspace;
    std::string documents, qrels, topics;
    for (int t = 0; t < 12; ++t) {
      for (int d = 0; d < 5; ++d) {
        documents += fmt::format("{{\"id\": \"EP{}{}A1\", \"title\": \"valve{} part{}\"}}\n",
                                 t + 10, d, t, d);
      }
      qrels += fmt::format("T{} 0 EP{}1A1 1\n", t, t + 10);
      topics += fmt::format("T{}\tvalve{} part{}\n", t, t, t % 5);
    }
    workspace.write("documents.jsonl", documents);
    workspace.write("qrels.txt", qrels);
    workspace.write("topics.tsv", topics);
    workspace.write("experiment.toml", fmt::format(R"(engine = '{}'
index = 'index'
cutoffs = [4]
[qrels]
path = 'qrels.txt'
[topics]
path = 'topics.tsv'
[[arms]]
name = 'bm25'
)",
                                                   engine));
    const Outcome indexed =
        workspace.run({"index", "--engine", engine, "--out", "index", "documents.jsonl"});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
    const json result = self_tested(workspace, {"--visits", "200", "--draw", "uniform"});
    EXPECT_EQ(result["questions"][0]["answer"], "nothing") << engine;
    EXPECT_EQ(result["questions"][1]["answer"], "nothing") << engine;
    EXPECT_EQ(result["rankings"]["visits"], 200) << engine;
    EXPECT_EQ(result["resampled"]["signs"]["units"], 12) << engine;
    EXPECT_EQ(result["resampled"]["signs"]["differing"], 0) << engine;
    EXPECT_EQ(result["resampled"]["salts"]["units"], 12) << engine;
    EXPECT_TRUE(result["latency"]["repeat"]["ratio"].is_number()) << engine;
  }
}
#endif

}  // namespace
}  // namespace prescope::testing
