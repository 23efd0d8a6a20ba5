// Rules about slices of the topics: which may speak, what they say, and where slices come from.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "nightly/gate/gate.h"
#include "support/evaluation_records.h"
#include "support/number_of_cases.h"
#include "support/plain_bets.h"
#include "support/scratch_file.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Slice = GateVerdict::SliceResult;
using Status = GateVerdict::Status;

/// The differences of a slice's topics, in hundredths of PRES@100: from -51 to 49.
struct Differences {
  std::string name;
  std::vector<int> hundredths;
};

/// A topic with one citation at rank 50, and so much better or worse tonight: PRES@100 of rank r is
/// (101 - r) / 100.
struct SlicedNight {
  Baseline baseline{};
  EvaluationRecord tonight{};
  TopicSlices slices{};
};

std::string topic_id(std::size_t number) { return fmt::format("T{:05}", number); }

/// Topics T00000, T00001, ...: those of each slice in turn. A slice called "(none)" is no slice.
SlicedNight night_of(const std::vector<Differences>& slices) {
  std::vector<EvaluationRecord::Topic> before, now;
  TopicSlices::Dimension dimension{.name = "d"};
  for (const auto& [name, hundredths] : slices) {
    std::vector<TopicIndex> places;
    for (const int hundredth : hundredths) {
      places.emplace_back(static_cast<std::uint32_t>(before.size()));
      const std::string id = topic_id(before.size());
      const int rank = 50 - hundredth;
      before.push_back(topic_found_at(id, {50}));
      now.push_back(topic_found_at(id, {rank > 100 ? Rank{0} : static_cast<Rank>(rank)}));
    }
    if (name == kUnsliced) {
      dimension.unsliced = places;
    } else {
      dimension.slices.push_back({name, places});
    }
  }
  return {.baseline = baseline_of(evaluation_record(std::move(before))),
          .tonight = evaluation_record(std::move(now)),
          .slices = {.dimensions = {dimension}}};
}

/// Rules by which PRES@100 decides within `margin`, and nothing but slices fails for itself.
GateRules rules_with(double margin, const GateRules::Slices& slices = {}) {
  return {
      .decisions = {{Measure::parse("PRES@100"), margin}},
      .catastrophe = {.must_find = false, .emptied = false, .hard_loss_share = 1, .fall_share = 1},
      .slices = slices};
}

GateVerdict judged(const SlicedNight& night, const GateRules& rules) {
  return gate(night.baseline, night.tonight, rules, {.slices = night.slices});
}

/// `count` differences that go through `pattern` again and again.
std::vector<int> repeated(std::size_t count, const std::vector<int>& pattern) {
  std::vector<int> hundredths;
  for (std::size_t i = 0; i < count; ++i) hundredths.push_back(pattern[i % pattern.size()]);
  return hundredths;
}

bool has_rule(const GateVerdict& verdict, std::string_view id) {
  return std::ranges::count(verdict.rules, id, &GateVerdict::Rule::id) > 0;
}

// 100 topics lose 0.04 and 0.06 in turns: mean -0.05, standard deviation 0.01 sqrt(100 / 99), and
// 1.6604 standard errors on either side.
TEST(GateSlices, FailIfTheLossIsBeyondTheMargin) {
  const GateVerdict verdict =
      judged(night_of({{"lost", repeated(100, {-4, -6})}, {"kept", repeated(300, {3, 1, 2})}}),
             rules_with(0.01));
  const GateVerdict::Rule rule = rule_of(verdict, "slice.d.lost");
  EXPECT_EQ(rule.status, Status::kFail);
  EXPECT_THAT(rule.reason,
              AllOf(HasSubstr("In d lost, PRES@100 went from 0.5100 to 0.4600 over 100 topics: "
                              "-0.0500, with 95.0 % confidence each above -0.0517 and below "
                              "-0.0483: worse than the margin of 0.01 (p < 0.0001"),
                    HasSubstr("corrected for 2 slices")));
  EXPECT_EQ(rule_of(verdict, "slice.d.kept").status, Status::kPass);
  EXPECT_EQ(rule_of(verdict, "margin.PRES@100").status, Status::kPass) << "the mean hides it";
  EXPECT_EQ(verdict.outcome, GateOutcome::kRegression);
  ASSERT_EQ(verdict.slices.size(), 2U);
  EXPECT_NEAR(*verdict.slices[0].low, -0.05 - 1.6603911560169928 * 0.001005037815259212, 1e-9);
  EXPECT_EQ(verdict.slices[0].losses, 100U);
  EXPECT_EQ(verdict.slices[1].wins, 300U);
}

