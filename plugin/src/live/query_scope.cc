// Visits, and the scopes by which a thread says which visit it serves. No lock, no allocation, no
// exception.
#include "prescope/query_scope.h"

#include <algorithm>

#include "base/hash.h"
#include "live/experiment_state.h"
#include "live/query_path/open_scopes.h"

namespace prescope {

namespace {

using Clock = std::chrono::steady_clock;

constinit thread_local OpenScopes open_scopes;
constinit thread_local Stage named_stage = Stage::kUnnamed;

constinit std::atomic<std::uint32_t> num_threads{0};

/// Counts scopes that ended on another thread than the one they were opened on, by the number of
/// that one. Threads that share a counter forget their scopes too, which costs a few rankings of a
/// program that already misplaces scopes.
constinit std::array<std::atomic<std::uint32_t>, 256> ends_elsewhere{};

std::atomic<std::uint32_t>& ends_elsewhere_of(std::uint32_t thread) noexcept {
  return ends_elsewhere[thread % ends_elsewhere.size()];
}

/// Returns a hash that is not 0, because 0 means that there is no key.
std::uint64_t visit_key(std::string_view key) noexcept {
  return key.empty() ? 0 : std::max<std::uint64_t>(key_hash(key), 1);
}

}  // namespace

std::uint32_t OpenScopes::thread() noexcept {
  if (thread_ == 0) {
    thread_ = num_threads.fetch_add(1, std::memory_order_relaxed) + 1;
    known_ends_ = ends_elsewhere_of(thread_).load(std::memory_order_relaxed);
  }
  return thread_;
}

void OpenScopes::ended_elsewhere(std::uint32_t thread) noexcept {
  ends_elsewhere_of(thread).fetch_add(1, std::memory_order_relaxed);
}

void OpenScopes::forget(std::size_t ended) noexcept {
  const std::size_t open = size_ + forgotten_;
  forgotten_ = open - std::min(open, ended);
  size_ = 0;
}

void OpenScopes::forget_if_one_ended_elsewhere() noexcept {
  const std::uint32_t ends = ends_elsewhere_of(thread()).load(std::memory_order_relaxed);
  const std::uint32_t before = std::exchange(known_ends_, ends);
  if (before != ends) forget(ends - before);
}

bool OpenScopes::push(OpenScope& scope) noexcept {
  forget_if_one_ended_elsewhere();
  if (size_ == kMost) forget(0);
  scope.id = ++last_id_;
  const auto is_of_the_same_visit = [&](const OpenScope& other) {
    return other.experiment == scope.experiment && other.of.visit.number == scope.of.visit.number &&
           other.of.visit.topic == scope.of.visit.topic;
  };
  scope.is_misplaced = forgotten_ > 0 || !std::ranges::all_of(open(), is_of_the_same_visit);
  if (scope.is_misplaced) {
    for (OpenScope& other : open()) other.is_misplaced = true;
  }
  scopes_[size_++] = scope;
  return !scope.is_misplaced;
}

OpenScope OpenScopes::end(std::uint64_t id) noexcept {
  forget_if_one_ended_elsewhere();
  const auto found = std::ranges::find(open(), id, &OpenScope::id);
  if (found == open().end()) {
    forgotten_ -= forgotten_ > 0 ? 1 : 0;
    return {.is_misplaced = true};
  }
  const OpenScope ended = *found;
  std::copy(found + 1, open().end(), found);
  --size_;
  return ended;
}

OpenScope* OpenScopes::innermost() noexcept {
  if (size_ == 0) return nullptr;
  forget_if_one_ended_elsewhere();
  return size_ > 0 && !scopes_[size_ - 1].is_misplaced ? &scopes_[size_ - 1] : nullptr;
}

OpenScope* innermost_scope_of(const ExperimentState& experiment) noexcept {
  OpenScope* const innermost = open_scopes.innermost();
  return innermost != nullptr && innermost->experiment == &experiment ? innermost : nullptr;
}

Stage stage_of_thread() noexcept { return named_stage; }

StageScope::StageScope(Stage stage) noexcept : before_(std::exchange(named_stage, stage)) {}
StageScope::~StageScope() { named_stage = before_; }

QueryText::QueryText(std::string_view text) noexcept {
  std::size_t size = std::min(text.size(), kMost);
  const auto continues = [&] { return (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U; };
  // The bytes of a character behind the first one, at most 3, begin with the bits 10.
  constexpr std::size_t kLongestTail = 3;
  const std::size_t least = size - std::min(size, kLongestTail);
  while (size < text.size() && size > least && continues()) --size;
  std::copy_n(text.begin(), size, text_.begin());
  size_ = static_cast<std::uint8_t>(size);
}

Visit ExperimentTraffic::visit(TopicIndex topic, const VisitOptions& options) noexcept {
  Visit visit{.topic = topic,
              .number = state_->visits.fetch_add(1, std::memory_order_acquire) + 1,
              .key = visit_key(options.key),
              .started = Clock::now(),
              .served = options.served,
              .request_id = options.request_id};
  const bool is_late = visit.served && *visit.served < state_->arms_changed_at.load();
  if (is_late) visit.number = state_->arms_changed_by;
  if (!options.arm.empty()) {
    visit.arm = state_->arms.find(options.arm);
    if (!visit.arm) state_->counters.count(&Health::unknown_arm);
  }
  if (!is_late) state_->announce(visit);
  return visit;
}

Visit ExperimentTraffic::visit(const TopicId& topic, const VisitOptions& options) noexcept {
  const Clock::time_point started = Clock::now();
  Visit visit =
      this->visit(state_->qrels().look_up(topic.text()).value_or(kUnjudgedTopic), options);
  visit.started = started;
  return visit;
}

TopicIndex ExperimentState::topic_of(const SearchRequest& request) const noexcept {
  const bool is_named = !request.topic.empty();
  if (!is_named && (request.matched != kUnjudgedTopic || !qrels().finds_topics())) {
    return request.matched;
  }
  return qrels().look_up(is_named ? request.topic : request.text).value_or(kUnjudgedTopic);
}

Visit ExperimentTraffic::visit(const SearchRequest& request) noexcept {
  const Clock::time_point started = Clock::now();
  Visit visit = this->visit(state_->topic_of(request), {.key = request.session});
  visit.started = started;
  return visit;
}

QueryScope::QueryScope(Experiment& experiment, const TopicId& topic,
                       const VisitOptions& options) noexcept
    : experiment_(&experiment), visit_(experiment.visit(topic, options)) {
  open(nullptr, visit_.started);
}

QueryScope::QueryScope(Experiment& experiment, TopicIndex topic,
                       const VisitOptions& options) noexcept
    : experiment_(&experiment), visit_(experiment.visit(topic, options)) {
  open(nullptr, visit_.started);
}

QueryScope::QueryScope(Experiment& experiment, const Visit& visit) noexcept
    : experiment_(&experiment), visit_(visit) {
  open(nullptr, Clock::now());
}

QueryScope::QueryScope(Experiment& experiment, const Visit& visit, ComparedSearch& search) noexcept
    : experiment_(&experiment), visit_(visit) {
  open(&search, Clock::now());
}

void QueryScope::open(ComparedSearch* search, Clock::time_point began) noexcept {
  OpenScope opened{.scope = this,
                   .experiment = experiment_->state_.get(),
                   .search = search,
                   .of = {.visit = visit_,
                          .compared_arms = search == nullptr ? 0 : search->arms(),
                          .own_time = Clock::now() - began,
                          .flags = search == nullptr ? RankingFlags::kNone : search->flags(),
                          .query = search == nullptr ? std::string_view() : search->query()}};
  thread_ = open_scopes.thread();
  if (!open_scopes.push(opened)) experiment_->state_->counters.count(&Health::misplaced_scopes);
  id_ = opened.id;
}

QueryScope::~QueryScope() {
  HealthCounts& counters = experiment_->state_->counters;
  if (thread_ != open_scopes.thread()) {
    OpenScopes::ended_elsewhere(thread_);
    counters.count(&Health::misplaced_scopes);
    return;
  }
  const OpenScope ended = open_scopes.end(id_);
  if (ended.is_misplaced || ended.is_used) return;
  counters.count(&Health::queries_without_ranking);
  experiment_->state_->push_unseen(visit_);
}

QueryScope* QueryScope::current() noexcept {
  const OpenScope* const innermost = open_scopes.innermost();
  return innermost == nullptr ? nullptr : innermost->scope;
}

void QueryScope::search_failed(ArmIndex arm) noexcept {
  OpenScope* const innermost = open_scopes.innermost();
  if (innermost == nullptr || innermost->scope != this) return;
  if (!innermost->is_used) {
    experiment_->observe_failure(arm, Experiment::SearchFailure::kFailed);
  } else if (experiment_->state_->shadows) {
    // What one arm ranked must not decide whether the visit is compared.
    experiment_->state_->shadows->announce(visit_, arm);
  }
}

bool QueryScope::end_search(bool has_thrown) noexcept {
  OpenScope* const innermost = open_scopes.innermost();
  if (innermost == nullptr || innermost->scope != this) return false;  // misplaced
  if (!innermost->is_used) innermost->search->take(Experiment::SearchFailure::kFailed);
  return innermost->search->record(*experiment_->state_, innermost->take(), has_thrown);
}

}  // namespace prescope
