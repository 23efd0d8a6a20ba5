#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "prescope/error.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kCutoff = 10;

Qrels first_judgements() {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                    {TopicId("t1"), Docno("d2")},
                                                    {TopicId("t1"), Docno("d3"), 0},
                                                    {TopicId("t2"), Docno("d1")}});
}

JudgementChanges judged(const char* docno, Grade grade = 1) {
  return {.judged = {{TopicId("t1"), Docno(docno), grade}}};
}
JudgementChanges withdrawn(const char* docno) {
  return {.withdrawn = {{TopicId("t1"), Docno(docno)}}};
}

/// One arm whose index holds docno "dN" at docid N, and an engine beside it that answers docnos.
class ExperimentJudgements : public ::testing::TestWithParam<HitKind> {
 protected:
  void begin(std::uint32_t capture_depth) {
    experiment_.emplace(first_judgements(),
                        ExperimentOptions{.arms = {"a"},
                                          .cutoffs = {kCutoff},
                                          .recording = {.drain_interval = std::chrono::seconds(1),
                                                        .capture_depth = capture_depth}});
    table_ = resolve_for(experiment_->next_generation());
  }

  /// A table of the judgements as they are now.
  std::shared_ptr<const ResolvedQrels> resolve_for(std::uint64_t generation) {
    const JudgedDocnos& judged = experiment_->judged();
    std::vector<Resolution> found;
    for (std::uint32_t k = 0; k < judged.num_keys(); ++k) {
      found.push_back({k, DocId(static_cast<std::uint32_t>(std::stoi(judged.key(k).substr(1))))});
    }
    return std::make_shared<const ResolvedQrels>(judged, std::move(found), generation, 100);
  }

  void serve(const std::vector<std::uint32_t>& numbers, const char* topic = "t1") {
    const QueryScope scope(*experiment_, TopicId(topic));
    std::vector<DocId> docids(numbers.begin(), numbers.end());
    std::vector<std::string> names;
    for (const std::uint32_t number : numbers) names.push_back("d" + std::to_string(number));
    const std::vector<std::string_view> docnos(names.begin(), names.end());
    Ranking ranking{.kind = GetParam(), .requested_depth = kCutoff};
    if (GetParam() == HitKind::kDocids) {
      ranking.resolved = table_.get();
      ranking.docids = docids;
    } else {
      ranking.docnos = docnos;
    }
    experiment_->observe(ranking);
  }

  TopicRow::Arm topic_1() {
    const auto summary = experiment_->summary();
    return summary->rows.empty() ? TopicRow::Arm{} : summary->rows[0].arms[0];
  }

  bool by_docid() const { return GetParam() == HitKind::kDocids; }

  std::optional<Experiment> experiment_;
  std::shared_ptr<const ResolvedQrels> table_;
};

TEST_P(ExperimentJudgements, AWithdrawnDocumentLeavesTheScore) {
  begin(0);
  serve({9, 1, 3, 2});
  serve({1}, "t2");
  const Rejudged rejudged = experiment_->rejudge(withdrawn("d2"));
  EXPECT_EQ(rejudged.topics, 1U);
  EXPECT_EQ(rejudged.rescored, 1U);
  EXPECT_EQ(rejudged.awaiting, 0U);
  const auto summary = experiment_->summary();
  EXPECT_EQ(summary->epoch.reason, EpochReason::kJudgements);
  EXPECT_EQ(summary->epoch.number, 2U);
  // n = 1, d1 at rank 2: PRES@10 = (10+1-2)/10, R = 1, AP = 1/2.
  EXPECT_THAT(summary->rows[0].arms[0].scores, ElementsAre(0.9, 1.0, 0.5));
  EXPECT_EQ(summary->rows[1].arms[0].scores[0], 1.0) << "the other topic is as it was";
}

TEST_P(ExperimentJudgements, ARegradedDocumentBecomesRelevant) {
  begin(0);
  serve({9, 1, 3, 2});
  EXPECT_EQ(experiment_->rejudge(judged("d3", 2)).rescored, 1U);
  const TopicRow::Arm row = topic_1();
  EXPECT_THAT(row.relevant_ranks, ElementsAre(2, 3, 4));
  // PRES@10 = ((10+1-2) + (10+2-3) + (10+3-4)) / 30.
  EXPECT_EQ(row.scores[0], 27.0 / 30);
}

