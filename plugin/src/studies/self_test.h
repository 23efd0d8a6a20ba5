#pragma once

#include "statistics/effect_size.h"
#include "statistics/paired_tests.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope {

struct SelfTestOptions {
  enum class Arms {
    kAlike,    ///< arms whose stored descriptions differ are refused
    kAnyArms,  ///< such arms are tested, and the report says so
  };
  /// Latencies are alike if their ratio is between 1 / (1 + tolerance) and 1 + tolerance; (0, 1].
  double tolerance = 0.05;
  std::uint32_t resamples = 1000;  ///< at least 1
  std::uint64_t seed = 1;          ///< of the resampling
  Arms arms = Arms::kAlike;
};

/// Throws Error(kUsage) for options out of range.
void check(const SelfTestOptions& options);

/// The ratio of two latencies that should be alike, and whether it is.
struct LatencyEffect {
  enum class State {
    kTooFew,   ///< fewer than `kFewestSelfTestPairs`
    kOpen,     ///< the interval reaches beyond the tolerance, and is not all beyond it
    kAlike,    ///< the whole interval is within the tolerance
    kDiffers,  ///< the whole interval is beyond the tolerance
  };
  std::uint64_t pairs = 0;
  /// The geometric mean and its 95 % interval, by the means of blocks of pairs in the order of
  /// time; nothing for kTooFew.
  std::optional<double> ratio{}, low{}, high{};
  std::vector<double> blocks{};  ///< the ratio in each block
  State state = State::kTooFew;
};
/// Two pairs in each of 20 blocks.
inline constexpr std::size_t kFewestSelfTestPairs = 40;
/// `log_ratios`: of pairs, in the order of time.
[[nodiscard]] LatencyEffect latency_effect(std::span<const double> log_ratios, double tolerance);

/// How often a verdict would have been given if chance had dealt out the arms otherwise.
struct ResampledVerdicts {
  std::uint32_t units = 0;      ///< topics, or families, whose values are resampled
  std::uint32_t differing = 0;  ///< of these, those with another value than 0
  std::uint32_t resamples = 0;  ///< 0: none were made
  std::uint32_t with_verdict = 0;
  double alpha = 0.05;                           ///< the share that is promised at most
  std::optional<ProportionInterval> interval{};  ///< 95 %, exact

  /// Returns true if the share is above alpha by more than chance.
  [[nodiscard]] bool exceeds_alpha() const noexcept { return interval && interval->low > alpha; }
};
/// Mode::kPaired: `values` are the differences of topics in the order of time, and a fair coin
/// turns the sign of each. A verdict is looked for after every topic.
[[nodiscard]] ResampledVerdicts resampled_signs(std::span<const Bounds> values,
                                                const LiveStatement& statement,
                                                const SelfTestOptions& options);

/// The first score of a topic.
struct FirstScore {
  std::string topic;
  FamilyIndex family{};
  double score = 0.0;
};
/// Mode::kSplit without a baseline: the hash of Mode::kSplit gives each topic to one of two arms,
/// with another salt each time. `scores` are in the order of time. A verdict is looked for after
/// every topic; of a family, only the first topic is evidence.
[[nodiscard]] ResampledVerdicts resampled_salts(std::span<const FirstScore> scores, double alpha,
                                                const SelfTestOptions& options);

/// One of the two arms, as the store describes it.
struct SelfTestArm {
  std::string name{}, config{}, engine{}, engine_version{}, index{}, index_label{};
  std::uint64_t served = 0;    ///< rankings from rank 1 on that users were served
  std::uint64_t compared = 0;  ///< searches for comparison
  /// Of the searches for comparison; failed ones include those that timed out.
  std::uint64_t failed = 0, timed_out = 0, empty = 0;
  std::uint64_t served_failed = 0;  ///< of the users' searches
};

/// The two rankings of each visit that both arms ranked.
struct RankingAgreement {
  std::uint64_t visits = 0;     ///< compared
  std::uint64_t differing = 0;  ///< of these, the rankings differ in what is stored of them
  std::uint64_t rescored = 0;   ///< of these, a score differs
  std::uint32_t captured = 0;   ///< first hits that were compared, beside the judged documents
  /// The largest difference of a score.
  struct Largest {
    Measure measure;
    TopicId topic{};
    double difference = 0.0;  ///< above 0
  };
  std::optional<Largest> largest{};
  std::vector<TopicId> examples{};  ///< up to five topics whose rankings differ
  // Visits that are not compared:
  std::uint64_t incomplete = 0;   ///< an arm did not rank it
  std::uint64_t failed = 0;       ///< a search failed
  std::uint64_t other_state = 0;  ///< the index changed between the searches
  std::uint64_t shaped = 0;       ///< the user sorted, filtered or collapsed
  std::uint64_t other_depth = 0;  ///< the arms were asked for different numbers of hits
};

