#include <algorithm>
#include <set>

#include "base/errors.h"
#include "base/random_bits.h"
#include "base/threads.h"
#include "base/utc_time.h"
#include "judgements/match_report.h"
#include "live/experiment_state.h"

namespace prescope {

namespace {

/// Returns the size of the largest observation in the queue, in bytes.
std::size_t largest_record(const JudgementVersion& version, const ExperimentOptions& options) {
  return sizeof(Observation) + version.most_judgements * sizeof(JudgedHit) +
         most_captured(options) * sizeof(std::uint64_t) + QueryText::kMost;
}

std::size_t queue_capacity(const JudgementVersion& version, const ExperimentOptions& options) {
  // The ring takes records up to a quarter of its size; a topic's largest should fit several times.
  return std::bit_ceil(
      std::max(options.recording.queue_bytes, 8 * largest_record(version, options)));
}

std::size_t num_judgements(const TopicQrels& topic) { return topic.judgements().size(); }

const TopicQrels& largest_topic(const JudgedDocnos& judged) {
  return *std::ranges::max_element(judged.qrels().topics(), {}, num_judgements);
}

void refuse_what_the_queue_cannot_hold(const JudgementVersion& next, const ExperimentState& state) {
  if (largest_record(next, state.options) <= state.ring.max_record()) return;
  const TopicQrels& largest = largest_topic(next.judged);
  throw usage_error(
      "topic '{}' would have {} judgements, more than fit into the queue of {} bytes; nothing was "
      "changed; begin the experiment with a larger queue_bytes",
      largest.id().text(), num_judgements(largest), state.ring.capacity());
}

/// Returns the topics whose judgements change, ascending.
std::vector<TopicIndex> topics_of(const JudgementChanges& changes, const Qrels& qrels) {
  std::set<TopicIndex> topics;
  for (const auto& one : changes.judged) topics.insert(qrels.find(one.topic.text()).value());
  for (const auto& one : changes.withdrawn) topics.insert(qrels.find(one.topic.text()).value());
  return {topics.begin(), topics.end()};
}

using Kind = ExperimentChange::Kind;

template <class... Args>
[[noreturn]] void refuse_change(fmt::format_string<Args...> problem, Args&&... args) {
  throw usage_error("{}; nothing was changed", fmt::format(problem, std::forward<Args>(args)...));
}

std::string no_arm(const ArmTable& arms, ArmIndex arm) {
  return fmt::format("arm number {} is not one of the {} arms", arm.value(), arms.size());
}

/// Refuses judgements that need to know the name of every document that is ranked.
void refuse_docids(const Qrels& qrels) {
  if (!qrels.finds_topics() && !qrels.collapses()) return;
  throw usage_error(
      "the experiment {}, which docids do not tell; give rankings by docno (HitKind::kDocnos){}",
      qrels.finds_topics() ? "finds its topics as they come, and needs the names of documents"
                           : "collapses rankings, and needs the families of all documents",
      qrels.finds_topics() ? ", or judgements with a list of topics" : "");
}

/// The name of an arm that can change, for messages.
const std::string& changeable(const ArmTable& arms, ArmIndex arm) {
  if (arm.value() >= arms.size()) refuse_change("{}", no_arm(arms, arm));
  const std::string& name = arms[arm.value()].text();
  if (arms.status(arm) == ArmStatus::kRemoved) {
    refuse_change("arm '{}' was removed; add it again to use it", name);
  }
  return name;
}

/// Refuses a name that a new arm cannot have. Returns the removed arm of that name, if there is
/// one.
std::optional<ArmIndex> checked_addition(const ArmTable& arms, std::string_view name) {
  if (name.empty()) refuse_change("the new arm has an empty name");
  const std::optional<ArmIndex> known = arms.find(name);
  if (known && arms.status(*known) != ArmStatus::kRemoved) {
    refuse_change("arm '{}' is there already; names must differ", name);
  }
  if (!known && arms.size() == ArmTable::kMost) {
    refuse_change(
        "arm '{}' would be the {}th; expected at most {} in the life of an experiment, those "
        "removed included; give a removed name again",
        name, ArmTable::kMost + 1, ArmTable::kMost);
  }
  return known;
}

}  // namespace

JudgementVersion::JudgementVersion(JudgedDocnos of, const JudgementVersion* before)
    : judged(std::move(of)),
      most_judgements(before == nullptr ? 0 : before->most_judgements),
      previous(before) {
  const SharedList<TopicQrels>& topics = judged.qrels().topics();
  const auto count = [&](std::size_t t) {
    most_judgements = std::max(most_judgements, num_judgements(topics[t]));
  };
  topics.for_each_unshared(
      before == nullptr ? SharedList<TopicQrels>() : before->judged.qrels().topics(), count);
}

ExperimentState::ExperimentState(Qrels first, ExperimentOptions of)
    : scorer(checked_measures(of, first)),
      options(with_defaults(std::move(of))),
      versions(1, JudgementVersion(JudgedDocnos(std::move(first)))),
      current(&versions.front()),
      sampling(options.recording.sampling),
      announced(options.mode == Mode::kObserve ? 0 : qrels().topic_limit()),
      arms(options.arms, options.split.shares),
      ring(queue_capacity(current_version(), options)),
      ledger(
          current_version().judged, scorer, arms.size(),
          {.mode = options.mode,
           .epochs = *options.epochs,
           .shadow_latency = options.shadow.latency,
           .scored_flags = options.recording.scored_flags,
           .baseline = options.split.baseline,
           .primary = primary_measure(options, scorer.measures()),
           .collapses = qrels().collapses(),
           .finds_topics = qrels().finds_topics(),
           .slices = FollowedSlices(options.slices, qrels()),
           .test = options.test,
           .overlap = options.shadow.overlap,
           .assigned =
               [this](TopicIndex topic) {
                 return arms.drawn_for(qrels().topic(topic).id().text(), options.split.salt);
               },
           .share = options.split.shares.empty() ? std::function<double(ArmIndex)>()
                                                 : [this](ArmIndex arm) { return arms.share(arm); },
           .second_draw =
               [this](TopicIndex topic) {
                 return second_draw(qrels().topic(topic).id().text(), options.split.salt);
               }}),
      summary_facts{.experiment = options.name,
                    .rule = qrels().rule(),
                    .salt = options.mode == Mode::kSplit ? options.split.salt : "",
                    .shares = options.split.shares,
                    .stages = options.stages,
                    .alpha = options.alpha,
                    .limits = options.limits} {
  ledger.on_epoch_end = [this](const Ledger& ended) { keep_epoch(ended); };
  publish();
  recorder = start_thread("prescope-record", [this](const std::stop_token& stop) { run(stop); });
}

Experiment::Experiment(Qrels qrels, ExperimentOptions options)
    : Experiment(std::make_unique<ExperimentState>(std::move(qrels), std::move(options))) {}

Experiment::Experiment(std::unique_ptr<ExperimentState> state)
    : ExperimentTraffic(*state),
      ExperimentIndexes(*state),
      ExperimentControl(*state),
      ExperimentResults(*state),
      state_(std::move(state)) {
  begin_logs();
  try {
    if (state_->options.mode == Mode::kPaired) {
      state_->shadows = std::make_unique<ShadowPool>(*this, state_->options.shadow, random_bits());
    }
    for (const AttachService& attach : state_->options.services) {
      state_->services.push_back(attach(*this));
    }
  } catch (...) {
    end();
    throw;
  }
}

/// In a forked child the threads that the members would wait for do not exist, and the logs are the
/// parent's. So the state is left as it is.
Experiment::~Experiment() {
  if (!state_->is_forked()) {
    end();
    return;
  }
  static std::atomic<ExperimentState*> left_behind;  // still reachable for leak checkers
  left_behind = state_.release();
}

void Experiment::end() noexcept {
  while (!state_->services.empty()) state_->services.pop_back();
  if (state_->shadows) state_->shadows->stop();
  {
    const std::lock_guard lock(state_->ledger_mutex);
    state_->push_unanswered(AnnouncedVisits::Which::kAll);
  }
  // After it has recorded the rest, nothing more is written to the logs.
  state_->recorder.request_stop();
  state_->recorder.join();
  state_->publish_last();
  for (const auto& log : state_->open_logs()) log->end();
}

void ExperimentControl::end_logs() {
  std::vector<std::shared_ptr<ObservationLog>> ending;
  {
    const auto lock = state_->recorded_so_far();
    state_->publish();  // logs store its counters
    const auto open = state_->open_logs();
    ending.assign(open.begin(), open.end());
    state_->have_logs_ended = true;
  }
  for (const auto& log : ending) log->end();
}

const Qrels& Experiment::qrels() const noexcept { return state_->qrels(); }
const Qrels& ExperimentIndexes::qrels(std::uint32_t version) const {
  const JudgementVersion* const found = state_->find_version(
      [&](const JudgementVersion& one) { return one.judged.version() == version; });
  if (found == nullptr) throw std::out_of_range("no such version of the judgements");
  return found->judged.qrels();
}
const ExperimentOptions& Experiment::options() const noexcept { return state_->options; }
const JudgedDocnos& ExperimentIndexes::judged() const noexcept {
  return state_->current_version().judged;
}
std::span<const ArmId> Experiment::arms() const noexcept { return state_->arms.names(); }
ArmStatus Experiment::status(ArmIndex arm) const noexcept { return state_->arms.status(arm); }
std::span<const Measure> Experiment::measures() const noexcept { return state_->scorer.measures(); }

std::optional<ArmIndex> Experiment::find_arm(std::string_view name) const noexcept {
  return state_->arms.find(name);
}

ArmIndex Experiment::arm(std::string_view name) const {
  if (const std::optional<ArmIndex> found = find_arm(name)) return *found;
  std::vector<std::string_view> names;
  for (const ArmId& id : arms()) names.push_back(id.text());
  throw usage_error("{}", unknown_name_message("arm", name, names));
}

Stage Experiment::stage(std::string_view name) const {
  const std::vector<std::string>& own = options().stages;
  if (const std::optional<Stage> found = find_stage(name, own)) return *found;
  std::vector<std::string_view> names{stage_name(Stage::kCandidates, own),
                                      stage_name(Stage::kServed, own)};
  names.insert(names.end(), own.begin(), own.end());
  throw usage_error("{}", unknown_name_message("stage", name, names));
}

/// The upper half is the index, from 0, and the lower half its state, from 1. All indexes number
/// their later states by one counter, so that two threads that reopen an index get two numbers.
std::uint64_t ExperimentIndexes::next_generation(std::uint64_t before) noexcept {
  const auto next = [](std::atomic<std::uint32_t>& counter) -> std::uint64_t {
    return counter.fetch_add(1, std::memory_order_relaxed);
  };
  if (before == 0) return (next(state_->index_sources) << 32U) + 1;
  return (before >> 32U << 32U) + next(state_->index_states) + 1;
}

void ExperimentIndexes::count_adapter_failure() noexcept {
  state_->counters.count(&Health::adapter_failures);
}
void ExperimentIndexes::count_unobserved_search() noexcept {
  state_->counters.count(&Health::unobserved_searches);
}

void ExperimentResults::flush() { state_->flush(); }

std::shared_ptr<const Summary> ExperimentResults::latest() const noexcept {
  // In a forked child the mutex may be locked for ever; nothing is published there any more.
  std::unique_lock lock(state_->latest_mutex, std::defer_lock);
  if (!state_->is_forked()) lock.lock();
  return state_->latest;
}

std::shared_ptr<const Summary> ExperimentResults::summary(SummaryDetail detail) {
  {
    const auto lock = state_->locked_ledger();
    state_->push_unanswered(AnnouncedVisits::Which::kAll);
  }
  state_->flush();
  const auto lock = state_->locked_ledger();
  return std::make_shared<const Summary>(summarize(state_->ledger, state_->facts_now(), detail));
}

std::optional<TopicDetail> ExperimentResults::topic(const TopicId& id) {
  state_->flush();
  const auto lock = state_->locked_ledger();
  return topic_detail(state_->ledger, state_->facts_now().arms, id);
}

double ExperimentResults::queue_ratio() const noexcept {
  const ObservationRing& ring = state_->ring;
  const std::uint64_t drained = ring.drained();  // first, so that it is not above what was claimed
  const auto waiting = static_cast<double>(ring.claimed() - drained);
  return std::min(1.0, waiting / static_cast<double>(ring.capacity()));
}

// Adding, pausing and removing arms while queries run. Each change begins an epoch of the ledger.

/// The change takes the number of a visit, so that a visit with a higher one finds the arms as they
/// are now.
void ExperimentState::arms_changed(ExperimentChange change) noexcept {
  change.newest_visit = visits.fetch_add(1, std::memory_order_release) + 1;
  arms_changed_by = change.newest_visit;
  arms_changed_at = utc_now();
  ledger.leave_out_visits_up_to(change.newest_visit);
  log(change);
}

ArmIndex ExperimentControl::add_arm(std::string_view name, const ArmDescription& description) {
  const auto lock = state_->recorded_so_far();
  ArmTable& arms = state_->arms;
  std::optional<ArmIndex> added = checked_addition(arms, name);
  if (added) {
    state_->ledger.restore_arm(*added);
    arms.set(*added, ArmStatus::kActive);
  } else {
    ArmId id(name);
    state_->ledger.add_arm();
    added = arms.add(std::move(id));
  }
  state_->arms_changed({.kind = Kind::kArmAdded, .arm = *added, .description = &description});
  return *added;
}

void ExperimentState::change_arm(const ExperimentChange& change, std::optional<ArmStatus> status) {
  const auto lock = recorded_so_far();
  (void)changeable(arms, change.arm);
  if (status == arms.status(change.arm)) return;
  ledger.begin_epoch(EpochReason::kArms);
  if (status) arms.set(change.arm, *status);
  arms_changed(change);
}

void ExperimentControl::pause_arm(ArmIndex arm) {
  state_->change_arm({.kind = Kind::kArmPaused, .arm = arm}, ArmStatus::kPaused);
}
void ExperimentControl::resume_arm(ArmIndex arm) {
  state_->change_arm({.kind = Kind::kArmResumed, .arm = arm}, ArmStatus::kActive);
}
void ExperimentControl::restart_arm(ArmIndex arm) {
  state_->change_arm({.kind = Kind::kArmRestarted, .arm = arm});
}
void ExperimentControl::restart_arm(ArmIndex arm, const ArmDescription& now) {
  state_->change_arm({.kind = Kind::kArmRestarted, .arm = arm, .description = &now});
}
void ExperimentControl::restart_arm(ArmIndex arm, std::uint64_t decision) {
  state_->change_arm({.kind = Kind::kArmRestarted, .arm = arm, .decision = decision});
}

void ExperimentControl::remove_arm(ArmIndex arm) {
  const auto lock = state_->recorded_so_far();
  const std::string& name = changeable(state_->arms, arm);
  if (arm == ArmIndex(0)) {
    refuse_change("arm '{}' is the first, which the others are compared with; pause it instead",
                  name);
  }
  state_->ledger.remove_arm(arm);
  state_->arms.set(arm, ArmStatus::kRemoved);
  state_->resolved[arm.value()].reset();
  state_->missing_series[arm.value()].clear();
  state_->arms_changed({.kind = Kind::kArmRemoved, .arm = arm});
}

// Changing judgements while queries run, and resolving indexes for them.

Rejudged ExperimentControl::rejudge(const JudgementChanges& changes) {
  if (changes.judged.empty() && changes.withdrawn.empty()) return {};
  state_->refuse_to_hang();
  // The new version is made while the recorder goes on.
  const std::lock_guard one_at_a_time(state_->judging_mutex);
  const JudgementVersion& last = state_->current_version();
  std::list<JudgementVersion> next;
  const JudgementVersion& now =
      next.emplace_back(JudgedDocnos(last.judged.qrels().with(changes), last.judged), &last);
  refuse_what_the_queue_cannot_hold(now, *state_);
  const auto lock = state_->recorded_so_far();
  const Rejudged rejudged =
      state_->ledger.rejudge(now.judged, topics_of(changes, now.judged.qrels()));
  // Published only now, so that the recorder, which waits, never receives an observation of an
  // unknown version.
  state_->versions.splice(state_->versions.begin(), next);
  state_->current.store(&now, std::memory_order_release);
  state_->log({.kind = Kind::kJudgements, .judgements_version = now.judged.version()});
  return rejudged;
}

namespace {

/// Returns the report of the judged documents that an index lacks.
std::vector<std::string> missing_series_of(const ResolvedQrels& resolved) {
  if (resolved.missing_keys().empty()) return {};
  const JudgedDocnos& judged = resolved.judged();
  std::vector<JudgedMatch> matches;
  matches.reserve(judged.num_keys());
  for (std::uint32_t key = 0; key < judged.num_keys(); ++key) {
    matches.push_back({.docno = judged.key(key), .is_found = true});
  }
  for (const std::uint32_t key : resolved.missing_keys()) matches[key].is_found = false;
  return match_report(series_matches(matches), MatchPlace::kIndex);
}

}  // namespace

void ExperimentIndexes::set_resolved(ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved) {
  std::vector<std::string> missing_series;
  if (resolved != nullptr && state_->is_own(*resolved)) {
    missing_series = missing_series_of(*resolved);
  }
  if (resolved != nullptr) refuse_docids(state_->qrels());
  const auto lock = state_->recorded_so_far();  // so that all rankings until now are looked through
  if (arm.value() >= state_->arms.size()) {
    throw usage_error("{}", no_arm(state_->arms, arm));
  }
  if (resolved != nullptr && !state_->is_own(*resolved)) {
    throw usage_error(
        "arm '{}': the table was resolved for the judgements of another experiment; resolve the "
        "index for this one's judged()",
        state_->arms[arm.value()].text());
  }
  if (state_->arms.status(arm) == ArmStatus::kRemoved) return;
  state_->missing_series[arm.value()] = std::move(missing_series);
  const std::shared_ptr<const ResolvedQrels>& kept = state_->resolved[arm.value()] =
      std::move(resolved);
  if (kept == nullptr || &kept->judged() != &judged()) return;
  state_->ledger.locate(arm, *kept);
}

std::shared_ptr<const ResolvedQrels> ExperimentIndexes::resolved(ArmIndex arm) const {
  const auto lock = state_->locked_ledger();
  if (arm.value() >= state_->arms.size()) {
    throw usage_error("{}", no_arm(state_->arms, arm));
  }
  return state_->resolved[arm.value()];
}

void Experiment::begin_logs() const {
  const std::vector<std::shared_ptr<ObservationLog>>& logs = state_->options.logs;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    try {
      logs[i]->begin(*this);
    } catch (...) {
      for (const auto& begun : std::span(logs).first(i)) begun->end();
      throw;
    }
  }
}