TEST_P(ExperimentJudgements, NewDocumentIsFoundInTheCapture) {
  begin(kCutoff);
  serve({9, 1, 3, 2});
  const Rejudged rejudged = experiment_->rejudge(judged("d9"));
  EXPECT_EQ(rejudged.topics, 1U);
  if (by_docid()) {
    EXPECT_EQ(rejudged.awaiting, 1U) << "whose docid is d9? The index must say";
    EXPECT_EQ(experiment_->summary()->arms[0].means[0].topics, 0U);
    EXPECT_EQ(experiment_->summary()->arms[0].topics_awaiting, 1U);
    table_ = resolve_for(table_->generation());
    experiment_->set_resolved(ArmIndex(0), table_);
  } else {
    EXPECT_EQ(rejudged.rescored, 1U);
  }
  const TopicRow::Arm row = topic_1();
  EXPECT_FALSE(row.awaiting);
  EXPECT_THAT(row.relevant_ranks, ElementsAre(1, 2, 4));
  // PRES@10 = ((10+1-1) + (10+2-2) + (10+3-4)) / 30.
  EXPECT_EQ(row.scores[0], 29.0 / 30);
}

TEST_P(ExperimentJudgements, NewDocumentIsFoundInARankingThatTheRecorderHasNotSeenYet) {
  begin(kCutoff);
  static_cast<void>(experiment_->rejudge(judged("d9")));
  serve({9, 1, 3, 2});  // by a searcher from before
  experiment_->set_resolved(ArmIndex(0), resolve_for(table_->generation()));
  const TopicRow::Arm row = topic_1();
  EXPECT_FALSE(row.awaiting);
  EXPECT_THAT(row.relevant_ranks, ElementsAre(1, 2, 4));
}

TEST_P(ExperimentJudgements, NewDocumentThatWasNotServedCountsAsNotFound) {
  begin(kCutoff);
  serve({9, 1, 3, 2});
  (void)experiment_->rejudge(judged("d50"));
  if (by_docid()) {
    table_ = resolve_for(table_->generation());
    experiment_->set_resolved(ArmIndex(0), table_);
  }
  const TopicRow::Arm row = topic_1();
  EXPECT_FALSE(row.awaiting);
  EXPECT_THAT(row.relevant_ranks, ElementsAre(2, 4));
  EXPECT_EQ(row.scores[0], 17.0 / 30) << "n = 3: ((10+1-2) + (10+2-4)) / 30";
}

TEST_P(ExperimentJudgements, NewDocumentBeyondTheCaptureAwaitsTheNextVisit) {
  begin(2);
  serve({9, 1, 3, 2, 8});
  EXPECT_EQ(experiment_->rejudge(judged("d8")).awaiting, 1U);
  table_ = resolve_for(table_->generation());
  experiment_->set_resolved(ArmIndex(0), table_);
  auto summary = experiment_->summary();
  EXPECT_EQ(summary->arms[0].topics_awaiting, 1U);
  EXPECT_EQ(summary->arms[0].means[0].topics, 0U) << "PRES@10 is not known";
  serve({9, 1, 3, 2, 8});
  summary = experiment_->summary();
  EXPECT_EQ(summary->arms[0].topics_awaiting, 0U);
  EXPECT_THAT(summary->rows[0].arms[0].relevant_ranks, ElementsAre(2, 4, 5));
}

TEST_P(ExperimentJudgements, WithoutCaptureANewDocumentAwaitsTheNextVisit) {
  begin(0);
  serve({9, 1, 3, 2});
  EXPECT_EQ(experiment_->rejudge(judged("d9")).awaiting, 1U);
  EXPECT_EQ(experiment_->summary()->arms[0].means[0].topics, 0U);
}

TEST_P(ExperimentJudgements, ATopicMayLoseAllJudgementsAndGetOthers) {
  begin(kCutoff);
  serve({9, 1, 3, 2});
  (void)experiment_->rejudge({.withdrawn = {{TopicId("t1"), Docno("d1")},
                                            {TopicId("t1"), Docno("d2")},
                                            {TopicId("t1"), Docno("d3")}}});
  EXPECT_EQ(experiment_->summary()->topics_without_relevant, 1U);
  EXPECT_EQ(experiment_->summary()->arms[0].means[0].topics, 0U);
  (void)experiment_->rejudge(judged("d4"));
  table_ = resolve_for(experiment_->next_generation());
  serve({9, 4});
  EXPECT_EQ(topic_1().scores[0], 0.9);
}

INSTANTIATE_TEST_SUITE_P(Engines, ExperimentJudgements,
                         ::testing::Values(HitKind::kDocids, HitKind::kDocnos), [](const auto& of) {
                           return of.param == HitKind::kDocids ? "Docids" : "Docnos";
                         });

class ExperimentVersions : public ExperimentJudgements {};
INSTANTIATE_TEST_SUITE_P(Docids, ExperimentVersions, ::testing::Values(HitKind::kDocids));

