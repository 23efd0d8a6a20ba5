// An experiment that is fed with lines: what is counted, once, and when it is acknowledged.
#include "collect/collector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/utc_time.h"
#include "collect/posted_visits.h"
#include "store/nights/store.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kTopics = 40;

/// Topic "EPt" has the relevant documents "USt1" and "USt2".
std::string qrels_text() {
  std::string text;
  for (int t = 1; t <= kTopics; ++t)
    text += fmt::format("EP{0} 0 US{0}01 1\nEP{0} 0 US{0}02 1\n", t);
  return text;
}

class Collecting : public ::testing::Test {
 protected:
  explicit Collecting(Mode mode = Mode::kObserve) {
    options_.store = scratch_.path() / "x.store";
    options_.live.mode = mode;
    options_.live.salt = "salt";
    ReplayOptions& files = options_.live.experiment;
    files.name = "x";
    files.measures = {Measure::parse("PRES@10"), Measure::parse("R@10")};
    files.qrels = scratch_.write("qrels.txt", qrels_text());
    for (const char* const arm : {"a", "b"}) {
      files.arms.push_back({.config = {.id = ArmId(arm), .settings = {}}});
    }
    options_.on_warning = [](const std::string&) {};
  }

  Collector& collector() {
    if (!collector_) collector_.emplace(options_);
    return *collector_;
  }
  CollectAnswer post(const std::string& lines) {
    std::promise<CollectAnswer> answered;
    EXPECT_TRUE(
        collector().post(lines, [&](const CollectAnswer& answer) { answered.set_value(answer); }));
    return answered.get_future().get();
  }
  std::shared_ptr<const Summary> summary() { return collector().experiment().summary(); }
  std::string why_refused(const std::string& line) {
    const CollectAnswer answer = post(line);
    return answer.refused.empty() ? "not refused" : answer.refused[0].why;
  }
  void restart() {
    collector_.reset();
    collector();
  }

  /// A ranking of topic EPt by an arm that finds its first relevant document at `rank`.
  static std::string line(std::string_view id, int t, std::string_view arm, int rank,
                          std::string_view more = "") {
    std::string docnos;
    for (int r = 1; r <= 10; ++r) {
      docnos += fmt::format("{}\"{}\"", r > 1 ? "," : "",
                            r == rank ? fmt::format("US{}01", t) : fmt::format("CN{}", r));
    }
    return fmt::format(R"({{"id":"{}","topic":"EP{}","arm":"{}","depth":10,{}"docnos":[{}]}})", id,
                       t, arm, more, docnos) +
           "\n";
  }

  ScratchFolder scratch_;
  CollectorOptions options_;
  std::optional<Collector> collector_;
};

TEST_F(Collecting, EachIdCountsOnce) {
  const std::string first = line("r1", 1, "a", 1), second = line("r2", 2, "b", 3);
  CollectAnswer answer = post(first + second + first);
  EXPECT_EQ(answer.accepted, 2U);
  EXPECT_EQ(answer.duplicates, 1U);
  answer = post(second + line("r3", 3, "a", 2));
  EXPECT_EQ(answer.accepted, 1U);
  EXPECT_EQ(answer.duplicates, 1U);
  EXPECT_EQ(summary()->health.recorded, 3U);

  restart();
  answer = post(first + second + line("r4", 3, "a", 2));
  EXPECT_EQ(answer.accepted, 1U);
  EXPECT_EQ(answer.duplicates, 2U);
  collector_.reset();
  EXPECT_EQ(open_store_file(options_.store, Database::Access::kRead)
                .number("SELECT count(*) FROM observations"),
            4);
}

TEST_F(Collecting, UnjudgedRankingsCountOnceToo) {
  const std::string unjudged = R"({"id":"u","topic":"EP999","arm":"a","docnos":["US1"]})";
  EXPECT_EQ(post(unjudged).accepted, 1U);
  EXPECT_EQ(post(unjudged).duplicates, 1U);
  EXPECT_EQ(summary()->arms[0].unjudged_queries, 1U);
  EXPECT_EQ(collector().counts().unjudged, 1U);
}

TEST_F(Collecting, ABadLineNeverLosesItsNeighbours) {
  const CollectAnswer answer =
      post(line("r1", 1, "a", 1) + "\nnonsense\n" + line("r2", 2, "a", 1) + line("r3", 2, "c", 1));
  EXPECT_EQ(answer.accepted, 2U);
  ASSERT_THAT(answer.refused, SizeIs(2));
  EXPECT_EQ(answer.refused[0].line, 3U) << "empty lines count";
  EXPECT_THAT(answer.refused[0].why, HasSubstr("not JSON"));
  EXPECT_EQ(answer.refused[1].line, 5U);
  EXPECT_THAT(answer.refused[1].why, HasSubstr("unknown arm 'c'"));
  EXPECT_EQ(summary()->health.adapter_failures, 2U) << "rankings that were lost";
  EXPECT_EQ(post(line("r3", 2, "b", 1)).accepted, 1U) << "a refused id is not taken";
}

