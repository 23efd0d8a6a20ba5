#pragma once

#include <array>

#include "prescope/experiment_options.h"
#include "prescope/measure.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

enum class ArmStatus : std::uint8_t {
  kActive,
  kPaused,   ///< what it served stays; nothing is recorded for it, and no topic given to it
  kRemoved,  ///< forgotten but for its name and its place in `Experiment::arms()`
};

/// How much a summary contains.
enum class SummaryDetail {
  kVerdicts,    ///< everything but `Summary::rows` and `ArmPair::moves`
  kEveryTopic,  ///< those too
};

/// A quantile with its 95 % interval. The interval is for one look, and is made of blocks of
/// queries; it is left out if the blocks depend on each other too strongly to tell.
struct LatencyQuantile {
  /// Within 1 % of the true order statistic; infinity if that query failed. Nothing without
  /// queries.
  std::optional<double> ms{};
  std::optional<double> low_ms{}, high_ms{};
};

/// The number of queries whose latency is at most `at_most_ms` and above the bucket before.
struct LatencyBucket {
  double at_most_ms = 0.0;  ///< the same in every summary; infinity for failed queries
  std::uint64_t count = 0;
};

/// Query latency, counted in requests, not in topics.
struct LatencySummary {
  std::uint64_t count = 0;  ///< queries, failed ones among them
  LatencyQuantile p50{}, p90{}, p95{}, p99{};
  std::optional<double> max_ms{};  ///< of those that did not fail; exact
  double sum_ms = 0.0;  ///< of those that did not fail; within 1 % if all are below 1000 s
  /// Ascending, each 2 % wide, without empty ones. The difference of two summaries' buckets is the
  /// latency between them.
  std::vector<LatencyBucket> buckets{};
};

/// How far a topic's score moves from visit to visit although no change was reported.
struct Drift {
  std::uint32_t revisited = 0;  ///< topics with a value from more than one visit
  std::uint32_t changed = 0;    ///< revisited topics whose last value is not the others' mean
  double mean_change = 0.0;     ///< mean absolute change of revisited topics
  double largest = 0.0;         ///< largest absolute change
  TopicId topic{};              ///< the one with the largest change; empty if none
};

/// Equal steps of ScoreCounts between 0 and 1.
inline constexpr std::size_t kScoreSteps = 20;
/// Numbers of topics by score: at most 0, then in steps up to 1, and above 1.
using ScoreCounts = std::array<std::uint32_t, kScoreSteps + 2>;

/// A measure's macro mean over topics for one arm, each topic with its mean over visits.
struct MeasureMean : Mean {
  Measure measure;
  /// The mean over all topics with relevant documents, those without a value counted as 0.
  std::optional<double> mean_over_all{};
  std::uint32_t too_shallow = 0;  ///< topics seen, but not down to the measure's cutoff
  std::uint64_t visits = 0;       ///< visits with a value, over all topics
  /// Scored visits that do not reach the cutoff; in Mode::kPaired, that some arm's ranking does
  /// not.
  std::uint64_t shallow_visits = 0;
  Drift drift{};
  ScoreCounts scores{};  ///< of the topics in the mean
};

/// The relevant documents that a stage had before a ranking was served: over topics, each in its
/// last visit in which both the stage and what was served were observed.
struct StageSummary {
  std::string name{};
  std::uint32_t topics = 0;
  std::uint64_t relevant = 0;  ///< relevant documents of these topics
  std::uint64_t found = 0;     ///< of these, those that the stage had
  std::uint64_t kept = 0;      ///< of these, those that were served
  std::uint64_t served = 0;    ///< relevant documents that were served
};