TEST_P(ExperimentVersions, OldReferencesStayValidAndUnchanged) {
  begin(0);
  const Qrels& before = experiment_->qrels();
  const JudgedDocnos& keys_before = experiment_->judged();
  (void)experiment_->rejudge(withdrawn("d1"));
  (void)experiment_->rejudge(judged("d7"));
  EXPECT_EQ(before.topic(TopicIndex(0)).judgements().size(), 3U);
  EXPECT_EQ(keys_before.version(), 0U);
  EXPECT_EQ(keys_before.num_keys(), 3U);
  EXPECT_EQ(experiment_->judged().version(), 2U);
  EXPECT_EQ(&experiment_->judged().qrels(), &experiment_->qrels());
  EXPECT_EQ(experiment_->qrels().topic(TopicIndex(0)).judgements().size(), 3U);
  EXPECT_EQ(experiment_->summary()->judgements, 4U);
}

TEST_P(ExperimentVersions, AnOldSearcherIsMatchedWithTheJudgementsOfItsTable) {
  begin(0);
  (void)experiment_->rejudge(withdrawn("d1"));
  serve({9, 1, 3, 2});  // judgement 1 of the old version is judgement 0 of the new one
  const TopicRow::Arm row = topic_1();
  EXPECT_THAT(row.relevant_ranks, ElementsAre(4));
  EXPECT_EQ(row.scores[0], 0.7) << "n = 1: (10+1-4) / 10";
}

TEST_P(ExperimentVersions, OldSearcherCannotRankANewDocument) {
  begin(0);
  (void)experiment_->rejudge(judged("d9"));
  serve({9, 1, 3, 2});
  const auto summary = experiment_->summary();
  EXPECT_EQ(summary->arms[0].means[0].topics, 0U) << "n = 3, and d9 was not looked for";
  EXPECT_EQ(summary->arms[0].judged_queries, 1U);
}

TEST_P(ExperimentVersions, ARefusedChangeChangesNothing) {
  begin(0);
  serve({1});
  try {
    (void)experiment_->rejudge(
        {.judged = {{TopicId("t1"), Docno("d9"), 1}}, .withdrawn = {{TopicId("t2"), Docno("d2")}}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("'d2' of topic 't2' is withdrawn, but was not judged"));
  }
  EXPECT_EQ(experiment_->judged().version(), 0U);
  EXPECT_EQ(experiment_->summary()->epoch.number, 1U);
  (void)experiment_->rejudge({});
  EXPECT_EQ(experiment_->judged().version(), 0U) << "nothing changed is no change";
}

TEST_P(ExperimentVersions, MoreJudgementsThanTheQueueHoldsAreRefused) {
  Experiment experiment(first_judgements(), {.arms = {"a"}, .recording = {.queue_bytes = 65536}});
  // A quarter of 64 KiB takes fewer than 16384 / 8 hits.
  JudgementChanges changes;
  for (int i = 10; i < 2100; ++i) {
    changes.judged.push_back({TopicId("t1"), Docno("d" + std::to_string(i))});
  }
  try {
    (void)experiment.rejudge(changes);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("topic 't1' would have 2093 judgements"));
  }
  EXPECT_EQ(experiment.judged().version(), 0U);
  changes.judged.resize(1500);
  (void)experiment.rejudge(changes);
  {
    const auto table = resolve(experiment);
    const std::vector<DocId> docids = {DocId(1)};
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), table, docids));
  }
  EXPECT_EQ(experiment.summary()->health.recorded, 1U);
}

TEST_P(ExperimentVersions, MissingDocumentsAreNamedByTheVersionOfTheTable) {
  begin(0);
  experiment_->set_resolved(
      ArmIndex(0), std::make_shared<const ResolvedQrels>(experiment_->judged(),
                                                         std::vector<Resolution>{}, 1, 100));
  EXPECT_EQ(experiment_->summary()->arms[0].relevant_missing, 3U);
  // Fewer keys with other numbers: the table's are not those of the newest version.
  (void)experiment_->rejudge({.withdrawn = {{TopicId("t1"), Docno("d1")},
                                            {TopicId("t2"), Docno("d1")},
                                            {TopicId("t1"), Docno("d2")}}});
  EXPECT_EQ(experiment_->summary()->arms[0].relevant_missing, 3U);
}

TEST_P(ExperimentVersions, ObservationNamesItsJudgementsVersion) {
  std::vector<std::uint32_t> versions;
  Experiment experiment(first_judgements(), {.arms = {"a"}, .on_observation = [&](const auto& one) {
                                               versions.push_back(one.judgements_version);
                                             }});
  const auto old = resolve(experiment);
  (void)experiment.rejudge(judged("d9"));
  const auto serve_all = [&](const std::shared_ptr<const ResolvedQrels>& table) {
    const std::vector<DocId> docids = {DocId(1)};
    const QueryScope scope(experiment, TopicId("t1"));
    experiment.observe(served(ArmIndex(0), table, docids));
  };
  serve_all(old);
  serve_all(resolve(experiment));
  experiment.flush();
  EXPECT_THAT(versions, ElementsAre(0, 1));
}