TEST_F(Collecting, AnAnswerComesWhenTheStoreHasTheLine) {
  std::promise<std::int64_t> stored;
  ASSERT_TRUE(collector().post(line("r1", 1, "a", 1), [&](const CollectAnswer&) {
    stored.set_value(open_store_file(options_.store, Database::Access::kRead)
                         .number("SELECT count(*) FROM observations"));
  }));
  EXPECT_EQ(stored.get_future().get(), 1);
}

TEST_F(Collecting, ScoresWhatWasServed) {
  post(line("r1", 1, "a", 2) + line("r2", 2, "a", 11));
  const auto summary = this->summary();
  // PRES@10 of 2 relevant documents, one at rank 2: (10 + 1 - 2) / (2 * 10) = .45; of none: 0.
  EXPECT_DOUBLE_EQ(*summary->arms[0].means[0].mean, 0.225);
  EXPECT_DOUBLE_EQ(*summary->arms[0].means[1].mean, 0.25) << "R@10 of 1/2 and 0";
}

TEST_F(Collecting, WhatIsNotSaidIsUnknownAndNotZero) {
  post(line("r1", 1, "a", 1) + line("r2", 1, "a", 1, "\"latency_ms\":20,\"total\":500,"));
  EXPECT_EQ(summary()->arms[0].latency.count, 1U) << "of the line that says it";
  const CollectCounts counts = collector().counts();
  EXPECT_EQ(counts.without_latency, 1U);
  EXPECT_EQ(counts.without_total, 1U);
  EXPECT_EQ(counts.without_time, 2U);
  EXPECT_EQ(counts.without_depth, 0U);
  EXPECT_THAT(collect_sentences(counts),
              ElementsAre("2 lines accepted, 0 duplicates, 0 refused",
                          HasSubstr("no line says when it was served"),
                          HasSubstr("1 line does not say how long the user waited"),
                          HasSubstr("1 line does not say how many documents"),
                          HasSubstr("no line is of a search that failed")));
}

// Without a depth it is not known whether a list of ten hits goes on.
TEST_F(Collecting, AListWithoutADepthHasNotEnded) {
  const std::string two = R"("docnos":["US101","CN2"]})";
  post(R"({"id":"r1","topic":"EP1","arm":"a",)" + two);
  EXPECT_EQ(summary()->arms[0].means[0].mean, std::nullopt) << "its last ranks are unknown";
  post(R"({"id":"r2","topic":"EP1","arm":"b","depth":10,)" + two);
  EXPECT_TRUE(summary()->arms[1].means[0].mean.has_value());
}

TEST_F(Collecting, FailuresAreEmptyRankings) {
  post(R"({"id":"r1","topic":"EP1","arm":"a","flags":["failed"]})"
       "\n"
       R"({"id":"r2","topic":"EP2","arm":"a","flags":["timed_out"],"docnos":[]})"
       "\n"
       R"({"id":"r3","topic":"EP3","arm":"a","depth":10,"total":57,"docnos":[]})");
  const auto summary = this->summary();
  EXPECT_EQ(summary->arms[0].failed_queries, 2U);
  EXPECT_EQ(summary->arms[0].timed_out_queries, 1U);
  EXPECT_EQ(summary->arms[0].means[0].mean, 0.0);
  EXPECT_EQ(collector().counts().failed, 3U);
}

TEST_F(Collecting, ALaterPageThatFailedIsNoVisit) {
  post(line("r1", 1, "a", 1, "\"visit\":\"v\",") +
       R"({"id":"r2","visit":"v","topic":"EP1","arm":"a","first_rank":11,"flags":["failed"]})");
  const auto summary = this->summary();
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
  EXPECT_DOUBLE_EQ(*summary->arms[0].means[0].mean, 0.5) << "one of two documents at rank 1";
}

TEST_F(Collecting, YesterdaysRankingsHaveYesterdaysHours) {
  post(line("r1", 1, "a", 1, R"("time":"2026-11-27T23:30:00Z",)") +
       line("r2", 1, "a", 1, R"("time":"2026-11-28T01:30:00+01:00",)"));
  collector_.reset();
  EXPECT_THAT(texts_of(open_store_file(options_.store, Database::Access::kRead),
                       "SELECT hour || ' ' || judged FROM hourly_means ORDER BY hour"),
              ElementsAre("2026-11-27T23:00:00Z 1", "2026-11-28T00:00:00Z 1"));
}

