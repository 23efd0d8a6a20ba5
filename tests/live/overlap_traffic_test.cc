// Visits without judgements through the whole of an experiment: offered, searched by the pool or
// posted, compared, and kept in a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "base/split_mix.h"
#include "prescope/error.h"
#include "prescope/served_request.h"
#include "report/live/live_report.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sqlite/database.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope::overlap_traffic {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr ArmIndex kA{0}, kB{1}, kC{2};

Qrels one_topic() {
  const Qrels::Line lines[] = {{TopicId("EP1"), Docno("d2"), 1}};
  return Qrels::from_lines(lines);
}

ExperimentOptions overlapping(std::vector<std::string> arms = {"a", "b"}) {
  return {.arms = std::move(arms),
          .measures = {"R@10"},
          .mode = Mode::kPaired,
          .shadow = {.queue = 65536,
                     .deadline = std::chrono::hours(1),
                     .overlap = {.sampling = 1.0, .depth = 3, .persistence = 0.5}}};
}

using Docnos = std::vector<std::string_view>;

Ranking named(ArmIndex arm, const Docnos& docnos, std::uint32_t depth = 10) {
  return {.arm = arm,
          .kind = HitKind::kDocnos,
          .docnos = docnos,
          .requested_depth = depth,
          .search_started = std::chrono::steady_clock::now()};
}

/// Arm a finds x y z, every other arm x y w: 2 of 4 documents; with p = 1/2, agreements 1, 1, 2/3
/// and 2/3 behind: 1/2 + 1/4 + 1/12 + 1/12 = 11/12.
constexpr double kJaccard = 0.5, kRbo = 11.0 / 12;

void search(Experiment& experiment, ArmIndex arm) {
  const Docnos of_a = {"x", "y", "z", "v"}, of_others = {"x", "y", "w", "u"};
  experiment.observe(named(arm, arm == kA ? of_a : of_others));
}

void serve(Experiment& experiment, const char* topic, const char* text) {
  const ServedRequest served(experiment, {.topic = topic, .text = text},
                             [&experiment](ArmIndex arm) { search(experiment, arm); });
}

OverlapSummary overlap_of(Experiment& experiment, std::size_t pair = 0) {
  experiment.drain_shadow();
  return experiment.summary()->pairs.at(pair).overlap.value();
}

TEST(OverlapTraffic, UnjudgedVisitsAreSearchedByEveryArmOnceWhateverTheLatency) {
  using Latency = ShadowOptions::Latency;
  for (const Latency latency : {Latency::kBothArms, Latency::kNotCompared, Latency::kBothArmsTwice,
                                Latency::kBothArmsAlike}) {
    ExperimentOptions options = overlapping({"a", "b", "c"});
    options.shadow.latency = latency;
    Experiment experiment(one_topic(), options);
    std::mutex mutex;
    std::vector<ArmIndex> searched;
    {
      const ServedRequest served(experiment, {.text = "valve"}, [&](ArmIndex arm) {
        {
          const std::lock_guard lock(mutex);
          searched.push_back(arm);
        }
        search(experiment, arm);
      });
    }
    const OverlapSummary overlap = overlap_of(experiment);
    EXPECT_THAT(searched, ::testing::UnorderedElementsAre(kA, kA, kB, kC)) << "a served first";
    EXPECT_EQ(overlap.visits, 1U);
    EXPECT_NEAR(overlap.jaccard.mean.value(), kJaccard, 1e-12);
    EXPECT_NEAR(overlap.rbo.mean.value(), kRbo, 1e-12);
    EXPECT_EQ(overlap.identical, 0U);
    ASSERT_THAT(overlap.most_changed, SizeIs(1));
    EXPECT_EQ(overlap.most_changed[0].query, "valve");
    EXPECT_EQ(overlap_of(experiment, 1).visits, 1U);
    const auto summary = experiment.summary();
    EXPECT_EQ(summary->health.shadow_run, 1U);
    EXPECT_EQ(summary->health.shadow_unjudged, 0U);
    EXPECT_EQ(summary->health.recorded, summary->health.pushed);
    EXPECT_EQ(summary->health.queries_without_ranking, 0U);
    for (const ArmSummary& arm : summary->arms) {
      EXPECT_EQ(arm.shadow_latency.count, 0U) << "latency is not counted";
      EXPECT_EQ(arm.judged_queries, 0U);
      EXPECT_EQ(arm.unjudged_queries, arm.id.text() == "a" ? 1U : 0U);
    }
    EXPECT_EQ(summary->epoch.compared_visits, 0U);
    EXPECT_EQ(summary->epoch.incomplete_visits, 0U);
  }
}

