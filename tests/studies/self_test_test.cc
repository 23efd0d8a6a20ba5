// An arm against itself: what is planted in made-up sessions is found, and nothing else.
#include "studies/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "base/errors.h"
#include "base/utc_time.h"
#include "live/arms.h"
#include "prescope/experiment.h"
#include "report/live/self_test_report.h"
#include "support/null_differences.h"
#include "support/plain_bets.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Answer = SelfTestAnswer;
using Latency = ShadowOptions::Latency;
using Question = SelfTestQuestion;

constexpr ArmIndex kFirst{0}, kSecond{1};
constexpr std::uint32_t kDepth = 20, kRelevant = 3;

/// A session of two arms that are one, and what is planted in it. Factors are of latencies.
struct Planted {
  Mode mode = Mode::kPaired;
  Latency latency = Latency::kBothArms;
  std::uint32_t topics = 60, visits = 600;
  double noise = 0.15;     ///< deviation of the logarithm of a latency
  double own_cache = 1.0;  ///< of the arm that served, when it is searched again
  double repeated = 1.0;   ///< of every search for comparison
  double second = 1.0;     ///< of the second search for comparison
  double of_second_arm = 1.0;
  double unstable = 0.0;       ///< share of rankings in which two documents change places
  double better_second = 0.0;  ///< share of second rankings that find a document at rank 1
  double failing_second_arm = 0.0;
  bool first_arm_begins = false;  ///< without a coin
  std::uint32_t captured = kDepth;
  std::vector<std::string> arms{"bm25", "bm25 again"};
  std::map<std::string, ArmDescription> descriptions{{"bm25", {.config = "k1 = 1.2"}},
                                                     {"bm25 again", {.config = "k1 = 1.2"}}};
};

std::string topic_name(std::size_t topic) { return fmt::format("T{}", topic); }

/// Writes the session to a store, through the public interface. Latencies are given, not taken.
class MadeUpSession {
 public:
  MadeUpSession(const Planted& planted, std::uint64_t seed)
      : planted_(planted), random_(seed), experiment_(judgements(), options()) {
    generation_ = experiment_.next_generation();
    for (std::uint32_t t = 0; t < planted_.topics; ++t) add_topic(t);
    for (std::uint32_t visit = 0; visit < planted_.visits; ++visit) serve(visit);
    experiment_.end_logs();
  }

  [[nodiscard]] std::filesystem::path store() const { return folder_.path() / "self.store"; }

 private:
  using Documents = std::vector<std::string>;

