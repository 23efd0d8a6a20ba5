// Facts that a store keeps beside the rankings: visits, epoch keys, counters, and names of any
// bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/hash.h"
#include "prescope/observation_log.h"
#include "report/live/live_report.h"
#include "store/sessions/observation_line.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sqlite/database.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Names = std::vector<std::string_view>;

Ranking answer(ArmIndex arm, const Names& docnos, Rank first_rank = 1) {
  return {.arm = arm,
          .kind = HitKind::kDocnos,
          .docnos = docnos,
          .first_rank = first_rank,
          .requested_depth = 2,
          .search_started = std::chrono::steady_clock::now()};
}

Qrels one_topic(const std::string& topic = "t", const std::string& docno = "d1") {
  return Qrels::from_lines(std::vector<Qrels::Line>{{TopicId(topic), Docno(docno)}});
}

std::vector<std::string> texts_in(const fs::path& path, const std::string& sql) {
  return texts_of(open_store_file(path, Database::Access::kRead), sql);
}

TEST(StoreFacts, PagesOfAVisitShareItAndSayHowFarItWasSeen) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store";
  {
    Experiment experiment(one_topic(), {.arms = {"a"}, .logs = {log_to_store(path)}});
    const auto page = [&](const char* key, const Names& docnos, Rank first_rank) {
      experiment.observe(experiment.visit(TopicId("t"), {.key = key}),
                         answer(ArmIndex(0), docnos, first_rank));
    };
    page("one", {"d5", "d6"}, 1);
    page("two", {"d5", "d6"}, 1);
    page("one", {"d1"}, 3);
    page("", {"d1"}, 3);
    page("two", {"d1"}, 5);  // ranks 3 and 4 were not seen
  }
  EXPECT_THAT(texts_in(path,
                       "SELECT visit || ' ' || ifnull(nullif(visit_key, 0) = (SELECT visit_key FROM"
                       " observations WHERE seq = 1), '-') || ' ' || covered || ' ' ||"
                       " exhausted || ' ' || compared_arms FROM observations ORDER BY seq"),
              ElementsAre("1 1 2 0 0", "2 0 2 0 0", "1 1 3 1 0", "4 - 0 0 0", "5 0 0 0 0"));
}

TEST(StoreFacts, ScoresLeaveOutWhatTheSummaryLeavesOut) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store";
  for (const auto scored : {RankingFlags::kNone, RankingFlags::kFiltered}) {
    Experiment experiment(
        one_topic(),
        {.arms = {"a"}, .recording = {.scored_flags = scored}, .logs = {log_to_store(path)}});
    for (const auto flag : {RankingFlags::kNone, RankingFlags::kSorted, RankingFlags::kFiltered,
                            RankingFlags::kCollapsed, RankingFlags::kDeepened}) {
      const Names docnos = {"d1"};
      Ranking ranking = answer(ArmIndex(0), docnos);
      ranking.flags = flag;
      experiment.observe(experiment.visit(TopicId("t")), ranking);
    }
  }
  EXPECT_THAT(
      texts_in(path, "SELECT flags || ' ' || ifnull(pres, '-') FROM observations ORDER BY seq"),
      ElementsAre("0 1.0", "1 -", "256 -", "512 -", "8 1.0",  //
                  "0 1.0", "1 -", "256 1.0", "512 -", "8 1.0"));
}

// As in a summary: ranks that were asked for and not served count as empty.
TEST(StoreFacts, PartialAnswersAreScoredAsTheyWereServed) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store";
  for (const std::uint32_t cutoff : {2U, 3U}) {
    Experiment experiment(one_topic(),
                          {.arms = {"a"}, .cutoffs = {cutoff}, .logs = {log_to_store(path)}});
    const Names docnos = {"d1"};
    Ranking ranking = answer(ArmIndex(0), docnos);  // asks for 2 hits
    ranking.flags = RankingFlags::kPartial;
    experiment.observe(experiment.visit(TopicId("t")), ranking);
    EXPECT_EQ(experiment.summary()->arms[0].means[0].mean,
              cutoff == 2 ? std::optional(1.0) : std::nullopt);
  }
  EXPECT_THAT(texts_in(path, "SELECT ifnull(pres, '-') FROM observations ORDER BY seq"),
              ElementsAre("1.0", "-"));
}

