#include "live/shadow_pool.h"

#include <algorithm>

#include "base/errors.h"
#include "base/threads.h"
#include "live/experiment_state.h"

namespace prescope {

namespace {

/// Set when a pool ends on its own thread, because the function that it ran was the last owner of
/// the experiment.
constinit thread_local bool has_ended_here = false;

/// The pool that this thread belongs to, or null.
constinit thread_local const ShadowPool* pool_of_thread = nullptr;

/// Shuffles; every order is equally likely.
void shuffle(std::span<ArmIndex> arms, SplitMix& random) noexcept {
  for (std::size_t i = arms.size(); i > 1; --i) {
    std::swap(arms[i - 1], arms[(random.next() >> 32U) * i >> 32U]);
  }
}

/// Returns the share of the visits to run. If the served ranking is part of the comparison, only
/// visits whose served ranking is recorded can be compared.
double sampled_share(const ShadowOptions& options, const RecordingOptions& recording) {
  return options.latency == ShadowOptions::Latency::kNotCompared
             ? std::min(options.sampling, recording.sampling)
             : options.sampling;
}

}  // namespace

ShadowPool::ShadowPool(Experiment& experiment, const ShadowOptions& options, std::uint64_t seed)
    : experiment_(experiment),
      options_(options),
      sampling_(sampled_share(options, experiment.options().recording)),
      overlap_sampling_(options.overlap.sampling),
      queue_(options.queue) {
  SplitMix seeds(seed);
  for (std::uint32_t i = 0; i < options.threads; ++i) {
    threads_.push_back(start_thread(
        "prescope-shadow", [this, random = SplitMix(seeds.next())](const std::stop_token& stop) {
          run(stop, random);
        }));
  }
}

ShadowPool::Arms ShadowPool::arms_to_compare(std::optional<ArmIndex> served) const noexcept {
  Arms active = active_arms();
  const bool both = options_.latency != ShadowOptions::Latency::kNotCompared;
  // The ranking of a served arm that is not active was not recorded.
  const bool is_recorded =
      both || !served || std::find(active.begin(), active.end(), *served) != active.end();
  return active.size() < 2 || !is_recorded ? Arms() : active;
}

ShadowPool::Arms ShadowPool::arms_to_overlap() const noexcept {
  Arms active = active_arms();
  const bool can_compare = active.size() >= 2 && active.front() == ArmIndex(0);
  return can_compare ? active : Arms();
}

ShadowPool::Arms ShadowPool::active_arms() const noexcept {
  Arms active;
  for (std::uint32_t i = 0; i < experiment_.arms().size(); ++i) {
    if (experiment_.status(ArmIndex(i)) == ArmStatus::kActive) active.emplace_back(i);
  }
  return active;
}

bool ShadowPool::refuse(Counter reason) noexcept {
  counters_.count(reason);
  return false;
}

bool ShadowPool::takes(const Visit& visit, std::optional<ArmIndex> served) noexcept {
  if (!experiment_.state_->is_judged(visit.topic)) return takes_unjudged(visit);
  if (arms_to_compare(served).empty()) return refuse(&Health::shadow_unpaired);
  return sampling_.takes(visit) || refuse(&Health::shadow_sampled_out);
}

bool ShadowPool::takes_unjudged(const Visit& visit) noexcept {
  const bool is_taken = visit.topic == kUnjudgedTopic && overlap_sampling_.takes(visit);
  if (!is_taken) return refuse(&Health::shadow_unjudged);
  return !arms_to_overlap().empty() || refuse(&Health::shadow_unpaired);
}

void ShadowPool::announce(const Visit& visit, std::optional<ArmIndex> served,
                          RankingFlags more) noexcept {
  if (!experiment_.state_->is_judged(visit.topic) || !sampling_.takes(visit)) return;
  const Arms compared = arms_to_compare(served);
  if (compared.empty()) return;
  const bool is_active = served && std::ranges::find(compared, *served) != compared.end();
  experiment_.state_->push_announcement(visit, is_active ? *served : compared.front(),
                                        static_cast<std::uint32_t>(compared.size()), more);
}

bool ShadowPool::lose(const Visit& visit, std::optional<ArmIndex> served, Counter reason) noexcept {
  announce(visit, served);
  return refuse(reason);
}

bool ShadowPool::wants(const Visit& visit) noexcept {
  if (!takes(visit, std::nullopt)) return false;
  if (draining_.load(std::memory_order_relaxed) > 0) {
    return lose(visit, std::nullopt, &Health::shadow_expired);
  }
  const bool has_room = waiting_.load(std::memory_order_relaxed) < options_.queue;
  return has_room || lose(visit, std::nullopt, &Health::shadow_queue_full);
}

bool ShadowPool::offer(ShadowQuery query) noexcept {
  answered(query.visit);
  if (!takes(query.visit, query.served)) return false;
  {
    const std::lock_guard lock(mutex_);
    if (draining_ > 0) return lose(query.visit, query.served, &Health::shadow_expired);
    if (stopped_ || queue_.full()) {
      return lose(query.visit, query.served, &Health::shadow_queue_full);
    }
    queue_.push_back({std::move(query), Clock::now()});
    waiting_.store(queue_.size(), std::memory_order_relaxed);
  }
  wake_.notify_one();
  return true;
}

void ShadowPool::answered(const Visit& visit) noexcept {
  if (!experiment_.state_->is_judged(visit.topic)) return;
  experiment_.state_->answered(visit.topic, visit.number);
}

std::uint32_t ShadowPool::begin_own(const Visit& visit, std::optional<ArmIndex> served) noexcept {
  answered(visit);
  if (!takes(visit, served)) return 0;
  const bool is_judged = visit.topic != kUnjudgedTopic;
  const std::size_t arms = (is_judged ? arms_to_compare(served) : arms_to_overlap()).size();
  if (arms == 0) {  // paused meanwhile
    counters_.count(&Health::shadow_unpaired);
    return 0;
  }
  announce(visit, served, RankingFlags::kAwaited);
  counters_.count(&Health::shadow_run);
  return static_cast<std::uint32_t>(arms);
}

void ShadowPool::end_own(const OpenComparison& comparison) noexcept {
  const bool is_judged = comparison.visit.topic != kUnjudgedTopic;
  const bool is_served_known =
      is_judged && options_.latency == ShadowOptions::Latency::kNotCompared;
  const std::uint32_t ranked = comparison.ranked + (is_served_known ? 1 : 0);
  if (ranked >= comparison.arms) return;
  counters_.count(&Health::shadow_failed);
  if (ranked + comparison.failed >= comparison.arms) return;
  if (!is_judged) return experiment_.state_->push_given_up(comparison.visit, comparison.arms);
  announce(comparison.visit, comparison.served, RankingFlags::kGivenUp);
}

void ShadowPool::run(const std::stop_token& stop, SplitMix random) noexcept {
  pool_of_thread = this;
  while (std::optional<Waiting> taken = next(stop)) {
    finish(std::move(taken), stop, random);
    if (has_ended_here) return;
    const std::lock_guard lock(mutex_);
    if (--taken_ == 0 && queue_.empty()) idle_.notify_all();
  }
}

std::optional<ShadowPool::Waiting> ShadowPool::next(const std::stop_token& stop) noexcept {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, stop, [this] { return !queue_.empty(); });
  if (stop.stop_requested()) return std::nullopt;
  std::optional<Waiting> taken(std::move(queue_.front()));
  queue_.pop_front();
  waiting_.store(queue_.size(), std::memory_order_relaxed);
  ++taken_;
  return taken;
}