struct ArmSummary {
  ArmId id{};
  ArmStatus status = ArmStatus::kActive;
  /// Rankings since the arm was added; judged ones include searches for comparison.
  std::uint64_t judged_queries = 0, unjudged_queries = 0;
  /// Queries of both kinds that the engine answered only when asked again. They are left out of
  /// `latency`, the arms' ratio and the plugin's own time.
  std::uint64_t retried_queries = 0;
  /// Searches that threw, and searches that gave up. They have no ranking, and count in `latency`
  /// as queries that never ended.
  std::uint64_t failed_queries = 0, timed_out_queries = 0;
  std::uint64_t unseen_visits = 0;  ///< judged, announced for this arm, without an answer
  /// Judged rankings that are not scored because they do not answer how well the arm ranks; a
  /// ranking counts for its first reason.
  std::uint64_t sorted_queries = 0, filtered_queries = 0, collapsed_queries = 0;
  std::uint64_t partial_queries = 0;  ///< judged; scored as they were served
  /// Visits and searches for comparison in which a ranking from rank 1 on was not scored, because
  /// another one of the same request took its place: the last one, or the one named as served.
  std::uint64_t replaced_rankings = 0;
  std::uint32_t topics_seen = 0;
  std::uint32_t topics_awaiting = 0;  ///< topics without a score since their judgements changed
  /// In the order of Summary::measures. In Mode::kPaired over the visits that every active arm
  /// ranked, else over the visits that the arm served.
  std::vector<MeasureMean> means{};
  /// Mode::kPaired: over all visits that the arm served to users.
  std::vector<MeasureMean> served_means{};
  std::vector<StageSummary> stages{};  ///< those that were observed, in their order
  LatencySummary latency{};            ///< of queries that users waited for
  LatencySummary shadow_latency{};     ///< of searches for comparison
  /// The plugin's own time per judged and per unjudged query, microseconds, within 1 %: quantiles,
  /// number of queries, sum.
  std::optional<double> self_p50_us{}, self_p99_us{};
  std::optional<double> unjudged_self_p50_us{}, unjudged_self_p99_us{};
  std::uint64_t self_count = 0, unjudged_self_count = 0;
  double self_sum_us = 0.0, unjudged_self_sum_us = 0.0;
  /// The generation of the newest index that an adapter resolved; nothing if none did.
  std::optional<std::uint64_t> generation{};
  std::uint64_t duplicate_hits = 0;  ///< of judged documents already served at a better rank
  /// Judged relevant documents, over all topics, that the arm's index does not carry; they count as
  /// not found. Nothing if no adapter said so.
  std::optional<std::uint64_t> relevant_missing{};
  /// A sentence for each series of patent numbers, such as US applications, if the arm's index has
  /// markedly fewer judged documents of the series than of the others.
  std::vector<std::string> missing_series{};
};

/// The state of the evidence, valid whenever one looks. The sign of LiveVerdict::mean says for
/// which arm.
enum class LiveState {
  kCollecting,  ///< fewer than 10 topics
  kNoVerdict,   ///< the interval contains 0
  /// The interval does not contain 0, but the bets do not agree yet: the arms differ in these
  /// topics, and rare failures are not ruled out. Not a verdict.
  kAhead,
  kLeading,    ///< the interval excludes 0, and the bets in its direction have reached 1/(2 alpha)
  kConfirmed,  ///< the bets have won: valid whatever the scores' distribution
  kDescribed,  ///< an interval without a verdict: not the primary measure
  /// The evidence may not be about the arms: see ArmPair::checks for what is wrong.
  kVetoed,
};
[[nodiscard]] std::string_view to_string(LiveState state) noexcept;