TEST_F(Collecting, RefusesWhatDoesNotFitTheExperiment) {
  EXPECT_THAT(why_refused(line("r1", 1, "", 1)), HasSubstr("arm is empty"));
  EXPECT_THAT(why_refused(R"({"id":"r2","topic":"EP1","docnos":["US1"]})"),
              HasSubstr("no arm; expected one of a, b"));
  EXPECT_THAT(why_refused(R"({"id":"r3","query":"fuel","arm":"a","docnos":["US1"]})"),
              HasSubstr("topics.path"));
  EXPECT_THAT(why_refused(line("r4", 1, "a", 1, "\"shadow\":true,")), HasSubstr("paired"));
  EXPECT_THAT(why_refused(line("r5", 1, "a", 1, R"("time":"2099-01-01T00:00:00Z",)")),
              HasSubstr("more than an hour ahead"));
  EXPECT_THAT(why_refused(R"({"id":"r6","topic":"EP1","arm":"a","docnos":["17","4","399","5"]})"),
              HasSubstr("not the engine's integers"));
  EXPECT_THAT(why_refused(fmt::format(R"({{"id":"r7","topic":"{}"}})",
                                      std::string(Collector::kLongestLine, 'x'))),
              HasSubstr("expected at most 1048576"));
  EXPECT_EQ(summary()->health.recorded, 0U);
}

TEST_F(Collecting, RefusesWhatAPrunedStoreMayHaveHad) {
  post(line("r1", 1, "a", 1, R"("time":"2026-11-27T10:00:00Z",)"));
  collector_.reset();
  Store::open(options_.store, Database::Access::kUpdate)
      .prune({.observations_since = parse_utc_time("2026-11-28")});
  EXPECT_THAT(why_refused(line("r1", 1, "a", 1, R"("time":"2026-11-27T10:00:00Z",)")),
              HasSubstr("the store was pruned"));
  EXPECT_EQ(post(line("r2", 1, "a", 1, R"("time":"2026-11-28T10:00:00Z",)")).accepted, 1U);
}

TEST_F(Collecting, FindsTopicsByTheirText) {
  options_.live.experiment.topics =
      scratch_.write("topics.tsv", "EP1\tFuel cell\nEP2\tSolar panel\n");
  EXPECT_EQ(post(R"({"id":"r1","query":"fuel  CELL","arm":"a","docnos":["US101"]})").accepted, 1U);
  EXPECT_EQ(post(R"({"id":"r2","query":"other","arm":"a","docnos":["US101"]})").accepted, 1U);
  const auto summary = this->summary();
  EXPECT_EQ(summary->arms[0].topics_seen, 1U);
  EXPECT_EQ(summary->arms[0].unjudged_queries, 1U);
  EXPECT_EQ(collector().arm_for("Fuel cell"), collector().arm_for("EP1"));
}

TEST_F(Collecting, TakesNoMoreThanItCanHold) {
  const std::string large(Collector::kMostWaiting, '\n');
  std::promise<void> first_reads;
  std::shared_future<void> go = first_reads.get_future().share();
  ASSERT_TRUE(collector().post("nonsense", [go](const CollectAnswer&) { go.wait(); }));
  ASSERT_TRUE(collector().post("\n", [](const CollectAnswer&) {}));
  EXPECT_FALSE(collector().post(large, [](const CollectAnswer&) {}));
  first_reads.set_value();
  collector().flush();
  EXPECT_TRUE(collector().post(large, [](const CollectAnswer&) {})) << "alone it may be as large";
}

class CollectingPairs : public Collecting {
 protected:
  CollectingPairs() : Collecting(Mode::kPaired) {}

  /// The ranking of an arm for the visit "vt" of topic EPt.
  static std::string ranked(int t, std::string_view arm, int rank, std::string_view more = "") {
    return line(fmt::format("{}-{}-{}", t, arm, more.size()), t, arm, rank,
                fmt::format("\"visit\":\"v{}\",\"latency_ms\":5,{}", t, more));
  }
};

