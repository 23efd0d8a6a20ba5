// A summary rebuilt from a store agrees with that of the running experiment.
// PRESCOPE_CASES=136 makes more than 10,000 histories in the three modes together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "prescope/report.h"
#include "report/live/live_report.h"
#include "store/sessions/rebuilt_session.h"
#include "support/ledger_traffic.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr std::uint32_t kDocuments = 30, kTopics = 6, kDepth = 20;

std::string topic_name(std::uint32_t topic) { return "t" + std::to_string(topic); }
std::string document_name(std::uint32_t document) {
  return "EP-" + std::to_string(1000 + document) + "-A1";
}

Qrels draw_qrels(Dice& dice) {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < 1 + dice.below(5); ++j) {
      const auto grade = static_cast<Grade>((5 * t + j) % 3);
      lines.push_back({TopicId(topic_name(t)), Docno(document_name(5 * t + j)), grade});
      if (dice.one_in(5)) lines.push_back(lines.back());  // a line that is repeated
    }
  }
  std::shared_ptr<FamilyMap> families;
  if (dice.one_in(2)) {
    families = std::make_shared<FamilyMap>();
    for (std::uint32_t t = 0; t < kTopics; t += 1 + dice.below(2)) {
      families->add(Docno(topic_name(t)), dice.of({"f1", "f2"}));
    }
  }
  return Qrels::from_lines(lines, {.docno = DocnoPolicy::kPatent, .families = families});
}

/// A plan of few topics, guardrails and a margin, each in half of the histories.
TestOptions draw_test(Dice& dice, Mode mode) {
  TestOptions test;
  if (mode == Mode::kObserve) return test;
  if (dice.one_in(2)) test.plan = {.topics = 10, .looks = {0.2, 0.4, 1.0}, .live_alpha = 0.01};
  if (dice.one_in(2)) test.guardrails = {{"AP@20", 0.1}, {"PRES@5", 0.3}};
  if (mode == Mode::kPaired && dice.one_in(2)) test.guardrails.push_back({"latency", 1.5});
  if (dice.one_in(2)) test.same_within = 0.25;
  return test;
}

/// Serves, and changes everything that can change.
class Traffic {
 public:
  Traffic(Experiment& experiment, Dice& dice) : experiment_(experiment), dice_(dice) {}

