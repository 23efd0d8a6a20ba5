#include "replay/self_test_replay.h"

#include <atomic>
#include <future>
#include <numeric>

#include "base/errors.h"
#include "base/split_mix.h"
#include "base/threads.h"
#include "prescope/served_request.h"
#include "prescope/slices.h"
#include "store/sessions/observation_reader.h"

namespace prescope {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// Returns a number in [0, 1).
double unit_of(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11U) * 0x1.0p-53; }

/// Searches for comparison are waited for, so none is lost.
ExperimentOptions self_test_options(const ReplayOptions& options, const LiveOptions& live,
                                    const SelfTestReplay& how) {
  ExperimentOptions result = replay_experiment(options);
  // The name is all that the second arm has of its own.
  result.descriptions[result.arms[1]] = result.descriptions[result.arms[0]];
  result.mode = Mode::kPaired;
  result.primary = live.primary;
  result.alpha = live.alpha;
  result.test = live.test;
  result.recording.capture_depth = kSelfTestHits;
  result.shadow.threads = options.threads;
  result.shadow.queue = std::max<std::size_t>(result.shadow.queue, options.threads);
  result.shadow.deadline = std::chrono::hours(1);
  result.shadow.latency = how.latency;
  result.logs = {
      log_to_store(how.store, {.captured_hits = kSelfTestHits, .on_warning = how.on_warning})};
  return result;
}

/// Visits of the two arms, one after the other or several at the same time.
class SelfTestRun {
 public:
  SelfTestRun(const ReplayOptions& options, const SelfTestReplay& how, Experiment& experiment,
              std::vector<std::unique_ptr<ArmSearcher>> searchers, SelfTestTraffic& traffic)
      : options_(options),
        how_(how),
        experiment_(experiment),
        searchers_(std::move(searchers)),
        traffic_(traffic),
        drawn_(traffic.topics.run.size(), how.draw, options.seed) {}

  void run() {
    began_ = SteadyClock::now();
    in_parallel(options_.threads, options_.threads, [this](std::size_t) {
      while (!has_ended_) {
        const std::uint64_t visit = next_++;
        if (how_.visits && visit >= *how_.visits) return;
        serve(drawn_[visit]);
        count();
      }
    });
    traffic_.answered = answered_;
  }

 private:
  /// Kept as long as anything may search for the visit.
  struct Searching {
    std::promise<void> has_ended;
    ~Searching() { has_ended.set_value(); }
  };

  void serve(DrawnVisits::Visit visit) {
    const ReplayTopic& topic = traffic_.topics.run[visit.topic];
    auto searching = std::make_shared<Searching>();
    const std::future<void> has_ended = searching->has_ended.get_future();
    const SearchRequest request{.topic = topic.topic.id.text(),
                                .arm = ArmIndex(visit.is_second_arm ? 1 : 0)};
    try {
      const ServedRequest served(
          experiment_, request,
          [this, &topic, kept = std::move(searching)](ArmIndex arm) { search(topic, arm); });
    } catch (const std::exception&) {  // recorded as a failed search
    }
    has_ended.wait();
  }

  void search(const ReplayTopic& topic, ArmIndex arm) {
    const TopicId& id = topic.topic.id;
    try {
      searchers_[arm.value()]->search({.topic = id.text(),
                                       .text = topic.topic.text,
                                       .exclude = topic.exclude,
                                       .depth = options_.depth},
                                      nullptr);
      ++answered_;
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      ++traffic_.failed;
      if (traffic_.failure.empty()) {
        traffic_.failure = fmt::format("topic '{}', arm '{}': {}", id.text(),
                                       options_.arms[arm.value()].config.id.text(), error.what());
      }
      constexpr std::uint64_t kHopeless = 100;
      if (answered_ == 0 && traffic_.failed >= kHopeless) has_ended_ = true;
      throw;
    }
  }

  void count() {
    const std::lock_guard lock(mutex_);
    ++traffic_.visits;
    const auto elapsed = SteadyClock::now() - began_;
    if (!how_.visits && elapsed >= how_.minutes) has_ended_ = true;
    if (!how_.on_visit || has_ended_) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed);
    if (how_.on_visit(traffic_.visits, ms)) return;
    traffic_.was_ended = true;
    has_ended_ = true;
  }

  const ReplayOptions& options_;
  const SelfTestReplay& how_;
  Experiment& experiment_;
  const std::vector<std::unique_ptr<ArmSearcher>> searchers_;
  SelfTestTraffic& traffic_;  // guarded by the mutex, except for its topics
  const DrawnVisits drawn_;
  SteadyClock::time_point began_;
  std::atomic<std::uint64_t> next_{0}, answered_{0};
  std::atomic<bool> has_ended_ = false;
  std::mutex mutex_;
};

}  // namespace

DrawnVisits::DrawnVisits(std::size_t topics, TopicDraw draw, std::uint64_t seed)
    : order_(topics), seed_(seed) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  SplitMix random(seed);
  for (std::size_t i = topics; i > 1; --i) std::swap(order_[i - 1], order_[random.next() % i]);
  double sum = 0.0;
  for (std::size_t i = 0; i < topics; ++i) {
    sum += draw == TopicDraw::kZipf ? 1.0 / static_cast<double>(i + 1) : 1.0;
    up_to_.push_back(sum);
  }
  for (double& share : up_to_) share /= sum;
}

DrawnVisits::Visit DrawnVisits::operator[](std::uint64_t visit) const {
  SplitMix random(SplitMix(seed_ ^ visit).next());
  const bool is_second_arm = (random.next() >> 63U) != 0;
  const auto place = std::ranges::upper_bound(up_to_, unit_of(random.next()));
  const std::size_t last = order_.size() - 1;
  const auto drawn = static_cast<std::size_t>(place - up_to_.begin());
  return {order_[std::min(drawn, last)], is_second_arm};
}

ArmId again(const ArmId& arm) { return ArmId(arm.text() + " again"); }

SelfTestTraffic replay_self_test(ReplayOptions options, const LiveOptions& live,
                                 const SelfTestReplay& how) {
  options.arms.resize(1);
  options.arms.push_back(options.arms.front());
  options.arms.back().config.id = again(options.arms.front().config.id);
  // An engine that cannot be loaded is heard of before judgements are read.
  static_cast<void>(load_engine(options.arms.front().engine));
  TopicFiles files = load_topic_files(options);
  Qrels qrels = replay_judgements(options, files);
  ExperimentOptions experiment_options = self_test_options(options, live, how);
  experiment_options.slices = read_slices(options.slices, qrels);

  SelfTestTraffic traffic;
  {
    Experiment experiment(std::move(qrels), experiment_options);
    const ReplayIndexes indexes(options.arms, experiment);
    traffic.topics = choose_topics(options, std::move(files), experiment.qrels(), indexes);
    SelfTestRun run(options, how, experiment, indexes.searchers(), traffic);
    run.run();
    experiment.drain_shadow();
    experiment.flush();
    check_logs(experiment_options.logs);
  }
  if (traffic.answered == 0 && traffic.failed > 0) {
    throw engine_error("every search has failed; the first: {}", traffic.failure);
  }
  const auto session = ObservationReader(how.store).newest_session(options.name);
  if (!session) throw io_error("{}: the session is not in the store", how.store.string());
  traffic.session = *session;
  return traffic;
}

}  // namespace prescope