/// The evidence about a difference: one value for each topic, or for each family of topics if there
/// is a family map, fixed when the topic or family first counts. A verdict that one may look at
/// after every query and act upon: the chance that it is ever wrong is at most `alpha` if the arms
/// are interchangeable. See docs/statistics.md.
struct LiveVerdict {
  LiveState state = LiveState::kCollecting;
  double alpha = 0.05;       ///< this statement's share of ExperimentOptions::alpha
  std::uint32_t topics = 0;  ///< topics, or families, that the evidence is made of
  bool by_family = false;    ///< families are counted, not topics
  /// Standard deviation of their differences; in Mode::kSplit that of twice their distances from
  /// what was expected. Nothing for fewer than 2 topics.
  std::optional<double> sd{};
  /// Topics among them that have only bounds of their difference, because a ranking ended before
  /// the cutoff, was not seen, or was sorted or filtered in one arm. The verdict holds for every
  /// value between the bounds.
  std::uint32_t bounded_topics = 0;
  /// The difference that the interval is about: the middle of the means at both bounds.
  std::optional<double> mean{};
  std::optional<double> mean_low{},
      mean_high{};                ///< all bounded topics at their lower, upper bound
  double low = -1.0, high = 1.0;  ///< confidence sequence of the mean difference
  double log_e = 0.0;             ///< ln of the e-value against no difference
  /// ln of the e-values of the bets against "B is not better" and "B is not worse".
  double log_e_better = 0.0, log_e_worse = 0.0;
  /// How many further topics of the largest opposite difference would put 0 back into the interval;
  /// 0 while it contains 0.
  std::uint32_t topics_to_undo = 0;
  /// The smallest true difference whose interval would leave 0 with these topics in 4 of 5 cases;
  /// nothing if none would.
  std::optional<double> detectable{};
};

/// A topic's values in A and in B. The topic is named by its id, or by its position in the qrels.
template <class Topic>
struct DifferenceIn {
  Topic topic{};
  double a = 0.0, b = 0.0;
  double difference = 0.0;  ///< b - a
  friend bool operator==(const DifferenceIn&, const DifferenceIn&) = default;
};
using TopicDifference = DifferenceIn<TopicId>;

/// The mean of B - A over topics, with its evidence.
struct MeanDifference : Mean {
  Measure measure;
  /// Absent in Mode::kObserve.
  std::optional<LiveVerdict> live{};
};

/// B - A for a measure. In Mode::kPaired it is over the visits that both arms ranked, in
/// Mode::kObserve over the topics in which both arms have a value. In Mode::kSplit it is between
/// topics of A and topics of B, less the difference that the baseline, or the mean so far, lets
/// expect; without topics unless both arms are active.
struct MeasureDifference : MeanDifference {
  std::optional<double> mean_a{}, mean_b{};      ///< over the same topics; none in Mode::kSplit
  std::uint32_t wins = 0, ties = 0, losses = 0;  ///< of B; all 0 in Mode::kSplit
  /// The five topics that B loses most in, largest first. None in Mode::kSplit.
  std::vector<TopicDifference> worst{};
};

/// B - A of the primary measure in a slice of the topics. The slices that may speak share an alpha
/// of their own, as large as ExperimentOptions::alpha: the chance that any statement about a slice
/// is ever wrong. See docs/slices.md.
struct SliceSummary {
  std::string dimension{}, name{};
  std::uint32_t slices = 1;  ///< above 1 for small slices taken together
  std::uint32_t judged = 0;  ///< its topics, or families, with relevant documents at the beginning
  /// Topics, or families, of the evidence that differ, wherever between their bounds they lie.
  std::uint32_t differing = 0;
  /// At least kUnitsThatSpeak topics, or families, are judged. A slice that may not speak is
  /// LiveState::kDescribed. A slice that may is LiveState::kCollecting until kUnitsThatSpeak are
  /// compared and kDifferentThatSpeak differ.
  bool may_speak = false;
  MeasureDifference difference;  ///< without `worst`
};

/// The state of a planned test. Its verdict is not "confirmed": early looks and rare large losses
/// can make it wrong more often than alpha.
enum class PlannedState {
  kGoing,     ///< before its last look, or before a look that ends it
  kBetter,    ///< it has ended: B is better
  kWorse,     ///< it has ended: B is worse
  kNotShown,  ///< it has ended with its last look, and no difference is shown
  kVetoed,    ///< see LiveState::kVetoed
};
[[nodiscard]] std::string_view to_string(PlannedState state) noexcept;

