#include "nightly/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace prescope {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const UtcTime kFirstNight = std::chrono::sys_days(std::chrono::year(2026) / 11 / 1) + hours(3);
const std::vector<std::string> kPres = {"PRES@100"};

UtcTime night_time(int number) { return kFirstNight + days(number - 1); }

Night night_of(int number, double pres, const std::string& arm = "bm25") {
  return {.number = number,
          .time = night_time(number),
          .arm = arm,
          .source = "replay nightly.toml",
          .qrels = {.hash = "0123456789abcdef"},
          .topics = 300,
          .means = {{"PRES@100", {.mean = pres, .topics = 300}}}};
}

Pin pin_of(int number, const std::string& name = "main") {
  return {.name = name,
          .evaluation = number,
          .by = "ada",
          .why = "first",
          .time = night_time(number) + hours(1),
          .newest = number};
}

History all_of(const std::vector<Night>& nights, const std::vector<Pin>& pins,
               const HistoryFilter& filter = {}) {
  return history_of(nights, pins, kPres, filter);
}

std::vector<std::int64_t> numbers_of(const History& history) {
  std::vector<std::int64_t> numbers;
  for (const History::Line& line : history.lines) numbers.push_back(line.night.number);
  return numbers;
}

// A run that is read in another order is another number.
TEST(History, NightsUnderOtherConditionsAreNotCompared) {
  std::vector<Night> nights = {night_of(1, 0.4), night_of(2, 0.5), night_of(3, 0.6)};
  nights[0].conditions = {{"run.order", "file"}};
  nights[1].conditions = nights[2].conditions = {{"run.order", "trec"}};
  const History history = all_of(nights, {pin_of(1)});
  EXPECT_EQ(history.lines[1].changed, "run.order was file and is trec");
  EXPECT_EQ(history.lines[1].values[0], (History::Value{.mean = 0.5}));
  EXPECT_EQ(history.lines[2].changed, "");
  EXPECT_EQ(history.lines[2].baseline, std::nullopt);
  EXPECT_EQ(history.lines[2].before, 2);
}

// Another setting may be what is looked at.
TEST(History, NightsOfAnotherSettingAreComparedAndSaid) {
  std::vector<Night> nights = {night_of(1, 0.4), night_of(2, 0.5)};
  nights[0].conditions = {{"arm.k1", "1.2"}, {"engine", "toy"}};
  nights[1].conditions = {{"engine", "toy"}};
  const History history = all_of(nights, {pin_of(1)});
  EXPECT_EQ(history.lines[1].changed, "arm.k1 was 1.2 and is not set");
  EXPECT_EQ(history.lines[1].before, 1);
}

// 0.001 a night is little against the night before, and 0.004 after four of them.
TEST(History, SlowDeclineShowsAgainstTheBaselineOnly) {
  const std::vector<Night> nights = {night_of(1, 0.400), night_of(2, 0.399), night_of(3, 0.398),
                                     night_of(4, 0.397), night_of(5, 0.396)};
  const History history = all_of(nights, {pin_of(1)});
  ASSERT_EQ(history.lines.size(), 5U);
  EXPECT_EQ(history.lines[0].baseline, std::nullopt);
  EXPECT_EQ(history.lines[0].values[0], (History::Value{.mean = 0.4}));
  for (int n = 1; n < 5; ++n) {
    EXPECT_EQ(history.lines[n].baseline, 1);
    EXPECT_EQ(history.lines[n].before, n);
    EXPECT_NEAR(*history.lines[n].values[0].from_baseline, -0.001 * n, 1e-12);
    EXPECT_NEAR(*history.lines[n].values[0].from_before, -0.001, 1e-12);
  }
}