/// Queries of old and new tables and of docnos go on while judgements come and go; afterwards one
/// visit of each topic scores as in an experiment that began with the last judgements.
TEST(ExperimentJudgementsTraffic, ChangesWhileQueriesRun) {
  const auto options = [] {
    return ExperimentOptions{.arms = {"docids", "docnos"},
                             .cutoffs = {kCutoff},
                             .recording = {.queue_bytes = 65536, .capture_depth = 4}};
  };
  Experiment experiment(first_judgements(), options());
  std::atomic<bool> done{false};
  const auto serve_both = [](Experiment& of, const std::shared_ptr<const ResolvedQrels>& table) {
    const std::vector<DocId> docids = {DocId(9), DocId(1), DocId(3), DocId(2)};
    const std::vector<std::string_view> docnos = {"d9", "d1", "d3", "d2"};
    for (const char* topic : {"t1", "t2"}) {
      const QueryScope scope(of, TopicId(topic));
      of.observe(served(ArmIndex(0), table, docids));
      of.observe({.arm = ArmIndex(1),
                  .kind = HitKind::kDocnos,
                  .docnos = docnos,
                  .requested_depth = kCutoff});
    }
  };
  const auto first = resolve(experiment);
  std::mutex mutex;
  std::shared_ptr<const ResolvedQrels> newest = first;
  std::vector<std::jthread> searchers;
  for (int i = 0; i < 3; ++i) {
    searchers.emplace_back([&, uses_first = i == 0] {
      while (!done) {
        std::shared_ptr<const ResolvedQrels> table = first;
        if (!uses_first) {
          const std::lock_guard lock(mutex);
          table = newest;
        }
        serve_both(experiment, table);
        // Lets the recorder run, also if there are fewer cores than threads.
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  constexpr int kRounds = 10;
  for (int i = 0; i < kRounds; ++i) {
    (void)experiment.rejudge(i % 2 == 0 ? judged("d9", 1 + i % 3) : withdrawn("d9"));
    (void)experiment.rejudge(judged("d3", i % 2));
    const auto table = resolve(experiment);
    const std::lock_guard lock(mutex);
    newest = table;
  }
  done = true;
  searchers.clear();
  EXPECT_EQ(experiment.judged().version(), 2U * kRounds);
  const auto last = resolve(experiment);
  experiment.flush();  // room for these
  serve_both(experiment, last);

  Experiment anew(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                             {TopicId("t1"), Docno("d2")},
                                                             {TopicId("t1"), Docno("d3"), 1},
                                                             {TopicId("t2"), Docno("d1")}}),
                  options());
  serve_both(anew, resolve(anew));
  const auto summary = experiment.summary(), expected = anew.summary();
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t a = 0; a < 2; ++a) {
      EXPECT_EQ(summary->rows[t].arms[a].scores, expected->rows[t].arms[a].scores) << t << a;
      EXPECT_EQ(summary->rows[t].arms[a].relevant_ranks, expected->rows[t].arms[a].relevant_ranks);
    }
  }
  EXPECT_EQ(summary->health.recorded, summary->health.pushed);
  EXPECT_EQ(summary->health.unmatched_rankings, 0U);
}

TEST(Experiment, WithdrawnDocnoOfADocumentWithTwoLeavesTheOtherUnknown) {
  Experiment experiment(first_judgements(), {.arms = {"a"}, .measures = {"R@10"}});
  // Document 1 has the docnos d1 and d2.
  const std::uint32_t key = experiment.judged().find("d2");
  const auto table = resolve(experiment, {{key, DocId(1)}});
  experiment.observe(experiment.visit(TopicId("t1")),
                     served(ArmIndex(0), table, std::vector<DocId>{DocId(1)}));
  EXPECT_EQ(experiment.rejudge(withdrawn("d1")).awaiting, 1U);
  const auto summary = experiment.summary();
  EXPECT_EQ(summary->arms[0].topics_awaiting, 1U);
  EXPECT_EQ(summary->arms[0].means[0].topics, 0U) << "d2 was served, and is not known to be";
  const auto again = resolve(experiment, {{experiment.judged().find("d2"), DocId(1)}});
  experiment.observe(experiment.visit(TopicId("t1")),
                     served(ArmIndex(0), again, std::vector<DocId>{DocId(1)}));
  EXPECT_EQ(experiment.summary()->arms[0].means[0].mean, 1.0);
}

}  // namespace
}  // namespace prescope