TEST(StoreFacts, EpochKeysAreThoseOfEqualStates) {
  const ScratchFolder scratch;
  const auto keys_of = [&](const char* file, Mode mode, const char* config, const char* docno) {
    const fs::path path = scratch.path() / file;
    {
      Experiment experiment(one_topic("t", docno), {.name = "autumn",
                                                    .arms = {"a", "b"},
                                                    .mode = mode,
                                                    .logs = {log_to_store(path)},
                                                    .descriptions = {{"b", {.config = config}}}});
      experiment.pause_arm(ArmIndex(1));
      experiment.resume_arm(ArmIndex(1));
      experiment.restart_arm(ArmIndex(1), {.config = "k = 9"});
    }
    return texts_in(path,
                    "SELECT epoch FROM (SELECT 0 AS n, epoch FROM sessions UNION ALL SELECT"
                    " number, epoch FROM session_changes) ORDER BY n");
  };
  const auto first = keys_of("1", Mode::kPaired, "k = 1", "d1");
  ASSERT_EQ(first.size(), 4U);
  EXPECT_EQ(first[0], first[2]) << "the state of before";
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[0], first[3]);
  EXPECT_EQ(keys_of("2", Mode::kPaired, "k = 1", "d1"), first) << "another server";
  EXPECT_NE(keys_of("3", Mode::kPaired, "k = 2", "d1")[0], first[0]) << "another configuration";
  EXPECT_NE(keys_of("4", Mode::kPaired, "k = 1", "d2")[0], first[0]) << "other judgements";
  const auto text = texts_in(scratch.path() / "1", "SELECT text FROM epochs ORDER BY key");
  const auto keys = texts_in(scratch.path() / "1", "SELECT key FROM epochs ORDER BY key");
  ASSERT_EQ(text.size(), 3U);
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_TRUE(json::accept(text[i])) << text[i];
    EXPECT_EQ(std::to_string(static_cast<std::int64_t>(fnv_1a(text[i]))), keys[i]);
  }
  // States of an index are numbered by each process for itself: never mixed by accident.
  EXPECT_NE(keys_of("5", Mode::kObserve, "k = 1", "d1")[0],
            keys_of("6", Mode::kObserve, "k = 1", "d1")[0]);
}

// A member that a judged family loses is no longer found, and its scores are of another epoch.
TEST(StoreFacts, EpochsEndWithTheMembersOfJudgedFamilies) {
  const ScratchFolder scratch;
  const auto epoch_of = [&](const char* name, const char* families) {
    const fs::path map = scratch.write("map", families), store = scratch.path() / name;
    const Qrels::Line judged{TopicId("t"), Docno("EP1")};
    (void)Experiment(
        Qrels::from_lines({&judged, 1}, {.docno = DocnoPolicy::kFamily, .family_map = map}),
        {.name = "autumn",
         .arms = {"a", "b"},
         .mode = Mode::kPaired,
         .logs = {log_to_store(store)}});
    return texts_in(store, "SELECT epoch FROM sessions").at(0);
  };
  const std::string first = epoch_of("1", "EP1 F\nUS1 F\n");
  EXPECT_EQ(epoch_of("2", "JP7 G\nUS1 F\nEP1 F\n"), first) << "the same members";
  EXPECT_NE(epoch_of("3", "EP1 F\nUS1 G\n"), first);
}

TEST(StoreFacts, ServersThatRestartedAnArmByTheSameDecisionShareTheirEpochs) {
  const ScratchFolder scratch;
  const auto last_key = [&](const char* file, const auto& change) {
    const fs::path path = scratch.path() / file;
    {
      Experiment experiment(one_topic(), {.name = "autumn",
                                          .arms = {"a", "b"},
                                          .mode = Mode::kPaired,
                                          .logs = {log_to_store(path)}});
      change(experiment);
    }
    return texts_in(path, "SELECT epoch FROM session_changes ORDER BY number DESC").at(0);
  };
  static constexpr ArmIndex kArm(1);
  const std::string key = last_key("1", [](Experiment& experiment) {
    experiment.restart_arm(kArm, 5);
    experiment.restart_arm(kArm, 7);
    experiment.restart_arm(kArm, {.config = "k = 9"});
  });
  const auto later = [](std::uint64_t decision) {
    return [decision](Experiment& experiment) {
      experiment.restart_arm(kArm, {.config = "k = 9"});
      if (decision != 0) experiment.restart_arm(kArm, decision);
    };
  };
  EXPECT_EQ(last_key("2", later(7)), key) << "a server that knew of the last one only";
  EXPECT_NE(last_key("3", later(5)), key);
  EXPECT_NE(last_key("4", later(0)), key);
}

TEST(StoreFacts, LabelsOfTheIndexMakeEpochsOfServersComparable) {
  const ScratchFolder scratch;
  int stores = 0;
  const auto key_of = [&](Mode mode, const std::string& of_a, const std::string& of_b) {
    const fs::path path = scratch.path() / std::to_string(++stores);
    const Experiment experiment(one_topic(), {.name = "autumn",
                                              .arms = {"a", "b"},
                                              .mode = mode,
                                              .logs = {log_to_store(path)},
                                              .descriptions = {{"a", {.index_label = of_a}},
                                                               {"b", {.index_label = of_b}}}});
    EXPECT_THAT(texts_in(path, "SELECT index_label FROM session_arms ORDER BY position"),
                ElementsAre(of_a, of_b));
    return texts_in(path, "SELECT epoch FROM sessions").at(0);
  };
  const std::string today = key_of(Mode::kObserve, "2026-11-24", "2026-11-24");
  EXPECT_EQ(key_of(Mode::kObserve, "2026-11-24", "2026-11-24"), today) << "another server";
  EXPECT_NE(key_of(Mode::kObserve, "2026-11-24", "2026-11-25"), today);
  EXPECT_NE(key_of(Mode::kObserve, "2026-11-24", ""), key_of(Mode::kObserve, "2026-11-24", ""))
      << "the state of an index is not known: never mixed by accident";
  // If new states of the index end no epoch, labels are no part of its key.
  EXPECT_EQ(key_of(Mode::kPaired, "2026-11-24", ""), key_of(Mode::kPaired, "2026-11-25", ""));
}