  [[nodiscard]] Qrels judgements() const {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < planted_.topics; ++t) {
      for (std::uint32_t j = 0; j < kRelevant; ++j) {
        lines.push_back({TopicId(topic_name(t)), Docno(fmt::format("R{}-{}", t, j))});
      }
    }
    return Qrels::from_lines(lines);
  }

  ExperimentOptions options() {
    ExperimentOptions options{.name = "self",
                              .arms = planted_.arms,
                              .measures = {"PRES@20", "R@10"},
                              .mode = planted_.mode};
    options.recording.capture_depth = planted_.captured;
    options.shadow.latency = planted_.latency;
    options.split.salt = fmt::format("salt {}", random_());
    options.descriptions = planted_.descriptions;
    options.logs = {log_to_store(store(), {.durability = StoreLogOptions::Durability::kNormal,
                                           .captured_hits = planted_.captured})};
    return options;
  }

  void add_topic(std::uint32_t t) {
    Documents documents;
    for (std::uint32_t i = 0; i < kDepth; ++i) documents.push_back(fmt::format("X{}-{}", t, i));
    for (std::uint32_t j = 0; j < kRelevant; ++j) {
      documents[random_() % kDepth] = fmt::format("R{}-{}", t, j);  // at times in another's place
    }
    rankings_.push_back(std::move(documents));
    ms_.push_back(std::exp(normal()) * 10.0);
  }

  [[nodiscard]] double normal() { return std::normal_distribution()(random_); }
  [[nodiscard]] bool happens(double share) { return draw_share(random_) < share; }

  /// Moves the last judged document that was found, so that scores change.
  static void move_a_document(Documents& documents) {
    const auto judged = std::ranges::find_if(
        documents, [](const std::string& docno) { return docno.starts_with('R'); });
    const auto other = std::ranges::find_if(
        documents, [](const std::string& docno) { return docno.starts_with('X'); });
    if (judged != documents.end() && other != documents.end()) std::swap(*judged, *other);
  }

  struct Answered {
    Documents documents;
    std::vector<std::string_view> docnos{};
    Ranking ranking{};
  };

  /// The ranking refers to the answer, which must stay where it is.
  void answer(std::uint32_t topic, ArmIndex arm, double factor, Answered& answered) {
    answered.documents = rankings_[topic];
    if (happens(planted_.unstable)) move_a_document(answered.documents);
    if (arm == kSecond) factor *= planted_.of_second_arm;
    const double ms = ms_[topic] * factor * std::exp(planted_.noise * normal());
    answered.docnos.assign(answered.documents.begin(), answered.documents.end());
    answered.ranking = {.arm = arm,
                        .kind = HitKind::kDocnos,
                        .generation = generation_,
                        .docnos = answered.docnos,
                        .requested_depth = kDepth,
                        .latency = std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6))};
    const bool fails = arm == kSecond && happens(planted_.failing_second_arm);
    if (fails) answered.ranking.flags = RankingFlags::kFailed;
  }

  void serve(std::uint32_t number) {
    const auto topic = static_cast<std::uint32_t>(random_() % planted_.topics);
    const Visit visit = experiment_.visit(
        TopicId(topic_name(topic)), {.served = began_ + std::chrono::milliseconds(100) * number});
    const ArmIndex arm = planted_.mode == Mode::kSplit
                             ? experiment_.arm_for(topic_name(topic))
                             : ArmIndex(static_cast<std::uint32_t>(random_() % 2));
    Answered served;
    answer(topic, arm, 1.0, served);
    served.ranking.flags = RankingFlags::kNone;  // failures are planted in comparisons
    experiment_.observe(visit, served.ranking);
    if (planted_.mode == Mode::kPaired) compare(topic, visit, arm);
    if (number % 64 == 0) experiment_.flush();
  }

  void compare(std::uint32_t topic, const Visit& visit, ArmIndex server) {
    std::array<ArmIndex, 2> order{kFirst, kSecond};
    if (!planted_.first_arm_begins && happens(0.5)) std::swap(order[0], order[1]);
    std::array<Answered, 2> answered;
    for (std::size_t i = 0; i < order.size(); ++i) {
      double factor = planted_.repeated * (i == 1 ? planted_.second : 1.0);
      if (order[i] == server) factor *= planted_.own_cache;
      answer(topic, order[i], factor, answered[i]);
    }
    Answered& second = answered[1];
    if (happens(planted_.better_second)) {
      const std::string best = fmt::format("R{}-0", topic);
      const auto found = std::ranges::find(second.documents, best);
      if (found != second.documents.end()) *found = second.documents.front();
      second.documents.front() = best;
      second.docnos.assign(second.documents.begin(), second.documents.end());
    }
    const std::vector<Ranking> rankings{answered[0].ranking, answered[1].ranking};
    static_cast<void>(experiment_.observe_comparison(visit, server, rankings));
  }

  const Planted planted_;
  const UtcTime began_ = utc_now() - std::chrono::hours(2);
  ScratchFolder folder_;
  std::mt19937_64 random_;
  Experiment experiment_;
  std::uint64_t generation_ = 0;
  std::vector<Documents> rankings_;
  std::vector<double> ms_;
};

SelfTest test_of(const Planted& planted, std::uint64_t seed = 1, SelfTestOptions options = {}) {
  const MadeUpSession session(planted, seed);
  options.resamples = 50;
  return self_test(session.store(), std::nullopt, options);
}