TEST_F(CollectingPairs, APairIsCompleteWhenAllArmsAreIn) {
  EXPECT_EQ(post(ranked(1, "a", 1)).accepted, 1U) << "it does not wait for the other";
  EXPECT_EQ(summary()->epoch.compared_visits, 0U);
  EXPECT_EQ(post(ranked(1, "b", 2)).accepted, 1U);
  const auto summary = this->summary();
  EXPECT_EQ(summary->epoch.compared_visits, 1U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 0U);
  EXPECT_EQ(summary->arms[0].latency.count, 1U) << "served";
  EXPECT_EQ(summary->arms[1].latency.count, 0U) << "no user waited for it";
  // PRES@10 of one document in two: .45 at rank 2, .5 at rank 1.
  EXPECT_DOUBLE_EQ(*summary->pairs[0].differences[0].mean, -0.05);
}

TEST_F(CollectingPairs, RankingsComeInAnyOrder) {
  post(ranked(1, "b", 2, "\"shadow\":true,"));
  post(ranked(1, "a", 1, "\"shadow\":false,"));
  const auto summary = this->summary();
  EXPECT_EQ(summary->epoch.compared_visits, 1U);
  EXPECT_DOUBLE_EQ(*summary->pairs[0].differences[0].mean, -0.05);
}

TEST_F(CollectingPairs, AVisitWithoutOneArmIsInNoPairAndIsCounted) {
  post(ranked(1, "a", 1) + ranked(2, "b", 1) + ranked(3, "a", 1) + ranked(3, "b", 1));
  collector().end();
  const auto summary = this->summary();
  EXPECT_EQ(summary->epoch.compared_visits, 1U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 2U);
  EXPECT_EQ(summary->health.shadow_failed, 2U);
  EXPECT_EQ(summary->pairs[0].differences[0].topics, 1U);
}

// All of one arm's rankings, then all of the other's: visits that are far apart in a log.
TEST_F(CollectingPairs, VisitsThatAreCrowdedOutAreCountedAndNamed) {
  const auto lines = [](std::string_view arm) {
    std::string made;
    for (std::size_t v = 0; v <= PostedVisits::kMostOpen; ++v) {
      made += fmt::format(R"({{"id":"{0}-{1}","visit":"v{0}","topic":"EP1","arm":"{1}",)"
                          R"("depth":1,"docnos":[]}})"
                          "\n",
                          v, arm);
    }
    return made;
  };
  post(lines("a"));
  const CollectCounts counts = collector().counts();
  EXPECT_EQ(counts.crowded_out, 1U);
  EXPECT_THAT(collect_sentences(counts),
              ::testing::Contains(HasSubstr("1 visit was given up, and compared by nobody, because "
                                            "16,384 others waited")));
}

// A client sends both lines again because the collector was killed behind the first.
TEST_F(CollectingPairs, WhatComesForAnEarlierProcessIsNotTakenForServed) {
  post(ranked(1, "a", 1));
  restart();
  const CollectAnswer answer = post(ranked(1, "a", 1) + ranked(1, "b", 2));
  EXPECT_EQ(answer.duplicates, 1U);
  EXPECT_EQ(answer.accepted, 1U);
  const auto summary = this->summary();
  EXPECT_EQ(summary->arms[1].latency.count, 0U) << "nobody was served by b";
  EXPECT_EQ(summary->epoch.compared_visits, 0U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 1U);
}

TEST_F(CollectingPairs, AVisitThatIsNotComparedSaysSo) {
  post(ranked(1, "a", 1, "\"compared\":[],"));
  EXPECT_THAT(why_refused(ranked(2, "a", 1, "\"compared\":[\"a\"],")),
              HasSubstr("each active arm once: a, b"));
  EXPECT_THAT(why_refused(ranked(3, "a", 1, "\"compared\":[\"a\",\"a\"],")), HasSubstr("a, b"));
  EXPECT_EQ(post(ranked(4, "a", 1, "\"compared\":[\"b\",\"a\"],")).accepted, 1U);
  collector().end();
  EXPECT_EQ(summary()->health.shadow_failed, 1U) << "the last one's b";
}