struct StatusCase {
  std::string_view what;
  std::vector<int> hundredths;
  double margin;
  Status status, if_it_must_decide;
  std::string_view says;
};

TEST(GateSlices, HaveTheStatusThatTheFiguresAllow) {
  const StatusCase cases[] = {
      {"a loss, but within the margin", repeated(100, {-4, -6}), 0.1, Status::kWarning,
       Status::kWarning, "worse (p < 0.0001), but not worse than the margin of 0.1."},
      {"a loss that may be beyond the margin", repeated(100, {-4, -6}), 0.05, Status::kWarning,
       Status::kInconclusive, "it may have lost up to 0.0517"},
      // Standard error 0.2 / sqrt(60), times 1.671.
      {"ups and downs", repeated(60, {20, -20}), 0.01, Status::kPass, Status::kInconclusive,
       "it may have lost up to 0.0435"},
      {"small ups and downs", repeated(200, {1, -1}), 0.01, Status::kPass, Status::kPass,
       "+0.0000, with 95.0 % confidence each above -0.0012 and below +0.0012: not worse than the "
       "margin of 0.01."},
      {"a gain", repeated(50, {10, 12}), 0.01, Status::kPass, Status::kPass,
       "not worse than the margin of 0.01."},
      // Sure for a t test. Bets win e^(100 * 0.02) / 2 at most against "no loss".
      {"a small loss everywhere", repeated(100, {-2, -2, -3, -1}), 0.01, Status::kPass,
       Status::kInconclusive, "The t test alone would say more, but a rare large gain would turn"},
      {"the same loss everywhere", repeated(60, {-10}), 0.01, Status::kFail, Status::kFail,
       "worse than the margin"},
      {"all lost", repeated(50, {-51}), 0.4, Status::kFail, Status::kFail, "worse than the margin"},
  };
  for (const StatusCase& each : cases) {
    SCOPED_TRACE(each.what);
    const SlicedNight night =
        night_of({{"s", each.hundredths}, {std::string(kUnsliced), repeated(45, {20})}});
    const GateVerdict verdict =
        judged(night, rules_with(0.9, {.by = {"d"}, .margin = each.margin}));
    const GateVerdict::Rule rule = rule_of(verdict, "slice.d.s");
    EXPECT_EQ(rule.status, each.status) << rule.reason;
    EXPECT_THAT(rule.reason, HasSubstr(each.says));
    const GateVerdict strict =
        judged(night, rules_with(0.9, {.by = {"d"}, .margin = each.margin, .must_decide = true}));
    EXPECT_EQ(rule_of(strict, "slice.d.s").status, each.if_it_must_decide);
    if (each.if_it_must_decide == Status::kInconclusive) {
      EXPECT_EQ(strict.outcome, GateOutcome::kInconclusive);
      EXPECT_THAT(rule_of(strict, "slice.d.s").reason,
                  HasSubstr("cannot tell whether it is worse"));
    }
  }
}