/// Returns how many of the seeds 1 to `seeds` have exit code 0.
int clean_of(const Planted& planted, int seeds) {
  int clean = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const SelfTest test = test_of(planted, static_cast<std::uint64_t>(seed));
    clean += exit_code(test) == 0 ? 1 : 0;
    if (exit_code(test) != 0) std::cout << seed << ": " << self_test_headline(test) << "\n";
  }
  return clean;
}

TEST(SelfTest, FindsNothingInCleanSessions) {
  constexpr int kSeeds = 20, kFewest = 19;  // 95 %
  EXPECT_GE(clean_of({}, kSeeds), kFewest) << "both arms";
  EXPECT_GE(clean_of({.latency = Latency::kBothArmsTwice}, kSeeds), kFewest) << "twice";
  EXPECT_GE(clean_of({.mode = Mode::kSplit}, kSeeds), kFewest) << "split";
  EXPECT_GE(clean_of({.latency = Latency::kNotCompared}, kSeeds), kFewest) << "not compared";
}

// Warm caches that all arms share make no arm faster: they are described, and nothing is found.
TEST(SelfTest, SharedWarmCachesAreDescribed) {
  const SelfTest test = test_of({.repeated = 0.6});
  EXPECT_EQ(exit_code(test), 0);
  EXPECT_NEAR(test.repeat.ratio.value(), 0.6, 0.02);
  EXPECT_THAT(self_test_words(test, Question::kCaches),
              HasSubstr("these two are never compared with each other"));
}

struct PlantedCase {
  const char* name;
  Planted planted;
  Question question;
  std::vector<std::string> words;  ///< of the sentence about the question
  LatencyEffect SelfTest::*effect = nullptr;
  double ratio = 1.0;  ///< of the effect
};

std::vector<PlantedCase> planted_cases() {
  const char* const twice = "Use latency = \"both arms twice\"";
  return {
      {"caches of their own",
       {.own_cache = 0.6},
       Question::kCaches,
       {twice},
       &SelfTest::own_cache,
       0.6},
      {"caches of their own although all are alike",
       {.latency = Latency::kBothArmsAlike, .own_cache = 0.8},
       Question::kCaches,
       {twice},
       &SelfTest::own_cache,
       0.8},
      {"warm second search", {.second = 0.6}, Question::kOrder, {twice}, &SelfTest::order, 0.6},
      {"warm second search of each arm",
       {.latency = Latency::kBothArmsTwice, .second = 0.6},
       Question::kOrder,
       {"clear the caches between searches"},
       &SelfTest::order,
       0.6},
      {"slow second search",
       {.second = 1.2},
       Question::kOrder,
       {"fewer threads"},
       &SelfTest::order,
       1.2},
      {"scores rise with the order",
       {.better_second = 0.5},
       Question::kOrder,
       {"scores higher than the first"}},
      {"slow arm",
       {.of_second_arm = 1.2},
       Question::kLatency,
       {"bm25 again takes 1."},
       &SelfTest::arms_ratio,
       1.2},
      {"no coin",
       {.second = 0.6, .first_arm_begins = true},
       Question::kLatency,
       {},
       &SelfTest::arms_ratio,
       0.6},
      {"no coin, seen in the order",
       {.second = 0.6, .first_arm_begins = true},
       Question::kOrder,
       {"bm25 began 600 of 600 comparisons", "no fair coin gives that"}},
      {"unstable engine",
       {.unstable = 0.05},
       Question::kRankings,
       {"does not answer the same query alike", "break ties"}},
      {"one side fails",
       {.failing_second_arm = 0.1},
       Question::kRankings,
       {"bm25 failed in 0 of 600 searches for comparison, bm25 again in ", "Mend the side"}},
      {"failures void verdicts",
       {.failing_second_arm = 0.1},
       Question::kVerdicts,
       {"No verdict: bm25 again failed in"}},
  };
}