TEST(History, BaselineIsTheGatedOneElseTheLastPinned) {
  std::vector<Night> nights = {night_of(1, 0.40), night_of(2, 0.41), night_of(3, 0.42),
                               night_of(4, 0.43)};
  nights[2].baseline_number = 1;  // gated against another name than the one pinned last
  const History history = all_of(nights, {pin_of(1, "old"), pin_of(2)});
  EXPECT_EQ(history.lines[1].baseline, 1);  // its own pin came later, and is no baseline of it
  EXPECT_EQ(history.lines[2].baseline, 1);
  EXPECT_EQ(history.lines[3].baseline, 2);
  EXPECT_NEAR(*history.lines[3].values[0].from_baseline, 0.02, 1e-12);
}

TEST(History, ArmsAndVersionsOfTheJudgementsAreNotComparedWithEachOther) {
  std::vector<Night> nights = {night_of(1, 0.40), night_of(2, 0.60, "tfidf"), night_of(3, 0.41),
                               night_of(4, 0.30)};
  nights[3].qrels.hash = "fedcba9876543210";
  const History history = all_of(nights, {pin_of(1)});
  EXPECT_EQ(history.lines[1].baseline, std::nullopt);
  EXPECT_EQ(history.lines[1].before, std::nullopt);
  EXPECT_EQ(history.lines[2].before, 1);
  EXPECT_EQ(history.lines[3].baseline, std::nullopt);
  EXPECT_EQ(history.lines[3].values[0], (History::Value{.mean = 0.30}));
  EXPECT_THAT(history.arms, ElementsAre("bm25", "tfidf"));
}

// The hash is that of all judgements, whatever grade is relevant.
TEST(History, OtherRelevantGradesAndDocnoPoliciesAreNotComparedEither) {
  std::vector<Night> nights = {night_of(1, 0.40), night_of(2, 0.30), night_of(3, 0.30),
                               night_of(4, 0.30)};
  nights[1].qrels.min_grade = 2;
  nights[2].qrels.docno = DocnoPolicy::kPatent;
  nights[3].qrels.min_grade = 2;
  for (Night& night : nights) night.outcome = GateOutcome::kPass;
  const History history = all_of(nights, {pin_of(1)});
  for (const std::size_t line : {1U, 2U}) {
    EXPECT_EQ(history.lines[line].values[0], (History::Value{.mean = 0.30})) << line;
    EXPECT_EQ(last_accepted(nights, nights[line]), std::nullopt) << line;
  }
  EXPECT_EQ(history.lines[3].before, 2);
}

TEST(History, NightBeforeSkipsBadInput) {
  std::vector<Night> nights = {night_of(1, 0.40), night_of(2, 0.0), night_of(3, 0.41)};
  nights[1].outcome = GateOutcome::kBadInput;
  const History history = all_of(nights, {});
  EXPECT_EQ(history.lines[1].before, 1);
  EXPECT_EQ(history.lines[2].before, 1);
  EXPECT_NEAR(*history.lines[2].values[0].from_before, 0.01, 1e-12);
}

TEST(History, MissingMeanHasNoChange) {
  std::vector<Night> nights = {night_of(1, 0.40), night_of(2, 0.41), night_of(3, 0.42)};
  nights[1].means.clear();
  const History history = all_of(nights, {pin_of(1)});
  EXPECT_EQ(history.lines[1].values[0], History::Value{});
  EXPECT_EQ(history.lines[2].values[0].from_before, std::nullopt);
  EXPECT_NEAR(*history.lines[2].values[0].from_baseline, 0.02, 1e-12);
}

TEST(History, FilterShowsFewerNightsWithTheSameValues) {
  const std::vector<Night> nights = {night_of(1, 0.40), night_of(2, 0.6, "tfidf"),
                                     night_of(3, 0.39), night_of(4, 0.38), night_of(5, 0.37)};
  const std::vector<Pin> pins = {pin_of(1)};
  const struct {
    HistoryFilter filter;
    std::vector<std::int64_t> shown;
  } cases[] = {
      {{}, {1, 2, 3, 4, 5}},
      {{.arm = "bm25"}, {1, 3, 4, 5}},
      {{.arm = "bm25", .last = 2}, {4, 5}},
      {{.since = night_time(3)}, {3, 4, 5}},
      {{.until = night_time(3)}, {1, 2}},
      {{.since = night_time(2), .until = night_time(4), .last = 1}, {3}},
      {{.last = 9}, {1, 2, 3, 4, 5}},
      {{.last = 0}, {}},
      {{.arm = "none"}, {}},
  };
  const History all = all_of(nights, pins);
  for (const auto& [filter, shown] : cases) {
    const History some = all_of(nights, pins, filter);
    EXPECT_EQ(numbers_of(some), shown);
    EXPECT_EQ(some.stored, 5U);
    for (const History::Line& line : some.lines) {
      EXPECT_EQ(line.values, all.lines[std::size_t(line.night.number - 1)].values);
    }
  }
}