TEST(OverlapTraffic, JudgedVisitsAndOtherExperimentsHaveNone) {
  Experiment judged(one_topic(), overlapping());
  serve(judged, "EP1", "");
  EXPECT_EQ(overlap_of(judged).visits, 0U);
  EXPECT_EQ(judged.summary()->epoch.compared_visits, 1U);
  ExperimentOptions off = overlapping();
  off.shadow.overlap.sampling = 0.0;
  Experiment without(one_topic(), off);
  serve(without, "", "valve");
  without.drain_shadow();
  EXPECT_FALSE(without.summary()->pairs[0].overlap);
  EXPECT_GT(without.summary()->health.shadow_unjudged, 0U);
}

TEST(OverlapTraffic, TakesTheSampledShareAndCountsTheRest) {
  ExperimentOptions options = overlapping();
  options.shadow.overlap.sampling = 0.25;
  Experiment experiment(one_topic(), options);
  constexpr std::uint64_t kVisits = 4000;
  for (std::uint64_t i = 0; i < kVisits; ++i) serve(experiment, "", "valve");
  const std::uint64_t visits = overlap_of(experiment).visits;
  // The standard deviation is 27.
  EXPECT_NEAR(static_cast<double>(visits), kVisits / 4.0, 140.0);
  EXPECT_EQ(experiment.summary()->health.shadow_unjudged, kVisits - visits);
}

TEST(OverlapTraffic, DocidsOfOneTableAreCompared) {
  Experiment experiment(one_topic(), overlapping());
  const auto resolved = resolve(experiment);
  {
    const ServedRequest request(experiment, {}, [&](ArmIndex arm) {
      const std::vector<DocId> of_a = {DocId(1), DocId(2), DocId(3)},
                               of_b = {DocId(1), DocId(2), DocId(4)};
      experiment.observe(served(arm, resolved, arm == kA ? of_a : of_b));
    });
  }
  EXPECT_NEAR(overlap_of(experiment).rbo.mean.value(), kRbo, 1e-12);
  EXPECT_EQ(changed_query_name(overlap_of(experiment).most_changed.at(0)), "visit 1");
}

TEST(OverlapTraffic, FailedSearchesAreEmptyRankings) {
  Experiment experiment(one_topic(), overlapping());
  experiment.shadow(experiment.visit(kUnjudgedTopic), kA, [&](ArmIndex arm) {
    if (arm == kB) throw std::runtime_error("no index");
    search(experiment, arm);
  });
  experiment.shadow(experiment.visit(kUnjudgedTopic), kA, [&](ArmIndex arm) {
    if (arm == kA) search(experiment, arm);
  });
  const OverlapSummary overlap = overlap_of(experiment);
  EXPECT_EQ(overlap.visits, 2U);
  EXPECT_EQ(overlap.failed_a, 0U);
  EXPECT_EQ(overlap.failed_b, 2U);
  EXPECT_EQ(overlap.rbo.mean, 0.0);
  EXPECT_EQ(experiment.summary()->health.shadow_failed, 2U);
  EXPECT_EQ(experiment.summary()->arms[1].failed_queries, 0U) << "of judged and served ones";
}