void ShadowPool::finish(std::optional<Waiting> taken, const std::stop_token& stop,
                        SplitMix& random) noexcept {
  const bool is_too_late = Clock::now() - taken->since > options_.deadline;
  const Counter became =
      is_too_late ? &Health::shadow_expired : search_arms(taken->query, stop, random);
  if (became == &Health::shadow_expired) announce(taken->query.visit, taken->query.served);
  counters_.count(became);
}

void ShadowPool::drain() {
  if (pool_of_thread == this) {
    throw usage_error(
        "experiment '{}': a search for comparison cannot wait until all searches for comparison "
        "have ended; call drain_shadow() on another thread",
        experiment_.options().name);
  }
  std::unique_lock lock(mutex_);
  ++draining_;
  idle_.wait(lock, [this] { return queue_.empty() && taken_ == 0; });
  --draining_;
}

ShadowPool::Counter ShadowPool::search_arms(const ShadowQuery& query, const std::stop_token& stop,
                                            SplitMix& random) noexcept {
  const bool is_judged = query.visit.topic != kUnjudgedTopic;
  Arms arms = is_judged ? arms_to_compare(query.served) : arms_to_overlap();
  if (arms.empty()) return &Health::shadow_unpaired;  // paused meanwhile
  const auto compared = static_cast<std::uint32_t>(arms.size());
  if (is_judged && options_.latency == ShadowOptions::Latency::kNotCompared) {
    arms.erase(std::find(arms.begin(), arms.end(), query.served));
  }
  shuffle({arms.data(), arms.size()}, random);
  bool has_failed = false;
  for (const ArmIndex arm : arms) {
    if (stop.stop_requested()) return &Health::shadow_expired;
    if (!search(query, arm, compared)) has_failed = true;
  }
  if (has_failed) counters_.count(&Health::shadow_failed);
  return &Health::shadow_run;
}