TEST(SelfTest, FindsWhatIsPlanted) {
  for (const PlantedCase& one : planted_cases()) {
    SCOPED_TRACE(one.name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const SelfTest test = test_of(one.planted, seed);
      EXPECT_EQ(test.answer(one.question), Answer::kFound);
      EXPECT_EQ(exit_code(test), 1);
      const std::string words = self_test_words(test, one.question);
      for (const std::string& part : one.words) EXPECT_THAT(words, HasSubstr(part));
      EXPECT_THAT(self_test_headline(test), HasSubstr("Found: "));
      if (one.effect == nullptr) continue;
      // The logarithm of a ratio of two latencies has a deviation of .15 times the root of 2.
      const double error = one.planted.noise * std::sqrt(2.0 / one.planted.visits);
      EXPECT_NEAR(std::log((test.*one.effect).ratio.value()), std::log(one.ratio), 4.0 * error);
    }
  }
}

TEST(SelfTest, OneFindingIsNotTakenForAnother) {
  const SelfTest order = test_of({.visits = 3000, .second = 0.6});
  EXPECT_EQ(order.answer(Question::kLatency), Answer::kNothing) << "a coin chooses who begins";
  EXPECT_EQ(order.answer(Question::kCaches), Answer::kNothing);
  EXPECT_EQ(order.answer(Question::kRankings), Answer::kNothing);
  const SelfTest cache = test_of({.visits = 3000, .own_cache = 0.6});
  EXPECT_EQ(cache.answer(Question::kOrder), Answer::kNothing);
  EXPECT_EQ(cache.answer(Question::kLatency), Answer::kNothing);
  EXPECT_EQ(cache.answer(Question::kVerdicts), Answer::kNothing);
}

TEST(SelfTest, CountsWhatAnUnstableEngineRanks) {
  const SelfTest test = test_of({.unstable = 0.05});
  const RankingAgreement& rankings = test.rankings;
  EXPECT_EQ(rankings.visits, 600U);
  EXPECT_EQ(rankings.captured, kDepth);
  // Two rankings differ if exactly one is changed: 2 * .05 * .95 = .095 of visits, four deviations.
  const double expected = 0.095 * 600, deviation = std::sqrt(600 * 0.095 * 0.905);
  EXPECT_NEAR(static_cast<double>(rankings.differing), expected, 4.0 * deviation);
  EXPECT_LE(rankings.rescored, rankings.differing);
  EXPECT_EQ(rankings.examples.size(), 5U);
  ASSERT_TRUE(rankings.largest);
  EXPECT_GT(rankings.largest->difference, 0.0);
}

// Without captured hits, only the judged documents and the number of hits can be compared.
TEST(SelfTest, SaysByWhichHitsRankingsWereCompared) {
  EXPECT_THAT(self_test_words(test_of({.captured = 0}), Question::kRankings),
              AllOf(HasSubstr("the ranks of the judged documents:"), Not(HasSubstr("first"))));
  EXPECT_THAT(self_test_words(test_of({.captured = 7}), Question::kRankings),
              HasSubstr("judged documents and the first 7 hits"));
}

TEST(SelfTest, FewVisitsAreTooFew) {
  const SelfTest test = test_of({.topics = 5, .visits = 20});
  for (const Question question : kSelfTestQuestions) {
    EXPECT_EQ(test.answer(question), Answer::kTooFew) << to_string(question);
  }
  EXPECT_EQ(exit_code(test), 3);
  EXPECT_EQ(self_test_headline(test),
            "Nothing found so far, and too few visits to tell about rankings, verdicts, caches, "
            "order and latency.");
}

TEST(SelfTest, WideIntervalsAreNotSettled) {
  const SelfTest test = test_of({.visits = 100, .noise = 1.0});
  EXPECT_EQ(test.order.state, LatencyEffect::State::kOpen);
  EXPECT_THAT(self_test_words(test, Question::kOrder), HasSubstr("That is not settled"));
  EXPECT_EQ(exit_code(test), 3);
}

