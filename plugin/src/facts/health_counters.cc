#include "facts/health_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace prescope {

// Not unnamed: other files of a unity build may have some of these names.
namespace health_table {

using enum HealthReport;

// Groups.
constexpr std::string_view kLost = "lost", kFault = "fault", kExpected = "expected";
constexpr std::string_view kComparison = "comparison", kFlow = "flow";

constexpr CountedNoun kObservation{"observation", "observations"};
constexpr CountedNoun kRanking{"ranking", "rankings"};
constexpr CountedNoun kPage{"later page", "later pages"};
constexpr CountedNoun kQuery{"query", "queries"};
constexpr CountedNoun kScope{"query scope", "query scopes"};
constexpr CountedNoun kSearch{"search", "searches"};
constexpr CountedNoun kFailure{"failure", "failures"};
constexpr CountedNoun kCall{"failed call", "failed calls"};
constexpr CountedNoun kLog{"log", "logs"};
constexpr CountedNoun kSummary{"summary", "summaries"};
constexpr CountedNoun kLatency{"latency", "latencies"};

constexpr std::string_view kObserved = "prescope_observations_total";
constexpr std::string_view kDropped = "prescope_dropped_total";
constexpr std::string_view kUnscored = "prescope_unscored_total";
constexpr std::string_view kFailures = "prescope_failures_total";
constexpr std::string_view kLogLost = "prescope_log_lost_total";
constexpr std::string_view kShadow = "prescope_shadow_queries_total";

constexpr auto kMetrics = std::to_array<HealthMetric>({
    {kObserved, "stage", "Observations, by how far they came."},
    {kDropped, "reason", "Observations that are lost and in no score."},
    {kUnscored, "reason", "Rankings that are in no score, by why."},
    {kFailures, "component", "Failures that were kept from the host."},
    {kLogLost, "reason", "Observations that a log lost, all logs together."},
    {"prescope_logs_failing"},
    {"prescope_log_waiting"},
    {"prescope_clock_steps_total"},
    {"prescope_unknown_start_total"},
    {kShadow, "outcome", "Queries offered for comparison, by what became of them."},
    {"prescope_shadow_failures_total"},
    {"prescope_shadow_later_pages_total"},
});

#define COUNTER(member) &Health::member, #member
constexpr auto kCounters = std::to_array<HealthCounter>({
    {COUNTER(pushed), kFlow, kNone, kObservation, "queued for the recorder", kObserved, "pushed"},
    {COUNTER(recorded), kFlow, kNone, kObservation, "recorded", kObserved, "recorded"},
    {COUNTER(dropped_queue_full), kLost, kLeftOut, kObservation,
     "dropped: the recorder's queue was full", kDropped, "queue_full"},
    {COUNTER(queries_without_scope), kFault, kLeftOut, kRanking, "served outside any query scope",
     kUnscored, "no_scope"},
    {COUNTER(queries_without_ranking), kFault, kLeftOut, kScope,
     "closed without an observed ranking", kUnscored, "no_ranking"},
    {COUNTER(unknown_arm), kFault, kOddity, kQuery, "for an arm that the experiment does not have",
     kUnscored, "unknown_arm"},
    {COUNTER(unmatched_rankings), kFault, kLeftOut, kRanking,
     "not matched: the docids came without a resolved table of their index", kUnscored,
     "unmatched"},
    {COUNTER(unobserved_searches), kFault, kLeftOut, kSearch,
     "not recorded: made in a way that the adapter cannot observe", kUnscored, "unobserved"},
    {COUNTER(misplaced_scopes), kFault, kLeftOut, kScope,
     "misplaced: opened within another visit's scope, or closed on another thread", kUnscored,
     "misplaced_scope"},
    {COUNTER(unknown_start), kFault, kLeftOut, kRanking,
     "without a latency: the adapter did not say when the search began",
     "prescope_unknown_start_total"},
    {COUNTER(pages_without_key), kFault, kLeftOut, kPage, "not scored: no key names the visit",
     kUnscored, "page_without_key"},
    {COUNTER(page_gaps), kFault, kLeftOut, kPage,
     "not scored: the earlier pages were not seen, or rankings are collapsed", kUnscored,
     "page_gap"},
    {COUNTER(topics_not_read), kFault, kLeftOut, kQuery,
     "taken as unjudged: the judgements of the topic could not be read", kUnscored,
     "topic_not_read"},
    {COUNTER(topics_without_room), kFault, kLeftOut, kQuery,
     "taken as unjudged: there is no room for another topic", kUnscored, "topic_without_room"},
    {COUNTER(adapter_failures), kFault, kLeftOut, kFailure,
     "of the engine adapter, kept from the search", kFailures, "adapter"},
    {COUNTER(listener_failures), kFault, kOddity, kFailure, "of the host's observation listener",
     kFailures, "listener"},
    {COUNTER(recorder_failures), kLost, kLeftOut, kObservation, "lost to a failure while recording",
     kDropped, "recorder_failure"},
    {COUNTER(log_failures), kLost, kOddity, kCall, "of a log", kFailures, "log"},
    {COUNTER(log_queue_full), kLost, kOddity, kObservation,
     "lost to a log: it was written too slowly", kLogLost, "queue_full"},
    {COUNTER(log_write_failures), kLost, kOddity, kObservation,
     "lost to a log: it could not be written for too long", kLogLost, "write_failure"},
    {COUNTER(log_lost_with_file), kLost, kOddity, kObservation,
     "in a store whose file was then removed, moved or replaced", kLogLost, "file_gone"},
    {COUNTER(logs_failing), kFlow, kNone, kLog, "that cannot be written now",
     "prescope_logs_failing"},
    {COUNTER(log_waiting), kFlow, kNone, kObservation, "that logs have not written yet",
     "prescope_log_waiting"},
    {COUNTER(publish_failures), kLost, kOddity, kSummary, "that could not be made or published",
     kFailures, "publish"},
    {COUNTER(sampled_out), kExpected, kLeftOut, kRanking, "left out by sampling", kUnscored,
     "sampled_out"},
    {COUNTER(inactive_arm), kExpected, kLeftOut, kRanking,
     "not recorded: the arm is paused or removed", kUnscored, "inactive_arm"},
    {COUNTER(late_observations), kExpected, kLeftOut, kObservation,
     "in no score: of an index, of judgements or of arms that had been replaced", kUnscored,
     "late"},
    {COUNTER(clock_steps), kFault, kLeftOut, kLatency, "below zero, taken as unknown",
     "prescope_clock_steps_total"},
    {COUNTER(shadow_unjudged), kComparison, kLeftOut, kQuery,
     "not compared: the topic is not judged", kShadow, "unjudged"},
    {COUNTER(shadow_unpaired), kComparison, kLeftOut, kQuery,
     "not compared: no other arm was active", kShadow, "unpaired"},
    {COUNTER(shadow_sampled_out), kComparison, kLeftOut, kQuery,
     "not compared: left out by sampling", kShadow, "sampled_out"},
    {COUNTER(shadow_queue_full), kComparison, kLeftOut, kQuery,
     "not compared: the shadow queue was full", kShadow, "queue_full"},
    {COUNTER(shadow_expired), kComparison, kLeftOut, kQuery, "not compared: the wait was too long",
     kShadow, "expired"},
    {COUNTER(shadow_run), kComparison, kOddity, kQuery, "run again for comparison", kShadow, "run"},
    {COUNTER(shadow_failed), kComparison, kOddity, kQuery,
     "run again, but a search threw or observed no ranking", "prescope_shadow_failures_total"},
    {COUNTER(shadow_later_pages), kComparison, kLeftOut, kSearch,
     "for comparison that ranked from a later rank than 1; not compared",
     "prescope_shadow_later_pages_total"},
});

#undef COUNTER
static_assert(sizeof(Health) == kCounters.size() * sizeof(std::uint64_t),
              "a counter of Health is not listed");

consteval bool is_consistent() {
  return std::ranges::all_of(kCounters, [](const HealthCounter& one) {
    const auto* const metric = std::ranges::find(kMetrics, one.metric, &HealthMetric::name);
    return std::ranges::count(kCounters, one.member, &HealthCounter::member) == 1 &&
           metric != kMetrics.end() && metric->label.empty() == one.label.empty() &&
           metric->help.empty() == one.label.empty();
  });
}
static_assert(is_consistent(), "a counter is listed twice, or does not fit its metric");

}  // namespace health_table

std::span<const HealthCounter> health_counters() noexcept { return health_table::kCounters; }

std::string sentence(const HealthCounter& counter) {
  std::string words = fmt::format("{} {}.", counter.noun.plural, counter.what);
  words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::span<const HealthMetric> health_metrics() noexcept { return health_table::kMetrics; }

}  // namespace prescope