TEST(OverlapTraffic, PostedRankingsAreCompared) {
  Experiment experiment(one_topic(), overlapping());
  const Docnos first = {"x", "y", "z"}, second = {"x", "y", "w"};
  const Ranking both[] = {named(kA, first), named(kB, second)};
  EXPECT_EQ(experiment.observe_comparison(experiment.visit(kUnjudgedTopic), kA, both, "pump"),
            Outcome::kRecorded);
  Ranking failed{.arm = kB, .flags = RankingFlags::kFailed};
  const Ranking half[] = {named(kA, first), failed};
  experiment.observe_comparison(experiment.visit(kUnjudgedTopic), kA, half, "failed");
  // An arm without a ranking.
  EXPECT_EQ(
      experiment.observe_comparison(experiment.visit(kUnjudgedTopic), kA, std::span(both).first(1)),
      Outcome::kRecorded);
  OpenComparison open = experiment.begin_comparison(experiment.visit(kUnjudgedTopic), {}, "nut");
  EXPECT_EQ(open.arms, 2U);
  experiment.observe(open, both[1]);
  EXPECT_EQ(overlap_of(experiment).waiting, 1U);
  experiment.observe(open, both[0]);
  experiment.end_comparison(open);
  const OverlapSummary overlap = overlap_of(experiment);
  EXPECT_EQ(overlap.waiting, 0U);
  EXPECT_EQ(overlap.visits, 3U);
  EXPECT_EQ(overlap.incomplete, 1U);
  EXPECT_EQ(overlap.failed_b, 1U);
  ASSERT_THAT(overlap.most_changed, SizeIs(3));
  EXPECT_EQ(overlap.most_changed[0].query, "failed");
  EXPECT_EQ(overlap.most_changed[1].query, "pump");
  EXPECT_EQ(overlap.most_changed[2].query, "nut");
  EXPECT_EQ(experiment.summary()->health.shadow_failed, 2U);
}

TEST(OverlapTraffic, StagesBeforeTheServedOneAreNotCompared) {
  Experiment experiment(one_topic(), overlapping());
  experiment.shadow(experiment.visit(kUnjudgedTopic), kA, [&](ArmIndex arm) {
    {
      const StageScope candidates(Stage::kCandidates);
      const Docnos other = {"c"};
      experiment.observe(named(arm, other));
    }
    search(experiment, arm);
  });
  EXPECT_NEAR(overlap_of(experiment).rbo.mean.value(), kRbo, 1e-12);
}

TEST(OverlapTraffic, ChangeOfTheArmsBeginsAnew) {
  Experiment experiment(one_topic(), overlapping());
  serve(experiment, "", "valve");
  EXPECT_EQ(overlap_of(experiment).visits, 1U);
  const Visit before = experiment.visit(kUnjudgedTopic);
  experiment.restart_arm(kB);
  EXPECT_EQ(overlap_of(experiment).visits, 0U);
  experiment.shadow(before, kA, [&](ArmIndex arm) { search(experiment, arm); });
  EXPECT_EQ(overlap_of(experiment).visits, 0U) << "it began before";
  EXPECT_EQ(experiment.summary()->health.late_observations, 2U);
  serve(experiment, "", "pump");
  ASSERT_THAT(overlap_of(experiment).most_changed, SizeIs(1));
  EXPECT_EQ(overlap_of(experiment).most_changed[0].query, "pump");
}

TEST(OverlapTraffic, NeedsTheFirstArmAndAnother) {
  Experiment experiment(one_topic(), overlapping({"a", "b", "c"}));
  experiment.pause_arm(kA);
  EXPECT_FALSE(experiment.wants_shadow(experiment.visit(kUnjudgedTopic)));
  EXPECT_EQ(experiment.summary()->health.shadow_unpaired, 1U);
  experiment.resume_arm(kA);
  experiment.pause_arm(kB);
  serve(experiment, "", "valve");
  EXPECT_EQ(overlap_of(experiment, 0).incomplete, 0U) << "a paused arm is not missing";
  EXPECT_EQ(overlap_of(experiment, 1).visits, 1U);
}

TEST(QueryText, CutsNoCharacter) {
  std::string text(QueryText::kMost - 1, 'x');
  EXPECT_EQ(QueryText(text + "é").view(), text);
  EXPECT_EQ(QueryText(text + "ee").view(), text + "e");
  EXPECT_EQ(QueryText("é").view(), "é");
  EXPECT_EQ(QueryText("").view(), "");
  // Not UTF-8: cut somewhere, and shown with replacements.
  EXPECT_GE(QueryText(std::string(300, '\x80')).view().size(), QueryText::kMost - 3);
  text.resize(QueryText::kMost);
  EXPECT_EQ(QueryText(text).view(), text);
}