struct PlannedLook {
  std::uint32_t topics = 0;  ///< the look is taken with so many topics, or families
  double boundary = 0.0;     ///< the test ends if |z| is this or more
  bool is_taken = false;
  /// The mean difference as this look saw it, with its interval, and z. Bounded values give two z;
  /// this is the one nearer to 0. Nothing before the look, and if all differences are equal.
  std::optional<double> z{}, mean{}, low{}, high{};
};

/// A planned test of the primary measure. What a look has seen stays, whatever topics come later.
struct PlannedTest {
  PlannedState state = PlannedState::kGoing;
  double alpha = 0.05;       ///< two-sided; the pair's share
  std::uint32_t topics = 0;  ///< topics, or families, that are there now
  std::vector<PlannedLook> looks{};
  /// How many further topics of the largest opposite difference would have kept the test from its
  /// verdict; 0 without one.
  std::uint32_t topics_to_undo = 0;
};

enum class GuardrailState {
  kOpen,    ///< nothing is shown yet
  kKept,    ///< B is not worse by the margin
  kBroken,  ///< B is worse by more than the margin
  kVetoed,  ///< see LiveState::kVetoed
};
[[nodiscard]] std::string_view to_string(GuardrailState state) noexcept;

struct GuardrailSummary {
  std::string name{};  ///< a measure, or "latency"
  double margin = 0.0;
  GuardrailState state = GuardrailState::kOpen;
  std::uint32_t topics = 0;      ///< topics or families; of the latency, visits
  std::optional<double> mean{};  ///< the difference, or the ratio of the latencies
  /// ln of the e-values against "worse by the margin", and against "not worse by more".
  double log_e_kept = 0.0, log_e_broken = 0.0;
};

/// The question whether the arms are the same in the primary measure but for a margin.
struct Equivalence {
  double margin = 0.0;
  /// ln of the e-values of bets against "worse by the margin", and against "better by the margin".
  double log_e_not_worse = 0.0, log_e_not_better = 0.0;
  bool is_shown = false;
};

/// A check that the coin of Mode::kSplit gives each arm its share, over the topics that an arm
/// served and over those that have a value of the primary measure.
struct SampleRatio {
  std::uint32_t topics_a = 0, topics_b = 0;  ///< with a value
  std::uint32_t seen_a = 0, seen_b = 0;      ///< served
  double share_b = 0.5;  ///< of the topics of both arms, as SplitOptions::shares say
  double log_e = 0.0;    ///< ln of the larger e-value against such a coin, at this moment
  double p = 1.0;        ///< two-sided p-value of the less likely of the two, for one look
  bool alarm = false;    ///< log_e has reached ln 1000 at some time in this epoch
};

/// The ways in which a difference of two arms can be about something else than their rankings.
enum class CheckKind {
  kFailures,         ///< visits whose search failed or timed out; they count as empty rankings
  kUnseen,           ///< visits that were announced, and no answer was seen; they have bounds
  kShallow,          ///< visits whose value of the primary measure has bounds only
  kUnscored,         ///< visits left out because a sort, filter or collapse shaped them
  kNotInIndex,       ///< relevant judged documents that the arm's index lacks
  kNothingFound,     ///< topics of an arm that has found no judged document in any
  kIncomplete,       ///< Mode::kPaired: visits for comparison that some arm did not rank
  kLostComparisons,  ///< Mode::kPaired: visits for comparison that were given up for lack of room
  kAssignment,       ///< Mode::kSplit: topics that the hash gave to another arm
  kSampleRatio,      ///< Mode::kSplit: see SampleRatio
  kDrops,            ///< rankings that were lost before they were recorded, or not matched
};
[[nodiscard]] std::string_view to_string(CheckKind kind) noexcept;

enum class CheckState { kFine, kAlarm, kVeto };
[[nodiscard]] std::string_view to_string(CheckState state) noexcept;