RankingFlags ShadowPool::repeats(ArmIndex arm, std::optional<ArmIndex> served) const noexcept {
  using Latency = ShadowOptions::Latency;
  const bool is_repeated = options_.latency == Latency::kBothArmsTwice ||
                           (options_.latency == Latency::kBothArms && arm == served);
  return is_repeated ? RankingFlags::kRepeated : RankingFlags::kNone;
}

bool ShadowPool::search(const ShadowQuery& query, ArmIndex arm, std::uint32_t num_arms) noexcept {
  using Purpose = ComparedSearch::Purpose;
  if (query.visit.topic == kUnjudgedTopic) {
    ComparedSearch unjudged(num_arms, RankingFlags::kNone, Purpose::kRanking, query.query.view());
    return search(query, arm, unjudged);
  }
  const RankingFlags flags = repeats(arm, query.served);
  if (options_.latency == ShadowOptions::Latency::kBothArmsTwice) {
    ComparedSearch warm_up(num_arms, flags, Purpose::kWarmUp);
    if (!search(query, arm, warm_up)) return false;
  }
  ComparedSearch compared(num_arms, flags, Purpose::kRanking);
  return search(query, arm, compared);
}

bool ShadowPool::search(const ShadowQuery& query, ArmIndex arm, ComparedSearch& compared) noexcept {
  Visit visit = query.visit;
  visit.arm = arm;
  visit.started = Clock::now();
  QueryScope scope(experiment_, visit, compared);
  try {
    query.search(arm);
    return scope.end_search(false);
  } catch (...) {
    return scope.end_search(true);
  }
}

void ShadowPool::stop() noexcept {
  for (std::jthread& thread : threads_) thread.request_stop();
  boost::circular_buffer<Waiting> dropped;  // destroyed without the mutex, as queries may own much
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    queue_.swap(dropped);
    waiting_ = 0;
  }
  for (const Waiting& one : dropped) {
    (void)lose(one.query.visit, one.query.served, &Health::shadow_expired);
  }
  for (std::jthread& thread : threads_) {
    // A thread cannot join itself. Its `run` is destroying the function, and then returns.
    if (thread.get_id() != std::this_thread::get_id()) continue;
    has_ended_here = true;
    thread.detach();
  }
  threads_.clear();  // joins the others
}

}  // namespace prescope