TEST(SelfTest, SplitSessionsCannotTellAboutRankingsAndLatency) {
  const SelfTest test = test_of({.mode = Mode::kSplit});
  EXPECT_EQ(test.answer(Question::kVerdicts), Answer::kNothing);
  for (const Question question :
       {Question::kRankings, Question::kCaches, Question::kOrder, Question::kLatency}) {
    EXPECT_EQ(test.answer(question), Answer::kNotAsked) << to_string(question);
  }
  EXPECT_THAT(self_test_headline(test),
              HasSubstr("cannot tell about rankings, caches, order and latency"));
}

TEST(SelfTest, RefusesSessionsThatAreNoSelfTest) {
  const auto refusal = [](const Planted& planted, std::optional<std::int64_t> session = {}) {
    const MadeUpSession made_up(planted, 1);
    return refusal_of([&] { static_cast<void>(self_test(made_up.store(), session)); });
  };
  Planted differing{.visits = 5};
  differing.descriptions["bm25 again"] = {.config = "k1 = 1.6", .index = "/other"};
  EXPECT_EQ(refusal(differing).message,
            "session 1: 'bm25' and 'bm25 again' are not the same arm: they differ in "
            "configuration, index ('' and '/other'); test an arm against itself, or add --any-arms "
            "if the difference has no effect");
  EXPECT_THAT(refusal({.mode = Mode::kObserve, .visits = 5}).message, HasSubstr("mode observe"));
  Planted three{.visits = 5};
  three.arms.push_back("tfidf");
  EXPECT_THAT(refusal(three).message, HasSubstr("has 3 arms; expected two arms"));
  EXPECT_EQ(refusal({.visits = 5}, 9).code, ErrorCode::kUsage);
  const auto with = [](const SelfTestOptions& options) {
    return refusal_of([&] { static_cast<void>(self_test("missing.store", {}, options)); });
  };
  EXPECT_THAT(with({.tolerance = 0.0}).message, HasSubstr("tolerance is 0"));
  EXPECT_THAT(with({.resamples = 0}).message, HasSubstr("resamples is 0"));
}

TEST(SelfTest, SaysBesideEverythingThatArmsAreNotTheSame) {
  Planted differing;
  differing.descriptions["bm25 again"] = {.config = "k1 = 1.6"};
  const SelfTest test = test_of(differing, 1, {.arms = SelfTestOptions::Arms::kAnyArms});
  EXPECT_THAT(self_test_headline(test), HasSubstr("These are not the same arm."));
  EXPECT_THAT(document_as_text(self_test_report(test), {}),
              HasSubstr("these are not the same arm: they differ in configuration"));
}

TEST(SelfTest, SaysThatNobodyDescribedTheArms) {
  Planted silent;
  silent.descriptions.clear();
  EXPECT_THAT(document_as_text(self_test_report(test_of(silent)), {}),
              HasSubstr("the host does not describe its arms"));
}

TEST(SelfTest, IsTheSameForTheSameSeed) {
  const MadeUpSession session({.unstable = 0.3}, 5);
  const auto json = [&](std::uint64_t seed) {
    return document_as_json(
        self_test_report(self_test(session.store(), {}, {.resamples = 200, .seed = seed})));
  };
  EXPECT_EQ(json(7), json(7));
}

TEST(SelfTest, SessionsWithoutAVisitAreTooFew) {
  const SelfTest test = test_of({.visits = 0});
  EXPECT_EQ(exit_code(test), 3);
  EXPECT_THAT(document_as_text(self_test_report(test), {}), HasSubstr("nothing was observed"));
}

/// Calls `use` with each key of a JSON value and of those within it.
void for_each_key(const Json& json, const std::function<void(const std::string& key)>& use) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) use(key);
    if (value.is_structured()) for_each_key(value, use);
  }
}

TEST(SelfTest, EveryKeyOfTheJsonIsDocumented) {
  const std::string documented =
      content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/selftest-json.md");
  const Json json = Json::parse(document_as_json(self_test_report(test_of({.unstable = 0.3}))));
  ASSERT_EQ(json["selftest"]["version"], 1);
  for_each_key(json, [&](const std::string& key) {
    EXPECT_THAT(documented, HasSubstr(fmt::format("`{}`", key)));
  });
}