TEST(GateSlices, MaySpeakFromFiftyTopicsOnOfWhichTwentyDiffer) {
  const auto slice = [](std::size_t topics, std::size_t differing) {
    std::vector<int> hundredths = repeated(topics, {0});
    for (std::size_t i = 0; i < differing; ++i) hundredths[i] = -40 - static_cast<int>(i % 2);
    return hundredths;
  };
  const GateVerdict verdict = judged(night_of({{"few", slice(49, 49)},
                                               {"alike", slice(50, 19)},
                                               {"enough", slice(50, 20)},
                                               {std::string(kUnsliced), slice(55, 55)}}),
                                     rules_with(0.01));
  EXPECT_FALSE(has_rule(verdict, "slice.d.few"));
  EXPECT_FALSE(has_rule(verdict, "slice.d.alike"));
  EXPECT_EQ(rule_of(verdict, "slice.d.enough").status, Status::kFail);
  EXPECT_THAT(rule_of(verdict, "slice.d.(none)").reason,
              HasSubstr("In topics without d, PRES@100"));
  const GateVerdict::Rule tally = rule_of(verdict, "slices");
  EXPECT_EQ(tally.status, Status::kPass);
  EXPECT_EQ(tally.reason,
            "Of 4 slices by d, 2 have a rule. Fewer than 50 topics, and no verdict: d few (49 "
            "topics). Fewer than 20 topics differ, and no verdict: d alike (50 topics).");
  ASSERT_EQ(verdict.slices.size(), 4U);
  EXPECT_EQ(verdict.slices[0].status, Status::kSkipped);
  EXPECT_EQ(verdict.slices[0].p_beyond, std::nullopt);
  EXPECT_NEAR(*verdict.slices[0].difference, -(25 * 0.40 + 24 * 0.41) / 49, 1e-12)
      << "its figures are there";
}

TEST(GateSlices, AreSkippedIfNoneMaySpeak) {
  SlicedNight night = night_of({{"a", repeated(49, {-51})}, {"b", repeated(7, {1})}});
  night.slices.unjudged = 3;
  night.slices.unjudged_example = "T9";
  const GateVerdict verdict = judged(night, rules_with(0.9));
  const GateVerdict::Rule tally = rule_of(verdict, "slices");
  EXPECT_EQ(tally.status, Status::kSkipped);
  EXPECT_EQ(tally.reason,
            "Of 2 slices by d, 0 have a rule. Fewer than 50 topics, and no verdict: d a (49 "
            "topics), d b (7 topics). 3 topics of the slices are not judged, such as T9.");
  EXPECT_EQ(verdict.outcome, GateOutcome::kPass);
}

TEST(GateSlices, AreNotJudgedIfTheInputIsBad) {
  SlicedNight night = night_of({{"s", repeated(100, {-20, -30})}});
  night.tonight.qrels.hash = "others";
  const GateVerdict verdict = judged(night, rules_with(0.01));
  EXPECT_EQ(verdict.outcome, GateOutcome::kBadInput);
  EXPECT_EQ(rule_of(verdict, "slices").status, Status::kSkipped);
  EXPECT_FALSE(has_rule(verdict, "slice.d.s"));
  EXPECT_THAT(verdict.slices, IsEmpty());
}

TEST(GateSlices, HaveTheMarginOfTheFirstMeasureUnlessTheyHaveTheirOwn) {
  const SlicedNight night = night_of({{"s", repeated(60, {1, -1})}});
  const auto margin = [&](std::optional<double> own) {
    const GateVerdict verdict = judged(night, rules_with(0.03, {.by = {"d"}, .margin = own}));
    EXPECT_EQ(verdict.applied.slices.margin, verdict.slices.at(0).margin);
    return verdict.slices.at(0).margin;
  };
  EXPECT_EQ(margin({}), 0.03);
  EXPECT_EQ(margin(0.2), 0.2);
  EXPECT_EQ(judged(night, rules_with(0.03)).applied.slices.margin, std::nullopt)
      << "no slices are named";
}

TEST(GateSlices, CountAFamilyOnce) {
  const auto units = [](std::uint32_t families) {
    SlicedNight night = night_of({{"s", repeated(100, {-40, -42})}});
    for (std::size_t t = 0; t < night.tonight.topics.size(); ++t) {
      night.tonight.topics[t].family = static_cast<std::uint32_t>(t % families);
    }
    return judged(night, rules_with(0.01));
  };
  EXPECT_TRUE(has_rule(units(50), "slice.d.s"));
  const GateVerdict few = units(49);
  EXPECT_FALSE(has_rule(few, "slice.d.s"));
  EXPECT_THAT(rule_of(few, "slices").reason,
              HasSubstr("Fewer than 50 families, and no verdict: d s (49 families)."));
}

