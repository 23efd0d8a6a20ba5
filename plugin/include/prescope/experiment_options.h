#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "prescope/observation.h"
#include "prescope/observation_log.h"
#include "prescope/types.h"

namespace prescope {

class Experiment;

/// How the queries of the arms come about.
enum class Mode {
  kObserve,  ///< each arm's rankings as they are served; arms are compared in the topics of both
  kPaired,   ///< as kObserve, and the arms that did not answer are run in the answer's shadow
  kSplit,    ///< each topic is served by one arm, which a salted hash of the topic chooses
};

/// What ends an epoch, beside every change of the arms and of the judgements. Means and verdicts
/// are of one epoch; evidence is never carried over into the next.
enum class EpochRule {
  /// A new generation of the index. What an older generation serves later is counted only.
  kGeneration,
  /// Nothing else: topics go on being averaged over refreshes of the index. For indexes that are
  /// refreshed all the time by little, where arms are compared on what was the same snapshot for
  /// both.
  kConfiguration,
};

/// Searches for comparison, run after the user has the answer. See `Experiment::shadow`.
struct ShadowOptions {
  /// What the latency of the arms is compared by.
  enum class Latency {
    kBothArms,    ///< the arm that answered is run again too, in an order tossed by a fair coin
    kNotCompared  ///< only the other arms are run; half the work
  };

  std::uint32_t threads = 1;  ///< searches at the same time, [1, 64]
  std::size_t queue = 64;     ///< queries that wait, [1, 65536]; further ones are dropped
  /// A query that has waited for longer is dropped, (0, 1 h].
  std::chrono::milliseconds deadline{1000};
  double sampling = 1.0;  ///< share of the judged queries that are run, (0, 1]
  Latency latency = Latency::kBothArms;
};

/// What a topic scored before the experiment: takes the difference between topics out of a split.
struct BaselineScore {
  TopicId topic{};
  std::string measure{};  ///< as `Measure::parse` reads it
  double score = 0.0;     ///< [0, 1]
};

struct SplitOptions {
  /// Another salt gives topics to other arms.
  std::string salt = "prescope";
  /// Scores of a pinned earlier evaluation. A topic without one is compared with the mean of what
  /// was seen before it. Topics and measures that the experiment does not have are left out; one
  /// score at least must be of both.
  std::vector<BaselineScore> baseline{};
};

/// Which part of what is served is recorded, and what of it is kept.
struct RecordingOptions {
  /// Room for observations on their way to the recorder, in bytes, [64 KiB, 1 GiB]; rounded up to a
  /// power of two, and further where the judgements of one topic, or `capture_depth`, need it. An
  /// observation takes about 180 bytes and 8 for each judged document that was served; with
  /// captures 8 for each judged document of its topic, and 4 (docids) or 8 (docnos) for each hit.
  std::size_t queue_bytes = 4U << 20U;
  /// How often the recorder looks into the queue, [1, 1000] ms.
  std::chrono::milliseconds drain_interval{5};
  /// Share of the queries that are recorded, (0, 1]: of a QueryScope all rankings or none. The
  /// others are counted (`Health::sampled_out`), their latency is not. Searches in the shadow are
  /// all recorded, see ShadowOptions::sampling.
  double sampling = 1.0;
  /// Hits of each judged ranking that are kept, so that a document that is judged later can be
  /// found in it: [0, 100000], 0 keeps none. See `Experiment::rejudge`.
  std::uint32_t capture_depth = 0;
  /// How often a summary is published, [10, 3600000] ms; not where nothing was recorded since. See
  /// `Experiment::latest`.
  std::chrono::milliseconds publish_interval{1000};
};

/// What an arm is, in the host's words: kept by logs, not read.
struct ArmDescription {
  std::string config{};  ///< everything that makes it what it is, such as TOML
  std::string engine{}, engine_version{};
  std::string index{};  ///< where it is, or what it is called
};

/// What runs beside an experiment for as long as it lives, such as its dashboard.
class ExperimentService {
 public:
  ExperimentService() = default;
  virtual ~ExperimentService() = default;
  ExperimentService(const ExperimentService&) = delete;
  ExperimentService& operator=(const ExperimentService&) = delete;
};
/// Begins a service, on the thread that makes the experiment; what it throws, the experiment's
/// constructor throws. Must not return null.
using AttachService = std::function<std::unique_ptr<ExperimentService>(Experiment& experiment)>;

struct ExperimentOptions {
  std::string name = "experiment";
  /// 1 to 64 distinct names. The first is the one that the others are compared with.
  std::vector<std::string> arms{};
  /// PRES, R and AP are kept at each of these. In [1, 2^31).
  std::vector<std::uint32_t> cutoffs = {100, 1000};
  /// What to keep instead of PRES, R and AP at the cutoffs, as `Measure::parse` reads it.
  std::vector<std::string> measures{};
  Mode mode = Mode::kObserve;
  EpochRule epochs = EpochRule::kGeneration;
  /// The chance that any verdict of an epoch is ever wrong, (0, 0.5]; split evenly over measures
  /// and pairs of arms.
  double alpha = 0.05;
  RecordingOptions recording{};
  ShadowOptions shadow{};  ///< of Mode::kPaired
  SplitOptions split{};    ///< of Mode::kSplit
  /// Called on the recorder thread for each observation, before it enters the summary. What it
  /// throws is counted (`Health::listener_failures`) and goes no further.
  std::function<void(const Observation&)> on_observation{};
  /// Where observations are written to; each log serves one experiment.
  std::vector<std::shared_ptr<ObservationLog>> logs{};
  /// By name of arm, for logs; those that are not there are empty.
  std::map<std::string, ArmDescription> descriptions{};
  /// Begun in this order when all else is ready, ended in the opposite order before anything else.
  std::vector<AttachService> services{};
};

}  // namespace prescope