// The t interval over the means of blocks, by the textbook: 20 blocks of two pairs.
TEST(LatencyEffect, IsATIntervalOverBlocks) {
  std::vector<double> logs;
  std::mt19937_64 random(3);
  for (int i = 0; i < 40; ++i) logs.push_back(std::normal_distribution(0.1, 0.2)(random));
  std::vector<double> means;
  for (int i = 0; i < 40; i += 2) means.push_back((logs[i] + logs[i + 1]) / 2.0);
  double mean = 0.0, squares = 0.0;
  for (const double one : means) mean += one / 20.0;
  for (const double one : means) squares += (one - mean) * (one - mean);
  const double kT19 = 2.093024054408263;  // 97.5 % quantile of Student's t, 19 degrees of freedom
  const double half = kT19 * std::sqrt(squares / 19.0 / 20.0);
  const LatencyEffect effect = latency_effect(logs, 0.05);
  EXPECT_NEAR(effect.ratio.value(), std::exp(mean), 1e-12);
  EXPECT_NEAR(effect.low.value(), std::exp(mean - half), 1e-9);
  EXPECT_NEAR(effect.high.value(), std::exp(mean + half), 1e-9);
  logs.pop_back();
  EXPECT_EQ(latency_effect(logs, 0.05).state, LatencyEffect::State::kTooFew);
}

TEST(LatencyEffect, IsToldByItsWholeInterval) {
  using State = LatencyEffect::State;
  // Blocks that vary by a hundredth: the interval is .0047 either way.
  const auto state = [](double ratio, double noise = 0.01) {
    std::vector<double> logs;
    for (int i = 0; i < 80; ++i)
      logs.push_back(std::log(ratio) + (i / 4 % 2 == 0 ? noise : -noise));
    return latency_effect(logs, 0.05).state;
  };
  EXPECT_EQ(state(1.0), State::kAlike);
  EXPECT_EQ(state(1.04), State::kAlike);
  EXPECT_EQ(state(0.96), State::kAlike);
  EXPECT_EQ(state(1.05), State::kOpen);
  EXPECT_EQ(state(1.06), State::kDiffers);
  EXPECT_EQ(state(0.94), State::kDiffers);
  EXPECT_EQ(state(1.0, 0.5), State::kOpen);
}

/// The live verdict by the formulas of docs/statistics.md, for known values of topics.
bool has_plain_verdict(std::span<const double> values, double b_squared, double alpha) {
  const auto n = static_cast<double>(values.size());
  if (n < 10) return false;
  double sum = 0.0, squares = 0.0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double above = log_wealth(values, 1.0), below = log_wealth(values, -1.0);
  const double different = std::log((std::exp(above) + std::exp(below)) / 2.0);
  if (different >= -std::log(alpha)) return true;
  const double excludes_zero =
      -0.5 * std::log1p(squares / b_squared) + sum * sum / (2.0 * (b_squared + squares));
  return excludes_zero >= -std::log(alpha) && (sum > 0.0 ? above : below) >= -std::log(2.0 * alpha);
}

bool ever_has_plain_verdict(const std::vector<double>& values, double b_squared, double alpha) {
  for (std::size_t n = 1; n <= values.size(); ++n) {
    if (has_plain_verdict(std::span(values).first(n), b_squared, alpha)) return true;
  }
  return false;
}