// What the baseline did not serve can only gain, so it counts in no rule.
TEST(GateSlices, LeaveOutTopicsThatTheBaselineDidNotServe) {
  SlicedNight night = night_of({{"s", repeated(60, {-5, -7})}});
  for (std::size_t t = 0; t < 9; ++t) {
    night.baseline.evaluation.topics[t].served = false;
    night.baseline.evaluation.topics[t].found.clear();
  }
  EXPECT_EQ(judged(night, rules_with(0.01)).slices.at(0).topics, 51U);
}

TEST(GateSlices, DoNotDependOnTheOrderOfTopics) {
  const ScratchFolder folder;
  std::string table = "topic\td\n";
  for (std::size_t t = 0; t < 140; ++t) {
    table += fmt::format("{}\t{}\n", topic_id(t), t < 80 ? "a" : "b");
  }
  const GateRules rules = rules_with(0.01, {.path = folder.write("slices", table)});
  SlicedNight night = night_of({{"a", repeated(80, {-9, 4, -7})}, {"b", repeated(60, {-3, 5, 8})}});
  night.slices = gate_slices(rules, night.baseline.evaluation);
  const GateVerdict expected = judged(night, rules);
  std::mt19937 random(7);
  std::ranges::shuffle(night.baseline.evaluation.topics, random);
  std::ranges::shuffle(night.tonight.topics, random);
  night.slices = gate_slices(rules, night.baseline.evaluation);
  const GateVerdict shuffled = judged(night, rules);
  ASSERT_EQ(expected.slices.size(), 2U);
  for (const char* const id : {"slice.d.a", "slice.d.b"}) {
    EXPECT_EQ(rule_of(shuffled, id).reason, rule_of(expected, id).reason);
  }
  EXPECT_EQ(shuffled.slices[0].p_beyond, expected.slices[0].p_beyond);
}

// A plain second implementation.

/// P(T > t): the density, integrated by Simpson's rule over the angle whose tangent is
/// t / sqrt(degrees).
double plain_t_tail(double t, double degrees) {
  const double from = std::atan(t / std::sqrt(degrees)), to = std::acos(0.0);
  const double log_scale =
      std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) - 0.5 * std::log(std::acos(-1.0));
  constexpr int kSteps = 4000;
  const double step = (to - from) / kSteps;
  double sum = 0.0;
  for (int i = 0; i <= kSteps; ++i) {
    const double weight = i == 0 || i == kSteps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::pow(std::max(0.0, std::cos(from + i * step)), degrees - 1.0);
  }
  return std::exp(log_scale) * sum * step / 3.0;
}

struct PlainSlice {
  bool may_speak = false;
  double p_beyond = 1.0, p_worse = 1.0;
  bool bets_beyond = false, bets_worse = false;
};

PlainSlice plain_slice(const std::vector<int>& hundredths, double margin) {
  PlainSlice slice;
  const double n = static_cast<double>(hundredths.size());
  double mean = 0.0, squares = 0.0, differing = 0.0;
  std::vector<double> beyond, worse;
  for (const int hundredth : hundredths) {
    const double difference = hundredth / 100.0;
    mean += difference / n;
    differing += hundredth != 0 ? 1.0 : 0.0;
    worse.push_back(difference);
    beyond.push_back((difference + margin) / (1.0 + margin));
  }
  slice.may_speak = n >= 50.0 && differing >= 20.0;
  if (!slice.may_speak) return slice;
  for (const double difference : worse) squares += (difference - mean) * (difference - mean);
  const double error = std::sqrt(squares / (n - 1.0) / n);
  slice.p_beyond = plain_t_tail((-margin - mean) / error, n - 1.0);
  slice.p_worse = plain_t_tail(-mean / error, n - 1.0);
  slice.bets_beyond = log_wealth(beyond, -1.0) >= std::log(10.0);
  slice.bets_worse = log_wealth(worse, -1.0) >= std::log(10.0);
  return slice;
}