/// One check of a pair of arms, since the epoch began; kDrops since the experiment began.
struct Check {
  struct Share {
    std::uint64_t count = 0, of = 0;
    /// 0 of nothing.
    [[nodiscard]] double value() const noexcept {
      return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
    }
  };
  CheckKind kind = CheckKind::kFailures;
  Share a{};                 ///< of arm A, or of both arms together
  std::optional<Share> b{};  ///< none if the check is of both arms together
  /// The larger share above it is a veto, for kUnscored the difference of the shares; see
  /// VerdictLimits.
  double limit = 1.0;
  CheckState state = CheckState::kFine;
};

/// What can be said about which of two arms is faster.
enum class LatencyState {
  kCollecting,  ///< fewer than 512 compared visits
  kDependent,   ///< the visits depend on each other too strongly to tell
  kOpen,        ///< the visits without two comparable latencies could turn the answer
  kNoVerdict,   ///< no difference is shown yet
  kFaster       ///< one arm is faster: B if the mean is below 1, else A
};
[[nodiscard]] std::string_view to_string(LatencyState state) noexcept;

/// The latency of B over that of A, in Mode::kPaired unless Latency::kNotCompared: a geometric mean
/// over visits that were timed in both arms.
struct LatencyRatio {
  std::uint64_t pairs = 0;  ///< visits
  /// Compared visits that are no pair because this arm's search failed or timed out.
  std::uint64_t failed_a = 0, failed_b = 0;
  /// Compared visits that are no pair because this arm answered without a latency of its own: it
  /// was asked again, was not timed, or served something that is not compared.
  std::uint64_t untimed_a = 0, untimed_b = 0;
  /// Pairs in which only this arm had searched the query before: its caches may be warm.
  std::uint64_t repeated_a = 0, repeated_b = 0;
  std::optional<double> mean{};  ///< of the blocks when there is an interval, else of all pairs
  /// The ratio, with each visit limited to a factor of 2, if every visit without two comparable
  /// latencies counted for B (`least`) or for A (`most`).
  std::optional<double> least{}, most{};
  /// ln of the e-value against arms that are interchangeable query by query. A coin makes it exact
  /// only if both arms are in the same state; it is one condition of a verdict.
  double log_e = 0.0;
  LatencyState state = LatencyState::kCollecting;
  bool differs = false;  ///< the state is kFaster
  /// Confidence sequence over blocks of pairs, shown from 30 blocks on that do not depend on each
  /// other. The ratios of all pairs of arms share an alpha of their own.
  std::optional<double> low{}, high{};
  std::uint32_t blocks = 0, pairs_in_block = 0;
};

/// The mean of a measure of overlap over visits.
struct OverlapMean {
  std::optional<double> mean{};  ///< over the visits that were compared
  /// Confidence sequence of the mean, whatever the distribution, and also if it changes with time:
  /// it holds at every look but for OverlapSummary::alpha.
  double low = 0.0, high = 1.0;
  std::optional<double> latest{};  ///< over the last kLatestOverlaps visits; nothing before them
};
/// Visits that OverlapMean::latest is over.
inline constexpr std::size_t kLatestOverlaps = 100;

/// A query without judgements, in the visit in which its rankings differed most.
struct ChangedQuery {
  std::string query{};           ///< the beginning of the user's words; empty if the host gave none
  std::uint64_t visit = 0;       ///< Visit::number
  std::uint64_t request_id = 0;  ///< Visit::request_id
  UtcTime time{};
  double jaccard = 0.0, rbo = 0.0;
  friend bool operator==(const ChangedQuery&, const ChangedQuery&) = default;
};
/// The most queries in OverlapSummary::most_changed.
inline constexpr std::size_t kMostChanged = 20;