/// What the live report said during the session, at looks after each new topic and each second.
struct SelfTestClaims {
  enum class Kind { kScore, kPlanned, kSlice, kGuardrail, kFaster };
  static constexpr std::size_t kKinds = 5;
  struct Claim {
    std::uint64_t looks = 0;  ///< at which it was said
    bool stands = false;      ///< it was said at the last look
    std::optional<UtcTime> first{};
  };
  std::uint64_t looks = 0;
  std::array<Claim, kKinds> claims{};  ///< by Kind
  bool was_equivalent = false;         ///< "the same within a margin" was said, which is true here

  [[nodiscard]] const Claim& of(Kind kind) const noexcept {
    return claims[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool any() const noexcept {
    return std::ranges::any_of(claims, [](const Claim& claim) { return claim.looks > 0; });
  }
};

/// The questions of a self test, in the order of the report.
enum class SelfTestQuestion { kRankings, kVerdicts, kCaches, kOrder, kLatency };
inline constexpr std::array<SelfTestQuestion, 5> kSelfTestQuestions{
    SelfTestQuestion::kRankings, SelfTestQuestion::kVerdicts, SelfTestQuestion::kCaches,
    SelfTestQuestion::kOrder, SelfTestQuestion::kLatency};
/// "rankings", "verdicts", "caches", "order", "latency"
[[nodiscard]] std::string_view to_string(SelfTestQuestion question) noexcept;

enum class SelfTestAnswer {
  kNothing,   ///< shown to be in order
  kFound,     ///< shown not to be in order
  kTooFew,    ///< more visits are needed
  kNotAsked,  ///< the session's mode cannot tell
};
/// "nothing", "found", "too few", "not asked"
[[nodiscard]] std::string_view to_string(SelfTestAnswer answer) noexcept;

/// An arm against itself, from what a session's store says.
struct SelfTest {
  std::filesystem::path store{};
  bool is_kept = true;  ///< the store is there after the test
  std::int64_t session = 0;
  SelfTestOptions options{};
  Mode mode = Mode::kPaired;
  ShadowOptions::Latency shadow_latency = ShadowOptions::Latency::kBothArms;
  UtcTime began{}, ended{};  ///< of the first and the last observation
  std::array<SelfTestArm, 2> arms{};
  /// How the arms' stored descriptions differ, a sentence without a full stop; empty if they do
  /// not.
  std::string difference{};
  bool is_described = false;  ///< the host has described its arms at all
  bool is_reported =
      false;  ///< the host reports the searches for comparison, in an order of its own
  std::uint64_t visits = 0;  ///< requests of users for a first page
  std::uint32_t topics = 0;  ///< judged ones that were searched for
  Summary summary{};         ///< at the end

  RankingAgreement rankings{};
  double failures_p = 1.0;  ///< two-sided, of the arms' failures under a fair coin
  SelfTestClaims claims{};
  ResampledVerdicts signs{};  ///< Mode::kPaired
  ResampledVerdicts salts{};

  LatencyEffect own_cache{};   ///< the arm that served, over the other, both for comparison
  LatencyEffect order{};       ///< the second search for comparison, over the first
  LatencyEffect arms_ratio{};  ///< B over A, for comparison
  LatencyEffect repeat{};      ///< the first search for comparison, over the user's. Not judged
  LatencyEffect revisit{};     ///< later visits of a topic, over its first one. Not judged
  std::uint64_t first_a = 0, ordered = 0;  ///< comparisons that A began; all
  double coin_p = 1.0;                     ///< two-sided, of the arm that begins, under a fair coin
  /// The second ranking's primary score less the first one's, by topic.
  JudgedDifference scores_by_order{};

  std::array<SelfTestAnswer, kSelfTestQuestions.size()> answers{};  ///< by SelfTestQuestion

  [[nodiscard]] SelfTestAnswer answer(SelfTestQuestion question) const noexcept {
    return answers[static_cast<std::size_t>(question)];
  }
  [[nodiscard]] bool has(SelfTestAnswer answer) const noexcept {
    return std::ranges::find(answers, answer) != answers.end();
  }
  [[nodiscard]] const ArmPair& pair() const noexcept { return summary.pairs.front(); }
};

/// The chances of an error that these findings may make.
inline constexpr double kFailuresAlpha = 0.01, kCoinAlpha = 0.001, kScoresByOrderAlpha = 0.01;

/// Reads the session of the store, the newest if none is named, while another process may write it.
/// Throws as RebuiltSession does; Error(kUsage) for options out of range, a store without a
/// session, a session that has not exactly two arms, one of Mode::kObserve, and arms with different
/// descriptions unless `options` accepts them.
[[nodiscard]] SelfTest self_test(const std::filesystem::path& store,
                                 std::optional<std::int64_t> session,
                                 const SelfTestOptions& options = {});

/// Returns the exit code: 0 nothing was found, 1 something was, 3 more visits are needed.
[[nodiscard]] int exit_code(const SelfTest& test) noexcept;

}  // namespace prescope
