#pragma once

#include <map>

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
  /// Nothing else, for indexes that are refreshed all the time by little.
  kConfiguration,
};

/// Searches for comparison, run after the user has the answer. See `Experiment::shadow`.
struct ShadowOptions {
  enum class Latency {
    kBothArms,    ///< the arm that answered is run again too, in an order tossed by a fair coin
    kNotCompared  ///< only the other arms are run; half the work
  };

  std::uint32_t threads = 1;  ///< searches at the same time, [1, 64]
  std::size_t queue = 64;     ///< queries that wait, [1, 65536]; further ones are dropped
  std::chrono::milliseconds deadline{1000};  ///< longest wait of a query, (0, 1 h]
  double sampling = 1.0;                     ///< share of the judged queries that are run, (0, 1]
  Latency latency = Latency::kBothArms;
};

/// What a topic scored before the experiment: takes the difference between topics out of a split.
struct BaselineScore {
  TopicId topic{};
  std::string measure{};  ///< as `Measure::parse` reads it
  double score = 0.0;     ///< [0, 1]
};

struct SplitOptions {
  std::string salt = "prescope";  ///< another salt gives topics to other arms
  /// Scores of a pinned earlier evaluation, at least one of a topic and a measure that the
  /// experiment has. A topic without one is compared with the mean of what was seen before it.
  std::vector<BaselineScore> baseline{};
};

/// Which part of what is served is recorded, and what of it is kept.
struct RecordingOptions {
  /// Room for observations on their way to the recorder, [64 KiB, 1 GiB]; rounded up to a power of
  /// two, and further if one topic's judgements or `capture_depth` need it. An observation takes
  /// about 180 bytes, 8 for each judged document served, and 4 or 8 for each hit captured.
  std::size_t queue_bytes = 4U << 20U;
  /// How often the recorder looks into the queue, [1, 1000] ms.
  std::chrono::milliseconds drain_interval{5};
  /// Share of the queries that are recorded, (0, 1]: of a QueryScope all rankings or none. Others
  /// are counted (`Health::sampled_out`) without latency. Searches in the shadow are all recorded.
  double sampling = 1.0;
  /// Hits of each judged ranking that are kept to find documents in that are judged later, [0,
  /// 100000]. See `Experiment::rejudge`.
  std::uint32_t capture_depth = 0;
  /// How often `Experiment::latest` follows what is recorded, [10, 3600000] ms.
  std::chrono::milliseconds publish_interval{1000};
};

/// An arm in the host's words, for logs.
struct ArmDescription {
  std::string config{};  ///< everything that makes it what it is, such as TOML
  std::string engine{}, engine_version{};
  std::string index{};  ///< where it is, or what it is called
};

/// Runs beside an experiment for as long as it lives, such as a dashboard.
class ExperimentService {
 public:
  ExperimentService() = default;
  virtual ~ExperimentService() = default;
  ExperimentService(const ExperimentService&) = delete;
  ExperimentService& operator=(const ExperimentService&) = delete;
};
/// Begins a service on the thread that makes the experiment, whose constructor throws what this
/// throws. Must not return null.
using AttachService = std::function<std::unique_ptr<ExperimentService>(Experiment& experiment)>;

struct ExperimentOptions {
  std::string name = "experiment";
  /// 1 to 64 distinct names. The others are compared with the first.
  std::vector<std::string> arms{};
  std::vector<std::uint32_t> cutoffs = {100, 1000};  ///< of PRES, R and AP, in [1, 2^31)
  std::vector<std::string> measures{};  ///< instead of these, as `Measure::parse` reads them
  Mode mode = Mode::kObserve;
  EpochRule epochs = EpochRule::kGeneration;
  /// The chance that any verdict of an epoch is ever wrong, (0, 0.5]; split evenly over measures
  /// and pairs of arms.
  double alpha = 0.05;
  RecordingOptions recording{};
  ShadowOptions shadow{};  ///< of Mode::kPaired
  SplitOptions split{};    ///< of Mode::kSplit
  /// Called on the recorder thread for each observation, before it enters the summary. If it
  /// throws, that is counted (`Health::listener_failures`).
  std::function<void(const Observation&)> on_observation{};
  std::vector<std::shared_ptr<ObservationLog>> logs{};   ///< each serves one experiment
  std::map<std::string, ArmDescription> descriptions{};  ///< by name of arm, for logs
  /// Begun in this order when all else is ready, ended in the opposite order before anything else.
  std::vector<AttachService> services{};
};

}  // namespace prescope