// What was served and the others' rankings, in any order: 1 of 3 documents.
TEST_F(CollectingPairs, RankingsWithoutJudgementsAreComparedIfThatIsAskedFor) {
  options_.live.overlap = {.sampling = 1.0, .depth = 10, .persistence = 0.5};
  const auto unjudged = [](std::string_view id, std::string_view arm, std::string_view visit,
                           std::string_view shadow, std::string_view docnos) {
    return fmt::format(
               R"({{"id":"{}","topic":"EP999","arm":"{}","visit":"{}","shadow":{},"depth":10,)"
               R"("docnos":[{}]}})",
               id, arm, visit, shadow, docnos) +
           "\n";
  };
  EXPECT_EQ(post(unjudged("1", "a", "v1", "false", R"("US1","US2")") +
                 unjudged("2", "b", "v1", "true", R"("US1","US3")") +
                 unjudged("3", "b", "v2", "true", R"("US1")") +
                 unjudged("4", "a", "v2", "false", R"("US1")") +
                 unjudged("5", "a", "v3", "false", R"("US1")"))
                .accepted,
            5U);
  const OverlapSummary overlap = summary()->pairs.at(0).overlap.value();
  EXPECT_EQ(overlap.visits, 2U);
  EXPECT_EQ(overlap.identical, 1U);
  EXPECT_NEAR(overlap.jaccard.mean.value(), (1.0 / 3 + 1.0) / 2, 1e-12);
  EXPECT_EQ(overlap.waiting, 1U);
  ASSERT_THAT(overlap.most_changed, SizeIs(1));
  EXPECT_EQ(overlap.most_changed[0].query, "EP999");
  EXPECT_EQ(summary()->arms[0].unjudged_queries, 3U);
  EXPECT_EQ(summary()->arms[1].unjudged_queries, 0U);
  EXPECT_EQ(post(unjudged("1", "a", "v1", "false", R"("US1","US2")")).duplicates, 1U);
}

TEST_F(CollectingPairs, RefusesRankingsThatDoNotFitTheirVisit) {
  post(ranked(1, "a", 1));
  EXPECT_THAT(why_refused(line("x", 2, "b", 1, "\"visit\":\"v1\",")), HasSubstr("another topic"));
  EXPECT_THAT(why_refused(ranked(1, "b", 1, "\"shadow\":false,")), HasSubstr("served by arm 'a'"));
  post(ranked(1, "b", 1));
  EXPECT_THAT(why_refused(line("y", 1, "b", 1, "\"visit\":\"v1\",")),
              HasSubstr("for comparison already"));
}

TEST_F(CollectingPairs, ALaterPageBelongsToWhatWasServed) {
  post(ranked(1, "a", 11));
  post(line("p2", 1, "a", 1, R"("visit":"v1","first_rank":11,)"));
  const auto summary = this->summary();
  EXPECT_EQ(summary->arms[0].judged_queries, 2U);
  EXPECT_EQ(summary->health.pages_without_key, 0U);
  EXPECT_EQ(summary->health.page_gaps, 0U);
}

class CollectingSplits : public Collecting {
 protected:
  CollectingSplits() : Collecting(Mode::kSplit) {}
};

TEST_F(CollectingSplits, AssignsEachTopicToOneArmForEver) {
  std::vector<ArmId> before;
  for (int t = 1; t <= kTopics; ++t) before.push_back(collector().arm_for(fmt::format("EP{}", t)));
  const auto to_a = std::ranges::count(before, ArmId("a"));
  EXPECT_GT(to_a, kTopics / 5);
  EXPECT_LT(to_a, kTopics * 4 / 5);
  restart();
  for (int t = 1; t <= kTopics; ++t) {
    EXPECT_EQ(collector().arm_for(fmt::format("EP{}", t)), before[t - 1]) << t;
  }
}

TEST(LiveOptions, AnExperimentFileSaysSlicesAndHowItEnds) {
  const ScratchFolder scratch;
  const auto file = scratch.write("e.toml", R"(
measures = ["PRES@10", "R@10"]
[qrels]
path = "qrels.txt"
[live]
shares = ["a=19", "b=1"]
mode = "paired"
[[arms]]
name = "a"
[[arms]]
name = "b"
[slices]
path = "slices.tsv"
by = ["section", "relevant"]
[test]
topics = 400
looks = [0.25, 1.0]
spending = "pocock"
live_alpha = 0.01
guardrails = ["R@10=0.02", "latency=1.1"]
same_within = 0.03
)");
  const LiveOptions options = read_live_options(file, {});
  EXPECT_EQ(options.experiment.slices.file, scratch.path() / "slices.tsv");
  EXPECT_EQ(options.experiment.slices.by, (std::vector<std::string>{"section", "relevant"}));
  EXPECT_EQ(options.test.plan.topics, 400U);
  EXPECT_EQ(options.test.plan.looks, (std::vector<double>{0.25, 1.0}));
  EXPECT_EQ(options.test.plan.spending, Spending::kPocock);
  EXPECT_EQ(options.test.plan.live_alpha, 0.01);
  ASSERT_EQ(options.test.guardrails.size(), 2U);
  EXPECT_EQ(options.test.guardrails[0].measure, "R@10");
  EXPECT_EQ(options.test.guardrails[1].margin, 1.1);
  EXPECT_EQ(options.test.same_within, 0.03);
  EXPECT_EQ(options.shares, (ArmShares{{"a", 19.0}, {"b", 1.0}}));
}

}  // namespace
}  // namespace prescope