// All 2^13 signs, by a plain program; the share of the random ones is near, by its own interval.
TEST(ResampledVerdicts, SignsAgreeWithAllSigns) {
  constexpr double kAlpha = 0.25;  // so that few topics can give a verdict
  const std::vector<double> sizes{0.9, 0.7, 0.8, 0.6, 0.9, 0.5, 0.8, 0.9, 0.4, 0.7, 0.9, 0.6, 0.8};
  std::uint32_t with_verdict = 0;
  const std::uint32_t all = 1U << sizes.size();
  for (std::uint32_t signs = 0; signs < all; ++signs) {
    std::vector<double> values = sizes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((signs >> i & 1U) != 0) values[i] = -values[i];
    }
    with_verdict += ever_has_plain_verdict(values, 0.25, kAlpha) ? 1U : 0U;
  }
  const double share = static_cast<double>(with_verdict) / all;
  ASSERT_GT(share, 0.01);
  std::vector<Bounds> values;
  for (const double size : sizes) values.push_back({size, size});
  const ResampledVerdicts resampled =
      resampled_signs(values, {.alpha = kAlpha}, {.resamples = 20'000, .seed = 9});
  EXPECT_EQ(resampled.units, sizes.size());
  EXPECT_EQ(resampled.differing, sizes.size());
  const ProportionInterval interval =
      clopper_pearson_interval(resampled.with_verdict, resampled.resamples, 0.9999);
  EXPECT_LE(interval.low, share);
  EXPECT_GE(interval.high, share);
  EXPECT_FALSE(resampled.exceeds_alpha());
}

// Each salt by a plain program: the hash gives the arm, and a topic's value is its distance from
// the mean of the topics before it. Topic 3 is of the family of topic 2.
TEST(ResampledVerdicts, SaltsAgreeWithPlainExperiments) {
  constexpr double kAlpha = 0.4;
  constexpr std::uint32_t kSalts = 400;
  std::vector<FirstScore> scores;
  std::mt19937_64 random(11);
  for (std::uint32_t t = 0; t < 30; ++t) {
    const std::uint32_t family = t == 3 ? 2 : t;
    scores.push_back({topic_name(t), FamilyIndex(family), random() % 2 == 0 ? 0.0 : 1.0});
  }
  std::uint32_t expected = 0;
  for (std::uint32_t r = 0; r < kSalts; ++r) {
    std::vector<double> values;
    double sum = 0.0;
    for (std::size_t t = 0; t < scores.size(); ++t) {
      const double mean = t == 0 ? 0.5 : sum / static_cast<double>(t);
      sum += scores[t].score;
      if (t == 3) continue;
      const auto arm = drawn_arm(
          2, [](std::size_t i) { return i == 0 ? "a" : "b"; }, [](std::size_t) { return 1.0; },
          [](std::size_t) { return true; }, scores[t].topic, fmt::format("5|{}", r));
      const double distance = scores[t].score - mean;
      values.push_back(arm == ArmIndex(1) ? distance : -distance);
    }
    expected += ever_has_plain_verdict(values, 4.0, kAlpha) ? 1U : 0U;
  }
  const ResampledVerdicts resampled =
      resampled_salts(scores, kAlpha, {.resamples = kSalts, .seed = 5});
  EXPECT_EQ(resampled.units, 29U);
  EXPECT_EQ(resampled.with_verdict, expected);
  EXPECT_GT(expected, 0U);
}

TEST(ResampledVerdicts, EqualScoresGiveNone) {
  const std::vector<Bounds> values(500, Bounds{0.0, 0.0});
  const ResampledVerdicts resampled = resampled_signs(values, {}, {.resamples = 1000});
  EXPECT_EQ(resampled.differing, 0U);
  EXPECT_EQ(resampled.with_verdict, 0U);
  EXPECT_EQ(resampled.resamples, 1000U);
  EXPECT_EQ(resampled_signs(std::span(values).first(9), {}, {}).resamples, 0U) << "too few";
}

// Values that a coin may turn keep the promise whatever they are; unlimited ones could break it.
TEST(ResampledVerdicts, KeepThePromiseForUnevenDifferences) {
  for (const auto& draw : {symmetric_difference, lost_citation_difference, rare_fall_difference}) {
    std::mt19937_64 random(17);
    std::vector<Bounds> values;
    for (int i = 0; i < 200; ++i) {
      const double value = draw(random);
      values.push_back({value, value});
    }
    EXPECT_FALSE(resampled_signs(values, {}, {.resamples = 500}).exceeds_alpha());
  }
}

}  // namespace
}  // namespace prescope