void ExperimentState::log(const ExperimentChange& change) noexcept {
  const CallingOut here(*this);
  for (const auto& log : open_logs()) {
    attempt(health.log_failures, [&] { log->change(change); });
  }
}

// The choice of the serving arm (Mode::kSplit), and searches for comparison (Mode::kPaired).

ArmIndex ExperimentTraffic::arm_for(std::string_view unit) const noexcept {
  if (state_->options.mode != Mode::kSplit) return ArmIndex(0);
  return state_->arms.drawn_for(unit, state_->options.split.salt).value_or(ArmIndex(0));
}

ArmIndex ExperimentTraffic::arm_for(const SearchRequest& request) const noexcept {
  if (state_->options.mode != Mode::kSplit) {
    return request.arm.value_or(state_->arms.first_active().value_or(ArmIndex(0)));
  }
  const TopicIndex topic = state_->topic_of(request);
  if (state_->is_judged(topic)) return arm_for(state_->qrels().topic(topic).id().text());
  return arm_for(request.topic.empty() ? request.text : request.topic);
}

bool ExperimentTraffic::wants_shadow(const Visit& visit) const noexcept {
  return state_->shadows && state_->shadows->wants(visit);
}

bool ExperimentTraffic::shadow(const Visit& visit, ArmIndex served,
                               std::function<void(ArmIndex arm)> search,
                               std::string_view query) noexcept {
  return state_->shadows && !state_->is_forked() &&
         state_->shadows->offer({visit, served, std::move(search), QueryText(query)});
}

void ExperimentControl::drain_shadow() {
  state_->refuse_to_hang();
  if (state_->shadows) state_->shadows->drain();
}

}  // namespace prescope