std::string refusal(const ExperimentOptions& options) {
  try {
    const Experiment experiment(one_topic(), options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(OverlapOptions, OutOfRangeAreRefusedWithASentence) {
  for (const Mode mode : {Mode::kObserve, Mode::kSplit}) {
    ExperimentOptions options = overlapping();
    options.mode = mode;
    EXPECT_THAT(refusal(options), HasSubstr("expected that mode, or 0"));
    options.shadow.overlap.sampling = 0.0;
    EXPECT_THAT(refusal(options), IsEmpty());
  }
  ExperimentOptions options = overlapping();
  options.shadow.overlap = {.sampling = 1.5, .depth = 0, .persistence = 1.0};
  const std::string all = refusal(options);
  EXPECT_THAT(all, HasSubstr("shadow.overlap.sampling is 1.5; expected 0 to 1"));
  EXPECT_THAT(all, HasSubstr("shadow.overlap.depth is 0; expected 1 to 1000"));
  EXPECT_THAT(all, HasSubstr("shadow.overlap.persistence is 1; expected above 0, below 1"));
  for (const double odd : {std::nan(""), -0.5}) {
    options = overlapping();
    options.shadow.overlap.sampling = odd;
    EXPECT_THAT(refusal(options), HasSubstr("shadow.overlap.sampling"));
    options = overlapping();
    options.shadow.overlap.persistence = odd;
    EXPECT_THAT(refusal(options), HasSubstr("shadow.overlap.persistence"));
  }
}

/// Random traffic with failures, paused arms and new epochs.
void serve_at_random(Experiment& experiment, std::uint64_t seed) {
  SplitMix random(seed);
  const auto below = [&](std::uint64_t most) { return random.next() % most; };
  const std::vector<std::string> names = {"d1", "d2", "d3", "d4", "d5", "d6", "d7"};
  for (int i = 0; i < 300; ++i) {
    const std::string query = below(5) == 0 ? "" : "query " + std::to_string(below(40));
    const Visit visit =
        experiment.visit(kUnjudgedTopic, {.request_id = below(3) == 0 ? std::uint64_t(i) : 0});
    std::vector<Docnos> docnos(2);
    std::vector<Ranking> rankings;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      if (below(20) == 0) continue;
      for (std::uint64_t hit = below(6); hit > 0; --hit) {
        docnos[arm].push_back(names[below(names.size())]);
      }
      Ranking ranking = named(ArmIndex(arm), docnos[arm], below(8) == 0 ? 2 : 10);
      if (below(15) == 0) ranking.flags = RankingFlags::kFailed;
      if (below(15) == 0) ranking.flags = ranking.flags | RankingFlags::kFiltered;
      rankings.push_back(ranking);
    }
    experiment.observe_comparison(visit, kA, rankings, query);
    if (below(150) == 0) experiment.restart_arm(kB);
    serve(experiment, "EP1", "");
    experiment.drain_shadow();
  }
}

TEST(OverlapStore, StoredSummaryIsTheLiveOne) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "night.db";
    ExperimentOptions options = overlapping();
    const auto log = log_to_store(path, {.unjudged = StoreLogOptions::Unjudged::kEachRow});
    options.logs = {log};
    Experiment experiment(one_topic(), options);
    serve_at_random(experiment, seed);
    experiment.flush();
    ASSERT_TRUE(log->flush());
    const auto live = experiment.summary();
    const RebuiltSession session(path, 1);
    const Summary stored = session.summary();
    EXPECT_EQ(stored.epoch.number, live->epoch.number);
    const Json expected = summary_json(*live)["pairs"][0]["overlap"];
    EXPECT_EQ(summary_json(stored)["pairs"][0]["overlap"], expected) << "seed " << seed;
    EXPECT_GT(live->pairs[0].overlap->visits, 0U);
  }
}

TEST(OverlapStore, RowsOfADamagedStoreAreRefused) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  {
    ExperimentOptions options = overlapping();
    options.logs = {log_to_store(path)};
    Experiment experiment(one_topic(), options);
    serve(experiment, "", "valve");
    experiment.drain_shadow();
  }
  EXPECT_EQ(RebuiltSession(path, 1).summary().pairs.at(0).overlap->visits, 1U);
  for (const char* damage : {"UPDATE overlaps SET rbo = 7", "UPDATE overlaps SET arm = 1"}) {
    Database(path, Database::Access::kUpdate).run(damage);
    EXPECT_THROW(RebuiltSession(path, 1), Error) << damage;
  }
}

}  // namespace
}  // namespace prescope::overlap_traffic