/// How much the rankings of two arms have in common in visits without judgements. Each visit that
/// both were to rank is in one of the first six counters.
struct OverlapSummary {
  std::uint32_t depth = 0;  ///< see OverlapOptions
  double persistence = 0.0;
  double alpha = 0.05;       ///< of each interval
  std::uint64_t visits = 0;  ///< compared
  /// Not compared: neither arm had a hit; a ranking was cut before `depth`, and may go on; docids
  /// of different indexes; shaped by the user's wishes; an arm without a ranking.
  std::uint64_t empty = 0, shallow = 0, other_index = 0, left_out = 0, incomplete = 0;
  std::uint64_t waiting = 0;  ///< some arm's ranking is still waited for
  /// Compared visits in which the search of one arm failed: it counts as an empty ranking.
  std::uint64_t failed_a = 0, failed_b = 0;
  std::uint64_t identical = 0;      ///< compared visits with the same documents in the same order
  std::uint32_t shallow_depth = 0;  ///< the deepest rank that a shallow pair is known down to
  OverlapMean jaccard{}, rbo{};
  /// The queries with the least rank-biased overlap in one of their visits, least first; each once.
  std::vector<ChangedQuery> most_changed{};
};

/// One judged relevant document whose part in the score differs between two arms.
struct CitationMove {
  Docno docno{};
  Grade grade = 0;
  std::optional<Rank> rank_a{}, rank_b{};  ///< none: not served within the cutoff
  double share = 0.0;                      ///< its exact part of the topic's PRES difference
  std::string about{};                     ///< see Judgement::about
};

/// A topic whose PRES differs between the rankings that the arms served last, with the citations
/// that make the difference; shares sum to it.
struct TopicMove : TopicDifference {
  Measure measure;  ///< PRES at the experiment's first cutoff
  std::uint32_t num_rel = 0;
  std::vector<CitationMove> citations{};  ///< largest absolute share first
};

/// How far a pair is from a verdict about the primary measure.
struct Outlook {
  bool is_open = true;  ///< there is no verdict, and no veto
  /// Topics, or families, still to be compared: until the next look of the planned test; without a
  /// plan, until the interval leaves 0 if the difference and its spread stay as they are. Nothing
  /// unless the pair is open, and if that cannot be foreseen: with fewer than 20, or while bounded
  /// values leave the sign open.
  std::optional<double> topics{};
  /// Judged topics, or families, that may yet be compared; nothing if topics are found as they
  /// come.
  std::optional<std::uint32_t> left{};
  /// How many are compared for the first time in an hour, by the last quarter of the epoch's time
  /// from the first comparison on. Nothing for fewer than 10, or less than a minute.
  std::optional<double> per_hour{};
};

struct ArmPair {
  ArmIndex a{}, b{};
  std::vector<MeasureDifference> differences{};  ///< in the order of Summary::measures
  std::vector<SliceSummary> slices{};            ///< in the order of ExperimentOptions::slices
  std::optional<PlannedTest> planned{};          ///< see TestOptions::plan
  std::optional<Outlook> outlook{};              ///< nothing in Mode::kObserve
  std::vector<GuardrailSummary> guardrails{};    ///< in the order of TestOptions::guardrails
  std::optional<Equivalence> equivalence{};      ///< see TestOptions::same_within
  std::vector<TopicMove> moves{};  ///< every topic that moved, largest first; none in Mode::kSplit
  LatencyRatio latency{};          ///< without pairs in other cases than it says
  std::optional<SampleRatio> sample_ratio{};  ///< Mode::kSplit, if both arms are active
  std::optional<OverlapSummary> overlap{};    ///< if OverlapOptions asks for it
  /// Everything that can void the verdict, in the order of CheckKind; a veto sets
  /// LiveState::kVetoed.
  std::vector<Check> checks{};
  /// Not in Mode::kSplit, and without a family map: topics with relevant documents at ranks, other
  /// ones in B than in A, by which topics can be told apart; and how many of these topics have the
  /// same ranks, in A and in B, as another one.
  std::uint32_t told_topics = 0, alike_topics = 0;
};