/// A log that loses everything.
class LosingLog : public ObservationLog {
 public:
  void begin(const Experiment&) override {}
  void record(const Observation&) override { ++lost_; }
  void change(const ExperimentChange&) override {}
  bool flush() override { return false; }
  void end() noexcept override {}
  LogProgress progress() const noexcept override {
    return {.dropped_queue_full = lost_, .dropped_write_failures = lost_, .lost_with_file = lost_};
  }

 private:
  std::atomic<std::uint64_t> lost_{0};
};

TEST(StoreFacts, CountersOfTheProcessAreStoredWhileItRunsAndAtTheEnd) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store";
  const auto without_scope = [&] {
    return texts_in(path, "SELECT value FROM counters WHERE name = 'queries_without_scope'");
  };
  {
    Experiment experiment(one_topic(),
                          {.arms = {"a"},
                           .recording = {.publish_interval = milliseconds(10)},
                           .logs = {log_to_store(path, {.rollup_interval = milliseconds(100)}),
                                    std::make_shared<LosingLog>()}});
    const Names docnos = {"d1"};
    experiment.observe(answer(ArmIndex(0), docnos));
    experiment.observe(experiment.visit(TopicId("t")), answer(ArmIndex(0), docnos));
    for (int i = 0; i < 1000 && without_scope() != std::vector<std::string>{"1"}; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_THAT(without_scope(), ElementsAre("1"));
    EXPECT_THAT(RebuiltSession(path, 1).missing(), ElementsAre(HasSubstr("has not ended")));
    EXPECT_THAT(left_out(RebuiltSession(path, 1).summary()),
                Contains(HasSubstr("not in this summary: the session has not ended")));
    experiment.observe(answer(ArmIndex(0), docnos));
  }
  EXPECT_THAT(without_scope(), ElementsAre("2"));
  EXPECT_EQ(RebuiltSession(path, 1).summary().health.queries_without_scope, 2U);
  EXPECT_THAT(RebuiltSession(path, 1).missing(), ::testing::IsEmpty()) << "another log lost some";
}

// A Latin-1 docno made the whole store unreadable.
TEST(StoreFacts, NamesMayBeAnyBytes) {
  const std::string topic =
                        "Pr\xFC"
                        "fung",
                    docno = "EP-\xE9-1", shown = "EP-\xEF\xBF\xBD-1";
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store", lines = scratch.path() / "live.jsonl";
  for (const DocnoPolicy policy : {DocnoPolicy::kRaw, DocnoPolicy::kPublication}) {
    Experiment experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId(topic), Docno(docno)},
                                                                     {TopicId(topic), Docno("d2")}},
                                            {.docno = policy}),
                          {.name = "night",
                           .arms = {"a"},
                           .cutoffs = {2},
                           .logs = {log_to_store(path), log_to_json_lines(lines)}});
    const Names docnos = {"d7", docno};
    experiment.observe(experiment.visit(TopicId(topic)), answer(ArmIndex(0), docnos));
  }
  const json line = json::parse(content_of(lines).substr(0, content_of(lines).find('\n')));
  EXPECT_EQ(line["docnos"], json({shown}));
  EXPECT_EQ(line["topic"],
            "Pr\xEF\xBF\xBD"
            "fung");
  for (const std::int64_t session : {1, 2}) {
    const Summary summary = RebuiltSession(path, session).summary();
    ASSERT_EQ(summary.rows.size(), 1U);
    EXPECT_EQ(summary.rows[0].id.text(), topic);
    EXPECT_THAT(summary.rows[0].arms[0].relevant_ranks, ElementsAre(2));
  }
  ObservationReader reader(path);
  reader.require_known({.topic = topic});
  std::string again;
  ObservationScores scores(reader.measures_of(1));
  reader.read({.topic = topic}, 0, [&](const StoredObservation& one) {
    EXPECT_EQ(one.topic->id().text(), topic);
    EXPECT_EQ(one.topic->judgements()[one.observation.hits[0].judgement.value()].docno.text(),
              docno);
    scores.of(one.observation, *one.topic, one.scored_flags);
    append_json_line(again, one, &scores);
  });
  json of_store = json::parse(again.substr(0, again.find('\n')));
  of_store["session"] = line["session"];  // a file has no numbers of sessions
  of_store["time"] = line["time"];        // each log asks the clock itself
  EXPECT_EQ(of_store, line) << "a store's lines are those of the log";
}

}  // namespace
}  // namespace prescope