// Steps add up to the way from the first night to the last.
TEST(History, ChangesAgainstTheNightBeforeAddUp) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> score(0.0, 1.0);
  std::vector<Night> nights;
  for (int n = 1; n <= 200; ++n) {
    nights.push_back(night_of(n, score(random), n % 3 == 0 ? "tfidf" : "bm25"));
  }
  const History history = all_of(nights, {});
  for (const char* arm : {"bm25", "tfidf"}) {
    double sum = 0.0;
    std::optional<double> first, last;
    for (const History::Line& line : history.lines) {
      if (line.night.arm != arm) continue;
      if (!first) first = line.values[0].mean;
      last = line.values[0].mean;
      sum += line.values[0].from_before.value_or(0.0);
    }
    EXPECT_NEAR(sum, *last - *first, 1e-9) << arm;
  }
}

TEST(History, MainMeasuresAreTheFirstPresAndItsRecall) {
  const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
      {{"AP@100", "R@100", "PRES@100", "PRES@1000"}, {"PRES@100", "R@100"}},
      {{"PRES@100", "R@1000", "AP"}, {"PRES@100", "R@1000"}},
      {{"RR", "AP", "P@10"}, {"RR", "AP"}},
      {{"AP"}, {"AP"}},
      {{}, {}},
  };
  for (const auto& [all, main] : cases) EXPECT_EQ(main_measures(all), main);
}

TEST(History, StoredMeasuresAreInTheOrderInWhichTheyOccur) {
  std::vector<Night> nights = {night_of(1, 0.4), night_of(2, 0.4)};
  nights[1].means.insert(nights[1].means.begin(), {"AP", {.mean = 0.1, .topics = 300}});
  EXPECT_THAT(measures_of(nights), ElementsAre("PRES@100", "AP"));
  EXPECT_THAT(measures_of({}), IsEmpty());
}

TEST(History, LastAcceptedPassedOrWasPinned) {
  std::vector<Night> nights = {night_of(1, 0.4), night_of(2, 0.4), night_of(3, 0.3),
                               night_of(4, 0.4, "tfidf"), night_of(5, 0.4)};
  EXPECT_EQ(last_accepted(nights, nights[4]), std::nullopt);
  nights[0].pinned_as = {"main"};
  EXPECT_EQ(last_accepted(nights, nights[4]), 1);
  nights[1].outcome = GateOutcome::kPass;
  nights[2].outcome = GateOutcome::kRegression;
  nights[3].outcome = GateOutcome::kPass;
  nights[4].outcome = GateOutcome::kPass;
  EXPECT_EQ(last_accepted(nights, nights[4]), 2);
  EXPECT_EQ(last_accepted(nights, nights[0]), std::nullopt);
}

EvaluationRecord::Topic topic_of(const char* id, std::vector<Rank> ranks) {
  EvaluationRecord::Topic topic{.id = TopicId(id), .num_rel = 2, .num_ret = 10, .found = {}};
  for (const Rank rank : ranks) {
    topic.found.push_back({.docno = Docno("D" + std::to_string(rank)), .rank = rank});
  }
  return topic;
}

