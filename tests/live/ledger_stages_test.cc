// Which ranking of a request is scored, and what its stages had of what was to be found.
#include <gtest/gtest.h>

#include <thread>

#include "prescope/error.h"
#include "prescope/experiment.h"
#include "prescope/report.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

constexpr ArmIndex kOnlyArm{0};
constexpr auto kRescored = Stage::kFirstOwn;

/// Documents 1 to 4 are relevant.
Qrels four_relevant() {
  std::vector<Qrels::Line> lines;
  for (const char* docno : {"d1", "d2", "d3", "d4"}) lines.push_back({TopicId("t"), Docno(docno)});
  return Qrels::from_lines(lines);
}

struct Step {
  Stage stage = Stage::kUnnamed;
  std::vector<DocId> docids{};
  std::uint32_t requested = 10;
  Rank first_rank = 1;
};

std::vector<DocId> documents(std::initializer_list<std::uint32_t> of) {
  std::vector<DocId> list;
  for (const std::uint32_t one : of) list.emplace_back(one);
  return list;
}

/// The ways in which a host may observe the rankings of a request.
enum class Way { kScope, kVisit, kStageScope, kShadow };

class Stages : public ::testing::TestWithParam<Way> {
 protected:
  Stages() {
    for (std::uint32_t a = 0; a < 2; ++a) experiment_.set_resolved(ArmIndex(a), resolved_);
  }

  static ExperimentOptions options() {
    return {.arms = {"a", "b"},
            .measures = {"R@10", "R@20"},
            .stages = {"rescored"},
            .mode = GetParam() == Way::kShadow ? Mode::kPaired : Mode::kObserve};
  }
  void observe(ArmIndex arm, const Step& step, const Visit* visit) {
    Ranking ranking = served(arm, resolved_, step.docids);
    ranking.requested_depth = step.requested;
    ranking.first_rank = step.first_rank;
    if (GetParam() == Way::kStageScope) {
      const StageScope stage(step.stage);
      experiment_.observe(ranking);
      return;
    }
    ranking.stage = step.stage;
    visit != nullptr ? experiment_.observe(*visit, ranking) : experiment_.observe(ranking);
  }
  void request(const std::vector<Step>& steps) {
    const Visit visit = experiment_.visit(TopicId("t"));
    const auto observe_all = [&](ArmIndex arm, const Visit* of) {
      for (const Step& step : steps) observe(arm, step, of);
    };
    if (GetParam() == Way::kVisit) return observe_all(kOnlyArm, &visit);
    if (GetParam() != Way::kShadow) {
      const QueryScope scope(experiment_, visit);
      return observe_all(kOnlyArm, nullptr);
    }
    ++shadows_;
    EXPECT_TRUE(
        experiment_.shadow(visit, kOnlyArm, [&](ArmIndex arm) { observe_all(arm, nullptr); }));
    while (experiment_.summary()->health.shadow_run < shadows_) std::this_thread::yield();
  }
  [[nodiscard]] ArmSummary arm() { return experiment_.summary()->arms.at(0); }

  Experiment experiment_{four_relevant(), options()};
  std::shared_ptr<const ResolvedQrels> resolved_ = resolve(experiment_);
  std::uint64_t shadows_ = 0;
};

