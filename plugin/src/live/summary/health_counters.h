#pragma once

#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include "prescope/summary.h"

namespace prescope {

using HealthCounter = std::pair<std::string_view, std::uint64_t Health::*>;

/// Every counter of Health by its name.
inline constexpr auto kHealthCounters = std::to_array<HealthCounter>({
    {"pushed", &Health::pushed},
    {"recorded", &Health::recorded},
    {"dropped_queue_full", &Health::dropped_queue_full},
    {"queries_without_scope", &Health::queries_without_scope},
    {"queries_without_ranking", &Health::queries_without_ranking},
    {"unknown_arm", &Health::unknown_arm},
    {"unmatched_rankings", &Health::unmatched_rankings},
    {"unobserved_searches", &Health::unobserved_searches},
    {"misplaced_scopes", &Health::misplaced_scopes},
    {"unknown_start", &Health::unknown_start},
    {"pages_without_key", &Health::pages_without_key},
    {"page_gaps", &Health::page_gaps},
    {"adapter_failures", &Health::adapter_failures},
    {"listener_failures", &Health::listener_failures},
    {"recorder_failures", &Health::recorder_failures},
    {"log_failures", &Health::log_failures},
    {"log_queue_full", &Health::log_queue_full},
    {"log_write_failures", &Health::log_write_failures},
    {"log_lost_with_file", &Health::log_lost_with_file},
    {"logs_failing", &Health::logs_failing},
    {"log_waiting", &Health::log_waiting},
    {"publish_failures", &Health::publish_failures},
    {"sampled_out", &Health::sampled_out},
    {"inactive_arm", &Health::inactive_arm},
    {"late_observations", &Health::late_observations},
    {"clock_steps", &Health::clock_steps},
    {"shadow_unjudged", &Health::shadow_unjudged},
    {"shadow_unpaired", &Health::shadow_unpaired},
    {"shadow_sampled_out", &Health::shadow_sampled_out},
    {"shadow_queue_full", &Health::shadow_queue_full},
    {"shadow_expired", &Health::shadow_expired},
    {"shadow_run", &Health::shadow_run},
    {"shadow_failed", &Health::shadow_failed},
    {"shadow_later_pages", &Health::shadow_later_pages},
});
static_assert(sizeof(Health) == kHealthCounters.size() * sizeof(std::uint64_t),
              "a counter of Health is not listed");

/// Counters of Health that any thread may raise, without a lock.
class HealthCounts {
 public:
  void count(std::uint64_t Health::*counter, std::uint64_t times = 1) noexcept {
    std::atomic_ref(counts_.*counter).fetch_add(times, std::memory_order_release);
  }
  /// Adds the counts, in the order of kHealthCounters.
  void add_to(Health& health) const noexcept {
    for (const auto& [name, counter] : kHealthCounters) {
      health.*counter += std::atomic_ref(counts_.*counter).load(std::memory_order_acquire);
    }
  }

 private:
  alignas(64) mutable Health counts_;  // mutable, because atomic_ref takes no constants
};

}  // namespace prescope