/// The k-th smallest of m p-values times m - k, and no smaller than those before it.
std::vector<double> plain_holm(const std::vector<double>& p_values) {
  std::vector<double> corrected;
  for (const double p : p_values) {
    double largest = 0.0;
    for (const double q : p_values) {
      if (q > p) continue;
      const auto smaller = std::ranges::count_if(p_values, [&](double r) { return r < q; });
      largest = std::max(largest, q * static_cast<double>(std::ssize(p_values) - smaller));
    }
    corrected.push_back(std::min(1.0, largest));
  }
  return corrected;
}

TEST(GateSlices, EqualAPlainImplementation) {
  std::mt19937_64 random(20100719);
  std::map<Status, int> seen;
  const auto nights = static_cast<int>(number_of_cases(150));
  for (int night = 0; night < nights; ++night) {
    SCOPED_TRACE(night);
    const double margin = std::uniform_int_distribution<int>(1, 8)(random) / 100.0;
    std::vector<Differences> slices;
    std::vector<PlainSlice> plain;
    std::vector<double> beyond, worse;
    for (int s = 0; s < 6; ++s) {
      const int topics = std::uniform_int_distribution<int>(45, 180)(random);
      const double mean = std::uniform_real_distribution<double>(-16.0, 4.0)(random);
      const double sd = std::uniform_real_distribution<double>(0.5, 12.0)(random);
      std::normal_distribution<double> any(mean, sd);
      Differences& slice = slices.emplace_back();
      slice.name = fmt::format("s{}", s);
      for (int t = 0; t < topics; ++t) {
        slice.hundredths.push_back(
            static_cast<int>(std::clamp(std::round(any(random)), -51.0, 49.0)));
      }
      plain.push_back(plain_slice(slice.hundredths, margin));
      if (!plain.back().may_speak) continue;
      beyond.push_back(plain.back().p_beyond);
      worse.push_back(plain.back().p_worse);
    }
    const GateVerdict verdict =
        judged(night_of(slices), rules_with(0.9, {.by = {"d"}, .margin = margin}));
    const std::vector<double> beyond_holm = plain_holm(beyond), worse_holm = plain_holm(worse);
    ASSERT_EQ(verdict.slices.size(), slices.size());
    for (std::size_t s = 0, p = 0; s < slices.size(); ++s) {
      const Slice& slice = verdict.slices[s];
      ASSERT_EQ(slice.may_speak, plain[s].may_speak);
      if (!slice.may_speak) continue;
      EXPECT_NEAR(*slice.p_beyond, beyond_holm[p], 1e-7);
      EXPECT_NEAR(*slice.p_worse, worse_holm[p], 1e-7);
      const Status expected = beyond_holm[p] <= 0.05 && plain[s].bets_beyond ? Status::kFail
                              : worse_holm[p] <= 0.05 && plain[s].bets_worse ? Status::kWarning
                                                                             : Status::kPass;
      EXPECT_EQ(slice.status, expected);
      EXPECT_EQ(rule_of(verdict, "slice.d." + slices[s].name).status, expected);
      ++seen[expected];
      ++p;
    }
  }
  for (const Status status : {Status::kFail, Status::kWarning, Status::kPass}) {
    EXPECT_GE(seen[status], nights / 5) << to_string(status);
  }
}

// Where slices come from.

class GateSliceFile : public ::testing::Test {
 protected:
  [[nodiscard]] TopicSlices read(const GateRules::Slices& slices) const {
    return gate_slices({.slices = slices}, record_);
  }
  [[nodiscard]] Refusal refused(const GateRules::Slices& slices) const {
    return refusal_of([&] { (void)read(slices); });
  }