TEST_P(Stages, TheServedRankingIsScoredElseTheLastFromRank1) {
  struct Case {
    const char* name;
    std::vector<Step> steps;
    double recall;  ///< R@10
    std::uint64_t replaced;
  };
  const Step all{Stage::kUnnamed, documents({1, 2, 3, 4})}, one{Stage::kUnnamed, documents({1})};
  const Step candidates{Stage::kCandidates, documents({1, 2, 3, 4}), 1000};
  const Step served_one{Stage::kServed, documents({9, 1})};
  const Case cases[] = {
      {"one", {all}, 1.0, 0},
      {"the last", {all, one}, 0.25, 1},
      {"the last of three", {one, all, {.docids = documents({1, 2})}}, 0.5, 1},
      {"the last asks for fewer",
       {all,
        {.docids = documents({1}), .requested = 1},
        {.docids = documents({1}), .requested = 10}},
       0.25,
       1},
      {"named candidates", {candidates, one}, 0.25, 0},
      {"candidates last", {one, candidates}, 0.25, 0},
      {"named as served", {candidates, served_one}, 0.25, 0},
      {"a side panel after what is named as served", {served_one, all}, 0.25, 1},
      {"named as served last", {all, served_one}, 0.25, 1},
      {"a host's own stage", {candidates, {kRescored, documents({1, 2, 3})}, one}, 0.25, 0}};
  std::uint64_t replaced = 0;
  double sum = 0.0;
  int visits = 0;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    request(each.steps);
    replaced += each.replaced;
    sum += each.recall;
    ++visits;
    EXPECT_NEAR(arm().means.at(0).mean.value(), sum / visits, 1e-12);
    EXPECT_EQ(arm().replaced_rankings, replaced);
  }
}

TEST_P(Stages, AreComparedWithWhatWasServed) {
  request({{Stage::kCandidates, documents({9, 2}), 500},
           {Stage::kCandidates, documents({1, 2}), 500},  // of another leg: together 1 and 2
           {kRescored, documents({2}), 100},
           {Stage::kServed, documents({2, 3}), 10}});  // 3 was added by the host
  const std::vector<StageSummary> stages = arm().stages;
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].name, "candidates");
  EXPECT_EQ(stages[0].topics, 1U);
  EXPECT_EQ(stages[0].relevant, 4U);
  EXPECT_EQ(stages[0].found, 2U);
  EXPECT_EQ(stages[0].kept, 1U);
  EXPECT_EQ(stages[0].served, 2U);
  EXPECT_EQ(stages[1].name, "rescored");
  EXPECT_EQ(stages[1].found, 1U);
  const auto summary = experiment_.summary();
  const std::string table = to_table(*summary), json = to_json(*summary);
  EXPECT_NE(table.find("a: 50 % of the 4 relevant documents of 1 topic were never candidates, 25 % "
                       "were and were"),
            std::string::npos)
      << table;
  EXPECT_NE(json.find("\"name\": \"rescored\""), std::string::npos);
}

TEST_P(Stages, OfAVisitWithoutAServedRankingAreNotScored) {
  request({{Stage::kCandidates, documents({1, 2}), 500}});
  EXPECT_TRUE(arm().stages.empty());
  if (GetParam() == Way::kShadow) {
    EXPECT_EQ(arm().failed_queries, 1U) << "it served nothing";
  } else {
    EXPECT_EQ(arm().means.at(0).topics, 0U);
    EXPECT_EQ(arm().judged_queries, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Stages,
                         ::testing::Values(Way::kScope, Way::kVisit, Way::kStageScope,
                                           Way::kShadow));

TEST(StageNames, MustDiffer) {
  const auto problem = [](std::vector<std::string> stages) {
    try {
      const Experiment experiment(four_relevant(), {.arms = {"a"}, .stages = std::move(stages)});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem({"one", "two"}), "");
  for (const std::vector<std::string>& stages : {std::vector<std::string>{"one", "one"},
                                                 {"served"},
                                                 {""},
                                                 std::vector<std::string>(13, "x")}) {
    EXPECT_NE(problem(stages), "");
  }
}

TEST(StageNames, AreFoundByName) {
  const Experiment experiment(four_relevant(), {.arms = {"a"}, .stages = {"rescored"}});
  EXPECT_EQ(experiment.stage("candidates"), Stage::kCandidates);
  EXPECT_EQ(experiment.stage("served"), Stage::kServed);
  EXPECT_EQ(experiment.stage("rescored"), kRescored);
  EXPECT_THROW((void)experiment.stage("rescord"), Error);
}

}  // namespace
}  // namespace prescope
