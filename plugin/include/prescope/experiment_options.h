#pragma once

#include <map>

#include "prescope/observation.h"
#include "prescope/observation_log.h"
#include "prescope/slices.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

class Experiment;

/// The way in which arms come to answer queries.
enum class Mode {
  /// Each arm's rankings as they are served. Means and differences are shown, but no verdict:
  /// nobody chose at random which arm served which visit.
  kObserve,
  /// As kObserve; then the other arms search too, unseen by the user. Arms are compared by the
  /// visits that all of them ranked.
  kPaired,
  kSplit,  ///< each topic is served by one arm, chosen by a salted hash of the topic
};

/// The rule by which epochs end. Every change of the arms or of the judgements ends one too. Means
/// and verdicts belong to one epoch; evidence is never carried over into the next.
enum class EpochRule {
  /// A new generation of the index ends an epoch. Later rankings of an older one are only counted.
  kGeneration,
  /// A new generation does not end it, and is counted (`Epoch::index_changes`).
  kConfiguration,
};

/// Visits without judgements that all active arms search, of Mode::kPaired: how much of their
/// rankings is the same. Each arm searches once, whatever ShadowOptions::Latency says, and its
/// latency is not counted. See ArmPair::overlap.
struct OverlapOptions {
  double sampling = 0.0;      ///< share of the unjudged visits, [0, 1]; 0: none
  std::uint32_t depth = 100;  ///< hits of each ranking that are compared, [1, 1000]
  double persistence = 0.98;  ///< of rank-biased overlap, (0, 1): a reader goes on to the next hit
};

/// Searches for comparison, run after the user has the answer. See `Experiment::shadow`.
struct ShadowOptions {
  /// Which arms are run, in an order tossed by a fair coin, and what their latencies can say.
  enum class Latency {
    /// Every arm is run once. The arm that answered repeats its search, so the arms' caches are in
    /// unlike states: the ratio is given, and no arm is said to be faster.
    kBothArms,
    kNotCompared,  ///< only the other arms are run; half the work, and no comparison of latency
    /// Every arm is run twice in succession, and its second search is the one that counts. Twice
    /// the work. If the first one fails, the arm has failed.
    kBothArmsTwice,
    /// Every arm is run once, and the host confirms that the answer to the user warms no cache of
    /// one arm alone: there are no caches, all arms share them, or they are cleared.
    kBothArmsAlike
  };

  std::uint32_t threads = 1;  ///< searches at the same time, [1, 64]
  std::size_t queue = 64;     ///< queries that wait, [1, 65536]; further ones are dropped
  std::chrono::milliseconds deadline{1000};  ///< longest wait of a query, (0, 1 h]
  double sampling = 1.0;                     ///< share of the judged queries that are run, (0, 1]
  Latency latency = Latency::kBothArms;
  OverlapOptions overlap{};
};

/// A topic's score before the experiment, which removes differences between topics from a split.
struct BaselineScore {
  TopicId topic{};
  std::string measure{};  ///< as `Measure::parse` reads it
  double score = 0.0;     ///< [0, 1]
};

/// Relative shares by name of arm, from 0.001 to 1000. An arm without one has 1, and so has one
/// that is added later.
using ArmShares = std::map<std::string, double, std::less<>>;

/// Adds a share that is written as "old=19". Throws Error(kUsage), also for an arm that has one.
void add_share(ArmShares& shares, std::string_view text);

struct SplitOptions {
  /// Another salt gives topics to other arms. Empty: made once from the experiment's name and its
  /// start in UTC, "autumn|2026-11-23T13:41:00Z". Give the same one to every process that serves
  /// the experiment, and to a process that continues it.
  std::string salt{};
  /// How many of the topics each arm serves: {{"old", 19}} gives a second arm 5 %. Two arms are
  /// compared by all topics of the one with the smaller share, and by as many of the other's, which
  /// a second hash draws. Give the same shares to every process.
  ArmShares shares{};
  /// Scores of a pinned earlier evaluation. At least one must be of a topic and a measure that the
  /// experiment has. A topic without one is compared with the mean of what was seen before it.
  std::vector<BaselineScore> baseline{};
};