/// One topic as the arms last served it.
struct TopicRow {
  TopicId id{};
  std::uint32_t num_rel = 0;
  struct Arm {
    bool seen = false;
    std::uint64_t visits = 0;
    std::uint32_t num_ret = 0;                    ///< ranks 1..num_ret were served
    bool exhausted = false;                       ///< nothing follows them
    std::uint32_t missing = 0;                    ///< judged documents not in the index
    std::optional<double> latency_ms{};           ///< of the last visit that was timed
    std::vector<Rank> relevant_ranks{};           ///< in the ranking that counts, ascending
    std::vector<std::optional<double>> scores{};  ///< its scores, in the order of Summary::measures
    std::vector<std::optional<double>> means{};   ///< over this epoch's visits, in the same order
    bool awaiting = false;                        ///< see ArmSummary::topics_awaiting
  };
  std::vector<Arm> arms{};  ///< in the order of Summary::arms
};

/// One topic judgement by judgement, as the arms last served it.
struct TopicDetail {
  struct Citation {
    Docno docno{};
    Grade grade = 0;
    bool relevant = false;
    std::string about{};  ///< see Judgement::about
    struct Place {
      std::optional<Rank> rank{};      ///< none: not among the ranks served
      std::optional<bool> in_index{};  ///< nothing if no adapter said so
    };
    std::vector<Place> arms{};  ///< in the order of Summary::arms
  };
  struct Difference {
    ArmIndex a{}, b{};
    Measure measure;               ///< PRES at the experiment's first cutoff
    double difference = 0.0;       ///< b - a, of the rankings served last
    std::vector<double> shares{};  ///< by citation, exact; they sum to the difference
  };
  TopicRow row{};
  std::vector<Citation> citations{};  ///< in the order of the qrels
  /// Every pair of arms, the earlier one first, that both have a score; none in Mode::kSplit.
  std::vector<Difference> differences{};
};

/// The reason why an epoch began.
enum class EpochReason { kStart, kGeneration, kArms, kJudgements };
[[nodiscard]] std::string_view to_string(EpochReason reason) noexcept;

/// A stretch of time in which nothing changed that scores depend on.
struct Epoch {
  std::uint64_t number = 1;
  EpochReason reason = EpochReason::kStart;
  std::uint64_t observations = 0;  ///< recorded in it so far, or until it ended
  /// New states of the index since it began; always 0 under EpochRule::kGeneration.
  std::uint64_t index_changes = 0;
  /// Mode::kPaired: visits that all active arms ranked for comparison, on the same state of an
  /// index that they share; and visits that only some arms have ranked, which are in no comparison.
  std::uint64_t compared_visits = 0, incomplete_visits = 0;
};

/// An ended epoch with its last verdicts.
struct PastEpoch {
  struct Difference : MeanDifference {
    ArmIndex b{};                          ///< compared with the first arm
    std::optional<PlannedTest> planned{};  ///< of the primary measure
  };
  Epoch epoch{};
  std::vector<Difference> differences{};
};

