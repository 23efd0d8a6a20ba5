#include "actions/actor.h"

#include <cstdio>

#include "actions/events.h"
#include "base/random_bits.h"
#include "base/sip_hash.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "base/utc_time.h"
#include "live/option_checks.h"
#include "prescope/experiment.h"

namespace prescope {

namespace {

void warn_on_stderr(const std::string& sentence) {
  std::fputs(fmt::format("prescope: {}\n", sentence).c_str(), stderr);
}

/// Returns the options with a function for warnings. Throws Error(kUsage) naming every bad one.
ActionOptions checked_actions(ActionOptions options, bool has_host) {
  OptionChecks problems;
  const bool is_lasting = !options.command.empty() || !options.url.empty();
  if (!is_lasting && !has_host) problems.add("nothing is done; set command, url or on_event");
  if (options.on.empty()) problems.add("on names no kind of event; expected at least one");
  if (!options.command.empty() && trimmed(options.command).empty()) {
    problems.add("command is blank; expected a command of the shell");
  }
  constexpr std::int64_t kDay = 86'400;
  problems.check_range<std::int64_t>("time_limit", options.time_limit.count(), 1, kDay, " s");
  if (is_lasting && options.journal.empty()) {
    problems.add("command and url need a journal, so that they act once; name a folder");
  }
  if (!options.url.empty() && !is_web_url(options.url)) {
    // It is not repeated, because it may hold a secret.
    problems.add("url is neither http://... nor https://...");
  }
  problems.refuse_any("options of actions");
  if (!options.on_warning) options.on_warning = warn_on_stderr;
  return options;
}

/// A text that no other texts give.
std::string joined_fields(std::initializer_list<std::string_view> fields) {
  std::string all;
  for (const std::string_view field : fields) all += fmt::format("{}:{}", field.size(), field);
  return all;
}

std::string occurrence_id(const std::string& name, std::uint64_t occurrence) {
  return fmt::format("{}-{}", name, occurrence);
}

/// Returns how often an event has happened, if `has(id)` says which occurrences there are.
std::uint64_t occurrences(const std::string& name, const auto& has) {
  std::uint64_t count = 0;
  while (has(occurrence_id(name, count + 1))) ++count;
  return count;
}

}  // namespace

NewEvents::NewEvents(const Journal* journal, std::map<std::string, std::string> configs,
                     std::uint64_t first_epoch)
    : journal_(journal),
      configs_(std::move(configs)),
      first_epoch_(first_epoch),
      id_(journal == nullptr ? fmt::format("{:016x}", random_bits()) : journal->id()),
      at_start_(journal == nullptr ? std::set<std::string>() : journal->events()) {}

std::vector<Event> NewEvents::of(std::vector<Event> found) {
  std::vector<Event> fresh;
  for (Event& event : found) {
    if (take(event)) fresh.push_back(std::move(event));
  }
  return fresh;
}

std::string NewEvents::name_of(const Event& event) const {
  const auto config_of = [this](const std::string& arm) -> std::string_view {
    const auto found = configs_.find(arm);
    return found == configs_.end() ? std::string_view() : found->second;
  };
  const std::string all =
      joined_fields({event.experiment, event.salt, event.measure, event.arm, config_of(event.arm),
                     event.compared_with, config_of(event.compared_with)});
  return fmt::format("{}-{}-{:016x}", to_string(event.kind), id_, SipHash::of(all));
}

bool NewEvents::take(Event& event) {
  const std::string name = name_of(event);
  Known& known = known_[name];
  if (event.epoch <= known.epoch) return false;
  known.epoch = event.epoch;
  const std::uint64_t recorded = occurrences(
      name, [this](const std::string& id) { return journal_ != nullptr && journal_->has(id); });
  const std::uint64_t at_start =
      occurrences(name, [this](const std::string& id) { return at_start_.contains(id); });
  // An event that this process finds for the first time, and that the journal has, was found by the
  // process before, or by another process which runs now.
  const bool is_others =
      known.occurrence == 0 && recorded > 0 && (event.epoch == first_epoch_ || recorded > at_start);
  if (known.occurrence == 0) known.occurrence = is_others ? recorded - 1 : recorded;
  event.id = occurrence_id(name, ++known.occurrence);
  event.is_repeated = known.occurrence <= recorded;
  return true;
}

Actor::Actor(ActionOptions options, ActionSource source)
    : options_(checked_actions(std::move(options), bool(source.on_event))),
      source_(std::move(source)) {
  if (!options_.journal.empty()) journal_.emplace(options_.journal);
  if (!options_.command.empty()) {
    commands_.emplace(*journal_, options_.command, options_.on_warning);
  }
  if (!options_.url.empty()) {
    posts_.emplace(options_.journal, options_.url, options_.on_warning);
  }
  const auto first = source_.newest();
  new_.emplace(journal_ ? &*journal_ : nullptr, source_.configs, first->epoch.number);
  thread_ = start_steps("prescope-act", 0, [this] {
    attempt(failure_, [this] { look(source_.newest(), Tells::kHost); });
    return source_.interval;
  });
  if (!posts_) return;
  posting_ = start_steps("prescope-post", 0, [this] {
    attempt(posting_failure_, [this] { posts_->look(); });
    return source_.interval;
  });
}

Actor::~Actor() {
  for (std::jthread* thread : {&thread_, &posting_}) {
    if (!thread->joinable()) continue;
    thread->request_stop();
    thread->join();
  }
  attempt(failure_,
          [this] { look(source_.last ? source_.last() : source_.newest(), Tells::kNobody); });
  if (posts_) attempt(posting_failure_, [this] { posts_->finish(); });
}

void Actor::look(const std::shared_ptr<const Summary>& summary, Tells tells) {
  if (summary != seen_) {
    std::vector<Event> fresh = new_->of(events_in(*summary, options_.on));
    for (Event& event : fresh) {
      event.time = utc_now();
      pending_.push_back(std::move(event));
    }
    seen_ = summary;
  }
  while (!pending_.empty()) {
    act(pending_.front(), tells);
    pending_.erase(pending_.begin());
  }
  if (commands_) commands_->look();
}

void Actor::act(Event& event, Tells tells) {
  if (journal_ && !event.is_repeated) {
    std::vector<Journal::Due> due;
    if (commands_) due.push_back({Journal::Work::kCommand, options_.time_limit});
    if (posts_) due.push_back({Journal::Work::kPost, Posts::kGivenUp});
    event.is_repeated = !journal_->record(event, due);
  }
  if (tells == Tells::kNobody || !source_.on_event) return;
  attempt(telling_failure_, [&] { source_.on_event(event); });
}

bool Actor::attempt(std::string& last_failure, const std::function<void()>& work) const noexcept {
  try {
    std::string failure;
    try {
      work();
    } catch (const std::exception& error) {
      failure = error.what();
      if (failure.empty()) failure = "an exception without words";
    } catch (...) {
      failure = "an exception that is not a std::exception";
    }
    const bool is_told = failure.empty() || failure == last_failure;
    last_failure = failure;
    if (!is_told) options_.on_warning(fmt::format("actions: {}", failure));
    return failure.empty();
  } catch (...) {  // what the host's function throws
    return false;
  }
}

namespace {

ActionSource source_of(Experiment& experiment, const ActionOptions& options) {
  ActionSource source{
      .newest = [&experiment] { return experiment.latest(); },
      .last = [&experiment] { return experiment.summary(SummaryDetail::kVerdicts); },
      .interval = experiment.options().recording.publish_interval};
  if (options.on_event) {
    source.on_event = [&experiment, tell = options.on_event](const Event& event) {
      tell(event, experiment);
    };
  }
  for (const auto& [arm, description] : experiment.options().descriptions) {
    source.configs.emplace(arm, description.config);
  }
  return source;
}

class ActionService final : public ExperimentService {
 public:
  ActionService(Experiment& experiment, const ActionOptions& options)
      : actor_(options, source_of(experiment, options)) {}

 private:
  Actor actor_;
};

}  // namespace

AttachService actions(ActionOptions options) {
  return [options = std::move(options)](Experiment& experiment) {
    return std::make_unique<ActionService>(experiment, options);
  };
}

}  // namespace prescope
