#include "load.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace live_ab {

double quantile(std::vector<float>& values, double p) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::ptrdiff_t>(
      std::max(0.0, std::ceil(p * static_cast<double>(values.size())) - 1.0));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return static_cast<double>(values[static_cast<std::size_t>(rank)]);
}

Load::Load(const Traffic& traffic, std::function<void(const Query&)> answer, Plan plan)
    : traffic_(traffic), answer_(std::move(answer)), plan_(plan), users_(plan.threads) {
  for (User& user : users_) {
    user.thread = std::jthread([this, &user](const std::stop_token& stop) { ask(stop, user); });
  }
}

Load::Clock::time_point Load::due(std::uint64_t number) const {
  if (plan_.rate == 0.0) return Clock::now();
  const std::chrono::duration<double> after(static_cast<double>(number) / plan_.rate);
  return started_ + std::chrono::duration_cast<Clock::duration>(after);
}

void Load::ask(const std::stop_token& stop, User& user) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any wake;  // only by a request to stop
  for (;;) {
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    const Clock::time_point due_at = due(number);
    wake.wait_until(lock, stop, due_at, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      answer_(traffic_.query(number));
    } catch (const std::exception&) {
      ++user.failed;
    }
    const std::chrono::duration<float, std::milli> latency = Clock::now() - due_at;
    user.latencies_ms.push_back(latency.count());
  }
}

LoadReport Load::stop() {
  for (User& user : users_) user.thread.request_stop();
  for (User& user : users_) user.thread.join();
  const std::chrono::duration<double> seconds = Clock::now() - started_;
  LoadReport report{.seconds = seconds.count()};
  std::vector<float> all;
  for (const User& user : users_) {
    all.insert(all.end(), user.latencies_ms.begin(), user.latencies_ms.end());
    report.failed += user.failed;
  }
  report.queries = all.size();
  report.p50_ms = quantile(all, 0.5);
  report.p99_ms = quantile(all, 0.99);
  report.max_ms = quantile(all, 1.0);
  return report;
}

}  // namespace live_ab