/// Counters of what was recorded, of what went wrong and of shadow searches.
struct Health {
  std::uint64_t pushed = 0, recorded = 0;  ///< once flushed, recorded + recorder_failures = pushed
  std::uint64_t dropped_queue_full = 0;
  std::uint64_t queries_without_scope = 0;  ///< rankings served outside any QueryScope that matches
  std::uint64_t queries_without_ranking = 0;
  std::uint64_t unknown_arm = 0;         ///< scopes and rankings of an arm that does not exist
  std::uint64_t unmatched_rankings = 0;  ///< docids that came without a table of this experiment
  /// Searches on paths that an adapter cannot observe, with or without a scope.
  std::uint64_t unobserved_searches = 0;
  /// Scopes that were opened while one of another visit, or 16 of their own, were open on the
  /// thread, and scopes that ended on another thread. Rankings served while such scopes are open
  /// count in `queries_without_scope`.
  std::uint64_t misplaced_scopes = 0;
  /// Rankings whose adapter did not say when the search began; they have no latency.
  std::uint64_t unknown_start = 0;
  std::uint64_t pages_without_key = 0;  ///< later pages of an unknown visit: not scored
  /// Later pages whose earlier pages were not seen, were seen in another state of the index, or
  /// were forgotten because too many visits were open: not scored.
  std::uint64_t page_gaps = 0;
  /// Queries that count as unjudged although their topic may be judged; see Qrels::Lookups.
  std::uint64_t topics_not_read = 0, topics_without_room = 0;
  std::uint64_t adapter_failures = 0;
  std::uint64_t listener_failures = 0;
  std::uint64_t recorder_failures = 0;  ///< observations lost to a failure while recording
  /// Sums over all logs: calls that threw, observations lost because a log wrote too slowly, and
  /// observations lost because it could not write for too long.
  std::uint64_t log_failures = 0, log_queue_full = 0, log_write_failures = 0;
  /// Written to a store whose file was then removed, moved or replaced.
  std::uint64_t log_lost_with_file = 0;
  std::uint64_t logs_failing = 0;  ///< logs whose last write failed; goes down again
  /// Observations that logs have not written yet; goes down again. If a log is failing, they are
  /// lost unless a later write succeeds.
  std::uint64_t log_waiting = 0;
  std::uint64_t publish_failures = 0;  ///< summaries that could not be made or published
  std::uint64_t sampled_out = 0;       ///< rankings left out by RecordingOptions::sampling
  std::uint64_t inactive_arm = 0;      ///< rankings of paused and removed arms: not pushed
  /// Observations of a generation or of judgements that had been replaced meanwhile, of an arm that
  /// had been paused or removed, or of a visit that began before the arms changed. They are in no
  /// score.
  std::uint64_t late_observations = 0;
  std::uint64_t clock_steps = 0;  ///< latencies below zero, taken as unknown
  /// Queries offered to the shadow pool, each counted once: not judged, without another active arm,
  /// not sampled, dropped because the queue was full, dropped because they waited too long or the
  /// pool was being drained or ended, and run.
  std::uint64_t shadow_unjudged = 0, shadow_unpaired = 0, shadow_sampled_out = 0,
                shadow_queue_full = 0, shadow_expired = 0, shadow_run = 0;
  std::uint64_t shadow_failed = 0;  ///< queries run of which a search threw or observed nothing
  /// Searches for comparison that ranked from a later rank than 1; they are in no comparison.
  std::uint64_t shadow_later_pages = 0;
  friend bool operator==(const Health&, const Health&) = default;
};

/// An immutable picture of an experiment.
struct Summary {
  std::string experiment{};
  Mode mode = Mode::kObserve;
  SummaryDetail detail = SummaryDetail::kEveryTopic;
  std::string salt{};         ///< Mode::kSplit; see SplitOptions
  bool has_baseline = false;  ///< Mode::kSplit: topics are compared with earlier scores
  /// Only the first of several hits that are one document, such as members of a family, has a rank;
  /// see QrelsOptions::collapses.
  bool collapses = false;
  std::string rule{};  ///< the rule that judged the citations of a citation store; empty: no store
  Epoch epoch{};
  std::vector<PastEpoch> past_epochs{};       ///< the last 16, oldest first
  std::uint32_t topics = 0;                   ///< topics of the qrels
  std::uint32_t topics_without_relevant = 0;  ///< they have no value and are in no mean
  /// Families of the topics, which are then the units of evidence; nothing without a family map.
  std::optional<std::uint32_t> families{};
  std::uint64_t judgements = 0;
  std::uint64_t judgements_repeated = 0, judgements_merged = 0;
  std::vector<Measure> measures{};
  std::size_t primary = 0;  ///< the measure that verdicts are about, by its place in `measures`
  std::vector<ArmSummary> arms{};
  std::vector<ArmPair> pairs{};  ///< the first arm with each other arm that is not removed
  /// Number of topics that the slices name and that are not judged, and an example.
  std::uint64_t slice_topics_unjudged = 0;
  std::string slice_topic_unjudged{};
  std::vector<TopicRow> rows{};  ///< topics seen by some arm, ascending by id
  Health health{};
  /// A sentence, without a full stop, for each reason why a summary made from a store or a fleet
  /// differs from the live one.
  std::vector<std::string> missing{};
};

}  // namespace prescope
#pragma GCC visibility pop
