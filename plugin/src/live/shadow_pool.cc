#include "live/shadow_pool.h"

#include <algorithm>

#include "base/threads.h"
#include "live/arms.h"

namespace prescope {

namespace {

void add_one(std::atomic<std::uint64_t>& counter) noexcept {
  counter.fetch_add(1, std::memory_order_release);
}

/// Shuffles; every order is equally likely.
void shuffle(std::span<ArmIndex> arms, SplitMix& random) noexcept {
  for (std::size_t i = arms.size(); i > 1; --i) {
    std::swap(arms[i - 1], arms[(random.next() >> 32U) * i >> 32U]);
  }
}

/// Returns the share of the visits to run. If the served ranking is part of the comparison, only
/// visits whose served ranking is recorded can be compared.
double sampled_share(const ShadowOptions& options, const RecordingOptions& recording) {
  return options.latency == ShadowOptions::Latency::kBothArms
             ? options.sampling
             : std::min(options.sampling, recording.sampling);
}

}  // namespace

ShadowPool::ShadowPool(Experiment& experiment, const ShadowOptions& options, std::uint64_t seed)
    : experiment_(experiment),
      options_(options),
      sampling_(sampled_share(options, experiment.options().recording)),
      queue_(options.queue) {
  SplitMix seeds(seed);
  for (std::uint32_t i = 0; i < options.threads; ++i) {
    threads_.push_back(start_thread(
        "prescope-shadow", [this, random = SplitMix(seeds.next())](const std::stop_token& stop) {
          run(stop, random);
        }));
  }
}

bool ShadowPool::takes(const Visit& visit, std::optional<ArmIndex> served) noexcept {
  if (visit.topic == kUnjudgedTopic) return add_one(unjudged_), false;
  if (num_compared(served) < 2) return add_one(unpaired_), false;
  return sampling_.takes(visit) || (add_one(sampled_out_), false);
}

bool ShadowPool::wants(const Visit& visit) noexcept {
  if (!takes(visit, std::nullopt)) return false;
  const bool has_room = waiting_.load(std::memory_order_relaxed) < options_.queue;
  return has_room || (add_one(queue_full_), false);
}

bool ShadowPool::offer(ShadowQuery query) noexcept {
  if (!takes(query.visit, query.served)) return false;
  if (!enqueue(query)) return add_one(queue_full_), false;
  wake_.notify_one();
  return true;
}

std::uint32_t ShadowPool::num_compared(std::optional<ArmIndex> served) const noexcept {
  const bool both = options_.latency == ShadowOptions::Latency::kBothArms;
  if (served && !both && !is_active(*served)) return 0;  // its ranking was not recorded
  std::uint32_t arms = 0;
  for (std::uint32_t i = 0; i < experiment_.arms().size(); ++i) {
    arms += is_active(ArmIndex(i)) ? 1 : 0;
  }
  return arms;
}

bool ShadowPool::enqueue(ShadowQuery& query) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_ || queue_.full()) return false;
  queue_.push_back({std::move(query), Clock::now()});
  waiting_.store(queue_.size(), std::memory_order_relaxed);
  return true;
}

void ShadowPool::run(const std::stop_token& stop, SplitMix random) noexcept {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, stop, [this] { return !queue_.empty(); });
    if (stop.stop_requested()) return;
    const Waiting waiting = std::move(queue_.front());
    queue_.pop_front();
    waiting_.store(queue_.size(), std::memory_order_relaxed);
    lock.unlock();
    if (Clock::now() - waiting.since > options_.deadline) {
      add_one(expired_);
      continue;
    }
    switch (search_arms(waiting.query, stop, random)) {
      case Ended::kUnpaired:
        add_one(unpaired_);
        break;
      case Ended::kInterrupted:
        add_one(expired_);
        break;
      case Ended::kFailed:
        add_one(failed_);  // first: see count()
        [[fallthrough]];
      case Ended::kRun:
        add_one(run_);
    }
  }
}

ShadowPool::Ended ShadowPool::search_arms(const ShadowQuery& query, const std::stop_token& stop,
                                          SplitMix& random) noexcept {
  std::array<ArmIndex, ArmTable::kMost> arms;
  std::size_t num_arms = 0;
  const bool both = options_.latency == ShadowOptions::Latency::kBothArms;
  for (ArmIndex arm{0}; arm.value() < experiment_.arms().size(); arm = ArmIndex(arm.value() + 1)) {
    if ((both || arm != query.served) && is_active(arm)) arms[num_arms++] = arm;
  }
  const auto compared = static_cast<std::uint32_t>(both ? num_arms : num_arms + 1);
  if (compared < 2 || num_compared(query.served) < 2) return Ended::kUnpaired;  // paused meanwhile
  shuffle({arms.data(), num_arms}, random);
  Ended ended = Ended::kRun;
  for (std::size_t i = 0; i < num_arms; ++i) {
    if (stop.stop_requested()) return Ended::kInterrupted;
    if (!search(query, arms[i], compared)) ended = Ended::kFailed;
  }
  return ended;
}

bool ShadowPool::search(const ShadowQuery& query, ArmIndex arm,
                        std::uint32_t compared_arms) noexcept {
  Visit visit = query.visit;
  visit.arm = arm;
  visit.started = Clock::now();
  QueryScope scope(experiment_, visit, compared_arms);
  bool has_thrown = false;
  try {
    query.search(arm);
  } catch (...) {
    has_thrown = true;
  }
  return scope.fail_unless_answered() && !has_thrown;
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
  expired_ += dropped.size();
  threads_.clear();  // joins
}

void ShadowPool::count(Health& health) const noexcept {
  health.shadow_unjudged = unjudged_;
  health.shadow_unpaired = unpaired_;
  health.shadow_sampled_out = sampled_out_;
  health.shadow_queue_full = queue_full_;
  health.shadow_expired = expired_;
  health.shadow_run = run_;
  health.shadow_failed =
      failed_;  // last: a thread that sees a query as run also sees that it failed
}

}  // namespace prescope