  ScratchFolder folder_;
  /// T1 has one relevant document, T2 two, T3 eleven.
  const EvaluationRecord record_ =
      evaluation_record({topic_found_at("T1", {1}), topic_found_at("T2", {1, 2}),
                         topic_found_at("T3", std::vector<Rank>(11, 0))});
};

TEST_F(GateSliceFile, IsOfTheTopicsOfAStoredNight) {
  const TopicSlices slices = read(
      {.path = folder_.write("s", "topic\tx\nT3\tA\nT1\tA\nT9\tB\n"), .by = {"x", "relevant"}});
  ASSERT_EQ(slices.dimensions.size(), 2U);
  const TopicSlices::Dimension& x = slices.dimensions[0];
  ASSERT_EQ(x.slices.size(), 1U);
  EXPECT_THAT(x.slices[0].topics, ElementsAre(TopicIndex(0), TopicIndex(2)));
  EXPECT_THAT(x.unsliced, ElementsAre(TopicIndex(1)));
  std::vector<std::string> relevant;
  for (const auto& slice : slices.dimensions[1].slices) relevant.push_back(slice.name);
  EXPECT_THAT(relevant, ElementsAre("1", "2", "11+"));
  EXPECT_EQ(slices.unjudged, 1U);
  EXPECT_EQ(slices.unjudged_example, "T9");
  EXPECT_TRUE(read({}).empty());
}

TEST_F(GateSliceFile, IsRefusedWithAReason) {
  const std::string table = folder_.write("s", "topic\tsection\nT1\tA\n");
  EXPECT_EQ(refused({.path = (folder_.path() / "no").string()}).code, ErrorCode::kIo);
  const Refusal unknown = refused({.path = table, .by = {"sektion"}});
  EXPECT_EQ(unknown.code, ErrorCode::kUsage);
  EXPECT_THAT(unknown.message, AllOf(HasSubstr("unknown dimension 'sektion'; did you mean "
                                               "'section'"),
                                     HasSubstr("Valid: section, relevant")));
  EXPECT_THAT(refused({.by = {"section"}}).message, HasSubstr("needs a file of slices"));
  const Refusal others = refused({.path = folder_.write("t", "X1\tA\nX2\tB\n")});
  EXPECT_EQ(others.code, ErrorCode::kBadInput);
  EXPECT_THAT(others.message,
              HasSubstr("none of its 2 topics, such as 'X1', is judged; expected topics such as "
                        "'T1'"));
}

TEST_F(GateSliceFile, IsFoundFromTheFolderOfTheRules) {
  std::filesystem::create_directory(folder_.path() / "etc");
  (void)folder_.write("etc/slices", "T1\tA\n");
  const std::string rules =
      folder_.write("etc/rules.toml", "[slices]\npath = \"slices\"\nmargin = 0.02\n");
  const GateRules read_rules = read_gate_rules(rules);
  EXPECT_EQ(read_rules.slices.path, (folder_.path() / "etc/slices").string());
  EXPECT_EQ(read(read_rules.slices).dimensions.at(0).slices.at(0).name, "A");
  EXPECT_EQ(gate_rules_of("slices.path = \"s\"").slices.path, "s");
  EXPECT_EQ(gate_rules_of("slices.path = \"/s\"").slices.path, "/s");
}

TEST_F(GateSliceFile, IsNeededByTheOtherKeys) {
  const Baseline baseline = baseline_of(record_);
  const auto refused = [&](const GateRules::Slices& slices) {
    return refusal_of([&] { (void)applied_rules(baseline, {.slices = slices}); }).message;
  };
  EXPECT_THAT(refused({.must_decide = true}),
              HasSubstr("slices.must_decide has no meaning without slices"));
  EXPECT_THAT(refused({.margin = 0.1}), HasSubstr("slices.margin has no meaning without slices"));
  EXPECT_THAT(refused({.by = {"relevant"}, .margin = 1.0}),
              HasSubstr("slices.margin is 1; expected a number in (0, 1), or false"));
}

}  // namespace
}  // namespace prescope::testing