// R@4: T1 1/2 -> 2/2, T3 2/2 -> 1/2, T4 0 -> 1/2; T2 and T5 are in one of both only, and T6 was not
// served at first.
TEST(History, PairedTestIsOverTheTopicsOfBothNights) {
  EvaluationRecord a, b;
  a.topics = {topic_of("T1", {1}),
              topic_of("T2", {1}),
              topic_of("T3", {1, 4}),
              topic_of("T4", {5}),
              {.id = TopicId("T6"), .num_rel = 2, .served = false}};
  b.topics = {topic_of("T1", {1, 2}), topic_of("T3", {3, 6}), topic_of("T4", {4}),
              topic_of("T5", {1}), topic_of("T6", {1})};
  const auto test = paired_t_of(a, b, Measure::parse("R@4"));
  ASSERT_TRUE(test);
  EXPECT_EQ(test->n, 3U);
  EXPECT_NEAR(test->mean, 0.5 / 3.0, 1e-15);
  // (0.5, -0.5, 0.5): squares 0.75 less 3 * (1/6)^2, over 2.
  EXPECT_NEAR(test->sd, std::sqrt((0.75 - 3.0 / 36.0) / 2.0), 1e-15);
  EXPECT_EQ(paired_t_of({}, b, Measure::parse("R@4")), std::nullopt);
}

// Tonight is night 6. Of 1 to 5, night 1 is the baseline and 3 failed; 2, of before the baseline,
// and those of other arms and judgements, do not count.
TEST(History, AcceptedLatenciesAreThoseSinceTheBaseline) {
  std::vector<Night> nights;
  for (int n = 0; n < 7; ++n) {
    nights.push_back(night_of(n, 0.4));
    nights.back().p95_ms = 10.0 + n;
    nights.back().outcome = n == 3 ? GateOutcome::kRegression : GateOutcome::kPass;
  }
  nights[1].outcome.reset();
  nights[1].pinned_as = {"main"};
  nights[4].arm = "tfidf";
  nights[5].p95_ms.reset();
  nights.push_back(nights[2]);
  nights.back().qrels.hash = "other";
  nights.push_back(nights[2]);
  nights.back().qrels.min_grade = 2;
  for (Night& night : nights) night.time = night_time(1);  // numbers decide, not a clock
  const Baseline baseline{.number = 1, .evaluation = {.time = night_time(9)}};
  const EvaluationRecord tonight{.arm = "bm25", .time = night_time(0), .qrels = nights[0].qrels};
  EXPECT_THAT(accepted_p95_ms(nights, baseline, tonight, 6), ElementsAre(11.0, 12.0));
  EXPECT_THAT(accepted_p95_ms(nights, baseline, tonight, std::nullopt),
              ElementsAre(11.0, 12.0, 16.0));
}

// Night 2 is of 2036, so that the later ones are before it; that is night 2's fault. Night 4 is a
// day before night 3; night 5 is a minute before it, as gates at the same time may end.
TEST(History, WrongClocksAreNamed) {
  std::vector<Night> nights;
  for (int n = 1; n <= 5; ++n) nights.push_back(night_of(n, 0.4));
  nights[1].time = kFirstNight + days(3650);
  nights[3].time = nights[2].time - days(1);
  nights[4].time = nights[2].time - std::chrono::minutes(1);
  std::vector<std::string> words;
  for (const ClockFault& fault : clock_faults(nights, night_time(6))) {
    words.push_back(clock_words(fault));
  }
  EXPECT_THAT(words, ElementsAre("night 2 has a time that is still to come, 2036-10-29 03:00 UTC",
                                 "night 4 has a time before night 3's, 2026-11-02 03:00 UTC"));
  EXPECT_THAT(clock_faults({}, night_time(6)), IsEmpty());
}

// A pin stands for the nights that were stored after it, whatever the clock said.
TEST(History, PinsAreOrderedByNumber) {
  std::vector<Night> nights = {night_of(1, 0.4), night_of(2, 0.5), night_of(3, 0.6)};
  Pin pin = pin_of(1);
  pin.time = night_time(4000);
  EXPECT_EQ(all_of(nights, {pin}).lines[2].baseline, 1);
  pin.newest = 3;
  EXPECT_EQ(all_of(nights, {pin}).lines[2].baseline, std::nullopt);
}

}  // namespace
}  // namespace prescope