  void step() {
    const std::uint32_t event = dice_.below(100);
    if (event < 3) {
      generation_ = experiment_.next_generation();
    } else if (event < 6) {
      change_arms();
    } else if (event < 9) {
      rejudge();
    } else {
      serve();
    }
  }
  /// Waits until every search for comparison has ended.
  void finish() {
    while (waiting_.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  ArmIndex draw_arm() { return ArmIndex(dice_.below(experiment_.arms().size())); }

  void serve() {
    const std::string topic = dice_.one_in(6) ? "unjudged" : topic_name(dice_.below(kTopics));
    const std::string key = "search " + std::to_string(dice_.below(20));
    VisitOptions options{.key = dice_.one_in(2) ? std::string_view(key) : "",
                         .request_id = dice_.below(3)};
    if (dice_.one_in(4)) {  // reported; late if it was served before the arms changed
      options.served = utc_now() - std::chrono::milliseconds(dice_.of({0, 1, 100'000}));
    }
    const Visit visit = visits_.empty() || !dice_.one_in(6)
                            ? experiment_.visit(TopicId(topic), options)
                            : visits_[dice_.below(visits_.size())];
    visits_.push_back(visit);
    if (dice_.one_in(15)) {
      experiment_.observe_failure(visit, draw_arm(),
                                  dice_.one_in(2) ? Experiment::SearchFailure::kFailed
                                                  : Experiment::SearchFailure::kTimedOut);
      return;
    }
    const ArmIndex arm = draw_arm();
    if (dice_.one_in(15)) return announce(visit, arm);
    observe(dice_, visit, arm, generation_);
    if (!experiment_.wants_shadow(visit)) return;
    experiment_.shadow(
        visit, arm,
        [this, waiting = waiting_, seed = dice_.below(1000), now = generation_](ArmIndex of) {
          Dice dice(seed + of.value());
          if (dice.one_in(15)) throw std::runtime_error("no index");
          observe_in_scope(dice, of, now);
        });
  }

  /// A cache answers.
  void announce(Visit visit, ArmIndex arm) {
    visit.arm = arm;
    const QueryScope ends_without_a_ranking(experiment_, visit);
  }

  /// Calls `use` with a ranking of drawn documents.
  template <class Use>
  static void draw_ranking(Dice& dice, ArmIndex arm, std::uint64_t generation, Use use) {
    std::vector<std::string> names;
    const std::uint32_t hits = dice.below(kDepth + 1);
    for (std::uint32_t i = 0; i < hits; ++i) names.push_back(document_name(dice.below(kDocuments)));
    const std::vector<std::string_view> docnos(names.begin(), names.end());
    use({.arm = arm,
         .kind = HitKind::kDocnos,
         .generation = dice.one_in(8) ? 0 : generation,
         .collection_size = 1000 + generation,
         .docnos = docnos,
         .first_rank = dice.one_in(4) ? 1 + dice.below(30) : 1,
         .requested_depth = dice.of({hits, kDepth}),
         .total_hits = dice.below(1000),
         .search_started = std::chrono::steady_clock::now(),
         .latency = dice.one_in(4) ? std::optional(std::chrono::milliseconds(dice.below(1000)))
                                   : std::nullopt,
         .flags = dice.one_in(4) ? RankingFlags(dice.below(32) | dice.below(4) << 8U)
                                 : RankingFlags::kNone});
  }
  void observe(Dice& dice, const Visit& visit, ArmIndex arm, std::uint64_t generation) {
    draw_ranking(dice, arm, generation,
                 [&](const Ranking& ranking) { experiment_.observe(visit, ranking); });
  }
  void observe_in_scope(Dice& dice, ArmIndex arm, std::uint64_t generation) {
    draw_ranking(dice, arm, generation,
                 [&](const Ranking& ranking) { experiment_.observe(ranking); });
  }

  void change_arms() {
    const ArmIndex arm = draw_arm();
    const bool removed = experiment_.status(arm) == ArmStatus::kRemoved;
    const std::string name = experiment_.arms()[arm.value()].text();
    switch (dice_.below(5)) {
      case 0:
        if (experiment_.arms().size() < 4) {
          experiment_.add_arm("new" + std::to_string(experiment_.arms().size()), {.config = "x"});
        } else if (removed) {
          experiment_.add_arm(name);
        }
        return;
      case 1:
        return removed ? void() : experiment_.pause_arm(arm);
      case 2:
        return removed ? void() : experiment_.resume_arm(arm);
      case 3:
        return removed || arm == ArmIndex(0) ? void() : experiment_.remove_arm(arm);
      default:
        return removed ? void() : experiment_.restart_arm(arm, {.config = "y"});
    }
  }

  void rejudge() {
    const std::uint32_t topic = dice_.below(kTopics);
    const TopicId id(topic_name(topic));
    const auto judged = experiment_.qrels().topic(TopicIndex(topic)).judgements();
    JudgementChanges changes;
    if (dice_.one_in(2) && !judged.empty()) {
      changes.withdrawn.push_back({id, judged[dice_.below(judged.size())].docno});
    } else {
      changes.judged.push_back(
          {id, Docno(document_name(dice_.below(kDocuments))), static_cast<Grade>(dice_.below(3))});
    }
    experiment_.rejudge(changes);
  }

  Experiment& experiment_;
  Dice& dice_;
  std::uint64_t generation_ = 1;
  std::vector<Visit> visits_;  // so far; some of them search again, also after arms have changed
  std::shared_ptr<int> waiting_ = std::make_shared<int>();  // shared by searches for comparison
};

std::string topic_text(const std::optional<TopicDetail>& topic, const Summary& summary) {
  std::vector<ArmId> arms;
  for (const ArmSummary& arm : summary.arms) arms.push_back(arm.id);
  return topic_json(topic.value(), {.arms = arms, .measures = summary.measures});
}

ArmShares draw_shares(Dice& dice, Mode mode) {
  if (mode != Mode::kSplit || dice.one_in(2)) return {};
  return {{"a", dice.of({0.25, 4.0})}};
}

class RebuiltSessionProperties : public ::testing::TestWithParam<Mode> {};

TEST_P(RebuiltSessionProperties, EqualsTheSummaryOfTheExperiment) {
  constexpr int kEvents = 250;
  constexpr std::uint64_t kSessions = 25;  // of one store
  const std::uint64_t histories = number_of_cases(25);
  const ScratchFolder scratch;
  std::uint64_t epochs = 0, rows = 0;
  for (std::uint64_t seed = 1; seed <= histories && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto path = scratch.path() / (std::to_string((seed - 1) / kSessions) + ".db");
    const auto session = static_cast<std::int64_t>((seed - 1) % kSessions + 1);
    Dice dice(seed);
    const std::uint32_t capture = dice.of({0U, 5U, 100U});
    Summary live;
    std::vector<std::string> topics;
    {
      const auto log =
          log_to_store(path, {.queue = {.batch = 50, .interval = std::chrono::milliseconds(1)},
                              .durability = StoreLogOptions::Durability::kNormal,
                              .unjudged = StoreLogOptions::Unjudged::kEachRow,
                              .captured_hits = capture});
      const Qrels qrels = draw_qrels(dice);
      Experiment experiment(
          qrels,
          {.name = "night " + std::to_string(seed),  // its plan is no change of an earlier one
           .arms = {"a", "b"},
           .measures = {"PRES@5", "R@10", "AP@20", "nDCG@5", "Rnorm", "GMAP"},
           .mode = GetParam(),
           .epochs = dice.of({EpochRule::kGeneration, EpochRule::kConfiguration}),
           .primary = dice.of({"", "R@10"}),
           .slices = dice.one_in(2) ? read_slices({.by = {"relevant"}}, qrels) : TopicSlices(),
           .test = draw_test(dice, GetParam()),
           .limits = {.failures = dice.of({0.0, 0.25, 1.0}), .not_in_index = dice.of({0.125, 0.5})},
           .recording = {.capture_depth = capture,
                         .scored_flags = dice.of({RankingFlags::kNone, RankingFlags::kFiltered})},
           .split = {.shares = draw_shares(dice, GetParam()),
                     .baseline = {{TopicId("t1"), "R@10", 0.25},
                                  {TopicId("t3"), "PRES@5", 1.0 / 3}}},
           .logs = {log}});
      Traffic traffic(experiment, dice);
      for (int i = 0; i < kEvents; ++i) traffic.step();
      traffic.finish();
      live = *experiment.summary();
      live.health.log_waiting = 0;  // the log ends below, and has written all of it then
      for (std::uint32_t t = 0; t < kTopics; ++t) {
        topics.push_back(topic_text(experiment.topic(TopicId(topic_name(t))), live));
      }
    }
    const RebuiltSession rebuilt(path, session);
    Summary again = rebuilt.summary();
    EXPECT_THAT(rebuilt.missing(), ::testing::IsEmpty());
    rows += again.health.recorded;
    epochs += live.epoch.number;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      EXPECT_EQ(topic_text(rebuilt.topic(TopicId(topic_name(t))), again), topics[t]);
    }
    EXPECT_FALSE(rebuilt.topic(TopicId("unjudged")));
    // In the same order, so to the last digit.
    EXPECT_EQ(to_json(again), to_json(live));
  }
  EXPECT_GT(rows, histories * kEvents / 2);
  EXPECT_GT(epochs, 2 * histories);
}

INSTANTIATE_TEST_SUITE_P(Modes, RebuiltSessionProperties,
                         ::testing::Values(Mode::kObserve, Mode::kPaired, Mode::kSplit));

}  // namespace
}  // namespace prescope