/// Shares above which two arms get no verdict, because what was observed may not be about how well
/// they rank; each in [0, 1], 1: never. A share must be above its limit by more than chance: with
/// an e-value of 20. From a fifth of a limit on, and 5 cases, an alarm is raised.
struct VerdictLimits {
  double failures = 0.02;     ///< an arm's visits whose search failed or timed out
  double unseen = 0.1;        ///< an arm's visits that were announced, and no answer was seen
  double shallow = 1.0;       ///< an arm's visits whose primary value has bounds only
  double unscored = 0.01;     ///< the arms' difference in visits that are left out by their flags
  double not_in_index = 0.5;  ///< relevant judged documents that an arm's index lacks
  double incomplete = 0.05;   ///< Mode::kPaired: visits for comparison that some arm lacks
  double lost_comparisons = 0.5;  ///< Mode::kPaired: visits for comparison that were given up
  double misassigned = 0.05;      ///< Mode::kSplit: an arm's topics that the hash gave to another
  double drops = 0.05;  ///< rankings that were lost before they were recorded, or not matched
};

/// How much of alpha the looks of a planned test spend by the time that a share of the topics is
/// there (Lan & DeMets 1983).
enum class Spending {
  kObrienFleming,  ///< little at early looks; the last one is almost an ordinary test
  kPocock,         ///< alike at all looks
};

/// A test of the primary measure that is planned before its first topic, and ends. It may end at
/// each of its looks, and is not looked at in between. Every epoch begins it anew.
struct PlanOptions {
  std::uint32_t topics = 0;  ///< or families, with which it ends, at least 10; 0: no plan
  /// The looks as shares of `topics`, ascending; the last is 1, at most 20. Empty: 0.5, 0.75, 1.
  std::vector<double> looks{};
  Spending spending = Spending::kObrienFleming;
  /// The part of ExperimentOptions::alpha for the verdict that holds whenever one looks, from 0 to
  /// below alpha; the planned test has the rest. 0: there is no such verdict.
  double live_alpha = 0.0;
};

/// The name of the guardrail about latency.
inline constexpr std::string_view kLatencyGuardrail = "latency";

/// Something that no other arm may be worse in than the first one, by a margin.
struct Guardrail {
  std::string measure{};  ///< one of the experiment's, as `Measure::parse` reads it, or "latency"
  /// The mean loss of the measure, in (0, 1), or the ratio of the latencies, above 1.
  double margin = 0.0;
};

/// Reads "R@100=0.02" or "latency=1.1". Throws Error(kUsage).
[[nodiscard]] Guardrail read_guardrail(std::string_view text);

/// How an experiment may end, not in Mode::kObserve. See docs/statistics.md.
struct TestOptions {
  PlanOptions plan{};
  /// At most 20. Each is shown to hold, or to be broken, with a chance of error of its own, 5 %,
  /// because an arm is shipped only if every guardrail holds.
  std::vector<Guardrail> guardrails{};
  /// Asks whether the arms are the same in the primary measure but for a difference in (0, 1); 0:
  /// nobody asks.
  double same_within = 0.0;
};

