#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "collect/collect_answer.h"
#include "collect/posted_ranking.h"
#include "collect/posted_visits.h"
#include "prescope/experiment.h"
#include "prescope/topic_matcher.h"
#include "replay/replay_options.h"
#include "store/sessions/stored_requests.h"

namespace prescope {

struct CollectorOptions {
  LiveOptions live{};
  std::filesystem::path store{};  ///< made if it is missing
  std::function<void(const std::string&)> on_warning{};
};

/// An experiment that is fed with lines of JSON. A line is answered when the store has committed
/// it, and counts once: the store keeps the ids. Thread-safe. A thread of its own reads the lines,
/// in the order in which bodies were posted.
class Collector {
 public:
  /// Bytes of bodies that wait to be read; `post` takes no more.
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20U;
  /// Bytes of a line; a longer one is refused.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

  /// Reads judgements and topics, and opens the store. Throws Error.
  explicit Collector(CollectorOptions options);
  /// Reads what waits, gives up visits whose rankings are not complete, and ends the store's log.
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  [[nodiscard]] Experiment& experiment() noexcept { return *experiment_; }
  [[nodiscard]] const CollectorOptions& options() const noexcept { return options_; }

  /// Takes a body of lines. Later calls `answer` once, on another thread. Returns false, and takes
  /// nothing, if too much waits already or the store cannot be written: the client should wait.
  using Answer = std::function<void(const CollectAnswer&)>;
  [[nodiscard]] bool post(std::string body, Answer answer);
  /// Waits until every body was read and its observations are stored. Returns false if they cannot
  /// be.
  bool flush();
  /// Flushes, gives up all visits whose rankings are not complete, and ends the log. No body may be
  /// posted any more.
  void end();

  [[nodiscard]] CollectCounts counts() const;
  /// Returns the arm that is to serve a unit of traffic: a topic, the text of a topic, or any other
  /// text, such as an unjudged query.
  [[nodiscard]] const ArmId& arm_for(std::string_view unit) const;

 private:
  /// The lines of one body.
  struct Batch {
    CollectAnswer answer{};
    std::size_t open = 1;  // lines that wait for the store, and one until all are read
    Answer on_answer{};
  };
  /// A line, and what it does not say.
  struct Line {
    std::shared_ptr<Batch> batch{};
    std::uint64_t number = 0;  // from 1
    bool is_duplicate = false;
    bool is_unjudged = false, has_failed = false;
    bool has_time = false, has_latency = false, has_depth = false, has_total = false;
  };
  struct Posted {
    std::string body;
    Answer answer;
  };
  enum class Became { kAccepted, kDuplicate, kNotStored };

  void add_actions(ExperimentOptions& of_experiment) const;
  void run(const std::stop_token& stop);
  void read(const Posted& posted);
  void read_line(Line line, std::string_view text);
  [[nodiscard]] bool is_known(const PostedVisits::Named& named, const Line& line);
  [[nodiscard]] bool has_room();  // waits for it
  void record(const PostedVisits::Named& named, const Line& line);
  [[nodiscard]] PostedVisits::Named named(const PostedRanking& ranking) const;
  [[nodiscard]] TopicIndex topic_of(const PostedRanking& ranking) const;
  [[nodiscard]] ArmIndex arm_of(const PostedRanking& ranking) const;
  void check_time(const PostedRanking& ranking) const;
  void check_docnos(const PostedVisits::Named& named) const;
  /// Called by the log: the store has the request, or never will.
  void settle(std::uint64_t request_id, bool is_stored);
  void answer(const Line& line, Became became);
  void refuse(const Line& line, const char* why);
  void close(const std::shared_ptr<Batch>& batch);

  const CollectorOptions options_;
  std::shared_ptr<ObservationLog> log_;
  std::unique_ptr<Experiment> experiment_;
  std::optional<TopicMatcher> topics_;
  std::optional<StoredRequests> stored_;
  std::optional<UtcTime> stored_since_;  // of the thread that reads
  bool is_stuck_ = false;                // the store took nothing for a while; of that thread
  bool are_docnos_numbers_ = false;      // some judged docno is
  PostedRankingReader reader_;           // of that thread
  std::optional<PostedVisits> visits_;   // of that thread

  mutable std::mutex mutex_;  // of all below
  std::condition_variable_any posted_, settled_;
  std::deque<Posted> queue_;
  std::size_t queued_bytes_ = 0;
  bool is_reading_ = false;
  /// Lines that wait for the store, by request id: the first one, and its duplicates.
  std::unordered_map<std::uint64_t, std::vector<Line>> waiting_;
  CollectCounts counts_;

  std::jthread thread_;  // last, because it uses all members above
};

}  // namespace prescope