/// Options for recording observations.
struct RecordingOptions {
  /// Room for observations on their way to the recorder, [64 KiB, 1 GiB]; rounded up to a power of
  /// two, and further if one topic's judgements, `capture_depth` or OverlapOptions::depth need it.
  /// An observation takes about 200 bytes, 8 for each judged document served, and 4 or 8 for each
  /// hit captured.
  std::size_t queue_bytes = 4U << 20U;
  /// How often the recorder looks into the queue, [1, 1000] ms.
  std::chrono::milliseconds drain_interval{5};
  /// Share of the queries that are recorded, (0, 1]; of a QueryScope either all rankings are or
  /// none. The others are counted (`Health::sampled_out`) without latency. Shadow searches are all
  /// recorded.
  double sampling = 1.0;
  /// How many hits of each judged ranking are kept, so that documents judged later can be found in
  /// them, [0, 100000]. See `Experiment::rejudge`.
  std::uint32_t capture_depth = 0;
  /// Rankings that are sorted, filtered or collapsed do not show how well the ranker ranks: they
  /// are counted and not scored. Those with one of these flags are scored all the same.
  RankingFlags scored_flags = RankingFlags::kNone;
  /// How often `Experiment::latest` is renewed, [10, 3600000] ms.
  std::chrono::milliseconds publish_interval{1000};
};

/// An arm in the host's words, for logs.
struct ArmDescription {
  std::string config{};  ///< its complete configuration, such as TOML
  std::string engine{}, engine_version{};
  std::string index{};  ///< its path or name
  /// The state of its index in the host's words, such as the day of its snapshot: two servers that
  /// give the same label search the same documents. It makes their epochs comparable if new states
  /// of the index end them; give the next one with `Experiment::restart_arm`.
  std::string index_label{};
};

/// Runs beside an experiment for as long as it lives, such as a dashboard.
class ExperimentService {
 public:
  ExperimentService() = default;
  virtual ~ExperimentService() = default;
  ExperimentService(const ExperimentService&) = delete;
  ExperimentService& operator=(const ExperimentService&) = delete;
};
/// Begins a service. The experiment's constructor calls this and passes on what it throws. Must not
/// return null.
using AttachService = std::function<std::unique_ptr<ExperimentService>(Experiment& experiment)>;

struct ExperimentOptions {
  std::string name = "experiment";
  /// 1 to 64 distinct names. The others are compared with the first.
  std::vector<std::string> arms{};
  std::vector<std::uint32_t> cutoffs = {100, 1000};  ///< of PRES, R and AP, in [1, 2^31)
  std::vector<std::string> measures{};  ///< instead of those three, as `Measure::parse` reads them
  /// Names of stages of a ranking beside "candidates" and "served", in their order: at most 12, all
  /// distinct. See `Experiment::stage`.
  std::vector<std::string> stages{};
  Mode mode = Mode::kObserve;
  /// By default kGeneration in Mode::kObserve, else kConfiguration: both arms of a pair see the
  /// same snapshot.
  std::optional<EpochRule> epochs{};
  /// The measure that verdicts are about, as `Measure::parse` reads it. Empty: the first. The
  /// others are described: difference and interval, no verdict. Not GMAP, unless Mode::kObserve.
  std::string primary{};
  /// The chance that any verdict of an epoch is ever wrong, (0, 0.5]; split evenly over pairs of
  /// arms.
  double alpha = 0.05;
  /// Groups of the topics that are compared by the primary measure, too, with a chance of `alpha`
  /// of their own; see `read_slices`. At most kMostSlices of kUnitsShown topics or more. Not for
  /// topics that are found as they come.
  TopicSlices slices{};
  TestOptions test{};
  VerdictLimits limits{};
  RecordingOptions recording{};
  ShadowOptions shadow{};  ///< of Mode::kPaired
  SplitOptions split{};    ///< of Mode::kSplit
  /// Called for each observation, except of OverlapOptions, when the ledger has placed it in its
  /// visit: one call at a time, on the recorder thread or on one that waits for it, as in
  /// `Experiment::summary`. If it throws, that is counted (`Health::listener_failures`).
  std::function<void(const Observation&)> on_observation{};
  std::vector<std::shared_ptr<ObservationLog>> logs{};   ///< each serves one experiment
  std::map<std::string, ArmDescription> descriptions{};  ///< by name of arm, for logs
  /// They begin in this order when all else is ready, and end in the opposite order before anything
  /// else.
  std::vector<AttachService> services{};
};

}  // namespace prescope
#pragma GCC visibility pop
